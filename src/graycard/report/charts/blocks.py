"""Runs as blocks of time that a chart can show: each keeps its mean and its extremes, and empty time stays 0."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from statistics import median

from graycard.model import Run, Samples
from graycard.stats.slots import Slots, slots_of
from graycard.stats.stalls import LOW_RATIO, SHORTEST_NS

# Operations that a slot must hold before its rate tells of the device rather than of counting (as in stats.shape).
_SLOT_OPS = 10
TELLING_COUNT = 10


@dataclass(frozen=True, slots=True)
class Block:
    """The rate from `start_s` to `end_s` on the chart's time axis, and that of its slowest and fastest slot; MB/s."""

    start_s: float
    end_s: float
    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Stretch:
    """One run on the time axis. `origin_s` is its place there; `run_index` its number among all runs of the result."""

    run_index: int
    origin_s: float
    duration_s: float
    slots: Slots


def stretches(runs: Sequence[Run]) -> tuple[Stretch, ...]:
    """The runs that have ticks, one after another without the rests between them."""
    found = [(index, slots_of(run.samples)) for index, run in enumerate(runs) if _has_every_tick(run.samples)]
    even = [(index, slots.holding(_SLOT_OPS)) for index, slots in found if slots is not None]
    known = [(index, slots) for index, slots in even if slots.moved_bytes]
    lengths = [slots.duration_ns / 1e9 for _, slots in known]
    origins = accumulate(lengths, initial=0.0)
    return tuple(
        Stretch(index, origin, length, slots)
        for (index, slots), origin, length in zip(known, origins, lengths, strict=False)
    )


def _has_every_tick(samples: Samples) -> bool:
    """Whether the ticks lie as close as their number tells; a foreign file may hold two that are years apart."""
    length_ns = len(samples.ticks) * samples.tick_ns
    return all(0 <= tick.start_ns - samples.ticks[0].start_ns <= length_ns for tick in samples.ticks)


def is_telling(runs: Sequence[Run]) -> bool:
    """Whether the runs show at least 10 slots together: fewer are no course over time."""
    seen_count = 0
    for run in runs:
        seen_count += sum(len(each.slots.moved_bytes) for each in stretches((run,)))
        if seen_count >= TELLING_COUNT:
            return True
    return False


def blocks(shown: Sequence[Stretch], limit: int) -> Iterator[tuple[Stretch, list[Block]]]:
    """Each stretch in blocks, all of the same time: about `limit` in all, at least one slot each."""
    total_s = sum(each.duration_s for each in shown)
    for each in shown:
        size = max(1, math.ceil(total_s / limit / (each.slots.width_ns / 1e9)))
        yield each, list(_blocks(each, size))


def _blocks(stretch: Stretch, size: int) -> Iterator[Block]:
    width_s = stretch.slots.width_ns / 1e9
    rates = stretch.slots.rates_bytes_per_s
    for first in range(0, len(rates), size):
        part = [rate / 1e6 for rate in rates[first : first + size]]
        start_s = stretch.origin_s + first * width_s
        mean = math.fsum(part) / len(part)
        yield Block(start_s, start_s + len(part) * width_s, mean, min(part), max(part))


def stalls_of(stretch: Stretch) -> Iterator[tuple[float, float]]:
    """Where a run all but stood still: start and length in s, by the rule of `stats.stalls` on the whole run."""
    moved = stretch.slots.moved_bytes
    usual = median(moved)
    width_s = stretch.slots.width_ns / 1e9
    place = 0
    for is_low, group in groupby(moved, key=lambda each: each < LOW_RATIO * usual):
        length = sum(1 for _ in group)
        if is_low and length * width_s >= SHORTEST_NS / 1e9:
            yield stretch.origin_s + place * width_s, length * width_s
        place += length
