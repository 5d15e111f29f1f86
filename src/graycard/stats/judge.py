"""Two set-ups beside each other: the ratio, how sure it is, and what may be said of it.

Rates in any one unit; the ratio is other over base, so above 1 the other is faster. Formulas and their measured error
rates: docs/method.md (V8 to V10).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from graycard.model import Estimate, Likeness
from graycard.stats import caveats
from graycard.stats.between import LEVEL_RATIO
from graycard.stats.contrast import ROUNDING, Contrast
from graycard.stats.crossover import pairs
from graycard.stats.holm import holm
from graycard.stats.power import detectable, more_needed
from graycard.stats.ratio import logs, pairs_method, pairs_range, ratio_estimate, unpaired_range
from graycard.stats.second_opinion import pair_caveats
from graycard.stats.welch import unpaired

# What counts as material unless the user says otherwise: about what 10 pairs find (2.9 %, docs/method.md) where runs
# scatter by 2 %. Significance alone would report every trifle once there are runs enough.
THRESHOLD_RATIO = 0.03
_CHANCE = 1 - LEVEL_RATIO


@dataclass(frozen=True, slots=True)
class Judged:
    """What is known of one ratio. Fields as in `model.Comparison`.

    `ratio` holds for this comparison alone, None where no ratio can be formed; `together` holds for all that
    `judge_together` was given (None before, and where there is no interval). `detectable_ratio` d is a factor of
    1 + d up or 1 / (1 + d) down. `contrast` is None where no interval can be given.
    """

    ratio: Estimate | None
    together: Estimate | None
    chance_ratio: float | None
    likeness: Likeness
    detectable_ratio: float | None
    more_count: int | None
    order_effect: Estimate | None
    caveats: tuple[str, ...]
    contrast: Contrast | None = None


def judge_pairs(
    base: Sequence[float], other: Sequence[float], base_first: Sequence[bool], threshold_ratio: float = THRESHOLD_RATIO
) -> Judged:
    """Pairs in the order in which they were made; `base_first` tells whose run was first in each.

    Where a run moved nothing there is no ratio. ValueError for no pair, unequal lengths, a rate below 0 or not finite,
    a threshold that is not above 0.
    """
    _refuse(base, other, threshold_ratio)
    if not len(base) == len(other) == len(base_first):
        raise ValueError(f"pairs need as many runs of each side, not {len(base)} and {len(other)}")
    if min(*base, *other) <= 0:
        return _unknown(None, caveats.nothing_moved(_zeros(base), _zeros(other)))
    base_logs, other_logs = logs(base), logs(other)
    log_ratios = [of_other - of_base for of_base, of_other in zip(base_logs, other_logs, strict=True)]
    found = pairs(log_ratios, base_first)
    if found is None:
        return _unknown(pairs_range(log_ratios), caveats.few_pairs(len(log_ratios)))
    says = pair_caveats(base_logs, other_logs, base_first, found, math.log1p(threshold_ratio))
    order = (
        None if found.order is None else ratio_estimate(found.order, LEVEL_RATIO, "second run of a pair over the first")
    )
    return _judged(found.effect, pairs_method(found), threshold_ratio, order, says)


def judge_unpaired(base: Sequence[float], other: Sequence[float], threshold_ratio: float = THRESHOLD_RATIO) -> Judged:
    """Runs that were not made in pairs, in any order. Zeros and ValueError as for pairs."""
    _refuse(base, other, threshold_ratio)
    if min(*base, *other) <= 0:
        return _unknown(None, caveats.nothing_moved(_zeros(base), _zeros(other)), caveats.UNPAIRED)
    base_logs, other_logs = logs(base), logs(other)
    contrast = unpaired(base_logs, other_logs)
    if contrast is None:
        says = caveats.few_runs(len(base), len(other))
        return _unknown(unpaired_range(base_logs, other_logs), says, caveats.UNPAIRED)
    method = f"ratio of geometric means of {len(base)} and {len(other)} runs, Welch's t interval of their logarithms"
    return _judged(contrast, method, threshold_ratio, None, (caveats.UNPAIRED,))


def judge_together(judged: Sequence[Judged], threshold_ratio: float = THRESHOLD_RATIO) -> tuple[Judged, ...]:
    """All that is shown together: chances by Holm, intervals that hold at once, and the likeness that both allow.

    A direction is said where Holm's chance is below 5 %; material and same where the interval that holds for all at
    once (Bonferroni) says so. What has no interval is no test, and does not count.
    """
    tested = [each for each in judged if each.contrast]
    chances = iter(holm([each.contrast.chance for each in tested if each.contrast]))
    return tuple(
        each if each.contrast is None else _corrected(each, each.contrast, next(chances), len(tested), threshold_ratio)
        for each in judged
    )


def likeness(contrast: Contrast, level: float, chance: float, threshold_ratio: float) -> Likeness:
    """What may be said, from the interval at `level` and the (corrected) chance.

    Material: the whole interval beyond the threshold. Same: the whole interval inside it (two one-sided tests,
    Schuirmann 1987, at 2.5 % each). A direction alone: chance below 5 %.
    """
    half, threshold = contrast.half_width(level), math.log1p(threshold_ratio)
    if abs(contrast.effect) + half < threshold:
        return Likeness.SAME
    is_faster = contrast.effect > 0
    if abs(contrast.effect) - half >= threshold:
        return Likeness.FASTER if is_faster else Likeness.SLOWER
    if chance < _CHANCE:
        return Likeness.FASTER_SIZE_UNCERTAIN if is_faster else Likeness.SLOWER_SIZE_UNCERTAIN
    return Likeness.CANNOT_TELL


def _judged(
    contrast: Contrast, method: str, threshold_ratio: float, order: Estimate | None, says: tuple[str, ...]
) -> Judged:
    says = (*says, caveats.ALIKE) if contrast.error <= ROUNDING else says
    ratio = ratio_estimate(contrast, LEVEL_RATIO, method)
    judged = Judged(ratio, None, contrast.chance, Likeness.CANNOT_TELL, None, None, order, says, contrast)
    return _told(judged, contrast, 1, threshold_ratio)


def _corrected(each: Judged, contrast: Contrast, chance: float, count: int, threshold_ratio: float) -> Judged:
    method = each.ratio.method if each.ratio else ""
    if count > 1:
        method += f"; holds for all {count} comparisons at once (Bonferroni)"
    together = ratio_estimate(contrast, 1 - _CHANCE / count, method)
    together = replace(together, level_ratio=LEVEL_RATIO)
    return _told(replace(each, together=together, chance_ratio=chance), contrast, count, threshold_ratio)


def _told(each: Judged, contrast: Contrast, count: int, threshold_ratio: float) -> Judged:
    """With likeness, and what would be found, when `count` comparisons are shown together."""
    share = _CHANCE / count
    chance = 1.0 if each.chance_ratio is None else each.chance_ratio
    found = likeness(contrast, 1 - share, chance, threshold_ratio)
    least = math.expm1(min(700.0, detectable(contrast.error, contrast.df, share)))
    is_open = found is Likeness.CANNOT_TELL
    more = more_needed(contrast, math.log1p(threshold_ratio), share) if is_open else None
    return replace(each, likeness=found, detectable_ratio=least, more_count=more)


def _unknown(ratio: Estimate | None, *says: str) -> Judged:
    return Judged(ratio, None, None, Likeness.CANNOT_TELL, None, None, None, says)


def _zeros(rates: Sequence[float]) -> int:
    return sum(rate == 0 for rate in rates)


def _refuse(base: Sequence[float], other: Sequence[float], threshold_ratio: float) -> None:
    if not base or not other:
        raise ValueError("a comparison needs at least one run of each side")
    for rate in (*base, *other):
        if not (math.isfinite(rate) and rate >= 0):
            raise ValueError(f"a rate must be a finite number, 0 or above, not {rate}")
    if not (math.isfinite(threshold_ratio) and threshold_ratio > 0):
        raise ValueError(f"the threshold of a material change must be above 0, not {threshold_ratio}")
