"""What `graycard copy` shows: each method's rate, one direction after the other, the fastest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from graycard.copying import CopyReport, Excluded
from graycard.model import SCHEMA, Operation, Result
from graycard.report.figures import ABSENT, per_second, plus_minus, rate, rate_interval
from graycard.report.notes import FAILED_MARK, has_failed, notes
from graycard.report.page import Block, Column, Heading, Note, Page, Row, Table, Tone
from graycard.report.printable import printable
from graycard.units import percent, significant

_COLUMNS = (
    Column("Method"),
    Column("Rate", right=True),
    Column("", joined=True),
    Column("", joined=True),
    Column("Files/s", right=True),
    Column("Flush", right=True),
    Column("CPU", right=True),
    Column("Runs", right=True),
    Column("Steadiness", second=True),
)
_HEADINGS = {Operation.WRITE: "To there", Operation.READ: "From there"}


@dataclass(frozen=True, slots=True)
class CopyDocument:
    """What `copy --json` prints. `says` are the sentences of --plan or about the whole; `failures` what failed."""

    schema: str = SCHEMA
    results: tuple[Result, ...] = ()
    excluded: tuple[Excluded, ...] = ()
    failures: tuple[str, ...] = ()
    says: tuple[str, ...] = ()


def copy_page(report: CopyReport) -> Page:
    """A table for each direction, then what limits the figures, and what could not be tried."""
    blocks: list[Block] = []
    for operation, heading in _HEADINGS.items():
        group = sorted((each for each in report.results if each.task.operation is operation), key=_rate, reverse=True)
        if group:
            blocks += [Heading(heading, _places(group)), Table(_COLUMNS, tuple(map(_row, group)))]
            blocks += notes(tuple(group))
            blocks += (Note(printable(sentence)) for sentence in told(group))
    blocks += (Note(printable(failure), Tone.FAILED, "FAILED") for failure in report.failures)
    blocks += _left_out(report.excluded)
    return tuple(blocks)


def _places(group: Sequence[Result]) -> str:
    """The addresses at which it was copied to."""
    return printable(", ".join(dict.fromkeys(sorted(result.target.path for result in group))))


def told(group: Sequence[Result]) -> Iterator[str]:
    """What the figures of one direction say together, as sentences."""
    if len(group) < 2:
        return
    fast, slow = max(group, key=_rate), min(group, key=_rate)
    times = significant(_rate(fast) / max(_rate(slow), 1.0), 2)
    if not all(_has_interval(each) for each in group):
        yield f"In these few runs {_name(fast)} was {times} times as fast as {_name(slow)}; use --runs 3 to know."
    elif _low(fast) > _high(slow):
        yield f"{_name(fast)} is the fastest, {times} times as fast as {_name(slow)}."
    else:
        yield "The methods differ less than their runs do: which is the fastest cannot be told."


def _row(result: Result) -> Row:
    summary = result.summary
    if summary is None:
        return Row((_name(result), *[ABSENT] * (len(_COLUMNS) - 1)))
    mark = FAILED_MARK if has_failed(result) else ""
    cells = (
        f"{mark}{_name(result)}",
        rate(summary.rate),
        plus_minus(summary.rate),
        rate_interval(summary.rate),
        per_second(summary.ops),
        _flush(result),
        _processor(result),
        str(len(result.runs)),
        summary.steadiness.verdict.value,
    )
    return Row(tuple(printable(cell) for cell in cells))


def _name(result: Result) -> str:
    return result.task.transfer.method if result.task.transfer else result.task.label


def _rate(result: Result) -> float:
    return result.summary.rate.value if result.summary else 0.0


def _has_interval(result: Result) -> bool:
    return result.summary is not None and result.summary.rate.level_ratio is not None


def _low(result: Result) -> float:
    estimate = result.summary.rate if result.summary else None
    return (estimate.low or estimate.value) if estimate else 0.0


def _high(result: Result) -> float:
    estimate = result.summary.rate if result.summary else None
    return (estimate.high or estimate.value) if estimate else 0.0


def _flush(result: Result) -> str:
    """The share of the time that the flush took."""
    shares = [run.samples.flush_ns / run.samples.elapsed_ns for run in result.runs if run.samples.flush_ns is not None]
    return percent(median(shares)) if shares else ABSENT


def _processor(result: Result) -> str:
    """The share of one core that the method took on this computer."""
    shares = [run.samples.cpu_ns / run.samples.elapsed_ns for run in result.runs if run.samples.cpu_ns is not None]
    return percent(median(shares)) if shares else ABSENT


def _left_out(excluded: Sequence[Excluded]) -> Iterator[Block]:
    if excluded:
        names: dict[str, list[str]] = {}
        for each in excluded:
            names.setdefault(each.why, []).append(each.name)
        whys = "; ".join(
            f"{', '.join(named)} ({why})" for why, named in names.items() if not why.startswith("it is of")
        )
        if whys:
            yield Note(printable(f"Not tried: {whys}."), Tone.QUIET)
