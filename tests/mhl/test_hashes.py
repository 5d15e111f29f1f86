"""Hashes as manifests have them, beside published values and other implementations."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graycard.mhl import FolderSum, HashFormat, digest_of, new_hasher, text_of

# XXH of nothing with seed 0: xxHash, doc/xxhash_spec.md and its tests; C4 of nothing: SMPTE ST 2114, reference library.
OF_NOTHING = {
    HashFormat.MD5: "d41d8cd98f00b204e9800998ecf8427e",
    HashFormat.SHA1: "da39a3ee5e6b4b0d3255bfef95601890afd80709",
    HashFormat.XXH32: "02cc5d05",
    HashFormat.XXH64: "ef46db3751d8e999",
    HashFormat.XXH3: "2d06800538d394c2",
    HashFormat.XXH128: "99aa06d3014798d86001c324468d497f",
    HashFormat.C4: "c459dsjfscH38cYeXXYogktxf4Cd9ibshE3BHUo6a58hBXmRQdZrAkZzsWcbWtDg5oQstpDuni4Hirj75GEmTc1sFT",
}


def hashed(kind: HashFormat, data: bytes) -> bytes:
    hasher = new_hasher(kind)
    hasher.update(data)
    return hasher.digest()


@pytest.mark.parametrize("kind", HashFormat)
def test_the_hash_of_nothing_is_the_published_one(kind: HashFormat) -> None:
    assert text_of(kind, new_hasher(kind).digest()) == OF_NOTHING[kind]


@given(st.sampled_from(HashFormat), st.binary(max_size=100))
def test_a_digest_survives_being_a_text(kind: HashFormat, data: bytes) -> None:
    digest = hashed(kind, data)
    assert digest_of(kind, text_of(kind, digest)) == digest


@given(st.integers(0, 2**512 - 1))
def test_c4_of_any_sha512_has_90_characters(number: int) -> None:
    digest = number.to_bytes(64, "big")
    text = text_of(HashFormat.C4, digest)
    assert len(text) == 90
    assert digest_of(HashFormat.C4, text) == digest


@pytest.mark.parametrize("text", ["", "c4", "c5" + "1" * 88, "c4" + "0" * 88, "c4" + "z" * 88])
def test_what_is_no_c4_id_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"c4|substring|C4"):
        digest_of(HashFormat.C4, text)


def test_folders_are_hashed_as_the_reference_tool_does() -> None:
    """Values of `ascmhl create -h xxh3` 1.2 for A/x ("hi\\n"), A/empty, the empty A/B and the empty E."""
    kind = HashFormat.XXH3
    root, folder = FolderSum(kind), FolderSum(kind)
    folder.add_file(b"x", hashed(kind, b"hi\n"))
    folder.add_folder(b"B", FolderSum(kind).digests())
    folder.add_file(b"empty", hashed(kind, b""))
    found = folder.digests()
    assert (found.content.hex(), found.structure.hex()) == ("1f34fd9fb5019de3", "f1e6fc561a882fbe")
    root.add_folder(b"E", FolderSum(kind).digests())
    root.add_folder(b"A", found)
    whole = root.digests()
    assert (whole.content.hex(), whole.structure.hex()) == ("eff8f0d4b3486bd0", "2904a41b70c6bdb6")


def test_content_does_not_know_names_and_structure_does() -> None:
    one, other = FolderSum(HashFormat.MD5), FolderSum(HashFormat.MD5)
    digest = hashlib.md5(b"take").digest()
    one.add_file(b"A001", digest)
    other.add_file(b"A002", digest)
    assert one.digests().content == other.digests().content
    assert one.digests().structure != other.digests().structure
