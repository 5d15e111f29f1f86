"""Reasons in order: how well the size that each would make fits the ratio, times how certain it is (docs/method.md)."""

from __future__ import annotations

import math

from graycard.agree.beside import Beside, Cause
from graycard.agree.reasons import REASONS
from graycard.model import Reason

# Beyond the range that a reason may make, its weight falls by e for each such step of the logarithm.
_DECAY = 0.1
# A range of a factor of e^4 (55) says half as much as a figure of that very size.
_WIDTH = 4.0
# Ratios this near to 1 leave nothing to explain.
_NOTHING = 1e-3
_OTHER_WAY = " It works the other way here: without it the two would be further apart."


def reasons_of(pair: Beside) -> tuple[Reason, ...]:
    """All reasons that apply, the likeliest first; those that work the other way come last, and say so."""
    causes = [cause for find in REASONS if (cause := find(pair))]
    weighed = sorted(causes, key=lambda cause: -weight(cause, pair))
    return tuple(_reason(cause, _target(cause, pair)) for cause in weighed)


def weight(cause: Cause, pair: Beside) -> float:
    """Certainty × fit, from 0 to 1."""
    target = _target(cause, pair)
    if cause.expected is not None:
        return cause.certainty * _explained(cause, target)
    low, high = math.log(cause.low), math.log(cause.high)
    beyond = max(0.0, low - target, target - high)
    return cause.certainty * math.exp(-beyond / _DECAY) / (1 + (high - low) / _WIDTH)


def _target(cause: Cause, pair: Beside) -> float:
    """The logarithm of the ratio that a cause has to explain."""
    printed = pair.printed_ratio if cause.of_printed else None
    return math.log(printed or pair.ratio.value)


def _explained(cause: Cause, target: float) -> float:
    """The share of the logarithm that is explained: 1 all of it, 0 none of it or the other way."""
    sizes = [math.log(cause.expected)] if cause.expected is not None else [math.log(cause.low), math.log(cause.high)]
    nearest = min(max(target, min(sizes)), max(sizes))
    if abs(target) < _NOTHING:
        return 1.0 if abs(nearest) < _NOTHING else 0.0
    return max(0.0, 1 - abs(nearest - target) / abs(target))


def _reason(cause: Cause, target: float) -> Reason:
    size = cause.expected or (cause.high if cause.low >= 1 else cause.low if cause.high <= 1 else None)
    against = size is not None and math.log(size) * target < 0 and abs(target) >= _NOTHING
    says = cause.says + _OTHER_WAY if against else cause.says
    return Reason(cause.name, says, cause.expected, _explained(cause, target))
