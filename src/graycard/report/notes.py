"""What a reader of figures must know, in plain words: failed checks first, then what limits the figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from graycard.model import Result, Steady, Summary, Verdict
from graycard.report.page import Note, Tone
from graycard.report.printable import printable

FAILED_MARK = "! "
_LEGEND = "! A check failed: this figure is not what it claims to be."


def has_failed(result: Result) -> bool:
    """Whether a check says that the figure is not what it claims to be."""
    return result.summary is not None and any(check.verdict is Verdict.FAIL for check in result.summary.checks)


def notes(results: Sequence[Result]) -> Iterator[Note]:
    """The notes of results that were measured together; a sentence that several tasks share comes once."""
    if any(has_failed(result) for result in results):
        yield Note(_LEGEND, Tone.FAILED)
    yield from _marked(results, lambda summary: _said(summary, Verdict.FAIL), "FAILED", Tone.FAILED)
    yield from _marked(results, _limits, "caveat", Tone.CAVEAT)
    yield from _marked(results, lambda summary: _said(summary, Verdict.UNKNOWN), "unknown", Tone.QUIET)
    yield from _tally(results)


def _said(summary: Summary, verdict: Verdict) -> Iterable[str]:
    return (check.says for check in summary.checks if check.verdict is verdict)


def _limits(summary: Summary) -> Iterable[str]:
    yield from _said(summary, Verdict.CAVEAT)
    yield from summary.caveats
    if summary.steadiness.verdict not in {Steady.STEADY, Steady.UNKNOWN}:
        yield summary.steadiness.says


def _marked(
    results: Sequence[Result], sentences: Callable[[Summary], Iterable[str]], mark: str, tone: Tone
) -> Iterator[Note]:
    tasks: dict[str, list[str]] = {}
    for result in results:
        for sentence in dict.fromkeys(sentences(result.summary)) if result.summary else ():
            tasks.setdefault(sentence, []).append(result.task.label)
    for sentence, labels in tasks.items():
        yield Note(printable(_about(labels, len(results)) + sentence), tone, mark)


def _about(labels: Sequence[str], results_count: int) -> str:
    if results_count == 1:
        return ""
    return "all tasks: " if len(labels) == results_count else ", ".join(labels) + ": "


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
