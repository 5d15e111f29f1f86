"""A second opinion on pairs by ranks, which no single odd pair can sway.

Hodges and Lehmann, Annals of Mathematical Statistics 34, 1963, and Wilcoxon's signed ranks, Biometrics Bulletin 1,
1945, with the exact distribution. Below 6 pairs no chance under 5 % exists (2 / 2^5 = 6 %).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement, groupby, product
from statistics import median

RANK_COUNT = 6
# Beyond this the exact distribution is long to count, and the mean hardly moves for one pair.
RANK_LIMIT = 100


def hodges_lehmann(values: Sequence[float]) -> float:
    """The median of the means of all pairs of values, each with itself, too. At least one value."""
    return median((one + other) / 2 for one, other in combinations_with_replacement(values, 2))


def shift(values: Sequence[float], others: Sequence[float]) -> float:
    """Hodges and Lehmann's shift: the median of all differences other less value. At least one of each."""
    return median(other - value for value, other in product(values, others))


def signed_rank_chance(values: Sequence[float]) -> float | None:
    """Two-sided exact probability of so one-sided signs; None below 6 values or above 100 that are not 0.

    Zeros are left out, ties have the mean of their ranks, and the distribution is that of the ranks at hand.
    """
    kept = [value for value in values if value]
    if not RANK_COUNT <= len(kept) <= RANK_LIMIT:
        return None
    ranks = _doubled_ranks([abs(value) for value in kept])
    above = sum(rank for rank, value in zip(ranks, kept, strict=True) if value > 0)
    least = min(above, sum(ranks) - above)
    return min(1.0, 2 * _at_most(least, ranks) / (1 << len(ranks)))


def _doubled_ranks(sizes: Sequence[float]) -> list[int]:
    """Twice the rank of each, so that the mean rank of ties is whole."""
    ranks: dict[float, int] = {}
    begin = 0
    for size, group in groupby(sorted(sizes)):
        end = begin + len(list(group))
        ranks[size] = begin + 1 + end
        begin = end
    return [ranks[size] for size in sizes]


def _at_most(total: int, ranks: Sequence[int]) -> int:
    """How many choices of signs give a sum of ranks of at most `total`.

    The counts for all sums are the digits of one number; a rank added is that number shifted and added to itself.
    """
    digit = len(ranks) + 1
    counts = 1
    for rank in ranks:
        counts += counts << (rank * digit)
    mask = (1 << digit) - 1
    return sum((counts >> (value * digit)) & mask for value in range(total + 1))
