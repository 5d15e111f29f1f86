"""What the figures mean, in plain sentences for the user."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from graycard.model import Phase, Stalls, Undulation
from graycard.stats.between import SCATTERED_RATIO, slow_count, spread_ratio
from graycard.units import format_duration, format_rate, format_size, percent, significant
from graycard.unseen import normal_runs

SINGLE_RUN = "Single run: how much another run may differ is not known."
NOTHING = "No run lasted long enough to measure a rate."


def rare_runs(values: Sequence[float]) -> str:
    """How far apart two runs or more are, where they scatter or one is slow; else what they cannot have seen."""
    spread = spread_ratio(values)
    if spread is not None and (spread > SCATTERED_RATIO or slow_count(values)):
        return scattered(values, spread)
    return normal_runs(len(values))


def no_data(zero_count: int, count: int) -> str:
    """Runs in which no operation ended."""
    return f"{zero_count} of {count} runs moved no data in their time; the figure is a plain mean and range."


def cliff(phases: Sequence[Phase], cliff_count: int, long_count: int, *, steady_part: bool) -> str:
    """The phases of one run that changed its level, with bytes; `cliff_count` of `long_count` runs did so."""
    levels = [f"{format_rate(phases[0].rate.value)} for the first {format_size(phases[1].start_bytes)}"]
    for phase, after in pairwise(phases[1:]):
        levels.append(f"{format_rate(phase.rate.value)} for {format_size(after.start_bytes - phase.start_bytes)}")
    story = ", then ".join([*levels, format_rate(phases[-1].rate.value)])
    where = "" if long_count == 1 else f" in {cliff_count} of {long_count} runs (run {phases[0].run_index + 1})"
    of = "the last part, latencies are of whole runs" if steady_part else "whole runs"
    return f"The rate changed for good{where}: {story}. The figure is of {of}."


def swings(found: Undulation) -> str:
    """An undulation."""
    low, high = format_rate(found.low_bytes_per_s), format_rate(found.high_bytes_per_s)
    every = "" if found.period_ns is None else f" every {format_duration(found.period_ns)}"
    return f"The rate swings between {low} and {high}{every}; a short test may report anything between them."


def stalling(found: Stalls) -> str:
    """Stalls; `found.count` is at least 1."""
    stalls = "1 stall" if found.count == 1 else f"{found.count} stalls"
    rate = found.per_min
    often = f", {significant(rate.value, 2)} a minute" if rate else ""
    if rate and rate.low is not None and rate.high is not None:
        often += f" ({significant(rate.low, 2)} to {significant(rate.high, 2)})"
    longest, share = format_duration(found.longest_ns), percent(found.share_ratio)
    return f"{stalls} of 0.3 s or more{often}; the longest {longest}, in all {share} of the time."


def first_run(value: float, others: float) -> str:
    """A first run that is not in the figure."""
    change = value / others - 1
    direction = "faster" if change > 0 else "slower"
    return (
        f"The first run was {percent(abs(change))} {direction} than the others ({format_rate(value)}); "
        "it is not in the figure."
    )


def scattered(values: Sequence[float], spread: float) -> str:
    """Runs that differ much, and how many of them are slow."""
    low, high, slow = format_rate(min(values)), format_rate(max(values)), slow_count(values)
    told = f" ({slow} of {len(values)} more than 20 % slower than the median)" if slow else ""
    return f"The runs differ by {percent(spread)}: {low} to {high}{told}."


def even_runs(count: int, spread: float) -> str:
    """Runs that hardly differ."""
    return f"{count} runs lie within {percent(spread)} of each other."


def even_run(examined_ns: int, phases: Sequence[Phase]) -> str:
    """A single run without cliff, undulation or stalls, with its own interval if there is one."""
    half = phases[0].rate.half_width_ratio if phases else None
    within = "" if half is None else f"; ±{percent(half)} within this run, another run may differ more"
    return f"No cliff, undulation or stall in {format_duration(examined_ns)}{within}."


def too_short(duration_ns: int) -> str:
    """A single run that is too short, or has no ticks, to tell how steady it was."""
    return f"A single run of {format_duration(duration_ns)} cannot tell how steady the rate is."
