"""The rows of fio's logs as they stand in the file, and what can be told of a log from its first rows.

    1000, 99556, 0, 0               ms, value, direction (0 read, 1 write, 2 trim), block           up to about 3.20
    500, 41408, 1, 0, 0             with an offset (log_offset=1), or since about 3.20 a priority
    8, 8015623, 1, 1048576, 0, 0x0000      with an offset and a priority
    1001, 0, 16384, 0, 0, 2, …      a histogram: ms, direction, block, then the count of each bin

Averaged logs (log_avg_msec) have the block 0; else each row is one operation. What the value is, only the name tells.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median

from graycard.errors import ImportProblem
from graycard.importers.text import lines

_ROW = re.compile(rb"\d{1,15}, \d{1,19}, [0-3], \d{1,12}(?:, (?:0x)?[0-9a-f]{1,19}){0,4}\s*")
_HISTOGRAM = re.compile(rb"\d{1,15}, [0-3], \d{1,12}(?:, \d{1,19}){19,2000}(?:, ?\d{0,19})?\s*")
_NAMES = re.compile(r"(?<![a-z])(clat_hist|slat_hist|lat_hist|hist|bw|iops|clat|slat|lat)(?![a-z])")
# Bins of the whole histogram: 19 groups of 64 in µs up to 2.x, 29 groups in ns since 2.99 (stat.h).
_BINS = {19 * 64: 1000, 29 * 64: 1}
_COARSEST = 6
# A time in ms this large is one since 1970 (log_unix_epoch=1).
_EPOCH_MS = 10**11
# The year 2100.
_LATEST_MS = 4_102_444_800_000
_CHUNK_BYTES = 1 << 20
_LOOKED_AT_COUNT = 1000
_LEAST_COLUMNS = 4


@dataclass(frozen=True, slots=True)
class Bins:
    """How the bins of a histogram log are to be read: `step` neighbours are one, values times `unit_ns`."""

    step: int
    unit_ns: int


@dataclass(frozen=True, slots=True)
class Layout:
    """What is known of a whole log. `kind` is "bw", "iops", "lat", "clat", "slat", "hist" or None.

    `interval_ms` is the time between rows of one direction, None where each row is one operation. `base_ms` is the
    time of the beginning. `version_3`: the columns are those of 3.x, whose latencies are ns; else it cannot be told.
    """

    kind: str | None
    interval_ms: int | None
    base_ms: int
    since_1970: bool
    bins: Bins | None
    version_3: bool


def is_row(line: bytes) -> bool:
    """Whether a line is a row of one of fio's logs."""
    return bool(_ROW.fullmatch(line) or _HISTOGRAM.fullmatch(line))


def recognises(head: bytes) -> bool:
    """Whether the first whole lines, 20 at most, are all rows; of a single line whether it is one."""
    found = [line for line in head.splitlines() if line.strip()]
    whole = found[:20] if len(found) > 20 or head.endswith(b"\n") else found[:-1]
    return bool(found) and all(is_row(line) for line in whole or found)


def kind_in(name: str) -> str | None:
    """What a log holds by its name, as "lg_bw.1.log" or "x_clat_hist.1.log"; None where the name does not tell."""
    found = _NAMES.findall(name.lower())
    return "hist" if found and found[-1].endswith("hist") else found[-1] if found else None


def rows(read: Callable[[int], bytes], longest_bytes: int = 1 << 17) -> Iterator[tuple[int, list[bytes]]]:
    """The number and the columns of each line; empty lines are passed over, and a last line that is cut short."""
    number, rest, column_count = 0, b"", None
    while chunk := read(_CHUNK_BYTES):
        whole = (rest + chunk).split(b"\n")
        rest = whole.pop()
        if len(rest) > longest_bytes:
            raise ImportProblem(f"line {number + len(whole) + 1} is too long to be fio's log: check where it is from")
        for line in whole:
            number += 1
            if line and not line.isspace():
                columns = line.split(b",")
                column_count = column_count or len(columns)
                yield number, columns
    if is_row(rest) and rest.count(b",") + 1 == (column_count or rest.count(b",") + 1):
        yield number + 1, rest.split(b",")


def plain(head: bytes) -> bytes:
    """The log as fio writes it: without a mark of its encoding, the quote signs of a forum, or UTF-16."""
    return "\n".join(line.text for line in lines(head)).encode() + b"\n"


def layout(first: list[tuple[int, list[bytes]]], name: str) -> Layout:
    """What the first rows and the name tell. ImportProblem for rows that are none."""
    columns = first[0][1]
    bins = _bins(len([each for each in columns if each.strip()]) - 3) if len(columns) > 20 else None
    times = [_time_and_direction(number, row, 1 if bins else 2) for number, row in first[:_LOOKED_AT_COUNT]]
    averaged = bins is not None or columns[3].strip() == b"0"
    interval = _interval_ms(times) if averaged else None
    start = times[0][0]
    since_1970 = start > _EPOCH_MS
    if start > _LATEST_MS:
        raise ImportProblem(damaged(first[0][0]))
    # Rows tell the end of their interval. A log that begins later has a ramp before it, or nothing was moved.
    length = interval or 0
    late = start > (1.5 * length if averaged else 1000)
    return Layout(
        kind="hist" if bins else _other_than_histogram(kind_in(name)),
        interval_ms=interval,
        base_ms=max(0, start - length) if since_1970 or late else 0,
        since_1970=since_1970,
        bins=bins,
        version_3=_is_version_3([row for _, row in first[:_LOOKED_AT_COUNT]]),
    )


def _time_and_direction(number: int, row: list[bytes], place: int) -> tuple[int, int]:
    if len(row) < _LEAST_COLUMNS:
        raise ImportProblem(damaged(number))
    try:
        return int(row[0]), int(row[place])
    except ValueError:
        raise ImportProblem(damaged(number)) from None


def damaged(number: int) -> str:
    """Of a line that is no row."""
    return f"fio's log is damaged at line {number}: get the file anew, or cut the line out"


def _other_than_histogram(kind: str | None) -> str | None:
    return None if kind == "hist" else kind


def _bins(count: int) -> Bins:
    """With log_hist_coarseness=c, 2^c neighbouring bins are one."""
    for coarseness in range(_COARSEST + 1):
        unit_ns = _BINS.get(count << coarseness)
        if unit_ns:
            return Bins(1 << coarseness, unit_ns)
    raise ImportProblem(f"fio's histogram log has {count} bins, which no known version writes: get the file anew")


def _interval_ms(times: list[tuple[int, int]]) -> int:
    """The usual time between rows of one direction; that of a single row is all of its time."""
    last: dict[int, int] = {}
    steps = []
    for time, direction in times:
        if time > last.get(direction, time):
            steps.append(time - last[direction])
        last[direction] = time
    if steps:
        return max(1, round(median(steps)))
    return max(1, times[0][0]) if times[0][0] < _EPOCH_MS else 1


def _is_version_3(found: list[list[bytes]]) -> bool:
    """By the priority in the last column, which came after ns had replaced µs.

    A fifth column may also be an offset, which is 0 in averaged logs and changes from row to row in others.
    """
    last = {row[4].strip() for row in found if len(row) == 5}
    telling = len(found) > 1 or found[0][3].strip() == b"0"
    return len(found[0]) >= 6 or (bool(last) and last <= {b"0", b"1"} and telling)
