"""The logarithm of a ratio as it was estimated: what an interval, a chance and a plan are made of."""

from __future__ import annotations

import math
from dataclasses import dataclass

from graycard.stats.distributions import t_quantile, t_tail

# Below this the scatter is the rounding of the logarithms, not of the device.
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Contrast:
    """Mean log ratio, its standard error and degrees of freedom.

    `deviations` and `counts`: of pairs, one deviation of a pair's log ratio and the number of pairs; of unpaired
    runs, those of the base and of the other.
    """

    effect: float
    error: float
    df: float
    deviations: tuple[float, ...]
    counts: tuple[int, ...]

    def half_width(self, level: float) -> float:
        """Half the t interval's width on the logarithmic scale, two-sided at `level`."""
        return t_quantile((1 + level) / 2, self.df) * self.error

    @property
    def chance(self) -> float:
        """Two-sided probability of so large an effect if there were none (Student's t)."""
        if self.error <= ROUNDING:
            return 1.0 if abs(self.effect) <= ROUNDING else 0.0
        return min(1.0, 2 * t_tail(abs(self.effect) / self.error, self.df))


def ratio_of(log_ratio: float) -> float:
    """The exponential, held within what a float can carry."""
    return math.exp(max(-700.0, min(700.0, log_ratio)))
