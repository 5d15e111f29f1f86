"""Comparisons as a page: the verdicts in words, the figures they rest on, what differs, and what limits it all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from graycard.model import Comparison, Difference, Estimate, Likeness
from graycard.readable import ABSENT
from graycard.report.figures import rate
from graycard.report.notes import FAILED_MARK
from graycard.report.page import Block, Column, Field, Heading, Note, Page, Row, Table, Tone
from graycard.report.printable import printable, shorten
from graycard.units import percent, significant

NOTHING_TO_BUILD_ON = "! A check failed: this figure is not what it claims to be, so build nothing on its comparison."
_NOTHING_DIFFERS = "Nothing that is known differs between the two set-ups."
_NAME_WIDTH = 24
_LARGEST = 100.0
# The mark before each verdict and its tone; no meaning depends on the colour.
_MARKS = {
    Likeness.SLOWER: ("SLOWER", Tone.STRONG),
    Likeness.FASTER: ("FASTER", Tone.STRONG),
    Likeness.SLOWER_SIZE_UNCERTAIN: ("slower", Tone.STRONG),
    Likeness.FASTER_SIZE_UNCERTAIN: ("faster", Tone.STRONG),
    Likeness.SAME: ("same", Tone.STRONG),
    Likeness.CANNOT_TELL: ("?", Tone.CAVEAT),
    Likeness.NOT_COMPARABLE: (ABSENT, Tone.QUIET),
}


def comparisons_page(comparisons: Sequence[Comparison], title: str = "") -> Page:
    """For each set-up beside the base: verdicts, a table, what differs, caveats; what holds for all stands below."""
    page: list[Block] = [Heading(printable(title))] if title else []
    for _, group in groupby(comparisons, key=lambda each: (each.base, each.other)):
        page.extend(_pair(tuple(group)))
    page.extend(_about_all(comparisons))
    return tuple(page)


def difference_fields(comparisons: Sequence[Comparison]) -> Iterator[Field | Note]:
    """What differs between two set-ups, the largest suspect first; of facts that vary from task to task, the first."""
    compared = [each for each in comparisons if each.verdict is not Likeness.NOT_COMPARABLE]
    differ = [each for each in comparisons if each.differences]
    if compared and not differ:
        yield Note(_NOTHING_DIFFERS)
    for difference in _first_of_each(differ):
        yield Field(printable(difference.factor), printable(difference.says))


def comparison_caveats(comparisons: Sequence[Comparison]) -> Iterator[Note]:
    """Each caveat once, with the tasks that it holds for unless these are all."""
    holds: dict[str, list[str]] = {}
    compared = [each for each in comparisons if each.verdict is not Likeness.NOT_COMPARABLE]
    for each in compared:
        for caveat in each.caveats:
            holds.setdefault(caveat, []).append(each.task_label)
    for caveat, names in holds.items():
        about = "" if len(names) == len(compared) else f"{', '.join(names)}: "
        yield Note(printable(about + caveat), Tone.CAVEAT, "caveat")


def ratio_words(ratio: Estimate | None) -> tuple[str, str]:
    """The ratio and its interval: "0.813", "(0.75 to 0.88)"; a dash where there is none."""
    if ratio is None:
        return ABSENT, ""
    if ratio.low is None or ratio.high is None or ratio.level_ratio is None:
        return significant(ratio.value), "no interval"
    return significant(ratio.value), f"({_end(ratio.low)} to {_end(ratio.high)})"


def _end(ratio: float) -> str:
    """An end of an interval; beyond a factor of 100 its figures mean nothing."""
    if ratio < 1 / _LARGEST:
        return f"<{1 / _LARGEST:g}"
    return f">{_LARGEST:g}" if ratio > _LARGEST else significant(ratio)


def _detectable(ratio: float | None) -> str:
    if ratio is None:
        return ABSENT
    return percent(ratio) if ratio <= 1 else "> 100 %"


def _pair(comparisons: tuple[Comparison, ...]) -> Iterator[Block]:
    first = comparisons[0]
    yield Heading(f"{printable(first.other)} beside {printable(first.base)}")
    for each in comparisons:
        mark, tone = _MARKS[each.verdict]
        failed = bool(each.failed_ids)
        yield Note(printable(each.says), Tone.FAILED if failed else tone, (FAILED_MARK if failed else "") + mark)
    yield Table(_columns(first), tuple(_row(each) for each in comparisons))
    if any(each.failed_ids for each in comparisons):
        yield Note(NOTHING_TO_BUILD_ON, Tone.FAILED)
    fields = tuple(difference_fields(comparisons))
    if any(isinstance(each, Field) for each in fields):
        yield Heading("What differs, the largest suspect first")
    yield from fields
    yield from comparison_caveats(comparisons)


def _columns(first: Comparison) -> tuple[Column, ...]:
    base, other = (shorten(printable(name), _NAME_WIDTH) for name in (first.base, first.other))
    return (
        Column("Task"),
        Column(base, right=True),
        Column(other, right=True),
        Column("Ratio", right=True),
        Column("", joined=True),
        Column("Runs", right=True),
        Column("Would find", right=True, second=True, label="would find"),
        Column("Verdict", second=True),
    )


def _row(each: Comparison) -> Row:
    failed = set(each.failed_ids)
    return Row(
        (
            (FAILED_MARK if failed else "") + printable(each.task_label),
            _rate(each.base_rate, failed=bool(failed & set(each.base_ids))),
            _rate(each.other_rate, failed=bool(failed & set(each.other_ids))),
            *ratio_words(each.ratio),
            _runs(each),
            _detectable(each.detectable_ratio),
            each.verdict.value,
        ),
        Tone.FAILED if failed else Tone.PLAIN,
    )


def _rate(estimate: Estimate | None, *, failed: bool) -> str:
    if estimate is None:
        return ABSENT
    return (FAILED_MARK if failed else "") + rate(estimate)


def _runs(each: Comparison) -> str:
    """How many figures the ratio is made of: "6 pairs", "5 + 7"."""
    if each.ratio is None:
        return ABSENT
    if each.paired:
        return "1 pair" if each.ratio.n_count == 1 else f"{each.ratio.n_count} pairs"
    counts = (estimate.n_count if estimate else 0 for estimate in (each.base_rate, each.other_rate))
    return " + ".join(map(str, counts))


def _first_of_each(comparisons: Sequence[Comparison]) -> Sequence[Difference]:
    found: dict[str, Difference] = {}
    for each in comparisons:
        for difference in each.differences:
            found.setdefault(difference.name, difference)
    return tuple(found.values())


def _about_all(comparisons: Sequence[Comparison]) -> Iterator[Note]:
    tested = [each for each in comparisons if each.chance_ratio is not None]
    if not tested:
        return
    together = f" for all {len(tested)} comparisons together" if len(tested) > 1 else ""
    threshold = percent(tested[0].threshold_ratio)
    yield Note(
        f"Ratio: other over base, with its 95 % interval, which holds{together}. Material: {threshold} or more. "
        "Would find: the smallest change that so many runs find in 4 of 5 cases.",
        Tone.QUIET,
    )
