"""`graycard formats`: the table of video formats, with what each is known from."""

from __future__ import annotations

import rich_click as click

from graycard.cli.media_documents import FormatsDocument, entries
from graycard.cli.options import JSON, global_options, shows_data
from graycard.cli.screen import show
from graycard.errors import PlanProblem
from graycard.media import Format, format_named, formats, matching
from graycard.report.formats import LIST_COUNT, families_page, formats_page, variants_page
from graycard.report.page import Page
from graycard.report.printable import printable


@click.command("formats")
@click.argument("words", nargs=-1, metavar="[FILTER]…")
@click.option("--all", "every", is_flag=True, help="A row for each format, however many they are.")
@shows_data
@global_options()
def formats_command(words: tuple[str, ...], every: bool, form: str | None) -> None:
    """List video formats: bytes of a frame, Mbit/s and MB/s, and the source of each figure.

    FILTER are words that must all fit: a codec (prores, 422, hq, dpx), a frame size (uhd, 1080, 4k, 2880x1620) or a
    rate (25, 23.976). A format that is not in the table is computed where it can be: prores-422-hq/uhd/48,
    3840x2160/25/10bit-422, 8MB/25.
    """
    found = matching(words) or (_computed(words),)
    if form == JSON:
        show((), FormatsDocument(formats=entries(found)), form)
    else:
        show(_page(words, found, every=every), None, form)


def _computed(words: tuple[str, ...]) -> Format:
    """The one format that the words name together. PlanProblem where they name none."""
    try:
        return format_named(" ".join(words))
    except PlanProblem as problem:
        told = f"no format of the table fits “{printable(' '.join(words))}”"
        wrong = _unknown(words)
        if wrong and len(words) > 1:
            told += f", for none has “{printable(wrong)}”{_beside(words, wrong)}"
            raise PlanProblem(f"{told}; graycard formats lists the families") from problem
        raise PlanProblem(f"{told}, and it is none by itself: {problem}") from problem


def _unknown(words: tuple[str, ...]) -> str | None:
    """The first word that fits nothing that those before it fit."""
    return next((word for place, word in enumerate(words) if not matching(words[: place + 1])), None)


def _beside(words: tuple[str, ...], wrong: str) -> str:
    before = words[: words.index(wrong)]
    return f" beside {printable(' '.join(before))}" if before else ""


def _page(words: tuple[str, ...], found: tuple[Format, ...], *, every: bool) -> Page:
    if every or len(found) <= LIST_COUNT:
        return formats_page(found)
    return variants_page(found) if words and len(found) < len(formats()) else families_page(found)
