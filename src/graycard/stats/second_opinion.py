"""Doubts about a ratio from pairs: an order effect, a change within the session, ranks that say otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from graycard.stats import caveats
from graycard.stats.between import LEVEL_RATIO
from graycard.stats.crossover import Pairs
from graycard.stats.rank import hodges_lehmann, shift, signed_rank_chance
from graycard.stats.session import level_change

_CHANCE = 1 - LEVEL_RATIO
# One shows a difference and the other is not near to it: ranks of few pairs have few chances between 3 and 10 %.
_DOUBT_CHANCE = 0.10


def pair_caveats(
    base_logs: Sequence[float],
    other_logs: Sequence[float],
    base_first: Sequence[bool],
    found: Pairs,
    threshold: float,
) -> tuple[str, ...]:
    """The sentences that apply, in the order of their weight. `threshold` is a log ratio: smaller changes are none."""
    log_ratios = [other - base for base, other in zip(base_logs, other_logs, strict=True)]
    order = found.order.effect if found.order else 0.0
    change = level_change(base_logs, other_logs, base_first, found.effect.effect, order)
    says = [*_order(base_first, found, threshold)]
    if change is not None and abs(change.log_ratio) >= threshold:
        says.append(caveats.level_changed(change.pair_index, change.log_ratio))
    return (*says, *_ranks(log_ratios, base_first, found))


def freed(log_ratios: Sequence[float], base_first: Sequence[bool]) -> list[float]:
    """The log ratios without the order effect, by ranks, so that an odd pair cannot sway that either."""
    first = [value for value, is_first in zip(log_ratios, base_first, strict=True) if is_first]
    second = [value for value, is_first in zip(log_ratios, base_first, strict=True) if not is_first]
    order = shift(second, first) / 2
    return [
        value - order if is_first else value + order for value, is_first in zip(log_ratios, base_first, strict=True)
    ]


def _order(base_first: Sequence[bool], found: Pairs, threshold: float) -> Iterator[str]:
    if found.order is None:
        if 2 * sum(base_first) != len(base_first):
            yield caveats.one_order(sum(base_first), len(base_first))
    elif found.order.chance < _CHANCE and abs(found.order.effect) >= threshold:
        yield caveats.order_matters(found.order.effect)


def _ranks(log_ratios: Sequence[float], base_first: Sequence[bool], found: Pairs) -> Iterator[str]:
    values = log_ratios if found.order is None else freed(log_ratios, base_first)
    chance = signed_rank_chance(values)
    if chance is None:
        return
    shown = chance <= _CHANCE
    doubted = found.effect.chance if shown else chance
    if doubted > _DOUBT_CHANCE and min(chance, found.effect.chance) <= _CHANCE:
        yield caveats.ranks_disagree(chance, hodges_lehmann(values), shown=shown)
