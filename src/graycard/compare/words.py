"""What a comparison says, in sentences. "No difference" is never said: it is the same within a threshold, or not known.

A ratio is other over base: 0.81 is "19 % slower", 1.25 "25 % faster", 3.1 "3.1 times as fast".
"""

from __future__ import annotations

from dataclasses import dataclass

from graycard.model import Estimate, Likeness
from graycard.stats.judge import Judged
from graycard.units import percent, significant

# From here on a share above 100 % is harder to read than a factor.
_TIMES = 2.0
_LIKE = 5e-5
# An interval from a quarter to four times as fast: its ends are figures that nobody can use.
_VAST = 16.0


@dataclass(frozen=True, slots=True)
class Sides:
    """What the two sides are called, and whether their runs are pairs."""

    base: str
    other: str
    paired: bool


def size(ratio: float, *, is_fine: bool = False) -> str:
    """A ratio in words that stand alone: "19 % slower", "3.1 times as fast", "as fast"; `is_fine` gives "19.4 %"."""
    if ratio >= _TIMES:
        return f"{significant(ratio, 4 if is_fine else 2)} times as fast"
    if abs(ratio - 1) < _LIKE:
        return "as fast"
    change = f"{100 * abs(ratio - 1):.1f} %" if is_fine else percent(abs(ratio - 1))
    return f"{change} faster" if ratio > 1 else f"{change} slower"


def span(low: float, high: float) -> str:
    """Both ends of an interval: "12 to 25 % slower", "4 % slower to 2 % faster", "2.1 to 3.4 times as fast"."""
    near, far = _ends(low, high, is_fine=False)
    if near == far:
        near, far = _ends(low, high, is_fine=True)
    for ending in (" % slower", " % faster", " times as fast"):
        if near.endswith(ending) and far.endswith(ending):
            return f"{near.removesuffix(ending)} to {far}"
    return f"{near} to {far}"


def _ends(low: float, high: float, *, is_fine: bool) -> tuple[str, str]:
    """Of two that are slower the smaller change comes first, as people read a range."""
    first, last = (high, low) if high < 1 else (low, high)
    return size(first, is_fine=is_fine), size(last, is_fine=is_fine)


def than(ratio: float, name: str) -> str:
    """`size` with what it is compared to: "19 % slower than A", "3.1 times as fast as A"."""
    words = size(ratio)
    return f"{words} as {name}" if words.endswith("fast") else f"{words} than {name}"


def verdict(sides: Sides, judged: Judged, threshold_ratio: float) -> str:
    """The sentence about the other side, without the name of the task and without a full stop."""
    ratio = judged.together or judged.ratio
    if ratio is None:
        return f"cannot tell: a run moved nothing, so there is no ratio of {sides.other} to {sides.base}"
    if ratio.low is None or ratio.high is None or ratio.level_ratio is None:
        return f"cannot tell: {sides.other} was {than(ratio.value, sides.base)}, but so few figures have no interval"
    if judged.likeness is Likeness.CANNOT_TELL and ratio.high > _VAST * ratio.low:
        may = f"{sides.other} may be far slower or far faster than {sides.base}"
        return f"cannot tell yet: the runs differ so much that {may}"
    if judged.likeness is Likeness.CANNOT_TELL:
        could = than_span(ratio.low, ratio.high, sides.base)
        return f"cannot tell yet: {sides.other} could be {could}{_outlook(judged, sides, threshold_ratio)}"
    return f"{_finding(sides, judged.likeness, ratio, threshold_ratio)} ({_figures(judged, ratio.low, ratio.high)})"


def than_span(low: float, high: float, name: str) -> str:
    """`span` with what it is compared to: "4 % slower to 2 % faster than A"."""
    words = span(low, high)
    return f"{words} as {name}" if words.endswith("fast") else f"{words} than {name}"


def _finding(sides: Sides, likeness: Likeness, ratio: Estimate, threshold_ratio: float) -> str:
    base, other = sides.base, sides.other
    if likeness in {Likeness.SLOWER, Likeness.FASTER}:
        least = ratio.high if likeness is Likeness.SLOWER else ratio.low
        return f"{other} is at least {than(ratio.value if least is None else least, base)}"
    if likeness is Likeness.SAME:
        return f"{other} is the same as {base} within {percent(threshold_ratio)}"
    direction, _, uncertain = likeness.value.partition(", ")
    return f"{other} is {direction} than {base}, {uncertain}"


def _figures(judged: Judged, low: float, high: float) -> str:
    ratio = judged.together or judged.ratio
    value = size(ratio.value) if ratio else ""
    # Holm's test may be sure of the direction where the interval that holds for all at once is not.
    told = judged.likeness in {Likeness.SLOWER_SIZE_UNCERTAIN, Likeness.FASTER_SIZE_UNCERTAIN} and low < 1 < high
    test = "; the direction by Holm's test" if told else ""
    return f"{value}, 95 % interval {_without_direction(low, high, value)}{test}"


def _without_direction(low: float, high: float, value: str) -> str:
    """The span; its last word is left out where the value before it has said it."""
    words = span(low, high)
    if low < 1 < high:
        return words
    for ending in (" slower", " faster", " as fast"):
        if words.endswith(ending) and value.endswith(ending):
            return words.removesuffix(ending)
    return words


def _outlook(judged: Judged, sides: Sides, threshold_ratio: float) -> str:
    """How many more runs would find the threshold."""
    found = f"show a difference of {percent(threshold_ratio)}"
    one, several = ("pair", "pairs") if sides.paired else ("run of each", "runs of each")
    if judged.more_count is None:
        return f"; not even 1000 more {several} would {found}"
    return f"; {judged.more_count} more {one if judged.more_count == 1 else several} would {found}"
