"""Several chances looked at together: Holm, Scandinavian Journal of Statistics 6, 1979."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate


def holm(chances: Sequence[float]) -> tuple[float, ...]:
    """The chances, corrected: the smallest of m times m, the next times m - 1 …, never falling, at most 1."""
    order = sorted(range(len(chances)), key=lambda index: chances[index])
    scaled = (min(1.0, (len(chances) - rank) * chances[index]) for rank, index in enumerate(order))
    corrected = dict(zip(order, accumulate(scaled, max), strict=True))
    return tuple(corrected[index] for index in range(len(chances)))
