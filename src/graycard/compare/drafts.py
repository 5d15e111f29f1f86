"""A comparison before it is known what stands beside it: matched, measured and judged alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from graycard.compare.caveats import (
    NOT_PAIRED,
    both_caveats,
    failed_ids,
    first_run_caveats,
    group_caveats,
    is_randomised,
    pairs_caveats,
)
from graycard.compare.comparable import nothing_measured, why_not
from graycard.compare.groups import Group, Match
from graycard.compare.rates import Pairs, Rates, Side, pairs_of
from graycard.compare.setups import setup_of
from graycard.compare.words import Sides, verdict
from graycard.differences import differences
from graycard.model import Comparison, Difference, Estimate, Likeness
from graycard.stats.between import runs_estimate
from graycard.stats.caveats import UNPAIRED
from graycard.stats.judge import Judged, judge_pairs, judge_unpaired

_UNIT = "bytes/s"


@dataclass(frozen=True, slots=True)
class Draft:
    """A match with all that is known of it alone. `judged` is None where it is not comparable: `reason` says why."""

    name: str
    match: Match
    sides: Sides
    reason: str | None
    judged: Judged | None
    base_rate: Estimate | None
    other_rate: Estimate | None
    caveats: tuple[str, ...] = ()


def draft(match: Match, name: str, base: Side, other: Side, threshold_ratio: float) -> Draft:
    """Judge one match of the two sides alone."""
    ours = base.rates[match.base.ids] if match.base else None
    theirs = other.rates[match.other.ids] if match.other else None
    reason = why_not(match, base, other)
    if match.base and match.other and ours and theirs:
        reason = reason or nothing_measured(match.base, ours) or nothing_measured(match.other, theirs)
        if reason is None:
            return _judged(match.base, match.other, ours, theirs, name, threshold_ratio)
    rates = (_rate(match.base, ours), _rate(match.other, theirs))
    return Draft(name, match, Sides(base.name, other.name, paired=False), reason, None, *rates)


def comparison(found: Draft, threshold_ratio: float) -> Comparison:
    """What is published of a draft, once its judgement is that of all together."""
    base, other, judged = found.match.base, found.match.other, found.judged
    plain = Comparison(
        task_label=found.name,
        base=found.sides.base,
        other=found.sides.other,
        base_ids=base.ids if base else (),
        other_ids=other.ids if other else (),
        base_rate=found.base_rate,
        other_rate=found.other_rate,
        ratio=None,
        verdict=Likeness.NOT_COMPARABLE,
        says=f"{found.name}: not comparable: {found.reason}.",
        threshold_ratio=threshold_ratio,
        paired=found.sides.paired,
        randomised=bool(base and other and found.sides.paired and is_randomised(base, other)),
        differences=_differences(found.match),
        caveats=found.caveats,
        failed_ids=tuple(id_ for group in (base, other) if group for id_ in failed_ids(group)),
    )
    if judged is None:
        return plain
    return replace(
        plain,
        ratio=judged.together or judged.ratio,
        verdict=judged.likeness,
        says=f"{found.name}: {verdict(found.sides, judged, threshold_ratio)}.",
        chance_ratio=judged.chance_ratio,
        detectable_ratio=judged.detectable_ratio,
        more_count=judged.more_count,
        order_effect=judged.order_effect,
        caveats=(*found.caveats, *(says for says in judged.caveats if says != UNPAIRED)),
    )


def _judged(base: Group, other: Group, ours: Rates, theirs: Rates, name: str, threshold_ratio: float) -> Draft:
    pairs = pairs_of(ours, theirs)
    rates: tuple[Estimate | None, Estimate | None] = (_rate(base, ours), _rate(other, theirs))
    sides = Sides(base.arm, other.arm, paired=pairs is not None)
    caveats = tuple(dict.fromkeys(_caveats(base, other, ours, theirs, pairs)))
    if pairs is not None:
        judged = judge_pairs(pairs.base, pairs.other, pairs.base_first, threshold_ratio)
        rates = (runs_estimate(pairs.base, _UNIT), runs_estimate(pairs.other, _UNIT))
    else:
        judged = judge_unpaired(_kept(ours), _kept(theirs), threshold_ratio)
    return Draft(name, Match(base, other), sides, None, judged, *rates, caveats)


def _caveats(base: Group, other: Group, ours: Rates, theirs: Rates, pairs: Pairs | None) -> Iterator[str]:
    """The gravest first: figures that failed, then how they were measured, then what is not known."""
    yield from group_caveats(base, ours)
    yield from group_caveats(other, theirs)
    if pairs is not None:
        yield from pairs_caveats(base, other, pairs)
    else:
        yield NOT_PAIRED
        yield from first_run_caveats(base, ours)
        yield from first_run_caveats(other, theirs)
    yield from both_caveats(base, other)


def _kept(rates: Rates) -> tuple[float, ...]:
    """Without first runs that were told apart: as the rates that stand beside the ratio."""
    return tuple(run.rate_bytes_per_s for run in rates.runs if not run.told_apart)


def _rate(group: Group | None, rates: Rates | None) -> Estimate | None:
    """The rate as the result itself states it; of several results or without a summary, that of their runs."""
    if group is None or rates is None or not rates.runs:
        return None
    summary = group.results[0].summary
    if len(group.results) == 1 and summary is not None and summary.rate.n_count:
        return summary.rate
    return runs_estimate(_kept(rates), _UNIT)


def _differences(match: Match) -> tuple[Difference, ...]:
    if match.base is None or match.other is None:
        return ()
    return differences(setup_of(match.base.results), setup_of(match.other.results))
