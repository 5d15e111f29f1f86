"""`graycard import`: other tools' results, read into the same form as graycard's own and stored with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import rich_click as click

from graycard.cli.app import App
from graycard.cli.import_documents import ImportDocument, ImportedFile
from graycard.cli.import_files import files_named, read, shown_name, with_progress
from graycard.cli.import_page import FEW_FILES_COUNT, import_page
from graycard.cli.options import JSON, Place, global_options, shows_data
from graycard.cli.screen import counted, say, show
from graycard.errors import ImportProblem
from graycard.importers import IMPORTERS, UNKNOWN
from graycard.model import Result
from graycard.store import Store

_TOOLS = ", ".join(importer.name for importer in IMPORTERS)


@click.command(
    "import",
    help=f"""Read results of other tools and store them beside graycard's own.

    FILE may be a file, a folder (all files in it) or - for what comes through a pipe, as from the clipboard. Which tool
    wrote it is seen from the content: {_TOOLS}.

    A file that was imported before is not stored twice. A bad file is told of, and the others are read nevertheless;
    the exit code is 30 then.
    """,
)
@click.argument("files", nargs=-1, required=True, metavar="FILE…", type=Place())
@click.option("--dry-run", is_flag=True, help="Only show what is in the files, and store nothing.")
@shows_data
@global_options()
@click.pass_obj
def import_command(app: App, files: tuple[str, ...], dry_run: bool, form: str | None) -> None:
    """Read, store and show; what `help` says above."""
    paths = files_named(files)
    keep_results = form == JSON or len(paths) <= FEW_FILES_COUNT
    taken: list[tuple[ImportedFile, tuple[Result, ...]]] = []
    with _store(app, dry_run=dry_run) as store:
        for path, from_folder in with_progress(app, paths):
            file, results = _taken(app, store, path, from_folder=from_folder, dry_run=dry_run)
            taken.append((file, results if keep_results else ()))
    reports = tuple(file for file, _ in taken)
    results = tuple(result for _, found in taken for result in found)
    document = ImportDocument(stored=not dry_run, files=reports, results=results)
    show(import_page(taken), document, form)
    _conclude(app, reports, dry_run=dry_run)


@contextmanager
def _store(app: App, *, dry_run: bool) -> Iterator[Store | None]:
    """The store to fill; after --dry-run the one there is, only to look what it knows."""
    if dry_run and not app.has_store:
        yield None
        return
    with app.open_store() as store:
        yield store


def _taken(
    app: App, store: Store | None, path: str, *, from_folder: bool, dry_run: bool
) -> tuple[ImportedFile, tuple[Result, ...]]:
    """What is in one file, stored; a file that cannot be read is told of and is no reason to stop."""
    try:
        parts = read(app, path)
    except ImportProblem as problem:
        return ImportedFile(path, problems=(str(problem),)), ()
    if not parts:
        # A folder may hold anything; who names a file means it.
        return ImportedFile(path, problems=() if from_folder else (UNKNOWN,), is_foreign=True), ()
    results = tuple(result for part in parts for result in part.results)
    file = ImportedFile(
        file=path,
        tools=tuple(part.importer for part in parts if part.results),
        result_ids=tuple(result.id for result in results),
        known_count=_known_count(store, results, dry_run=dry_run),
        problems=tuple(part.problem for part in parts if part.problem),
    )
    return file, results


def _known_count(store: Store | None, results: Sequence[Result], *, dry_run: bool) -> int:
    """How many of the results were stored before; all of them are now, unless this is a dry run."""
    if store is None:
        return 0
    if dry_run:
        return sum(store.knows(result.id) for result in results)
    return len(results) - len(store.add(results))


def _conclude(app: App, files: Sequence[ImportedFile], *, dry_run: bool) -> None:
    """Say what became of it all; ImportProblem where files were meant to hold results and gave none."""
    count = sum(len(file.result_ids) for file in files)
    known = sum(file.known_count for file in files)
    foreign = sum(1 for file in files if file.is_foreign and not file.problems)
    sentences = [_stored(count, known, dry_run=dry_run)] if count else []
    if foreign:
        sentences.append(f"{counted(foreign, 'other file')} hold no results.")
    say(app, sentences)
    failed = [file for file in files if file.problems and not file.result_ids]
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
    return f"{len(failed)} of {count} files gave no result; why is said beside each"
