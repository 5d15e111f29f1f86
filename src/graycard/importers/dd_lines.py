"""The lines that dd prints, in every language and of every system.

GNU: `209715200 bytes (210 MB, 200 MiB) copied, 1.5711 s, 133 MB/s` (before 8.25 without the MiB), with other words,
other order and decimal comma elsewhere: `скопійовано 100 байтів, 7,2e-05 s, 1,4 MB/s`, `已复制，0.07 s，40 GB/s`.
Its MB are 10^6 bytes (dd.c, human_SI). busybox: `copied, 1.5 seconds, 1.2MB/s`, without a blank, of 2^20 bytes.
BSD and macOS: `1073741824 bytes transferred in 1.640524 secs (654511500 bytes/sec)`.
So a line is known by its shape, and by its three figures, which agree.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from graycard.importers.rows import MOST_COUNT, half_step
from graycard.importers.text import number

# Words or nothing, then "200+0", then words; in Chinese the words go round it.
_RECORDS = re.compile(r"[^\d+]{0,30}(\d{1,17})\+(\d{1,17})[^\d+]{2,40}")
_HEAD = re.compile(r"[^\d(]{0,40}(\d{1,18})(?!\d)[^\d(]{1,40}(?:\([^()]{0,60}\)[^\d()]{0,40})?")
_SECONDS = re.compile(r"(\d[\d.,]{0,20}(?:e[-+]\d{1,3})?) ?[^\W\d]{1,12}\.?")
_RATE = re.compile(r"(\d[\d.,]{0,20})( ?)([kKMGTPE]?)B/[^\W\d]{1,8}")
_BSD = re.compile(
    r"[^\d]{0,40}?(\d{1,18}) bytes transferred in (\d[\d.,]{0,20}) sec(?:ond)?s? \((\d[\d.,]{0,20}) bytes/sec\)"
)
_PARTS = re.compile(r", |，|、")
_UNITS = {"": 0, "k": 1, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5, "E": 6}
_OWN_WORDS = re.compile(r"\bbytes?\b.{0,60}\bcopied\b|\bkopiert\b|\bcopi[éa]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Records:
    """A line "200+1 records in": whole and partial records."""

    whole_count: int
    partial_count: int


@dataclass(frozen=True, slots=True)
class Copied:
    """The line with the figures. `rounding_ratio` is how far the printed rate may be off for its few digits."""

    moved_bytes: int
    elapsed_ns: int
    stated_bytes_per_s: float
    rounding_ratio: float
    has_own_words: bool

    @property
    def rate_bytes_per_s(self) -> float | None:
        """Bytes over time, which have more digits than the printed rate; None where there is no time."""
        return self.moved_bytes * 1e9 / self.elapsed_ns if self.elapsed_ns else None

    @property
    def agrees(self) -> bool:
        """Whether the printed rate is bytes over time."""
        rate = self.rate_bytes_per_s
        return rate is not None and abs(rate - self.stated_bytes_per_s) <= rate * self.rounding_ratio


def records(text: str) -> Records | None:
    """The line as one of records in or out, or None."""
    match = _RECORDS.fullmatch(text.strip())
    return Records(int(match[1]), int(match[2])) if match else None


def copied(text: str) -> Copied | None:
    """The line as one with bytes, time and rate, or None."""
    bsd = _BSD.match(text)
    if bsd:
        return _copied(bsd[1], bsd[2], bsd[3], 1, own=True)
    parts = _PARTS.split(text.strip())
    if len(parts) < 3:
        return None
    head, seconds, rate = _HEAD.fullmatch(", ".join(parts[:-2])), _SECONDS.fullmatch(parts[-2]), _RATE.match(parts[-1])
    if not head or not seconds or not rate:
        return None
    base = 1000 if rate[2] else 1024
    return _copied(head[1], seconds[1], rate[1], base ** _UNITS[rate[3]], own=bool(_OWN_WORDS.search(text)))


def _copied(moved: str, seconds: str, rate: str, unit: int, *, own: bool) -> Copied | None:
    elapsed_s, stated = number(seconds), number(rate)
    if elapsed_s is None or stated is None or int(moved) > MOST_COUNT or elapsed_s * 1e9 > MOST_COUNT:
        return None
    rounding = half_step(rate) / stated if stated else 0.0
    rounding += half_step(seconds) / elapsed_s if elapsed_s and "e" not in seconds else 0.0
    return Copied(int(moved), round(elapsed_s * 1e9), stated * unit, rounding + 0.001, own)
