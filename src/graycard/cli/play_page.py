"""What `graycard play` shows at the end: the verdict, a row for each stream, the graph, what limits it."""

from __future__ import annotations

from collections.abc import Iterator

from graycard.play import Graph, Played, StreamReport
from graycard.play.graph import dropped_line, speed_line
from graycard.play.streams import Playing
from graycard.report.figures import ABSENT
from graycard.report.notes import notes
from graycard.report.page import Block, Column, Heading, Note, Page, Row, Table, Tone
from graycard.report.printable import printable
from graycard.units import format_duration, format_rate

_COLUMNS = (
    Column("Stream"),
    Column("Format"),
    Column("", joined=True),
    Column("Frames", right=True),
    Column("Dropped", right=True),
    Column("Late", right=True),
    Column("Least reserve", right=True),
    Column("Least margin", right=True),
)
# More streams than these are shown by those that dropped frames, and the others counted.
SHOWN_COUNT = 16


def play_page(playing: Playing, played: Played) -> Page:
    """The whole page."""
    return tuple(_blocks(playing, played))


def _blocks(playing: Playing, played: Played) -> Iterator[Block]:
    yield Heading(printable(playing.target.path))
    broke = any(report.dropped_count for report in played.streams)
    for says in played.says:
        yield Note(printable(says), Tone.CAVEAT if broke else Tone.STRONG)
    if played.streams:
        yield Table(_COLUMNS, tuple(_rows(played.streams)))
    if played.graph:
        yield _graph(played.graph)
    yield from notes(played.results)
    yield from (Note(printable(says), Tone.QUIET) for says in played.notes)


def _rows(reports: tuple[StreamReport, ...]) -> Iterator[Row]:
    shown = reports
    if len(reports) > SHOWN_COUNT:
        shown = tuple(report for report in reports if report.dropped_count)[:SHOWN_COUNT] or reports[:1]
    for report in shown:
        yield _row(report)
    if len(shown) < len(reports):
        rest = f"and {len(reports) - len(shown)} more"
        yield Row((rest, *[""] * (len(_COLUMNS) - 1)), Tone.QUIET)


def _row(report: StreamReport) -> Row:
    least = report.least_reserve_count
    margin = report.least_margin_ns
    cells = (
        str(report.number),
        printable(report.format),
        "play" if report.late_count is not None else "record",
        f"{report.frame_count:,}",
        f"{report.dropped_count:,}",
        ABSENT if report.late_count is None else f"{report.late_count:,}",
        ABSENT if least is None else f"{least} of {report.queue_count}",
        ABSENT if margin is None else f"{'−' if margin < 0 else ''}{format_duration(abs(margin))}",
    )
    return Row(cells, Tone.FAILED if report.dropped_count else Tone.PLAIN)


def _graph(graph: Graph) -> Table:
    """Speed and dropped frames over time; the widest bar is the fastest slot."""
    length = format_duration(graph.slot_ns * len(graph.bytes_per_s))
    rows = [Row(("speed", speed_line(graph.bytes_per_s), f"up to {format_rate(max(graph.bytes_per_s))}"))]
    dropped = sum(graph.dropped_counts)
    if dropped:
        crosses = dropped_line(graph.dropped_counts)
        rows.append(Row(("dropped", crosses, f"{dropped:,} frames"), Tone.FAILED))
    return Table((Column(""), Column(f"over {length}"), Column("")), tuple(rows))
