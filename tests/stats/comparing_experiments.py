"""The simulations V8 to V10: what is said of two set-ups, or many, whose true ratio is known."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from graycard.model import Likeness
from graycard.stats.crossover import pairs
from graycard.stats.distributions import t_quantile
from graycard.stats.judge import THRESHOLD_RATIO, Judged, judge_pairs, judge_together, judge_unpaired
from graycard.stats.power import detectable, noncentral_t_tail
from tests.stats.figures import Cell, Figure, covers, share
from tests.stats.sessions import ENVIRONMENTS, Environment, quiet, second_run, session, step
from tests.stats.truth import Random

RUN_CV = 0.03
MATERIAL = {Likeness.FASTER, Likeness.SLOWER}
DIFFERENT = {*MATERIAL, Likeness.FASTER_SIZE_UNCERTAIN, Likeness.SLOWER_SIZE_UNCERTAIN}
POWER_BAND = 0.03
EFFECTS = (0.05, 0.10, 0.25)


def differs(judged: Judged) -> bool:
    return judged.chance_ratio is not None and judged.chance_ratio < 0.05


def says(judged: Judged, words: str) -> bool:
    return any(words in caveat for caveat in judged.caveats)


def v8(name: str, environment: Environment, pair_count: int, rng: Random, rows: int) -> Iterator[Figure]:
    """Two equal set-ups, compared as a crossover."""
    judged = list(session(rng, rows, pair_count, RUN_CV, 1.0, environment).judged())
    device = f"A/A, {pair_count} pairs, {name}"
    yield Figure("V8", device, "different, falsely", share([differs(each) for each in judged]), rows, 0.04, 0.06)
    yield Figure(
        "V8", device, "material, falsely", share([each.likeness in MATERIAL for each in judged]), rows, 0, 0.01
    )
    if environment is quiet:
        flagged = share([says(each, "From about pair") for each in judged])
        yield Figure("V8", device, "change of level told, falsely", flagged, rows, 0.0, 0.02)
        doubted = share([says(each, "odd pairs") for each in judged])
        yield Figure("V8", device, "ranks say otherwise", doubted, rows, demanded=False)


def v8_step(size: float, pair_count: int, rng: Random, rows: int) -> Iterator[Figure]:
    """Two equal set-ups, both slower from some run on, which may lie within a pair."""
    judged = list(session(rng, rows, pair_count, RUN_CV, 1.0, step(size)).judged())
    device = f"A/A, {pair_count} pairs, both {size * 100:g} % slower from the middle on"
    material = share([each.likeness in MATERIAL for each in judged])
    flagged = share([says(each, "From about pair") for each in judged])
    yield Figure("V8", device, "different, falsely", share([differs(each) for each in judged]), rows, 0, 0.08)
    yield Figure("V8", device, "material, falsely", material, rows, 0, 0.01)
    yield Figure("V8", device, "change of level told", flagged, rows, 0.95, demanded=size >= 0.2 and pair_count >= 6)


def v8_odd(size: float, pair_count: int, rng: Random, rows: int) -> Iterator[Figure]:
    """An odd number of pairs whose second run is slower: the crossover, and the plain paired t in its place."""
    for ratio, what in ((1.0, "different, falsely"), (0.9, "10 % slower found")):
        made = session(rng, rows, pair_count, RUN_CV, ratio, second_run(size))
        logs = np.log(made.other / made.base)
        plain = [pairs(row, [True] * pair_count) for row in logs.tolist()]
        hits = [each is not None and each.effect.chance < 0.05 for each in plain]
        name = f"{pair_count} pairs, second run {size * 100:g} % slower"
        low, high = (0.04, 0.06) if ratio == 1 else (0.0, 1.0)
        crossed = share([differs(each) for each in made.judged()])
        yield Figure("V8", name, what, crossed, rows, low, high, demanded=ratio == 1)
        yield Figure("V8", name, f"{what}, by a plain paired t", share(hits), rows, demanded=False)


def v8_unpaired(base_count: int, other_count: int, other_cv: float, rng: Random, rows: int) -> Iterator[Figure]:
    """Two equal set-ups by Welch's t; the base scatters by 3 %."""
    base = np.exp(RUN_CV * rng.standard_normal((rows, base_count))).tolist()
    other = np.exp(other_cv * rng.standard_normal((rows, other_count))).tolist()
    judged = [judge_unpaired(one, two) for one, two in zip(base, other, strict=True)]
    device = f"A/A, {base_count} and {other_count} unpaired runs, CV 3 and {other_cv * 100:g} %"
    yield Figure("V8", device, "different, falsely", share([differs(each) for each in judged]), rows, 0, 0.06)


def v9(run_cv: float, pair_count: int, rng: Random, rows: int) -> Iterator[Figure]:
    """Real slow-downs: found as often as the plan promises, and never with the wrong sign."""
    device = f"{pair_count} pairs, run CV {run_cv * 100:g} %"
    error, df = run_cv * np.sqrt(2 / pair_count), pair_count - 2
    wrong = []
    for effect in EFFECTS:
        judged = list(session(rng, rows, pair_count, run_cv, 1 - effect, quiet).judged())
        promised = noncentral_t_tail(t_quantile(0.975, df), df, -np.log1p(-effect) / error)
        low, high = max(0.0, round(promised - POWER_BAND, 3)), min(1.0, round(promised + POWER_BAND, 3))
        found = share([differs(each) and each.contrast is not None and each.contrast.effect < 0 for each in judged])
        what = f"{effect * 100:g} % slower found (promised {promised * 100:.1f} %)"
        yield Figure("V9", device, what, found, rows, low, high)
        wrong += [each.likeness is Likeness.FASTER for each in judged]
    yield Figure("V9", device, "materially faster, falsely", share(wrong), len(wrong), 0, 0.001)


def v9_detectable(run_cv: float, pair_count: int, rng: Random, rows: int) -> Iterator[Figure]:
    """A change of exactly the detectable size, as it is printed where the scatter is known."""
    least = detectable(run_cv * np.sqrt(2 / pair_count), pair_count - 2, 0.05)
    judged = list(session(rng, rows, pair_count, run_cv, float(np.exp(least)), quiet).judged())
    device = f"{pair_count} pairs, run CV {run_cv * 100:g} %, {np.expm1(least) * 100:.1f} % faster"
    printed = [np.log1p(each.detectable_ratio or 0.0) / least for each in judged]
    near = share([bool(0.5 <= each <= 2) for each in printed])
    yield Figure("V9", device, "found", share([differs(each) for each in judged]), rows, 0.77, 0.83)
    yield Figure(
        "V9", device, "interval covers", share([covers_truth(each, least) for each in judged]), rows, 0.94, 0.96
    )
    yield Figure("V9", device, "printed detectable change within half to double", near, rows, demanded=False)


def v9_more(run_cv: float, pair_count: int, rng: Random, rows: int) -> Iterator[Figure]:
    """A change of the threshold: found once the number of pairs that was asked for has been added."""
    ratio = 1 + THRESHOLD_RATIO
    first = session(rng, rows, pair_count, run_cv, ratio, quiet)
    after, asked = [], []
    for index, each in enumerate(first.judged()):
        if each.likeness is not Likeness.CANNOT_TELL or each.more_count is None:
            continue
        more = session(rng, 1, each.more_count, run_cv, ratio, quiet)
        arms = zip((first.base, first.other, first.base_first), (more.base, more.other, more.base_first), strict=True)
        base, other, base_first = ([*one[index].tolist(), *two[0].tolist()] for one, two in arms)
        asked.append(each.more_count)
        after.append(differs(judge_pairs(base, other, [bool(is_first) for is_first in base_first])))
    device = f"{pair_count} pairs, run CV {run_cv * 100:g} %, 3 % faster, “cannot tell”"
    what = f"found after the pairs asked for ({np.median(asked):.0f} in the median)"
    yield Figure("V9", device, what, share(after), len(after), demanded=False)


def covers_truth(judged: Judged, effect: float) -> bool:
    return judged.ratio is not None and covers(judged.ratio, float(np.exp(effect)))


def v10(comparison_count: int, shared: bool, slow_count: int, rng: Random, rows: int) -> Iterator[Figure]:
    """Many comparisons shown together, the last of them of set-ups that are 10 % slower."""
    ratios = [0.9 if index >= comparison_count - slow_count else 1.0 for index in range(comparison_count)]
    sessions = [session(rng, rows, 6, RUN_CV, ratio, quiet) for ratio in ratios]
    if shared:
        sessions = [type(each)(sessions[0].base, each.other, sessions[0].base_first) for each in sessions]
    kind = "against one base" if shared else "of different tasks"
    device = f"{comparison_count} comparisons {kind}, {slow_count or 'none'} of them 10 % slower"
    alone, together, missed, found = [], [], [], []
    for row in zip(*(each.judged() for each in sessions), strict=True):
        told = judge_together(row)
        equal = comparison_count - slow_count
        alone.append(any(differs(each) for each in row[:equal]))
        together.append(any(each.likeness in DIFFERENT or differs(each) for each in told[:equal]))
        missed.append(any(not holds(each, ratio) for each, ratio in zip(told, ratios, strict=True)))
        found += [each.likeness in DIFFERENT for each in told[equal:]]
    yield Figure("V10", device, "any difference said, falsely", share(together), rows, 0.0, 0.055)
    yield Figure("V10", device, "any interval misses the truth", share(missed), rows, 0.0, 0.055)
    yield Figure("V10", device, "any difference said, if looked at one by one", share(alone), rows, demanded=False)
    if slow_count:
        yield Figure("V10", device, "10 % slower found", share(found), len(found), demanded=False)


def holds(judged: Judged, ratio: float) -> bool:
    return judged.together is not None and covers(judged.together, ratio)


def comparing_cells() -> list[Cell]:
    """In the order of the table."""
    return [
        *(Cell(partial(v8, name, made, n), 1000 * (n == 6)) for n in (4, 6, 10) for name, made in ENVIRONMENTS.items()),
        *(Cell(partial(v8_step, size, n), 400 * (n == 6)) for n in (4, 6, 10) for size in (0.1, 0.2)),
        *(Cell(partial(v8_odd, 0.05, n), 400 * (n == 5)) for n in (5, 7)),
        *(
            Cell(partial(v8_unpaired, *case), 400 * (case[0] == 3))
            for case in ((3, 3, 0.03), (5, 5, 0.03), (5, 5, 0.09), (3, 10, 0.01))
        ),
        *(Cell(partial(v9, cv, n), 300 * (n == 6)) for n in (4, 6, 10) for cv in (0.01, 0.03, 0.05, 0.1)),
        *(Cell(partial(v9_detectable, 0.03, n), 400 * (n == 6)) for n in (4, 6, 8, 10)),
        *(Cell(partial(v9_more, 0.02, n), 0) for n in (4, 6)),
        *(Cell(partial(v10, k, shared, 0), 300 * (k != 12)) for k in (3, 6, 12) for shared in (False, True)),
        *(Cell(partial(v10, k, False, k // 2), 300 * (k == 6)) for k in (6, 12)),
    ]
