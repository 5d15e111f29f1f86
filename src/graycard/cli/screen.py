"""Printing: data on stdout, notes on stderr, colour only where a person looks at a terminal and did not forbid it."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable
from typing import Any, TextIO

import rich_click as click

from graycard.cli.app import App
from graycard.cli.options import JSON, MARKDOWN, TEXT
from graycard.codec import pretty
from graycard.errors import Problem
from graycard.report.lines import page_lines
from graycard.report.markdown import page_markdown
from graycard.report.page import Page, Tone
from graycard.report.printable import printable
from graycard.report.renderers import PASTE_WIDTH, page_text
from graycard.report.span import Line, Span

# The sixteen colours that every terminal theme sets, so that they stay readable on light and dark ground.
_STYLES: dict[Tone, dict[str, Any]] = {
    Tone.PLAIN: {},
    Tone.STRONG: {"bold": True},
    Tone.FAILED: {"fg": "red", "bold": True},
    Tone.CAVEAT: {"fg": "yellow"},
    Tone.QUIET: {"dim": True},
}


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person looks at the stream."""
    return stream is not None and stream.isatty()


def has_colour(stream: TextIO | None) -> bool:
    """Colour on a terminal that can, unless NO_COLOR is set (https://no-color.org)."""
    return is_terminal(stream) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def width() -> int:
    """Cells of a line: of the terminal, or enough for one line a row where there is none."""
    return shutil.get_terminal_size((PASTE_WIDTH, 24)).columns


def show(page: Page, document: object, form: str | None) -> None:
    """Print the data on stdout: `document` as JSON, or `page` as Markdown, plain text or for the terminal."""
    if form == JSON:
        put(pretty(document))
    elif form == MARKDOWN:
        put(page_markdown(page))
    elif form == TEXT:
        put(page_text(page))
    else:
        put(_painted(page, sys.stdout))


def put(data: str | bytes) -> None:
    """Write data to stdout. Problem where that fails (a full disk behind a redirection), but not for a closed pipe."""
    try:
        click.echo(data, nl=False)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise Problem(f"the output cannot be written ({error.strerror}); redirect it elsewhere") from error


def note(app: App, page: Page, *, gap: bool = False) -> None:
    """Print what is not data on stderr, unless --quiet; with a blank line below where the data follow on the screen."""
    if not app.quiet:
        click.echo(_painted(page, sys.stderr), nl=gap and is_terminal(sys.stderr), err=True)


def say(app: App, sentences: Iterable[str]) -> None:
    """Print sentences on stderr, one a line, unless --quiet."""
    if not app.quiet:
        for sentence in sentences:
            click.echo(printable(sentence), err=True)


def counted(count: int, noun: str) -> str:
    """Write "1 result" or "3 results"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _painted(page: Page, stream: TextIO) -> str:
    if not has_colour(stream):
        return page_text(page, width())
    return "".join(f"{_paint(line)}\n" for line in page_lines(page, width()))


def _paint(line: Line) -> str:
    return "".join(_painted_span(span) for span in line)


def _painted_span(span: Span) -> str:
    style = _STYLES[span.tone]
    return click.style(span.text, **style) if style else span.text
