"""What a reader of figures must know, in plain words: failed checks first, then what limits the figures."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from graycard.model import Result, Steady, Summary, Verdict
from graycard.report.matters import MATTERS
from graycard.report.names import task_names
from graycard.report.page import Note, Tone
from graycard.report.printable import printable
from graycard.unseen import normal_runs

FAILED_MARK = "! "
# In place of a rate: a measurement that has not got so far, and another tool's that has none.
NO_RUN, NO_FIGURE = "no finished run", "no figure"
# More tasks than these are counted instead of named.
SHOWN_NAMES_COUNT = 4
_FIGURE = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_LEGEND = "! A check failed: this figure is not what it claims to be."


def has_failed(result: Result) -> bool:
    """Whether a check says that the figure is not what it claims to be."""
    return result.summary is not None and any(check.verdict is Verdict.FAIL for check in result.summary.checks)


def troubles(results: Sequence[Result]) -> Iterator[Note]:
    """Why another tool gave no figure, or not a whole one; a sentence that several tasks share comes once."""
    alike: dict[str, list[tuple[str, str]]] = {}
    for result, name in zip(results, task_names(results), strict=True):
        if result.trouble:
            alike.setdefault(result.trouble, []).append((name, result.trouble))
    for sentence, told in alike.items():
        yield Note(_about(told, len(results)) + printable(sentence), Tone.CAVEAT, "caveat")


def notes(results: Sequence[Result]) -> Iterator[Note]:
    """The notes of results that were measured together; what several tasks share comes once."""
    if any(has_failed(result) for result in results):
        yield Note(_LEGEND, Tone.FAILED)
    yield from _marked(results, lambda summary: _said(summary, Verdict.FAIL), "FAILED", Tone.FAILED)
    yield from _marked(results, _limits, "caveat", Tone.CAVEAT)
    yield from _marked(results, _normal, "note", Tone.QUIET)
    yield from _unknown(results)
    yield from _tally(results)


def _said(summary: Summary, verdict: Verdict) -> Iterable[str]:
    return (check.says for check in summary.checks if check.verdict is verdict)


def _limits(summary: Summary) -> Iterable[str]:
    yield from _said(summary, Verdict.CAVEAT)
    normal = set(_normal(summary))
    yield from (says for says in summary.caveats if says not in normal)
    if summary.steadiness.verdict not in {Steady.STEADY, Steady.UNKNOWN}:
        yield summary.steadiness.says


def _normal(summary: Summary) -> Iterator[str]:
    """What the method demands of a result whose runs were all normal: among its caveats, yet no trouble."""
    count = summary.rate.n_count
    if count and (says := normal_runs(count)) in summary.caveats:
        yield says


def _marked(
    results: Sequence[Result], sentences: Callable[[Summary], Iterable[str]], mark: str, tone: Tone
) -> Iterator[Note]:
    """Sentences that differ only in their figures come once, with the tasks they hold for and one as an example."""
    alike: dict[str, list[tuple[str, str]]] = {}
    for result, name in zip(results, task_names(results), strict=True):
        for sentence in dict.fromkeys(sentences(result.summary)) if result.summary else ():
            alike.setdefault(_FIGURE.sub("#", sentence), []).append((name, sentence))
    for told in alike.values():
        yield Note(_about(told, len(results)) + printable(told[0][1]), tone, mark)


def _about(told: Sequence[tuple[str, str]], results_count: int) -> str:
    """Whom a sentence is about; where the figures in it are those of one task, which."""
    if results_count == 1:
        return ""
    first, *others = dict.fromkeys(name for name, _ in told)
    same = len({sentence for _, sentence in told}) == 1
    if len(others) + 1 == results_count:
        return "all tasks: " if same else f"all tasks, for example {first}: "
    if len(others) >= SHOWN_NAMES_COUNT:
        return f"{first} and {len(others)} more: " if same else f"{first} ({len(others)} more similar): "
    if same or not others:
        return f"{', '.join((first, *others))}: "
    return f"{first} ({', '.join(others)} similar): "


def _unknown(results: Sequence[Result]) -> Iterator[Note]:
    """What could not be told, by name alone: the sentences stand in the result and in docs/checks.md."""
    names = Counter(
        check.name
        for result in results
        for check in (result.summary.checks if result.summary else ())
        if check.verdict is Verdict.UNKNOWN
    )
    if names:
        matters = (_matter(name, count, len(results)) for name, count in names.items())
        yield Note(f"Not known: {', '.join(matters)}.", Tone.QUIET)


def _matter(name: str, count: int, results_count: int) -> str:
    some = "" if count == results_count else f" ({count} of {results_count} tasks)"
    return printable(MATTERS.get(name, name.replace("_", " "))) + some


def _tally(results: Sequence[Result]) -> Iterator[Note]:
    """How many checks there were, so that silence is told from a check that never ran."""
    verdicts = [check.verdict for result in results if result.summary for check in result.summary.checks]
    if not verdicts:
        return
    words = {
        Verdict.PASS: "passed",
        Verdict.FAIL: "failed",
        Verdict.CAVEAT: "with a caveat",
        Verdict.UNKNOWN: "unknown",
    }
    counts = [f"{verdicts.count(verdict)} {word}" for verdict, word in words.items() if verdict in verdicts]
    yield Note(f"Checks: {', '.join(counts)}.", Tone.QUIET)
