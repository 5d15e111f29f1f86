"""`graycard fits`: which formats a measured drive plays and records."""

from __future__ import annotations

import rich_click as click

from graycard.cli.app import App
from graycard.cli.fits_source import chosen_for
from graycard.cli.media_documents import FitsDocument, entries
from graycard.cli.options import RATIO, Place, global_options, shows_data
from graycard.cli.screen import say, show
from graycard.errors import AccuracyProblem, PlanProblem
from graycard.media import (
    HEADROOM_RATIO,
    MOST_STREAMS_COUNT,
    Chosen,
    Format,
    fit,
    format_named,
    known_formats,
    nothing_decides,
    nothing_tells,
)
from graycard.model import Operation
from graycard.report.fits import Fits, fits_page
from graycard.report.printable import printable


@click.command("fits")
@click.argument("name", type=Place(), metavar="RESULT|PATH|LABEL")
@click.option(
    "--format",
    "names",
    multiple=True,
    metavar="FORMAT",
    help="Decide on FORMAT, as prores-422-hq/uhd/25, 3840x2160/25/10bit-422 or 8MB/25; more than once for several.",
)
@click.option(
    "--streams", type=click.IntRange(1, MOST_STREAMS_COUNT), default=1, metavar="N", help="N streams at once."
)
@click.option(
    "--headroom",
    type=RATIO,
    default=f"{HEADROOM_RATIO:.0%}",
    metavar="SHARE",
    help="What must be left above the format's own rate.",
)
@click.option("--play", "plays", is_flag=True, help="Only playing, from the read figure.")
@click.option("--record", "records", is_flag=True, help="Only recording, from the write figure.")
@shows_data
@global_options()
@click.pass_obj
def fits_command(
    app: App,
    name: str,
    names: tuple[str, ...],
    streams: int,
    headroom: float,
    plays: bool,
    records: bool,
    form: str | None,
) -> None:
    """Tell which video formats a measured drive or share plays and records: yes, tight or no.

    It rests on the low end of what was sustained, never on a peak. PATH means the newest results of its volume; RESULT
    is the beginning of an id or a file of results. Nothing is measured: graycard play does that, with real streams.
    """
    formats = tuple(dict.fromkeys(format_named(each) for each in names)) or known_formats()
    wanted = _directions(plays=plays, records=records)
    chosen = chosen_for(app, name, wanted)
    if not chosen.bases:
        raise PlanProblem(printable(nothing_decides(chosen, name)))
    found = _fits(chosen, formats, streams, headroom)
    notes = tuple(printable(nothing_tells(chosen, each)) for each in wanted if chosen.of(each) is None)
    document = FitsDocument(
        streams_count=streams,
        headroom_ratio=headroom,
        bases=chosen.bases,
        refused=chosen.refused,
        formats=entries(formats),
        fits=found.fits,
        notes=notes,
    )
    show(fits_page(found), document, form)
    say(app, notes)
    if all(basis.sustained_bytes_per_s is None for basis in chosen.bases):
        raise AccuracyProblem("the figures failed a check, so nothing is decided; measure again as the check says")


def _directions(*, plays: bool, records: bool) -> tuple[Operation, ...]:
    both = plays == records
    wanted = ((Operation.READ, plays), (Operation.WRITE, records))
    return tuple(operation for operation, given in wanted if given or both)


def _fits(chosen: Chosen, formats: tuple[Format, ...], streams: int, headroom: float) -> Fits:
    found = tuple(
        fit(each, basis, streams_count=streams, headroom_ratio=headroom) for each in formats for basis in chosen.bases
    )
    return Fits(chosen, formats, found, streams, headroom)
