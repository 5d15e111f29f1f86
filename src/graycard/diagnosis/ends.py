"""The tracks of one end: its processors, its processes, disk, memory and interface, from raw samples."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graycard.diagnosis.connections import Sample, connection_tracks
from graycard.diagnosis.series import Points, Values, amounts, largest, levels, ratio, shares
from graycard.model.diagnosis import NameTrack, Track
from graycard.why.vocabulary import END_TRACKS

_BUSY, _SOFTIRQ, _STEAL, _ALL = range(4)
_READ, _WRITTEN, _DISK_BUSY_MS, _REQUESTS, _REQUEST_MS = range(5)
_RECEIVED, _SENT = range(2)
_MS = 1e6
_S = 1e9


@dataclass(frozen=True, slots=True)
class End:
    """One end's samples on the clock of this computer. `interface` is None where it is not known."""

    name: str
    source: str
    samples: tuple[Sample, ...]
    ticks_per_s: int
    interface: str | None = None


def end_tracks(end: End, edges: Sequence[int]) -> tuple[tuple[Track, ...], tuple[NameTrack, ...]]:
    """All tracks of an end that have a value, and the names that go with them."""
    found = [(name, values) for name, values in _all(end, edges) if any(value is not None for value in values)]
    tracks = tuple(Track(f"{end.name}.{name}", END_TRACKS[name].unit, end.source, values) for name, values in found)
    names = tuple(
        NameTrack(f"{end.name}.{name}", end.source, (who,) * (len(edges) - 1))
        for name, who in (("service", _name(end, "services")), ("mount", _name(end, "mounts")))
        if who is not None
    )
    return tracks, names


def _all(end: End, edges: Sequence[int]) -> Iterator[tuple[str, Values]]:
    if len(end.samples) < 2:
        return
    yield from connection_tracks(end.samples, edges)
    yield from _processors(end, edges)
    yield from _processes(end, edges)
    yield from _disk(end, edges)
    yield from _memory(end, edges)
    yield from _interface(end, edges)


def _points(end: End, read: Callable[[Sample], float | None]) -> Points:
    found = ((sample["at_ns"], read(sample)) for sample in end.samples)
    return [(at, float(value)) for at, value in found if value is not None]


def _processors(end: End, edges: Sequence[int]) -> Iterator[tuple[str, Values]]:
    count = min(len(sample.get("cores") or ()) for sample in end.samples)
    if not count:
        return

    def core(index: int, field: int) -> Values:
        return amounts(_points(end, lambda sample: sample["cores"][index][field]), edges)

    def all_cores(field: int) -> Values:
        return amounts(_points(end, lambda sample: sum(core[field] for core in sample["cores"][:count])), edges)

    whole = [core(index, _ALL) for index in range(count)]
    yield "cpu_busy_ratio", ratio(all_cores(_BUSY), all_cores(_ALL))
    yield "steal_ratio", ratio(all_cores(_STEAL), all_cores(_ALL))
    yield "core_busy_ratio", largest(ratio(core(index, _BUSY), whole[index]) for index in range(count))
    yield "softirq_ratio", largest(ratio(core(index, _SOFTIRQ), whole[index]) for index in range(count))
    yield "foreign_cpu_ratio", _foreign(end, edges, all_cores(_BUSY), all_cores(_ALL))
    yield "pressure_cpu_ratio", _pressure(end, edges, "pressure_cpu", 0)


def _foreign(end: End, edges: Sequence[int], busy: Values, whole: Values) -> Values:
    """What is busy without the processes of the copy, of its mount and of the monitor."""
    own = amounts(_growth(end, ("services", "mounts", "own"), "ticks"), edges)
    return tuple(
        None if one is None or not every else max(0.0, one - (mine or 0.0)) / every
        for one, mine, every in zip(busy, own, whole, strict=True)
    )


def _growth(end: End, groups: Sequence[str], field: str) -> Points:
    """What all processes of these groups counted since the first sample; one that comes later counts from its start."""
    known: dict[int, float] = {}
    grown, points = 0.0, []
    for number, sample in enumerate(end.samples):
        for each in (row for group in groups for row in sample.get(group) or ()):
            now = float(each.get(field, 0))
            grown += max(0.0, now - known.get(each["pid"], now if number == 0 else 0.0))
            known[each["pid"]] = now
        points.append((sample["at_ns"], grown))
    return points


def busiest(samples: Sequence[Sample], group: str) -> Mapping[str, Any] | None:
    """The last row of the process of the group that ran longest; None where there is none."""
    first: dict[int, float] = {}
    last: dict[int, Mapping[str, Any]] = {}
    for sample in samples:
        for row in sample.get(group) or ():
            first.setdefault(row["pid"], row["ticks"])
            last[row["pid"]] = row
    return max(last.values(), key=lambda row: row["ticks"] - first[row["pid"]], default=None)


def _name(end: End, group: str) -> str | None:
    found = busiest(end.samples, group)
    return None if found is None else str(found["name"])


def _processes(end: End, edges: Sequence[int]) -> Iterator[tuple[str, Values]]:
    for group, name in (("services", "service_ratio"), ("mounts", "mount_ratio")):
        found = busiest(end.samples, group)
        if found is None:
            continue
        ticks = _of_process(end, group, found["pid"], "ticks")
        yield name, shares([(at, value * _S / end.ticks_per_s) for at, value in ticks], edges)
        if group == "mounts":
            continue
        yield "service_wait_ratio", shares(_of_process(end, group, found["pid"], "wait_ns"), edges)
        yield "service_limit_ratio", levels(_of_process(end, group, found["pid"], "limit_ratio"), edges)
        stopped = shares(_of_process(end, group, found["pid"], "throttled_ns"), edges)
        yield "throttled_ratio", tuple(None if each is None else min(1.0, each) for each in stopped)


def _of_process(end: End, group: str, pid: int, field: str) -> Points:
    return [
        (sample["at_ns"], float(row[field]))
        for sample in end.samples
        for row in sample.get(group) or ()
        if row["pid"] == pid and field in row
    ]


def _disk(end: End, edges: Sequence[int]) -> Iterator[tuple[str, Values]]:
    disk = next((sample["disk"] for sample in end.samples if sample.get("disk")), None)

    def counted(field: int) -> Values:
        return amounts(_at(end, "disks", str(disk), field), edges)

    if disk is not None:
        busy = shares([(at, ms * _MS) for at, ms in _at(end, "disks", disk, _DISK_BUSY_MS)], edges)
        waited = ratio(counted(_REQUEST_MS), counted(_REQUESTS))
        yield "disk_busy_ratio", tuple(None if each is None else min(1.0, each) for each in busy)
        yield "disk_await_ns", tuple(None if each is None else each * _MS for each in waited)
        yield "disk_read_bytes", counted(_READ)
        yield "disk_written_bytes", counted(_WRITTEN)
    yield "pressure_io_some_ratio", _pressure(end, edges, "pressure_io", 0)
    yield "pressure_io_full_ratio", _pressure(end, edges, "pressure_io", 1)


def _pressure(end: End, edges: Sequence[int], name: str, index: int) -> Values:
    read = _points(end, lambda sample: sample[name][index] * 1e3 if sample.get(name) else None)
    return tuple(None if each is None else min(1.0, each) for each in shares(read, edges))


def _memory(end: End, edges: Sequence[int]) -> Iterator[tuple[str, Values]]:
    for name in ("dirty_bytes", "writeback_bytes"):
        yield name, levels(_nested(end, "memory", name), edges)


def _nested(end: End, group: str, name: str) -> Points:
    return _points(end, lambda sample: (sample.get(group) or {}).get(name))


def _interface(end: End, edges: Sequence[int]) -> Iterator[tuple[str, Values]]:
    name = end.interface or _most_used(end)
    if name is None:
        return
    for track, field in (("interface_received_bytes", _RECEIVED), ("interface_sent_bytes", _SENT)):
        yield track, amounts(_at(end, "interfaces", name, field), edges)


def _at(end: End, group: str, name: str, field: int) -> Points:
    """One number of a row of that name, where it is there."""
    return _points(end, lambda sample: row[field] if (row := (sample.get(group) or {}).get(name)) else None)


def _most_used(end: End) -> str | None:
    """The interface that moved most: at the far end that of the copy."""
    first, last = (end.samples[index].get("interfaces") or {} for index in (0, -1))
    moved = {name: sum(last[name][:2]) - sum(first[name][:2]) for name in last if name in first}
    return max(moved, key=lambda name: moved[name], default=None)
