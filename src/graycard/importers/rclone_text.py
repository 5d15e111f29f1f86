"""rclone's statistics as text, which it writes again and again: the last of each copy counts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from graycard.importers.imported import stated_time
from graycard.importers.rows import MOST_COUNT
from graycard.importers.text import Text, number
from graycard.units import parse_duration

_AMOUNT = r"(\d[\d.]{0,15}) ?([kKMGTPE]?)i?(?:Bytes|Byte|B|bits?|Bits?)?"
_STATS = re.compile(
    rf"(Transferred:|INFO {{0,3}}:|NOTICE ?:)[^%]{{0,60}}?(?<![\d.]){_AMOUNT} / {_AMOUNT}, (?:-|\d{{1,3}}%),"
    r" (\d[\d.]{0,15}) ?([kKMGTPE]?)i?(Bytes|Byte|B|[bB]its?)/s"
)
# --progress with --stats-one-line writes one state after the other into one line, with nothing before or between them.
_STATE = re.compile(
    rf"{_AMOUNT} / {_AMOUNT}, (?:-|\d{{1,3}}%), (\d[\d.]{{0,15}}) ?([kKMGTPE]?)i?(Bytes|Byte|B|[bB]its?)/s, ETA "
)
# Before 1.45: "Transferred:   1.221 GBytes (10.1 MBytes/s)".
_OLD_STATS = re.compile(rf"Transferred: {{1,8}}{_AMOUNT} \((\d[\d.]{{0,15}}) ?([kKMGTP]?)(Bytes|[bB]its?)/s\)")
_FILES = re.compile(r"^Transferred: {1,20}(\d{1,12})(?: / \d{1,12}, (?:-|\d{1,3}%))?$")
_ELAPSED = re.compile(r"^Elapsed time: {1,20}(?:(\d{1,5})h)?(?:(\d{1,4})m)?(\d[\d.]{0,12})(ms|s)$")
_ERRORS = re.compile(r"^Errors: {1,30}([1-9]\d{0,8})\b")
_ERROR = re.compile(r"(?:ERROR {1,2}:|Failed to (?:copy|sync|move)(?: with \d{1,9} errors)?:) (\S.{0,300})$")
_DATE = re.compile(r"^\d{4}/\d\d/\d\d \d\d:\d\d:\d\d")
_UNITS = {"": 0, "k": 1, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5, "E": 6}


@dataclass(slots=True)
class Snapshot:
    """What rclone had done at one moment. `is_worked_out`: the rate is ours, from the times of single files."""

    moved_bytes: int
    total_bytes: int | None = None
    rate_bytes_per_s: float | None = None
    elapsed_s: float | None = None
    file_count: int | None = None
    error: str | None = None
    created_at: datetime | None = None
    is_worked_out: bool = False

    @property
    def is_partial(self) -> bool:
        """Whether less than all was done; rclone rounds sizes to three digits behind the point."""
        return bool(self.moved_bytes and self.total_bytes and self.moved_bytes < 0.999 * self.total_bytes)


def is_own(text: Text) -> bool:
    """Whether a line is one of rclone's statistics."""
    # Marks that its lines have; most files of other tools are told by them at once.
    hinted = "/s" in text.whole and ("%, " in text.whole or "Transferred:" in text.whole or " -, " in text.whole)
    return hinted and any(_stats(line.text.replace("\t", " ")) for line in text)


def text_snapshots(text: Text) -> Iterator[Snapshot]:
    """Every statistics in the text, with the lines below it."""
    found: Snapshot | None = None
    date: datetime | None = None
    error: str | None = None
    for line in text:
        words = line.text.strip().replace("\t", " ")
        if _DATE.match(words) and (stated := stated_time(words)):
            date = stated[0]
        snapshot = _stats(words)
        if snapshot:
            if found:
                yield found
            found = snapshot
            found.created_at, found.error = date, error
        elif failed := _ERROR.search(words):
            error = failed[1]
            if found and "Failed to" in failed[0]:
                found.error = error
        elif found:
            _take(found, words, error)
    if found:
        yield found


def last_of_each(snapshots: Iterable[Snapshot]) -> Iterator[Snapshot]:
    """The last of each copy: bytes that become fewer are those of the next one."""
    last: Snapshot | None = None
    for snapshot in snapshots:
        if last and snapshot.moved_bytes < last.moved_bytes:
            yield last
        last = snapshot
    if last:
        yield last


def _stats(line: str) -> Snapshot | None:
    if match := _STATS.search(line):
        _, moved, unit, total, total_unit, rate, rate_unit, kind = match.groups()
        return Snapshot(_bytes(moved, unit), _bytes(total, total_unit or unit), _rate(rate, rate_unit, kind))
    if _STATE.match(line):
        *_, last = _STATE.finditer(line)
        moved, unit, total, total_unit, rate, rate_unit, kind = last.groups()
        return Snapshot(_bytes(moved, unit), _bytes(total, total_unit or unit), _rate(rate, rate_unit, kind))
    if match := _OLD_STATS.search(line):
        return Snapshot(_bytes(match[1], match[2]), None, _rate(match[3], match[4], match[5]))
    return None


def _take(found: Snapshot, line: str, error: str | None) -> None:
    if match := _FILES.match(line):
        found.file_count = int(match[1])
    elif match := _ERRORS.match(line):
        found.error = f"{match[1]} errors" + (f", the last: {error}" if error else "")
    elif match := _ELAPSED.match(line):
        seconds = parse_duration(f"{match[3]}{match[4]}") / 1e9 if match[3].count(".") <= 1 else 0.0
        found.elapsed_s = int(match[1] or 0) * 3600 + int(match[2] or 0) * 60 + seconds


def _value(text: str, prefix: str) -> float:
    found = (number(text, ".") or 0.0) * 1024.0 ** _UNITS[prefix]
    return found if found < MOST_COUNT else 0.0


def _bytes(text: str, prefix: str) -> int:
    return round(_value(text, prefix))


def _rate(text: str, prefix: str, kind: str) -> float:
    return _value(text, prefix) / (8 if kind.lower().startswith("bit") else 1)
