"""`graycard import`: other tools' results, read into the same form as graycard's own and stored with them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager

import rich_click as click

from graycard.cli.app import App
from graycard.cli.diagnoses import counted_both
from graycard.cli.given_facts import GivenFacts, device_option, facts_option, read_given
from graycard.cli.import_diagnoses import take_diagnoses
from graycard.cli.import_documents import ImportDocument, ImportedFile
from graycard.cli.import_files import STDIN, files_named, shown_name, with_progress
from graycard.cli.import_page import FEW_FILES_COUNT, MOST_SHOWN_COUNT, import_page
from graycard.cli.import_taking import Taken, taken
from graycard.cli.options import JSON, Place, global_options, shows_data
from graycard.cli.screen import counted, say, show
from graycard.errors import ImportProblem, Interrupted
from graycard.importers import IMPORTERS
from graycard.store import Store

_TOOLS = ", ".join(importer.name for importer in IMPORTERS)


@click.command(
    "import",
    help=f"""Read results of other tools and store them beside graycard's own.

    FILE may be a file, a folder (all files in it) or - for what comes through a pipe, as from the clipboard. Which tool
    wrote it is seen from the content: {_TOOLS}.

    A file that was imported before is not stored twice. A bad file is told of, and the others are read nevertheless;
    the exit code is 30 then. What AJA System Test, Blackmagic Disk Speed Test, ATTO or a picture show is typed in
    by graycard note.
    """,
)
@click.argument("files", nargs=-1, required=True, metavar="FILE…", type=Place())
@click.option("--dry-run", is_flag=True, help="Only show what is in the files, and store nothing.")
@facts_option
@device_option
@shows_data
@global_options()
@click.pass_obj
def import_command(
    app: App, files: tuple[str, ...], dry_run: bool, facts: tuple[str, ...], device: str | None, form: str | None
) -> None:
    """Read, store and show; what `help` says above."""
    if device and not facts:
        raise click.UsageError("--device says which device of --facts FILE is meant, so give that, too")
    if (*files, *facts).count(STDIN) > 1:
        raise click.UsageError("only one thing can come through the pipe, so give - once")
    given = read_given(facts, device)
    paths = files_named(files)
    found: list[Taken] = []
    # Whoever asks for JSON gets all of it; a person is shown no thousands of rows, and memory holds no files of them.
    room = math.inf if form == JSON else MOST_SHOWN_COUNT if len(paths) <= FEW_FILES_COUNT else 0
    with (
        _store(app, dry_run=dry_run) as store,
        _told_of_stop(found, len(paths), dry_run=dry_run),
        closing(with_progress(app, paths)) as watched,
    ):
        for file, results in taken(app, store, watched, given, dry_run=dry_run):
            is_kept = len(results) <= room
            room -= len(results) if is_kept else 0
            found.append((take_diagnoses(store, file, dry_run=dry_run), results if is_kept else ()))
    reports = tuple(file for file, _ in found)
    results = tuple(result for _, kept in found for result in kept)
    document = ImportDocument(stored=not dry_run, files=reports, results=results)
    show(import_page(found), document, form)
    _conclude(app, reports, given, dry_run=dry_run)


@contextmanager
def _store(app: App, *, dry_run: bool) -> Iterator[Store | None]:
    """The store to fill; after --dry-run the one there is, only to look what it knows."""
    if dry_run and not app.has_store:
        yield None
        return
    with app.open_store() as store:
        yield store


@contextmanager
def _told_of_stop(found: Sequence[Taken], count: int, *, dry_run: bool) -> Iterator[None]:
    """Let Ctrl-C tell how far it came, where there is more than one file."""
    try:
        yield
    except KeyboardInterrupt:
        if dry_run or count < 2:
            raise
        raise Interrupted(
            f"stopped after {len(found)} of {count} files, whose results are stored; the same command goes on"
        ) from None


def _conclude(app: App, files: Sequence[ImportedFile], given: GivenFacts, *, dry_run: bool) -> None:
    """Say what became of it all; ImportProblem where files were meant to hold results and gave none."""
    count = sum(len(file.result_ids) for file in files)
    known = sum(file.known_count for file in files)
    foreign = sum(1 for file in files if file.is_foreign and not file.problems)
    sentences = [_stored(count, known, dry_run=dry_run)] if count else []
    if cases := {id_ for file in files for id_ in file.diagnosis_ids}:
        sentences.append(f"Found {counted_both(0, len(cases))}{'' if dry_run else ', stored each once'}.")
    if count and given.documents:
        sentences.append(f"They have the facts of {given.shown}.")
    if foreign:
        sentences.append(f"{counted(foreign, 'other file')} {'holds' if foreign == 1 else 'hold'} no results.")
    say(app, sentences)
    failed = [file for file in files if file.problems and not file.result_ids and not file.diagnosis_ids]
    if failed:
        raise ImportProblem(_failed(failed, len(files)))


def _stored(count: int, known: int, *, dry_run: bool) -> str:
    before = f", {known} of them stored before" if known else ""
    if dry_run:
        return f"Found {counted(count, 'result')}{before}; nothing was stored."
    if known == count:
        return f"Found {counted(count, 'result')}, all of them stored before; nothing was added."
    return f"Stored {counted(count - known, 'result')}" + (f"; {known} more were stored before." if known else ".")


def _failed(failed: Sequence[ImportedFile], count: int) -> str:
    if count == 1:
        return f"{shown_name(failed[0].file)}: {failed[0].problems[0]}"
    return f"{len(failed)} of {count} files gave no result; why is said beside {'it' if len(failed) == 1 else 'each'}"
