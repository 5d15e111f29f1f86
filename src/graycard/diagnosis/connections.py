"""The tracks of the copy's own connections, from readings of the kernel's TCP state.

A copy may have several at once, and new ones as it goes on. What they moved is summed. How full one is, is told by the
busiest at each moment: an idle one beside it has an empty queue, which would mean nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graycard.diagnosis.series import Points, Values, amounts, levels, shares

Sample = Mapping[str, Any]
Row = Mapping[str, Any]
_US = 1e3
# In a quarter of a second: what a control connection or an idle mount says is less.
LEAST_BYTES = 4096
# name in the vocabulary -> field of a reading
_AMOUNTS = {
    "tcp_acked_bytes": "acked_bytes",
    "tcp_retransmit_count": "retransmit_count",
    "tcp_segment_count": "segment_count",
}
_SHARES = {
    "tcp_busy_ratio": "busy_us",
    "tcp_window_limited_ratio": "receive_window_limited_us",
    "tcp_buffer_limited_ratio": "send_buffer_limited_us",
}
# Where there is no connection at a moment, nothing waits in one.
_LEVELS = {"tcp_unacked_count": "unacked_count", "tcp_congestion_window_count": "congestion_window_count"}
_OF_ONE = {"tcp_rtt_ns": ("rtt_us", _US), "tcp_min_rtt_ns": ("min_rtt_us", _US),
           "tcp_delivery_bytes_per_s": ("delivery_bytes_per_s", 1.0)}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Look:
    """The busiest connection at one reading, and what it had counted at the one before ({}: it is new)."""

    at_ns: int
    now: Row | None
    before: Row


def connection_tracks(samples: Sequence[Sample], edges: Sequence[int]) -> Iterator[tuple[str, Values]]:
    """(name, values); nothing where no connection was seen.

    Amounts are those of all connections; levels, shares and times those of the busiest of each moment.
    """
    looks = busiest_looks(samples)
    if not any(look.now for look in looks):
        return
    for name, field in _AMOUNTS.items():
        yield name, amounts(growth_of(samples, field), edges)
    for name, field in _SHARES.items():
        spent = shares(_spent(looks, field), edges)
        yield name, tuple(None if each is None else min(1.0, each) for each in spent)
    for name, field in _LEVELS.items():
        yield name, levels([(look.at_ns, float((look.now or {}).get(field, 0))) for look in looks], edges)
    yield "tcp_queue_bytes", levels([(look.at_ns, float(_queue(look.now or {}))) for look in looks], edges)
    for name, (field, factor) in _OF_ONE.items():
        known = [(look.at_ns, look.now[field] * factor) for look in looks if look.now and field in look.now]
        yield name, levels(known, edges)


def busiest_looks(samples: Sequence[Sample]) -> tuple[Look, ...]:
    """Of each reading the connection that moved most since the one before.

    Where none moved anything to speak of (a stall, a rest) it stays the one it was; at first it is the one with most
    on its way.
    """
    looks, before, chosen = [], dict[int, Row](), -1
    for number, sample in enumerate(sample for sample in samples if "tcp" in sample):
        now = {row["inode"]: row for row in sample["tcp"]}
        # One that is seen for the first time and is not new has moved nothing since it was looked.
        base = {inode: before.get(inode, {} if _is_new(row, number) else row) for inode, row in now.items()}
        grown = {inode: _moved(row) - _moved(base[inode]) for inode, row in now.items()}
        most = max(now, key=lambda inode: (grown[inode], _queue(now[inode])), default=-1)
        if chosen not in now or grown[most] >= LEAST_BYTES:
            chosen = most
        looks.append(Look(sample["at_ns"], now.get(chosen), base.get(chosen, {})))
        before.update(now)
    return tuple(looks)


def _moved(row: Row) -> float:
    return float(row.get("acked_bytes", 0) + row.get("received_bytes", 0))


def _is_new(row: Row, number: int) -> bool:
    """Whether the connection began while it was looked: not all that are seen later are new."""
    return bool(row.get("is_new", number > 0))


def _queue(row: Row) -> int:
    return int(row.get("unsent_bytes", 0) + row.get("unacked_count", 0) * row.get("segment_bytes", 0))


def _spent(looks: Sequence[Look], field: str) -> Points:
    """The time (ns) that the busiest one has counted in a field of µs, from reading to reading."""
    total, points = 0.0, []
    for look in looks:
        if look.now and field in look.now:
            total += max(0.0, look.now[field] - look.before.get(field, 0)) * _US
        points.append((look.at_ns, total))
    return points


class Growth:
    """What all connections counted in one field since the first reading; a new one counts from its beginning."""

    def __init__(self, field: str) -> None:
        self._field = field
        self._known: dict[int, float] = {}
        self._number = 0
        self.total = 0.0

    def add(self, sample: Sample) -> float:
        """With this reading, which has connections: the sum so far."""
        for row in sample["tcp"]:
            now = float(row.get(self._field, 0))
            before = self._known.get(row["inode"], 0.0 if _is_new(row, self._number) else now)
            self.total += max(0.0, now - before)
            self._known[row["inode"]] = now
        self._number += 1
        return self.total


def growth_of(samples: Sequence[Sample], field: str) -> Points:
    """(time, sum so far) of all readings."""
    growth = Growth(field)
    return [(sample["at_ns"], growth.add(sample)) for sample in samples if "tcp" in sample]
