"""The simulations V1 to V12: what is said of devices of known truth.

Each cell makes `rows` independent measurements of one device and gives shares of them, with the band in which each
share must lie. The tests run it with few rows, tools/simulate.py with many.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

from graycard.stats.between import SCATTERED_RATIO, runs_estimate, slow_count, spread_ratio
from graycard.stats.first_run import first_run_differs
from graycard.stats.latency import latencies, merge, percentile_ns, upper_ns
from graycard.stats.sentences import rare_runs
from graycard.stats.shape import Shape, shape
from graycard.stats.stalls import stalls
from graycard.stats.stopping import look
from graycard.unseen import missed_ratio
from tests.stats import truth
from tests.stats.comparing_experiments import comparing_cells
from tests.stats.figures import Cell, Figure, covers, share
from tests.stats.history_experiments import history_cells
from tests.stats.truth import Array, Random


def shapes(rates: Array) -> list[Shape]:
    found = [shape(truth.samples(row), 0, 1) for row in rates]
    return [each for each in found if each is not None]


def v1(phi: float, run_count: int, run_cv: float, rng: Random, rows: int) -> Iterator[Figure]:
    """The interval between runs."""
    means = truth.run_means(rng, phi, run_cv, rows, run_count)
    hits = [covers(runs_estimate(tuple(row), "x"), 1.0) for row in means.tolist()]
    name = f"{run_count} runs, AR {phi:g}, run CV {run_cv * 100:g} %"
    yield Figure("V1", name, "interval covers", share(hits), rows, 0.94, 0.96)


def v2_swing(name: str, make: Callable[[Random, int], Array], rng: Random, rows: int) -> Iterator[Figure]:
    """A device that swings between two levels about 1: seen, and its one-run interval."""
    found = shapes(make(rng, rows))
    intervals = [covers(each.phases[0].rate, truth.LEVEL_BYTES_PER_S) for each in found if not each.has_cliff]
    yield Figure("V2", name, "undulation seen", share([each.undulation is not None for each in found]), rows, 0.95)
    yield Figure("V2", name, "taken for a cliff", share([each.has_cliff for each in found]), rows, 0.0, 0.02)
    yield Figure("V2", name, "one-run interval covers", share(intervals), len(intervals), 0.93)


def v2_none(name: str, make: Callable[[Random, int], Array], rng: Random, rows: int) -> Iterator[Figure]:
    """A device that does not swing."""
    seen = [each.undulation is not None for each in shapes(make(rng, rows))]
    yield Figure("V2", name, "undulation seen, falsely", share(seen), rows, 0.0, 0.01)


def v3(phi: float, factor: float, rng: Random, rows: int) -> Iterator[Figure]:
    """A cliff in a run of 60 s."""
    rates, moments = truth.cliff(rng, phi, rows, 600, factor)
    found = shapes(rates)
    cuts = [[phase.start_ns / truth.SLOT_NS for phase in each.phases[1:]] for each in found]
    near = [min(abs(cut - m) for cut in each) <= 10 for each, m in zip(cuts, moments, strict=True) if each]
    level = factor * truth.LEVEL_BYTES_PER_S
    told = [each.phases[-1].rate for each in found if each.has_cliff and each.phases[-1].rate.low is not None]
    name = f"cliff to {factor:g}, AR {phi:g}"
    yield Figure("V3", name, "found", share([bool(each) for each in cuts]), rows, 0.99)
    yield Figure("V3", name, "located within 1 s", share(near), len(near), 0.90)
    yield Figure(
        "V3", name, "interval of the last phase covers", share([covers(e, level) for e in told]), len(told), 0.93
    )


def v3_stalls(rng: Random, rows: int) -> Iterator[Figure]:
    """A cliff to a half, among stalls."""
    moments = rng.integers(100, 500, (rows, 1))
    rates = truth.stalling(rng, rows, 600, 0.01) * np.where(np.arange(600) < moments, 1.0, 0.5)
    cuts = [[phase.start_ns / truth.SLOT_NS for phase in each.phases[1:]] for each in shapes(rates)]
    near = [min(abs(cut - m) for cut in each) <= 10 for each, m in zip(cuts, moments[:, 0], strict=True) if each]
    name = "cliff to 0.5, 0.1 stalls/s"
    yield Figure("V3", name, "found", share([bool(each) for each in cuts]), rows, 0.99)
    yield Figure("V3", name, "located within 1 s", share(near), len(near), 0.90)


def v3_none(phi: float, rng: Random, rows: int) -> Iterator[Figure]:
    """No cliff in a run of 60 s."""
    seen = [each.has_cliff for each in shapes(truth.steady(rng, phi, rows, 600))]
    yield Figure("V3", f"no cliff, AR {phi:g}", "found, falsely", share(seen), rows, 0.0, 0.02)


def v4(per_s: float, rng: Random, rows: int) -> Iterator[Figure]:
    """Stalls in 5 runs of 60 s. A stall of 8 slots on average cannot begin within another: hence the true rates."""
    runs, chance, length = 5, per_s / 10, 8.0
    begun = chance / (1 + chance * (length - 1))
    rates = truth.stalling(rng, rows * runs, 600, chance)
    found = shapes(rates)
    groups = [found[start : start + runs] for start in range(0, len(found), runs)]
    counted = [stalls(stretch for each in group for stretch in each.stalled) for group in groups]
    hits = [covers(each.per_min, begun * 600) for each in counted if each is not None and each.per_min is not None]
    name = f"{per_s:g} stalls/s, 5 runs of 60 s"
    yield Figure("V4", name, "stall rate covers", share(hits), len(hits), 0.93)
    means = rates.mean(axis=1).reshape(rows, runs).tolist()
    hits = [covers(runs_estimate(row, "x"), 1 - 0.98 * begun * length) for row in means]
    yield Figure("V4", name, "mean covers", share(hits), rows, 0.92)


def v5(step: float, run_count: int, rng: Random, rows: int) -> Iterator[Figure]:
    """A first run that differs by `step`; run CV 2 % in all."""
    values = np.exp(0.02 * rng.standard_normal((rows, run_count)))
    values[:, 0] *= 1 + step
    dropped = [first_run_differs(tuple(row)) for row in values.tolist()]
    kept = [row[1:] if drop else row for row, drop in zip(values.tolist(), dropped, strict=True)]
    name = f"first run {step * 100:+g} %, {run_count} runs" if step else f"clean, {run_count} runs"
    low, high = {0.0: (0.0, 0.01), 0.25: (0.95, 1.0)}.get(abs(step), (0.0, 1.0))
    yield Figure("V5", name, "first run told apart", share(dropped), rows, low, high, demanded=abs(step) != 0.1)
    hits = [covers(runs_estimate(each, "x"), 1.0) for each in kept]
    yield Figure("V5", name, "interval covers", share(hits), rows, 0.93, 0.97 if abs(step) != 0.1 else 1.0)


def v6(chance: float, run_count: int, rng: Random, rows: int) -> Iterator[Figure]:
    """Rare runs that are 30 to 60 % slower: no interval from so few runs covers, so a sentence must say so."""
    slow = rng.random((rows, run_count)) < chance
    factors = np.where(slow, rng.uniform(0.4, 0.7, (rows, run_count)), 1.0)
    values = (factors * np.exp(0.03 * rng.standard_normal((rows, run_count)))).tolist()
    grid = np.linspace(0.4, 0.7, 10_001)
    centre = math.exp(chance * float(np.log(grid).mean()))
    name = f"1 run in {1 / chance:g} slow, {run_count} runs"
    hits = [covers(runs_estimate(row, "x"), centre) for row in values]
    yield Figure("V6", name, "interval covers (fails, as it must)", share(hits), rows, demanded=False)
    clean = [row for row in values if not slow_count(row) and (spread_ratio(row) or 0) <= SCATTERED_RATIO]
    bound = f"up to {missed_ratio(run_count) * 100:.0f} % of runs"
    yield Figure(
        "V6", name, "bound printed with clean results", share([bound in rare_runs(r) for r in clean]), len(clean), 1.0
    )
    told = ["slower than the median" in rare_runs(row) for row in values if slow_count(row)]
    yield Figure("V6", name, "slow runs told when seen", share(told), len(told), 1.0)


def v7(target: float, run_cv: float, rng: Random, rows: int) -> Iterator[Figure]:
    """Looks after each run from the fifth on, 20 runs at most; and the plain 95 % interval, which luck narrows."""
    hits, plain, counts, reached = [], [], [], []
    for row in np.exp(run_cv * rng.standard_normal((rows, 20))).tolist():
        count = next((n for n in range(5, 21) if look(row[:n], target).enough), 20)
        kept = row[1:count] if first_run_differs(row[:count]) else row[:count]
        hits.append(covers(runs_estimate(kept, "x", looked=True), 1.0))
        plain.append(covers(runs_estimate(kept, "x"), 1.0))
        counts.append(count)
        reached.append(look(row[:count], target).enough)
    name = f"target ±{target * 100:g} %, run CV {run_cv * 100:g} %"
    mean = f"interval covers ({np.mean(counts):.1f} runs, target reached {share(reached) * 100:.0f} %)"
    yield Figure("V7", name, mean, share(hits), rows, 0.94)
    yield Figure("V7", name, "the plain 95 % interval would cover", share(plain), rows, demanded=False)


def v12(run_count: int, ops_count: int, bursts: bool, rng: Random, rows: int) -> Iterator[Figure]:
    """The 99th percentile of merged histograms."""
    slow = 0.02 if bursts else 0.0
    wanted = math.exp(
        brentq(lambda x: (1 - slow) * norm.cdf(x / 0.3) + slow * norm.cdf((x - math.log(10)) / 0.3) - 0.99, -2, 5)
    )
    hits, same = [], []
    for _ in range(rows):
        raw = [truth.latencies(rng, ops_count, bursts=bursts) for _ in range(run_count)]
        kept = [truth.histogram(values) for values in raw]
        hits += [covers(each.latency, wanted * 1e6) for each in latencies(kept, (99.0,))]
        same.append(within_one_bucket(percentile_ns(merge(kept), 99.0), np.concatenate(raw)))
    name = f"{run_count} runs of {ops_count} operations, {'bursts' if bursts else 'independent'}"
    yield Figure("V12", name, "p99 interval covers", share(hits), rows, 0.91)
    yield Figure("V12", name, "merged p99 is the bucket of the raw p99", share(same), rows, 1.0)


def within_one_bucket(found: float | None, raw: Array) -> bool:
    exact = int(np.sort(raw)[math.ceil(0.99 * len(raw)) - 1])
    low = truth.histogram(np.array([float(exact)])).counts[0].low_ns
    return found is not None and low <= found <= upper_ns(low, 2.0**-8) and found >= exact


NOISE: dict[str, Callable[[Random, int], Array]] = {
    "normal, CV 10 %": lambda rng, rows: truth.steady(rng, 0.0, rows, 600),
    "normal, CV 30 %": lambda rng, rows: truth.steady(rng, 0.0, rows, 600, cv=0.3),
    "AR 0.5": lambda rng, rows: truth.steady(rng, 0.5, rows, 600),
    "AR 0.9": lambda rng, rows: truth.steady(rng, 0.9, rows, 600),
    "AR 0.97, CV 30 %": lambda rng, rows: truth.steady(rng, 0.97, rows, 600, cv=0.3),
    "uniform ±50 %": lambda rng, rows: rng.uniform(0.5, 1.5, (rows, 600)),
    "ramp 1.3 to 0.7": lambda rng, rows: np.linspace(1.3, 0.7, 600) * truth.steady(rng, 0.0, rows, 600),
    "normal, CV 10 %, 5 s": lambda rng, rows: truth.steady(rng, 0.0, rows, 50),
    "AR 0.9, CV 30 %, 5 s": lambda rng, rows: truth.steady(rng, 0.9, rows, 50, cv=0.3),
    "AR 0.9, CV 30 %, 2.5 s": lambda rng, rows: truth.steady(rng, 0.9, rows, 25, cv=0.3),
}
SWINGS: dict[str, Callable[[Random, int], Array]] = {
    "Markov, 1 s each": lambda rng, rows: truth.markov(rng, rows, 600, 10),
    "period 2.00 s": lambda rng, rows: truth.square(rng, rows, 600, 20.0),
    "period 1.93 s": lambda rng, rows: truth.square(rng, rows, 600, 19.3),
    "period 0.47 s": lambda rng, rows: truth.square(rng, rows, 600, 4.7),
    "period 7.3 s": lambda rng, rows: truth.square(rng, rows, 600, 73.0),
}
IN_CI = {"Markov, 1 s each", "period 1.93 s", "AR 0.9", "AR 0.97, CV 30 %", "uniform ±50 %", "AR 0.9, CV 30 %, 2.5 s"}


def cells() -> list[Cell]:
    """All cells, in the order of the table."""
    return [
        *(
            Cell(partial(v1, phi, n, cv))
            for phi in (0.0, 0.5, 0.9)
            for n in (3, 5, 10)
            for cv in (0.0, 0.01, 0.03, 0.06)
        ),
        *(Cell(partial(v2_swing, name, make), 400 * (name in IN_CI)) for name, make in SWINGS.items()),
        *(Cell(partial(v2_none, name, make), 400 * (name in IN_CI)) for name, make in NOISE.items()),
        *(Cell(partial(v3, phi, factor), 400 * (phi != 0.5)) for phi in (0.0, 0.5, 0.9) for factor in (0.8, 0.6, 0.33)),
        *(Cell(partial(v3_none, phi), 400 * (phi > 0)) for phi in (0.0, 0.5, 0.9)),
        Cell(partial(v3_stalls), 400),
        *(Cell(partial(v4, per_s), 400 * (per_s == 0.1), 2000) for per_s in (0.02, 0.1, 0.5)),
        *(Cell(partial(v5, step, n)) for n in (5, 6, 10) for step in (0.0, 0.1, -0.1, 0.25, -0.25)),
        *(Cell(partial(v6, chance, n)) for chance in (1 / 8, 1 / 20) for n in (5, 10)),
        *(Cell(partial(v7, target, cv)) for target in (0.02, 0.05) for cv in (0.01, 0.02, 0.03, 0.05, 0.1)),
        *(Cell(partial(v12, n, 5000, bursts), 400 * (n == 5)) for n in (5, 10) for bursts in (False, True)),
        *history_cells(),
        *comparing_cells(),
    ]
