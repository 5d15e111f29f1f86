"""Times in which the device all but stood still. They stay in the mean: an editor feels them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import median

from graycard.model import Estimate, Stalls
from graycard.stats.distributions import poisson_interval
from graycard.stats.slots import Slots

LOW_RATIO = 0.25
SHORTEST_NS = 300_000_000
# Fewer slots have no usual rate to compare with.
SLOT_COUNT = 10
# Operations in a slot, and over the shortest stall: fewer are missing by chance, or while a batch is on its way.
_SLOT_OPS = 4
_STALL_OPS = 12
_STALL_BATCHES = 3
_MINUTE_NS = 60_000_000_000


@dataclass(frozen=True, slots=True)
class Stalled:
    """The stalls of one stretch of one run."""

    lengths_ns: tuple[int, ...]
    observed_ns: int


def stalled(slots: Slots, batch_count: int) -> Stalled | None:
    """Stalls of a stretch with one usual rate: below a quarter of the median for 0.3 s or more.

    None where too few operations pass to tell: under 10 slots that hold 4 operations, a median of 0, or bytes without
    operations. The shortest stall grows until 12 operations and 3 batches of `batch_count`, which complete together,
    would have passed in it.
    """
    even = slots.holding(_SLOT_OPS)
    usual = median(even.moved_bytes) if len(even.moved_bytes) >= SLOT_COUNT else 0
    if not usual or not even.mean_ops:
        return None
    by_ops = max(_STALL_OPS, _STALL_BATCHES * batch_count) / even.mean_ops
    shortest = max(math.ceil(SHORTEST_NS / even.width_ns), math.ceil(by_ops))
    low = (moved < LOW_RATIO * usual for moved in even.moved_bytes)
    lengths = [len(list(group)) for is_low, group in groupby(low) if is_low]
    found = tuple(length * even.width_ns for length in lengths if length >= shortest)
    return Stalled(found, even.duration_ns)


def stalls(stretches: Iterable[Stalled | None]) -> Stalls | None:
    """All stretches together; None where none of them could tell."""
    known = [stretch for stretch in stretches if stretch is not None]
    observed_ns = sum(stretch.observed_ns for stretch in known)
    if not observed_ns:
        return None
    lengths = [length for stretch in known for length in stretch.lengths_ns]
    return Stalls(len(lengths), per_minute(len(lengths), observed_ns), _longest(lengths), sum(lengths) / observed_ns)


def per_minute(count: int, observed_ns: int) -> Estimate:
    """A count over a time > 0 as a rate in 1/min, with the exact Poisson interval; `n_count` is the count."""
    low, high = poisson_interval(count)
    minutes = observed_ns / _MINUTE_NS
    return Estimate(count / minutes, low / minutes, high / minutes, "1/min", count, 0.95, "Poisson, exact (Garwood)")


def _longest(lengths: Sequence[int]) -> int:
    return max(lengths, default=0)
