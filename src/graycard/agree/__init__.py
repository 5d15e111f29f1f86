"""Other tools' figures of one thing beside each other: how far apart they are, why, and which is nearest the truth.

    arms → figures → groups of one thing → pairs → reasons, ranked → nearest, decide
                                        └→ tools over all loads: bias and limits of agreement

Pure functions; docs/method.md tells how reasons are ranked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from graycard.agree.beside import Beside
from graycard.agree.groups import figures_of, groups_of
from graycard.agree.measured import Measured
from graycard.agree.overall import tool_agreements
from graycard.agree.ranking import reasons_of
from graycard.agree.truth import decide, nearest
from graycard.agree.words import means, named, thing
from graycard.model import Aggregate, Agreement, Arm, Estimate, FigurePair, ToolAgreement, ToolFigure
from graycard.stats.between import LEVEL_RATIO
from graycard.stats.ratio import logs, ratio_estimate
from graycard.stats.welch import unpaired

__all__ = ["Agreed", "agree"]

# Of more figures each stands beside the first alone: 6 would make 15 pairs.
ALL_PAIRS_COUNT = 5


@dataclass(frozen=True, slots=True)
class Agreed:
    """What can be told of all figures: each thing, and every two tools over several things."""

    agreements: tuple[Agreement, ...]
    tools: tuple[ToolAgreement, ...]


def agree(arms: Sequence[Arm]) -> Agreed:
    """Groups what measured the same thing and gives the reasons for each pair.

    A thing that only one tool measured is an agreement without pairs. Results without a figure are left out.
    """
    groups = [named(group) for group in groups_of(figures_of(arms))]
    return Agreed(tuple(_agreement(group) for group in groups), tool_agreements(groups))


def _agreement(group: tuple[Measured, ...]) -> Agreement:
    return Agreement(
        task=thing(group),
        figures=tuple(_figure(each) for each in group),
        pairs=tuple(_pair(base, other) for base, other in _pairs(group)),
        nearest=nearest(group),
        decide=decide(group),
    )


def _pairs(group: Sequence[Measured]) -> Sequence[tuple[Measured, Measured]]:
    if len(group) <= ALL_PAIRS_COUNT:
        return tuple(combinations(group, 2))
    return tuple((group[0], other) for other in group[1:])


def _figure(figure: Measured) -> ToolFigure:
    ids = tuple(result.id for result in figure.results)
    printed = figure.printed_bytes_per_s
    return ToolFigure(figure.name, ids, figure.rate, means(figure), printed, figure.failed)


def _pair(base: Measured, other: Measured) -> FigurePair:
    ratio = _ratio_of(base, other)
    printed = None
    if base.printed_bytes_per_s or other.printed_bytes_per_s:
        ours, theirs = (each.printed_bytes_per_s or each.rate.value for each in (base, other))
        printed = theirs / ours
    pair = Beside(base, other, ratio, printed)
    return FigurePair(base.name, other.name, ratio, reasons_of(pair), printed)


def _ratio_of(base: Measured, other: Measured) -> Estimate:
    """Other over base with its interval where both are means of 3 runs or more; else of the figures alone."""
    means_of_runs = all(each.origin.aggregate in {None, Aggregate.MEAN} for each in (base, other))
    contrast = unpaired(logs(base.rates), logs(other.rates)) if means_of_runs else None
    if contrast is not None:
        return ratio_estimate(contrast, LEVEL_RATIO, "ratio of geometric means, Welch's t interval of their logarithms")
    count = base.rate.n_count + other.rate.n_count
    return Estimate(other.rate.value / base.rate.value, None, None, "ratio", count, None, "of the two figures")
