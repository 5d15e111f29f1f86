"""One set-up beside others, task by task: the ratio with its interval, a verdict in words, and what differs.

    arms → groups of equal load → matches → rates, pairs → judged one by one, then together → comparisons

Pure functions; docs/method.md has the design and the formulas.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from graycard.compare.drafts import Draft, comparison, draft
from graycard.compare.groups import matches
from graycard.compare.names import names_of
from graycard.compare.rates import Side, side_of
from graycard.model import Arm, Comparison
from graycard.stats.judge import THRESHOLD_RATIO, judge_together

__all__ = ["compare"]


def compare(base: Arm, others: Sequence[Arm], threshold_ratio: float | None = None) -> tuple[Comparison, ...]:
    """Every task of `base` and of each other arm, arm by arm in the order given, tasks in the order of the base.

    Results of one load are pooled within an arm. Chances and intervals hold for all that is returned together (Holm,
    Bonferroni). What cannot be compared is among them, with the reason. ValueError for a threshold that is not above 0.
    """
    threshold = THRESHOLD_RATIO if threshold_ratio is None else threshold_ratio
    first = side_of(base)
    drafts = [each for other in others for each in _drafts(first, side_of(other), threshold)]
    judged = iter(judge_together([each.judged for each in drafts if each.judged], threshold))
    together = (replace(each, judged=next(judged)) if each.judged else each for each in drafts)
    return tuple(comparison(each, threshold) for each in together)


def _drafts(base: Side, other: Side, threshold_ratio: float) -> list[Draft]:
    # What stands on both sides is called as on the side of the base.
    names = names_of(other.groups) | names_of(base.groups)
    found = matches(base.groups, other.groups)
    return [draft(match, names[match.named_after], base, other, threshold_ratio) for match in found]
