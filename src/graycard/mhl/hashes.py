"""The hash formats of ASC MHL, as bytes while they are computed and as text in a manifest."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from enum import StrEnum
from typing import Protocol

import xxhash

# The alphabet and length of a C4 id (SMPTE ST 2114): SHA-512 in base 58, "c4" before it, filled up with "1".
_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_C4_DIGITS_COUNT = 88
_SHA512_BYTES = 64


class HashFormat(StrEnum):
    """Named as their elements in a manifest; all but C4 are hexadecimal there, the most significant byte first."""

    MD5 = "md5"
    SHA1 = "sha1"
    C4 = "c4"
    XXH32 = "xxh32"
    XXH64 = "xxh64"
    XXH3 = "xxh3"
    XXH128 = "xxh128"


class Hasher(Protocol):
    """What hashlib and xxhash have in common."""

    def update(self, data: memoryview | bytes, /) -> None:
        """Take in more bytes."""

    def digest(self) -> bytes:
        """The hash of all bytes so far."""


_MAKERS: dict[HashFormat, Callable[[], Hasher]] = {
    HashFormat.MD5: lambda: hashlib.md5(usedforsecurity=False),
    HashFormat.SHA1: lambda: hashlib.sha1(usedforsecurity=False),
    HashFormat.C4: hashlib.sha512,
    HashFormat.XXH32: xxhash.xxh32,
    HashFormat.XXH64: xxhash.xxh64,
    HashFormat.XXH3: xxhash.xxh3_64,
    HashFormat.XXH128: xxhash.xxh3_128,
}


def new_hasher(kind: HashFormat) -> Hasher:
    """A hasher that has seen no bytes."""
    return _MAKERS[kind]()


def text_of(kind: HashFormat, digest: bytes) -> str:
    """A digest as a manifest has it."""
    return _c4(digest) if kind is HashFormat.C4 else digest.hex()


def digest_of(kind: HashFormat, text: str) -> bytes:
    """The digest of a manifest's text; ValueError where it is none."""
    if kind is not HashFormat.C4:
        return bytes.fromhex(text)
    if len(text) != _C4_DIGITS_COUNT + 2 or not text.startswith("c4"):
        raise ValueError(f"“{text}” is no C4 id")
    number = 0
    for digit in text[2:]:
        number = number * 58 + _BASE58.index(digit)
    if number >= 1 << (8 * _SHA512_BYTES):
        raise ValueError(f"“{text}” is no C4 id")
    return number.to_bytes(_SHA512_BYTES, "big")


def _c4(digest: bytes) -> str:
    number, digits = int.from_bytes(digest, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        digits = _BASE58[digit] + digits
    return "c4" + digits.rjust(_C4_DIGITS_COUNT, "1")
