"""Devices whose truth is known, for the simulations: rates in slots of 0.1 s, runs of 10 s or 60 s, latencies.

Within a run the rate has a coefficient of variation of 10 % unless told; a level of 1 stands for 100 MB/s.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter

from graycard.model import Bucket, Histogram, Samples, Tick

Array = NDArray[np.float64]
Random = np.random.Generator

SLOT_NS = 100_000_000
LEVEL_BYTES_PER_S = 100e6
WITHIN_CV = 0.10
BITS = 7


def ar1(rng: Random, phi: float, rows: int, count: int) -> Array:
    """Rows of an AR(1) process of unit variance, started in its stationary state."""
    noise = rng.standard_normal((rows, count)) * np.sqrt(1 - phi**2)
    noise[:, 0] /= np.sqrt(1 - phi**2)
    filtered: Array = lfilter([1.0], [1.0, -phi], noise, axis=1)
    return filtered


def steady(rng: Random, phi: float, rows: int, count: int, cv: float = WITHIN_CV) -> Array:
    """One level, 1."""
    rates: Array = np.maximum(1 + cv * ar1(rng, phi, rows, count), 0.01)
    return rates


def run_means(rng: Random, phi: float, run_cv: float, rows: int, run_count: int, count: int = 100) -> Array:
    """Means of runs of `count` slots; the runs' own levels vary lognormally by `run_cv` about 1."""
    within = steady(rng, phi, rows * run_count, count).mean(axis=1).reshape(rows, run_count)
    means: Array = within * np.exp(run_cv * rng.standard_normal((rows, run_count)))
    return means


def square(rng: Random, rows: int, count: int, period: float, low: float = 0.5, high: float = 1.5) -> Array:
    """Two levels in turn, `period` slots for both, from a random phase, exact within slots; 5 % noise."""
    edges = np.arange(count + 1) + rng.uniform(0, period, (rows, 1))
    whole, part = np.divmod(edges, period)
    filled = whole * period * (low + high) / 2
    filled += np.minimum(part, period / 2) * low + np.maximum(part - period / 2, 0) * high
    return np.diff(filled, axis=1) * (1 + 0.05 * rng.standard_normal((rows, count)))


def markov(rng: Random, rows: int, count: int, dwell: float, low: float = 0.5, high: float = 1.5) -> Array:
    """Two levels, changed with chance 1 / `dwell` in each slot; 5 % noise."""
    changes = rng.random((rows, count)) < 1 / dwell
    changes[:, 0] = rng.random(rows) < 0.5
    state = changes.cumsum(axis=1) % 2
    return np.where(state, high, low) * (1 + 0.05 * rng.standard_normal((rows, count)))


def cliff(rng: Random, phi: float, rows: int, count: int, factor: float) -> tuple[Array, Array]:
    """Level 1, then `factor` for good from a random slot on; the slots are the second value."""
    moments = rng.integers(count // 6, count - count // 6, (rows, 1))
    levels = np.where(np.arange(count) < moments, 1.0, factor)
    return levels * steady(rng, phi, rows, count), moments[:, 0].astype(np.float64)


def stalling(rng: Random, rows: int, count: int, per_slot: float, low: float = 0.02) -> Array:
    """Level 1 with stalls of 0.5 to 1.1 s that begin with chance `per_slot` in each slot that is not stalled."""
    starts = rng.random((rows, count)) < per_slot
    lengths = rng.integers(5, 12, (rows, count))
    left = np.zeros(rows, dtype=np.int64)
    stalled = np.zeros((rows, count), dtype=bool)
    for slot in range(count):
        left = np.where((left == 0) & starts[:, slot], lengths[:, slot], left)
        stalled[:, slot] = left > 0
        left = np.maximum(left - 1, 0)
    return np.where(stalled, low, 1.0) * steady(rng, 0.5, rows, count)


def samples(rates: Array) -> Samples:
    """A run whose ticks are the slots, with operations of 4096 bytes and nothing after the last slot."""
    moved = [int(rate * LEVEL_BYTES_PER_S / 10) for rate in rates]
    ticks = tuple(Tick(index * SLOT_NS, size // 4096, size) for index, size in enumerate(moved))
    ops_count = sum(tick.ops_count for tick in ticks)
    return Samples("simulated", SLOT_NS * len(moved), ops_count, sum(moved), ticks, SLOT_NS, None)


def latencies(rng: Random, count: int, *, bursts: bool) -> Array:
    """Latencies in ns: lognormal about 1 ms; with bursts, 2 % of them ten times slower, 25 in a row on average."""
    usual = 1e6 * np.exp(0.3 * rng.standard_normal(count))
    if bursts:
        slow = rng.geometric(1 / 25, rng.poisson(0.02 * count / 25)).sum()
        usual[: min(int(slow), count)] *= 10
    return usual


def histogram(values: Array) -> Histogram:
    """The histogram that graycard's core would keep: 7 mantissa bits."""
    whole = values.astype(np.int64)
    shifts = np.maximum(0, np.floor(np.log2(np.maximum(whole, 1))).astype(np.int64) - BITS)
    lows, counts = np.unique((whole >> shifts) << shifts, return_counts=True)
    buckets = tuple(Bucket(int(low), int(count)) for low, count in zip(lows, counts, strict=True))
    return Histogram(2.0 ** -(BITS + 1), buckets, int(whole.sum()), int(whole.min()), int(whole.max()))
