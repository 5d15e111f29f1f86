"""Two set-ups beside each other: the ratio, how sure it is, and what may be said of it.

Rates in any one unit; the ratio is other over base, so above 1 the other is faster. Formulas and their measured error
rates: docs/method.md (V8 to V10).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from graycard.model import Estimate, Likeness
from graycard.stats.between import log_mean
from graycard.stats.contrast import Contrast, ratio_of

# What counts as material unless the user says otherwise.
THRESHOLD_RATIO = 0.03


@dataclass(frozen=True, slots=True)
class Judged:
    """What is known of one ratio. Fields as in `model.Comparison`.

    `ratio` holds for this comparison alone, None where no ratio can be formed; `together` holds for all that
    `judge_together` was given (None before). `contrast` is None where no interval can be given.
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

    ValueError for no pair, unequal lengths, a rate below 0 or not finite, a threshold that is not above 0.
    """
    logs = [log_mean([b]) - log_mean([a]) for a, b in zip(base, other, strict=True)]
    value = ratio_of(sum(logs) / len(logs))
    estimate = Estimate(value, None, None, "ratio", len(logs), None, "single pair")
    return Judged(estimate, None, None, Likeness.CANNOT_TELL, None, None, None, ())


def judge_unpaired(base: Sequence[float], other: Sequence[float], threshold_ratio: float = THRESHOLD_RATIO) -> Judged:
    """Runs that were not made in pairs. ValueError as for pairs."""
    value = ratio_of(log_mean(other) - log_mean(base))
    estimate = Estimate(value, None, None, "ratio", len(base) + len(other), None, "single run")
    return Judged(estimate, None, None, Likeness.CANNOT_TELL, None, None, None, ())


def judge_together(judged: Sequence[Judged], threshold_ratio: float = THRESHOLD_RATIO) -> tuple[Judged, ...]:
    """All that is shown together: chances by Holm, simultaneous intervals, and the likeness that they allow."""
    return tuple(replace(each, together=each.ratio) for each in judged)
