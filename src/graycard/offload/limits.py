"""Which leg set the pace, and how long a full card takes; both from the meters of one offload."""

from __future__ import annotations

from collections.abc import Sequence

from graycard.model import Estimate
from graycard.offload.job import Forecast, Leg
from graycard.units import format_duration, format_rate, format_size, percent

# Legs whose shares of busy time are this near to each other limit together.
_NEAR_RATIO = 0.1
_DOING = {"read": "reading", "hash": "hashing", "write": "writing"}


def busy_ratio(leg: Leg) -> float:
    """Share of the leg's time in which it worked."""
    return min(1.0, leg.busy_ns / leg.elapsed_ns) if leg.elapsed_ns else 0.0


def limit_of(legs: Sequence[Leg], *, share_a_drive: bool) -> str | None:
    """A sentence on what limited the copy: the leg that was busy most of the time while the others waited for it."""
    busiest = sorted((leg for leg in legs if leg.name in _DOING), key=busy_ratio, reverse=True)
    if not busiest or not busiest[0].moved_bytes:
        return None
    first, *others = busiest
    near = [leg for leg in others if busy_ratio(first) - busy_ratio(leg) <= _NEAR_RATIO]
    if near:
        *names, last = (_named(leg) for leg in (first, *near))
        alike = f"{', '.join(names)} and {last} were busy alike"
        says = f"No leg alone set the pace: {alike} ({percent(busy_ratio(first))} of the time)."
        return says + (" They share one drive." if share_a_drive else "")
    says = (
        f"The limit was {_named(first)}: busy for {percent(busy_ratio(first))} of the time, the others waited for it."
    )
    return says + _next(others)


def _named(leg: Leg) -> str:
    return f"{_DOING[leg.name]} {'to ' if leg.name == 'write' else ''}{leg.place}".strip()


def _next(others: Sequence[Leg]) -> str:
    known = [leg for leg in others if leg.alone_bytes_per_s]
    if not known:
        return ""
    slowest = min(known, key=lambda leg: leg.alone_bytes_per_s or 0.0)
    return f" The next would be {_named(slowest)} at {format_rate(slowest.alone_bytes_per_s or 0.0)}."


def forecast_of(card_bytes: int, legs: Sequence[Leg]) -> Forecast | None:
    """The time for a full card at the rates of this offload: its bytes over the slowest copy and verification.

    None where nothing was moved. The rate is held for the whole card: a drive whose cache is full may be slower.
    """
    copy_ns = _slowest(card_bytes, [leg for leg in legs if leg.name in ("read", "write")])
    verify_ns = _slowest(card_bytes, [leg for leg in legs if leg.name == "verify"])
    if copy_ns is None:
        return None
    total_ns = copy_ns.value + (verify_ns.value if verify_ns else 0.0)
    parts = f"copying {format_duration(copy_ns.value)}"
    parts += f", verifying {format_duration(verify_ns.value)}" if verify_ns else ", without verifying"
    says = f"A full card of {format_size(card_bytes)} would take about {format_duration(total_ns)} ({parts})"
    says += ", if the drives hold these rates; graycard sustain tells whether they do."
    return Forecast(card_bytes, copy_ns, verify_ns, int(total_ns), says)


def _slowest(card_bytes: int, legs: Sequence[Leg]) -> Estimate | None:
    timed = [leg for leg in legs if leg.moved_bytes and leg.elapsed_ns]
    if not timed:
        return None
    leg = min(timed, key=lambda each: each.moved_bytes / each.elapsed_ns)
    value = card_bytes * leg.elapsed_ns / leg.moved_bytes
    half = leg.rate.half_width_ratio if leg.rate else None
    if half is None:
        return Estimate(value, None, None, "ns", 1, None, "single run")
    method = "from the interval of the rate within this run"
    return Estimate(value, value / (1 + half), value / max(1e-9, 1 - half), "ns", 1, 0.95, method)
