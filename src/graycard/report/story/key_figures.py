"""The few figures that are shown large."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log

from graycard.model import Comparison, Likeness, Report, Result, Summary
from graycard.report.figures import change, change_interval, plus_minus, rate, rate_interval
from graycard.report.groups import groups
from graycard.report.notes import has_failed
from graycard.report.page import Tone
from graycard.report.printable import short_name
from graycard.report.story.parts import KeyFigure
from graycard.report.story.words import frame_words, manner, task_words

COUNT = 4
_SURE = {
    Likeness.SLOWER: 0,
    Likeness.FASTER: 0,
    Likeness.SLOWER_SIZE_UNCERTAIN: 1,
    Likeness.FASTER_SIZE_UNCERTAIN: 1,
}


def key_figures(report: Report) -> tuple[KeyFigure, ...]:
    """The four largest differences, the surest first, else the four kinds of load of one measurement.

    None of several measurements.
    """
    if report.comparisons:
        return tuple(_differences(report.comparisons))
    found = groups(report.results)
    return tuple(_rates(found[0].results)) if len(found) == 1 else ()


def _differences(comparisons: Sequence[Comparison]) -> Iterator[KeyFigure]:
    known = [each for each in comparisons if each.ratio is not None and each.ratio.value > 0]
    known.sort(key=lambda each: (_doubt(each), -abs(log(each.ratio.value)) if each.ratio else 0.0))
    for each in known[:COUNT]:
        if each.ratio is not None:
            name = f"{short_name(each.other)}: {short_name(each.task_label)}"
            failed = bool(each.failed_ids)
            detail = f"against {short_name(each.base)}; {'a check failed' if failed else each.verdict.value}"
            tone = Tone.FAILED if failed else Tone.PLAIN
            yield KeyFigure(name, change(each.ratio.value), change_interval(each.ratio), detail, tone)


def _doubt(comparison: Comparison) -> int:
    """The less is sure, the later it comes: its size, whether there is a difference, whether it can be trusted."""
    return len(_SURE) + 1 if comparison.failed_ids else _SURE.get(comparison.verdict, len(_SURE))


def _rates(results: Sequence[Result]) -> Iterator[KeyFigure]:
    """The first of each kind of load, then the others."""
    known = [each for each in results if each.summary]
    kinds = {(each.task.operation, each.task.pattern): each.id for each in reversed(known)}
    firsts = [each for each in known if each.id in kinds.values()]
    others = [each for each in known if each.id not in kinds.values()]
    for result in (*firsts, *others)[:COUNT]:
        if result.summary is not None:
            yield _rate(result, result.summary)


def _rate(result: Result, summary: Summary) -> KeyFigure:
    failed = has_failed(result)
    words = task_words(result.task)
    interval = rate_interval(summary.rate).strip("()")
    count = summary.rate.n_count
    told = (
        "failed a check" if failed else "",
        interval and f"{interval} MB/s",
        "" if count == 1 else f"{count} runs",
        frame_words(result),
        manner(summary).strip(", "),
    )
    return KeyFigure(
        # Names of programs are written as they are.
        name=words if result.task.transfer else f"{words[:1].upper()}{words[1:]}",
        value=rate(summary.rate),
        interval=plus_minus(summary.rate),
        detail=", ".join(part for part in told if part),
        tone=Tone.FAILED if failed else Tone.PLAIN,
    )
