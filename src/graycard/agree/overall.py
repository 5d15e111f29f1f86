"""Two tools over all that both measured: Bland and Altman's bias and limits, one ratio a device and load."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from statistics import fmean

from graycard.agree.measured import Measured
from graycard.agree.words import thing
from graycard.facts import value
from graycard.model import ToolAgreement
from graycard.stats.agreement import Limits, limits_of_agreement
from graycard.units import significant


def tool_agreements(groups: Sequence[Sequence[Measured]]) -> tuple[ToolAgreement, ...]:
    """Every two tools that stand beside each other in 3 things or more; repeats of one thing count as one.

    Figures that failed a check are left out.
    """
    found: dict[tuple[str, str], dict[str, list[float]]] = {}
    for group in groups:
        for base, other in combinations([each for each in group if not each.failed], 2):
            pair = (base.origin.tool, other.origin.tool)
            if pair[0] == pair[1]:
                continue
            ratio = math.log(other.rate.value / base.rate.value)
            if pair[::-1] in found:
                pair, ratio = pair[::-1], -ratio
            found.setdefault(pair, {}).setdefault(_point(group, base), []).append(ratio)
    told = (_agreement(pair, points) for pair, points in found.items())
    return tuple(each for each in told if each)


def _point(group: Sequence[Measured], figure: Measured) -> str:
    """A device and a load."""
    device = value(figure.facts, "device_id") or value(figure.facts, "device_model") or ""
    return f"{device} {thing(group)}".strip()


def _agreement(pair: tuple[str, str], points: dict[str, list[float]]) -> ToolAgreement | None:
    limits = limits_of_agreement([math.exp(fmean(ratios)) for ratios in points.values()])
    if limits is None:
        return None
    base, other = pair
    ends = f"{significant(limits.low.value)} to {significant(limits.high.value)}"
    says = f"{_bias(base, other, limits)}; 95 % of such ratios lie from {ends}."
    return ToolAgreement(base, other, limits.bias, limits.low, limits.high, tuple(points), says)


def _bias(base: str, other: str, limits: Limits) -> str:
    bias = limits.bias
    over = f"Over {bias.n_count} devices and loads {other}"
    if bias.low is None or bias.high is None or bias.low <= 1 <= bias.high:
        return f"{over} is not shown to read higher or lower than {base} in the mean"
    return f"{over} reads in the mean {significant(bias.value)} times what {base} reads"
