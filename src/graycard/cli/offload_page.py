"""An offload as a page: each leg with its rate and what it waited for, then what is wrong, then what follows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from graycard.cli.screen import counted
from graycard.offload import Fault, Kind, Leg, Outcome, busy_ratio
from graycard.report.figures import ABSENT, plus_minus, rate, rate_interval
from graycard.report.notes import notes
from graycard.report.page import Block, Column, Heading, Note, Page, Row, Table, Tone
from graycard.report.printable import printable, shorten
from graycard.units import format_duration, format_rate, format_size, percent

FEW_FAULTS_COUNT = 20
_PLACE_WIDTH = 48
_COLUMNS = (
    Column("Leg"),
    Column("Place"),
    Column("Rate", right=True),
    Column("", joined=True),
    Column("", joined=True),
    Column("Data", right=True),
    Column("Time", right=True),
    Column("Busy", right=True),
    Column("Alone", right=True),
)


def offload_page(outcome: Outcome, title: str) -> Page:
    """All of it; the checks of the results come once."""
    blocks: list[Block] = [Heading(printable(title))]
    if outcome.legs:
        blocks.append(Table(_COLUMNS, tuple(_row(leg) for leg in outcome.legs)))
        blocks.append(Note("Busy: share of the time in which a leg worked. Alone: its rate while it did.", Tone.QUIET))
    return (*blocks, *_faults(outcome), *_says(outcome), *notes(outcome.results))


def _row(leg: Leg) -> Row:
    cells = (
        leg.name,
        shorten(printable(leg.place), _PLACE_WIDTH) if leg.place else "",
        *_rate(leg),
        format_size(leg.moved_bytes),
        format_duration(leg.elapsed_ns),
        percent(busy_ratio(leg)),
        format_rate(leg.alone_bytes_per_s) if leg.alone_bytes_per_s else ABSENT,
    )
    return Row(cells)


def _rate(leg: Leg) -> tuple[str, str, str]:
    if leg.rate is None:
        return (ABSENT, "", "")
    return rate(leg.rate), plus_minus(leg.rate), rate_interval(leg.rate)


def _faults(outcome: Outcome) -> Iterator[Block]:
    wrong: Sequence[Fault] = [fault for fault in outcome.faults if fault.kind is not Kind.NEW]
    new = [fault for fault in outcome.faults if fault.kind is Kind.NEW]
    for fault in wrong[:FEW_FAULTS_COUNT]:
        yield Note(printable(fault.says), Tone.FAILED, fault.kind.value.replace("_", " ").upper())
    for fault in new[:FEW_FAULTS_COUNT]:
        yield Note(printable(fault.says), Tone.CAVEAT, "new")
    left = outcome.faults_count - min(len(wrong), FEW_FAULTS_COUNT) - min(len(new), FEW_FAULTS_COUNT)
    if left > 0:
        yield Note(f"{left} more are like these; --json lists up to 1000.", Tone.FAILED)


def _says(outcome: Outcome) -> Iterator[Block]:
    if outcome.complete and all(outcome.complete.values()):
        yield Note(_whole(outcome), Tone.STRONG)
    else:
        whole = (folder for folder, complete in outcome.complete.items() if complete)
        yield from (Note(f"{printable(folder)} is whole.", Tone.STRONG) for folder in whole)
    for says in outcome.notes:
        yield Note(printable(says), Tone.CAVEAT, "note")
    if outcome.limit:
        yield Note(printable(outcome.limit))
    if outcome.forecast:
        yield Note(printable(outcome.forecast.says))
    for path in outcome.manifests:
        yield Note(f"Manifest: {printable(path)}")


def _whole(outcome: Outcome) -> str:
    count = len(outcome.complete)
    what = "The copy is" if count == 1 else f"All {count} copies are"
    verified = [leg for leg in outcome.legs if leg.name == "verify"]
    if not verified:
        return f"{what} whole, and not verified."
    if not verified[0].files_count:
        return f"{what} whole, but there was no file to copy."
    return f"{what} whole: {counted(verified[0].files_count, 'file')} read back, all hashes are equal."
