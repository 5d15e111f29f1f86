"""Figures of a result as people read them. Decimal point in every locale; "—" where nothing is known."""

from __future__ import annotations

from graycard.model import Aggregate, Estimate
from graycard.readable import ABSENT, quantity
from graycard.units import format_rate, percent, significant

__all__ = ["ABSENT", "per_second", "plus_minus", "quantity", "rate", "rate_interval"]


def plus_minus(estimate: Estimate) -> str:
    """Half the 95 % interval as "± 3 %"; "single run", "range" or "best of 5 runs" where there is no such interval."""
    ratio = estimate.half_width_ratio
    if ratio is None:
        if any(estimate.method == aggregate.of(estimate.n_count) for aggregate in Aggregate):
            return estimate.method
        return "single run" if estimate.n_count <= 1 else "no interval"
    return f"± {percent(ratio)}" if estimate.level_ratio is not None else "range"


def rate_interval(estimate: Estimate) -> str:
    """The ends of a rate's interval in MB/s, "(497 to 528)", with digits enough to tell them apart; else nothing."""
    if estimate.low is None or estimate.high is None:
        return ""
    for digits in (3, 4, 5):
        low, value, high = (significant(x / 1e6, digits) for x in (estimate.low, estimate.value, estimate.high))
        if len({low, value, high}) == 3:
            break
    return f"({low} to {high})"


def rate(estimate: Estimate) -> str:
    """The rate alone, "512 MB/s"."""
    return format_rate(estimate.value)


def change(ratio: float) -> str:
    """A ratio as a change: 0.8 is "−20 %", 1.034 "+3.4 %", 1 "0 %", 2.5 "2.5 ×"."""
    if ratio >= 2:
        return f"{significant(ratio, 2)} ×"
    if ratio == 1:
        return "0 %"
    return f"{'+' if ratio > 1 else '−'}{percent(abs(ratio - 1))}"


def change_interval(estimate: Estimate) -> str:
    """The ends of a ratio's interval as changes, "(−25 to −20 %)"; "(no interval)" for a range, which has no level."""
    if estimate.low is None or estimate.high is None:
        return f"({plus_minus(estimate)})"
    if estimate.level_ratio is None:
        return "(no interval)"
    low, high = change(estimate.low), change(estimate.high)
    return f"({low.removesuffix(' %') if high.endswith(' %') else low} to {high})"


def per_second(estimate: Estimate | None) -> str:
    """Operations per second, at least three digits: "488", "12.3", "123456"; a dash where they are not known."""
    return significant(estimate.value) if estimate else ABSENT
