"""Histories as a page: the course at a glance, then result by result beside what was expected, and what changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from graycard.model import Entry, Era, Estimate, History, Standing
from graycard.report.figures import ABSENT, rate_interval
from graycard.report.notes import FAILED_MARK
from graycard.report.page import Block, Column, Heading, Note, Page, Row, Table, Tone
from graycard.report.printable import printable, shorten
from graycard.units import format_rate

_COLUMNS = (
    Column("Measured (UTC)"),
    Column("Rate", right=True),
    Column("", joined=True),
    Column("Expected", right=True),
    Column("Standing"),
)
_SET_UP_COLUMNS = (Column("Set-up"), Column("Newest (UTC)"), Column("Tasks", right=True), Column("Newest results"))
_TONES = {
    Standing.UNUSUAL: Tone.CAVEAT,
    Standing.REGRESSION: Tone.CAVEAT,
    Standing.IMPROVEMENT: Tone.CAVEAT,
    Standing.NOT_COUNTED: Tone.FAILED,
}
# What a reader looks for first.
_ORDER = (
    Standing.REGRESSION,
    Standing.IMPROVEMENT,
    Standing.UNUSUAL,
    Standing.NOT_COUNTED,
    Standing.USUAL,
    Standing.TOO_SHORT,
    Standing.FIRST,
)
_SET_UP_WIDTH = 64
_BARS = "▁▂▃▄▅▆▇█"
# The course spans this much to each side of the middle at least, so that scatter of some per cent looks like it.
_COURSE_RATIO = 0.25
_LEGEND = "! A check failed: this figure is not what it claims to be, and is not counted."
_NOTHING = "No results of a drive or share are stored yet; graycard measure PATH makes the first."


def histories_page(histories: Sequence[History]) -> Page:
    """Each device with its tasks: the course, a table for each era, what began it, and a sentence on the newest."""
    page: list[Block] = []
    for device, group in groupby(histories, key=lambda history: history.device):
        page.append(Heading(printable(device)))
        for history in group:
            page.extend(_history(history))
    if any(entry.standing is Standing.NOT_COUNTED for each in histories for era in each.eras for entry in era.entries):
        page.append(Note(_LEGEND, Tone.FAILED))
    return tuple(page) or (Note(_NOTHING, Tone.QUIET),)


def set_ups_page(histories: Sequence[History]) -> Page:
    """One row for each set-up: when it was measured last, and how its tasks stood then."""
    groups = [(device, list(group)) for device, group in groupby(histories, key=lambda history: history.device)]
    if not groups:
        return (Note(_NOTHING, Tone.QUIET),)
    return (Table(_SET_UP_COLUMNS, tuple(_set_up(device, group) for device, group in groups)),)


def course(eras: Sequence[Era]) -> str:
    """The rates as a row of bars, a line between eras; the scale reaches 25 % to each side of the median at least.

    Results that are not counted do not stretch it.
    """
    entries = [entry for era in eras for entry in era.entries]
    counted = [entry for entry in entries if entry.standing is not Standing.NOT_COUNTED]
    rates = [entry.rate_bytes_per_s for entry in counted or entries]
    ordered = sorted(rates)
    middle = (ordered[len(rates) // 2] + ordered[(len(rates) - 1) // 2]) / 2
    low = min(*rates, middle * (1 - _COURSE_RATIO))
    step = (max(*rates, middle * (1 + _COURSE_RATIO)) - low) / len(_BARS) or 1.0
    bars = ("".join(_bar((entry.rate_bytes_per_s - low) / step) for entry in era.entries) for era in eras)
    return "│".join(bars)


def _bar(height: float) -> str:
    return _BARS[max(0, min(int(height), len(_BARS) - 1))]


def _history(history: History) -> Iterator[Block]:
    yield Heading(printable(history.task_label), course(history.eras))
    for index, era in enumerate(history.eras):
        for change in era.changes:
            yield Note(printable(change.says), Tone.CAVEAT if index else Tone.QUIET, "changed" if index else "since")
        yield Table(_COLUMNS, tuple(map(_row, era.entries)))
    yield Note(printable(history.says), _TONES.get(_newest(history).standing, Tone.PLAIN))


def _row(entry: Entry) -> Row:
    counted = entry.standing is not Standing.NOT_COUNTED
    cells = (
        f"{entry.created_at:%Y-%m-%d %H:%M}",
        ("" if counted else FAILED_MARK) + format_rate(entry.rate_bytes_per_s),
        rate_interval(_rate(entry)) or "(no interval)",
        _expected(entry.expected),
        entry.standing.value,
    )
    return Row(cells, _TONES.get(entry.standing, Tone.PLAIN))


def _rate(entry: Entry) -> Estimate:
    low, high = entry.rate_low_bytes_per_s, entry.rate_high_bytes_per_s
    return Estimate(entry.rate_bytes_per_s, low, high, "bytes/s", 0, None, "as stored")


def _expected(expected: Estimate | None) -> str:
    return rate_interval(expected).strip("()") + " MB/s" if expected else ABSENT


def _newest(history: History) -> Entry:
    return history.eras[-1].entries[-1]


def _set_up(device: str, histories: Sequence[History]) -> Row:
    newest = [_newest(history) for history in histories]
    counts = Counter(entry.standing for entry in newest)
    worst = next(standing for standing in _ORDER if standing in counts)
    cells = (
        shorten(printable(device), _SET_UP_WIDTH),
        f"{max(entry.created_at for entry in newest):%Y-%m-%d %H:%M}",
        str(len(histories)),
        ", ".join(f"{counts[standing]} {standing.value}" for standing in _ORDER if standing in counts),
    )
    return Row(cells, _TONES.get(worst, Tone.PLAIN))
