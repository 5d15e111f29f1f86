"""What the core's generator writes (native/generator.c), made again in Python: to prove that it is what is there.

xorshift128+ in eight streams side by side, each block with a state of its own, which splitmix64 derives from seed, run
number and serial number. It takes half a millisecond for 4 KiB, so only the beginnings of blocks are made.
"""

from __future__ import annotations

import struct

STREAM_COUNT = 8
_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15


def block_start(seed: int, run: int, serial: int, size_bytes: int) -> bytes:
    """The first `size_bytes`, a multiple of 64, of the block number `serial` that run number `run` made."""
    states = [(_mixed(state), _mixed(state + _GOLDEN) | 1) for state in _states(seed, run, serial)]
    words: list[int] = []
    for _ in range(size_bytes // (8 * STREAM_COUNT)):
        words += [(moving + staying) & _MASK for moving, staying in states]
        states = [_next(*state) for state in states]
    return struct.pack(f"<{len(words)}Q", *words)


def first_word(seed: int, run: int, serial: int) -> bytes:
    """The first 8 bytes of that block, which tell it from all others."""
    state = _states(seed, run, serial)[0]
    return struct.pack("<Q", (_mixed(state) + (_mixed(state + _GOLDEN) | 1)) & _MASK)


def _states(seed: int, run: int, serial: int) -> list[int]:
    """The splitmix64 state before each stream's pair of words."""
    start = _mixed(_mixed(_mixed(seed + _GOLDEN) ^ ((run + _GOLDEN) & _MASK)) ^ serial)
    return [start + (2 * stream + 1) * _GOLDEN for stream in range(STREAM_COUNT)]


def _mixed(value: int) -> int:
    value &= _MASK
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9 & _MASK
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB & _MASK
    return value ^ (value >> 31)


def _next(moving: int, staying: int) -> tuple[int, int]:
    moving = (moving ^ (moving << 23)) & _MASK
    return staying, moving ^ staying ^ (moving >> 18) ^ (staying >> 5)
