"""Reasons of how the figure was made: its unit, its aggregate, its runs, its time, a fault of the tool."""

from __future__ import annotations

import math

from graycard.agree.beside import GUESSED, HALF_STATED, STATED, Beside, Cause, favours, fixed
from graycard.agree.measured import Measured
from graycard.agree.tools import PRINTED_MB_BYTES, UNIT_UNSURE
from graycard.model import Aggregate, Pattern, Verdict
from graycard.stats.between import log_deviation, log_mean
from graycard.stats.distributions import normal_quantile
from graycard.stats.first_run import first_run_differs
from graycard.units import format_rate, format_size, percent

# What a MB, a GB and KDiskMark's MB may be taken for.
UNIT_FACTORS = {
    1.048576: "MiB taken for MB",
    1.024: "KiB taken for kB",
    1.073741824: "GiB taken for GB",
}
# A ratio this close to such a factor is taken for it: three digits are printed.
_NEAR = 0.004
# How far the best of several runs may lie above the rest where nothing tells: runs scatter by some per cent.
_BEST_GAIN = 1.3
_FIRST_GAIN = 1.5
_LIMIT_GAIN = 10.0
_ALIKE = 0.05
# Blom 1958: the expected largest of n normal values is near the quantile (n - 0.375) / (n + 0.25).
_BLOM = (0.375, 0.25)


def printed_unit(pair: Beside) -> Cause | None:
    """A tool whose MB is another one: what it printed and what is compared here."""
    for one, _, is_other in pair.each_way():
        printed, mb_bytes = one.printed_bytes_per_s, PRINTED_MB_BYTES.get(one.origin.tool)
        if printed and mb_bytes and abs(printed / one.rate.value - 1) > _NEAR:
            factor = printed / one.rate.value
            says = (
                f"Unit: {one.origin.tool} calls {mb_bytes:,} bytes a MB. It printed {printed / 1e6:.4g} MB/s, which "
                f"are {format_rate(one.rate.value)}; that is corrected here."
            )
            return fixed("unit", says, factor if is_other else 1 / factor, STATED, of_printed=True)
    return None


def other_unit(pair: Beside) -> Cause | None:
    """A ratio that is just the factor between two units."""
    ratio = pair.ratio.value
    unsure = {pair.base.origin.tool, pair.other.origin.tool} & UNIT_UNSURE
    for factor, name in UNIT_FACTORS.items():
        for expected in (factor, 1 / factor):
            if abs(math.log(ratio / expected)) < _NEAR:
                says = f"Unit: the ratio is that of {name} ({max(ratio, 1 / ratio):.4g} against {factor:.4g})."
                return fixed("unit", says, expected, 0.8 if unsure else GUESSED)
    return None


def wrong(pair: Beside) -> Cause | None:
    """A figure that failed a check."""
    for one, _, is_other in pair.each_way():
        failed = next((check for check in one.checks if check.verdict is Verdict.FAIL), None)
        if failed is None:
            continue
        says = f"Failed check: {one.name}: {failed.says}"
        if failed.name == "version_counts_all_jobs":
            return fixed("failed check", says, 0.5 if is_other else 2.0, STATED)
        return Cause("failed check", says, 1e-2, 1e2, STATED)
    return None


def aggregate(pair: Beside) -> Cause | None:
    """The best of several runs stands above their mean by as much as they scatter."""
    for one, rest, is_other in pair.each_way():
        if one.origin.aggregate is not Aggregate.BEST or rest.origin.aggregate is Aggregate.BEST:
            continue
        best = Aggregate.BEST.of(one.rate.n_count)
        says = f"Aggregate: {one.name} gives the {best}, {rest.name} {_aggregate(rest)}"
        gain = _gain(one, rest)
        if gain is None:
            return Cause("best against mean", f"{says}.", *favours(_BEST_GAIN, is_other=is_other), STATED)
        told = f"{says}; with the scatter of these runs the best lies {percent(gain - 1)} above."
        low, high = favours(max(_BEST_GAIN, gain), is_other=is_other)
        return Cause("best against mean", told, low, high, STATED, gain if is_other else 1 / gain)
    return None


def _aggregate(figure: Measured) -> str:
    if figure.origin.aggregate:
        return f"the {figure.origin.aggregate.of(figure.rate.n_count)}"
    return "a single run" if figure.rate.n_count <= 1 else f"the mean of {figure.rate.n_count} runs"


def _gain(one: Measured, rest: Measured) -> float | None:
    """Best over mean: of its own runs where they are known, else as the other's scatter makes it expected."""
    if len(one.rates) > 1:
        return max(one.rates) / math.exp(log_mean(one.rates))
    count = one.rate.n_count
    if len(rest.rates) < 3 or count < 2:
        return None
    less, more = _BLOM
    return math.exp(normal_quantile((count - less) / (count + more)) * log_deviation(rest.rates))


def first_run(pair: Beside) -> Cause | None:
    """A first run that differs from the rest is inside one figure, and the other side shows none."""
    for one, _, is_other in pair.each_way():
        if len(one.results) > 1 or one.origin.tool == "graycard" or not first_run_differs(one.rates):
            continue
        factor = math.exp(log_mean(one.rates) - log_mean(one.rates[1:]))
        says = (
            f"First run: that of {one.name} differs from the rest and is counted in; without it the figure is "
            f"{percent(abs(factor - 1))} {'higher' if factor < 1 else 'lower'}."
        )
        return fixed("first run", says, factor if is_other else 1 / factor, 0.8)
    return None


def time_limit(pair: Beside) -> Cause | None:
    """One ended by its time before it had been through its file, the other went through it."""
    for one, rest, is_other in pair.each_way():
        covered, other_covered = _covered(one), _covered(rest)
        if covered is None or covered >= 1 or (other_covered is not None and other_covered < 1):
            continue
        says = (
            f"Time limit: {one.name} ended after {percent(covered)} of its file of {format_size(one.task.span_bytes)}, "
            "so it shows the beginning alone, which caches make fast."
        )
        return Cause("time limit", says, *favours(_LIMIT_GAIN, is_other=is_other), HALF_STATED)
    return None


def _covered(figure: Measured) -> float | None:
    """The share of its file that one run moved; None where that is not known."""
    if not figure.states("span_bytes", "time_ns") or figure.task.span_bytes <= 0:
        return None
    # In random order a part of the file is spread over all of it.
    if figure.task.pattern is Pattern.RANDOM:
        return 1.0
    if figure.task.time_ns is None:
        return 1.0
    return figure.rate.value * figure.task.time_ns / 1e9 / figure.task.span_bytes


def scatter(pair: Beside) -> Cause | None:
    """The interval holds 1, or there is none and the two are as near as single runs often are."""
    ratio = pair.ratio
    if ratio.low is not None and ratio.high is not None and ratio.level_ratio is not None:
        if not ratio.low <= 1 <= ratio.high:
            return None
        says = "Scatter: the interval of the ratio holds 1, so chance alone may have made the difference."
        return Cause("scatter", says, ratio.low, ratio.high, STATED)
    if abs(math.log(ratio.value)) > _ALIKE:
        return None
    says = "Scatter: the two are within 5 %, and single figures scatter as much; repeat both to know."
    return Cause("scatter", says, 1 / (1 + _ALIKE), 1 + _ALIKE, HALF_STATED)
