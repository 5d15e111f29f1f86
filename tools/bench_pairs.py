"""Interleaved pairs of runs and their ratio, for the sections that compare copies and links."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from graycard.model import Estimate
from graycard.stats.between import runs_estimate
from graycard.units import format_rate

MIB = 1 << 20
REST_S = 0.2
SEED = 1

Measure = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Extent:
    """How much is measured: pairs of runs of so many seconds or bytes, rounds of all methods."""

    wire_pairs: int = 4
    wire_s: int = 2
    veth_pairs: int = 8
    veth_s: int = 1
    rounds: int = 6
    large_bytes: int = 1_500 * MIB
    small_bytes: int = 100_000_000
    monitor_pairs: int = 8
    wire_bytes: int = 200 * MIB
    veth_bytes: int = 600 * MIB


USUAL = Extent()
SMALL = Extent(2, 1, 3, 1, 2, 200 * MIB, 10_000_000, 3, 32 * MIB, 200 * MIB)


def in_pairs(count: int, own: Measure, other: Measure) -> tuple[list[float], list[float]]:
    """What both give in `count` interleaved pairs; who begins is drawn, and turns around with each pair (ABBA)."""
    ours: list[float] = []
    theirs: list[float] = []
    own_first = random.Random(SEED).random() < 0.5
    for _ in range(count):
        turns = [(own, ours), (other, theirs)]
        for measure, kept in turns if own_first else reversed(turns):
            time.sleep(REST_S)
            kept.append(measure())
        own_first = not own_first
    return ours, theirs


def ratio_of(own: Sequence[float], other: Sequence[float]) -> Estimate:
    return runs_estimate([a / b for a, b in zip(own, other, strict=True)], "ratio")


def shown(ratio: Estimate) -> str:
    return f"{ratio.value:.3f} ({ratio.low or ratio.value:.3f} to {ratio.high or ratio.value:.3f})"


def reached(ratio: Estimate, goal: float) -> str:
    if ratio.value >= goal:
        return "met"
    return "not excluded" if (ratio.high or ratio.value) >= goal else "missed"


def typical(rates: Sequence[float]) -> str:
    return format_rate(statistics.median(rates))
