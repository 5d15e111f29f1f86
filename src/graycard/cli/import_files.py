"""Which files to import, read one by one with progress shown to a person who waits."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterable, Iterator, Sequence

import rich_click as click

from graycard.cli.app import App
from graycard.cli.foreign import parts_of_file, parts_of_open_file
from graycard.cli.screen import is_terminal, say
from graycard.errors import ImportProblem
from graycard.importers import Part
from graycard.report.printable import printable, shorten

STDIN = "-"
_NAME_WIDTH = 40
_END_OF_INPUT = "Ctrl-Z and Enter" if os.name == "nt" else "Ctrl-D"


def files_named(names: Sequence[str]) -> tuple[tuple[str, bool], ...]:
    """The files that the names mean, each once, and whether a folder was named: then all visible files in it, sorted.

    What cannot be listed is left to reading, which tells of it.
    """
    found: dict[str, bool] = {}
    for name in names:
        if name != STDIN and os.path.isdir(name):
            for path in _inside(name):
                found.setdefault(path, True)
        else:
            found[name] = False
    return tuple(found.items())


def shown_name(file: str) -> str:
    """The file as it is called on the screen."""
    return "what came through the pipe" if file == STDIN else printable(file)


def read(app: App, path: str) -> tuple[Part, ...]:
    """What each importer found in the file, or on stdin for "-". ImportProblem where it cannot be read."""
    if path != STDIN:
        return parts_of_file(path)
    if is_terminal(sys.stdin):
        say(app, (f"Paste the result, then press Enter and {_END_OF_INPUT}.",))
    if sys.stdin is None:
        raise ImportProblem("there is no stdin here; save the text as a file")
    try:
        return parts_of_open_file(sys.stdin.buffer, "")
    except OSError as error:
        raise ImportProblem(f"stdin cannot be read ({error.strerror}); save the text as a file") from error


def with_progress(app: App, files: Sequence[tuple[str, bool]]) -> Generator[tuple[str, bool]]:
    """The files, one after the other; with several, a bar on the terminal says how far it is."""
    if app.quiet or len(files) < 2 or not is_terminal(sys.stderr):
        yield from files
        return
    with click.progressbar(
        files, label="Reading", file=sys.stderr, show_pos=True, item_show_func=_shown, update_min_steps=1
    ) as bar:
        yield from bar


def _shown(file: tuple[str, bool] | None) -> str:
    return shorten(printable(os.path.basename(file[0])), _NAME_WIDTH) if file else ""


def _inside(folder: str) -> Iterator[str]:
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(_visible(folders))
        yield from (os.path.join(place, name) for name in sorted(_visible(names)))


def _visible(names: Iterable[str]) -> Iterator[str]:
    return (name for name in names if not name.startswith("."))
