"""Reads /proc/self/mountstats of Linux: each mount, and what NFS counted since it was mounted.

Fields: the kernel's fs/nfs/iostat.h (bytes) and net/sunrpc/stats.c (operations; times in ms).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from graycard.errors import ImportProblem
from graycard.importers.text import lines
from graycard.model import FactValue
from graycard.protocols import Reading
from graycard.readings.mounts import linux_mount, plain, reading, visible

_LONGEST = 8000
_SIGN = re.compile(rb"^device \S[^\n]{0,4000} mounted on /", re.MULTILINE)
# What is larger went below zero: the kernel's counters have 64 bits.
_MOST = 1 << 62
_MS = 1_000_000


class MountstatsReader:
    """/proc/self/mountstats."""

    name = "mountstats"

    def recognises(self, head: bytes) -> bool:
        """Whether a line tells of a device that is mounted."""
        return _SIGN.search(head) is not None

    def read(self, data: bytes) -> tuple[Reading, ...]:
        """A reading for each mount."""
        found: list[Reading] = []
        block: list[str] = []
        for line in lines(data):
            if line.text.startswith("device ") and block:
                found += _reading(block)
                block = []
            block.append(line.text[:_LONGEST])
        found += _reading(block)
        if not found:
            raise ImportProblem("It tells of no mount: keep the whole of /proc/self/mountstats")
        return visible(found)


def _reading(block: list[str]) -> Iterator[Reading]:
    head = block[0].removeprefix("device ") if block else ""
    source, mounted, rest = head.partition(" mounted on ")
    point, typed, words = rest.rpartition(" with fstype ")
    if mounted and typed and point.startswith("/") and words.strip():
        source, point = plain(source), plain(point)
        yield reading(point, source, _facts(source, point, words.split()[0], block[1:]))


def _facts(source: str, point: str, kind: str, block: list[str]) -> Iterator[tuple[str, FactValue, str]]:
    told = {}
    for line in block:
        name, _, rest = line.strip().partition(":")
        told[name] = rest.strip()
    yield from linux_mount(source, point, kind, told.get("opts", ""), "mountstats")
    # Read and written by programs through the cache and past it; then from and to the server.
    moved = _counts(told.get("bytes", ""))
    if len(moved) >= 6:
        yield "share_read_bytes", _sum(moved[0], moved[2]), "mountstats bytes, normal and direct"
        yield "share_written_bytes", _sum(moved[1], moved[3]), "mountstats bytes, normal and direct"
        yield "server_read_bytes", moved[4], "mountstats bytes, server"
        yield "server_written_bytes", moved[5], "mountstats bytes, server"
    yield "read_round_trip_ns", _round_trip_ns(told.get("READ", "")), "mountstats READ, rtt ÷ ops"
    yield "write_round_trip_ns", _round_trip_ns(told.get("WRITE", "")), "mountstats WRITE, rtt ÷ ops"
    again = [_again(told.get(name, "")) for name in ("READ", "WRITE")]
    yield "share_retransmit_count", _sum(again[0], again[1]), "mountstats READ and WRITE, transmissions − ops"


def _round_trip_ns(counts: str) -> float | None:
    """The mean time of one operation: the seventh figure is the sum in ms, the first how many there were."""
    found = _counts(counts)
    count, total_ms = (found[0], found[6]) if len(found) >= 8 else (None, None)
    return total_ms * _MS / count if count and total_ms is not None else None


def _again(counts: str) -> int | None:
    """How many of an operation were sent again: the second figure counts what was sent, the first what was asked."""
    found = _counts(counts)
    asked, sent = (found[0], found[1]) if len(found) >= 8 else (None, None)
    return sent - asked if asked is not None and sent is not None and sent >= asked else None


def _counts(words: str) -> list[int | None]:
    return [_count(word) for word in words.split()]


def _count(word: str) -> int | None:
    """A counter of the kernel; None for what is none, and for one that went below zero."""
    found = int(word) if word.isascii() and word.isdigit() and len(word) <= 20 else _MOST
    return found if found < _MOST else None


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other
