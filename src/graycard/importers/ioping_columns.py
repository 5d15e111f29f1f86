"""ioping's batch columns (-B, in 0.x -p): whole numbers only, the last line the total.

count, time ns, IOPS, bytes/s, min, avg, max, mdev ns; since 0.9 then the count with warm-up and the time with pauses.
Nothing else in the file says ioping, so it is known by what the columns must give: IOPS and mean from count and time.
"""

from __future__ import annotations

from collections.abc import Iterator

from graycard.importers.ioping_task import Statistics
from graycard.importers.rows import MOST_COUNT
from graycard.importers.text import lines
from graycard.model import Operation

# Rounding to whole operations a second, and to whole ns.
_TOLERANCE_RATIO = 0.01


def is_batch(head: bytes) -> bool:
    """Whether the first lines that are not empty are such columns."""
    rows = [line.text for line in lines(head[:4096]) if line.text.strip()]
    return bool(rows) and _columns(rows[0]) is not None


def totals(data: bytes) -> tuple[Statistics, ...]:
    """The last line of columns; none where no line is one."""
    last = None
    for row in _rows(data):
        last = row
    return (_statistics(last),) if last else ()


def _rows(data: bytes) -> Iterator[list[int]]:
    for line in lines(data):
        columns = _columns(line.text)
        if columns:
            yield columns


def _columns(text: str) -> list[int] | None:
    words = text.split() if len(text) < 400 else []
    if len(words) not in (8, 10) or not all(word.isascii() and word.isdigit() and len(word) < 19 for word in words):
        return None
    columns = [int(word) for word in words]
    count, time_ns, ops, rate, low, mean, high, _ = columns[:8]
    if not count or not time_ns or not rate or max(columns) > MOST_COUNT or not low <= mean <= high:
        return None
    counted, average = count * 1e9 / time_ns, time_ns / count
    agree = (
        abs(ops - counted) <= 1 + counted * _TOLERANCE_RATIO and abs(mean - average) <= 1 + average * _TOLERANCE_RATIO
    )
    return columns if agree else None


def _statistics(columns: list[int]) -> Statistics:
    count, time_ns, ops, rate, low, mean, high, _ = columns[:8]
    return Statistics(
        path="",
        medium="",
        operation=Operation.READ,
        request_count=count,
        block_bytes=round(rate * time_ns / 1e9 / count) or None,
        elapsed_ns=time_ns,
        ops_per_s=float(ops),
        rate_bytes_per_s=float(rate),
        min_ns=float(low),
        mean_ns=float(mean),
        max_ns=float(high),
        states_operation=False,
    )
