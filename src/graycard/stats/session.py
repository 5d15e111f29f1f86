"""Whether both set-ups changed their level in the course of a session: a drive that got hot, a host that got busy.

The runs in the order in which they were made, freed of the ratio and of the order effect; then the search that finds a
cliff in a run (`cliff.largest_t`, 1 % critical value).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from graycard.stats.cliff import critical_t, largest_t

# Fewer have too few runs before and after to tell a change.
SESSION_COUNT = 4
# The ratio and the order effect were taken from the same runs.
_TAKEN_COUNT = 2


@dataclass(frozen=True, slots=True)
class Change:
    """The pair in which the later level begins, and the logarithm of the later level over the earlier."""

    pair_index: int
    log_ratio: float


def level_change(
    base_logs: Sequence[float], other_logs: Sequence[float], base_first: Sequence[bool], effect: float, order: float
) -> Change | None:
    """The change of level at the most likely moment, or None where chance alone may look so, and below 4 pairs."""
    if len(base_logs) < SESSION_COUNT:
        return None
    series: list[float] = []
    for base, other, is_first in zip(base_logs, other_logs, base_first, strict=True):
        first, second = (base, other - effect) if is_first else (other - effect, base)
        series += [first, second - order]
    t, split = largest_t(series)
    count = len(series) - _TAKEN_COUNT
    # So many degrees of freedom less are in the scatter that |t| is measured by.
    if not split or t * math.sqrt((count - 2) / count) <= critical_t(count):
        return None
    before, after = series[:split], series[split:]
    return Change(split // 2, math.fsum(after) / len(after) - math.fsum(before) / len(before))
