"""The tracks of the copy's own connection, from readings of the kernel's TCP state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from graycard.diagnosis.series import Points, Values, amounts, levels, shares

Sample = Mapping[str, Any]
_US = 1e3
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
_LEVELS = {"tcp_unacked_count": "unacked_count", "tcp_congestion_window_count": "congestion_window_count"}
_OF_MAIN = {"tcp_rtt_ns": ("rtt_us", _US), "tcp_min_rtt_ns": ("min_rtt_us", _US),
            "tcp_delivery_bytes_per_s": ("delivery_bytes_per_s", 1.0)}  # fmt: skip


def connection_tracks(samples: Sequence[Sample], edges: Sequence[int]) -> Iterator[tuple[str, Values]]:
    """(name, values); nothing where no connection was seen.

    Amounts and levels are those of all connections, shares and times those of the one that carried most.
    """
    main = main_connection(samples)
    if main is None:
        return
    for name, field in _AMOUNTS.items():
        yield name, amounts(growth_of(samples, field), edges)
    for name, field in _SHARES.items():
        counted = [(at, value * _US) for at, value in _of(samples, main, field)]
        yield name, tuple(None if each is None else min(1.0, each) for each in shares(counted, edges))
    for name, field in _LEVELS.items():
        yield name, levels(_summed(samples, field), edges)
    yield "tcp_queue_bytes", levels(_queues(samples), edges)
    for name, (field, factor) in _OF_MAIN.items():
        yield name, levels([(at, value * factor) for at, value in _of(samples, main, field)], edges)


def main_connection(samples: Sequence[Sample]) -> int | None:
    """The inode of the connection that carried most; None where none was seen."""
    first: dict[int, float] = {}
    last: dict[int, float] = {}
    for sample in samples:
        for each in sample.get("tcp") or ():
            first.setdefault(each["inode"], each.get("acked_bytes", 0))
            last[each["inode"]] = each.get("acked_bytes", 0)
    return max(last, key=lambda inode: last[inode] - first[inode], default=None)


def _of(samples: Sequence[Sample], inode: int, field: str) -> list[tuple[int, float]]:
    return [
        (sample["at_ns"], float(each[field]))
        for sample in samples
        for each in sample.get("tcp") or ()
        if each["inode"] == inode and field in each
    ]


def _summed(samples: Sequence[Sample], field: str) -> Points:
    return [
        (sample["at_ns"], float(sum(each.get(field, 0) for each in sample["tcp"])))
        for sample in samples
        if "tcp" in sample
    ]


def _queues(samples: Sequence[Sample]) -> Points:
    return [(sample["at_ns"], float(sum(map(_queue, sample["tcp"])))) for sample in samples if "tcp" in sample]


def _queue(reading: Mapping[str, Any]) -> int:
    return int(reading.get("unsent_bytes", 0) + reading.get("unacked_count", 0) * reading.get("segment_bytes", 0))


def growth_of(samples: Sequence[Sample], field: str) -> Points:
    """What all connections counted since the first reading; one that comes later counts from its beginning."""
    known: dict[int, float] = {}
    grown, points = 0.0, []
    for number, sample in enumerate(sample for sample in samples if "tcp" in sample):
        for each in sample["tcp"]:
            now = float(each.get(field, 0))
            before = known.get(each["inode"], now if number == 0 else 0.0)
            grown += max(0.0, now - before)
            known[each["inode"]] = now
        points.append((sample["at_ns"], grown))
    return points
