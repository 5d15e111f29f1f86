"""Taking files in: each is read, and what is in some of them goes into the store at once, for that is much faster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from graycard.cli.app import App
from graycard.cli.import_documents import ImportedFile
from graycard.cli.import_files import read
from graycard.errors import ImportProblem
from graycard.importers import UNKNOWN
from graycard.model import Result
from graycard.store import Store

Taken = tuple[ImportedFile, tuple[Result, ...]]
# As many as are read in about a tenth of a second: whoever stops it loses no more.
_BATCH_COUNT = 20


def taken(app: App, store: Store | None, files: Iterable[tuple[str, bool]], *, dry_run: bool) -> Iterator[Taken]:
    """What is in each of `files`: paths, and whether they come from a folder. It is stored unless this is a dry run."""
    waiting = iter(files)
    while batch := list(islice(waiting, _BATCH_COUNT)):
        found = [_read(app, path, from_folder=from_folder) for path, from_folder in batch]
        yield from _stored(store, found, dry_run=dry_run)


def _read(app: App, path: str, *, from_folder: bool) -> Taken:
    """What is in one file; one that cannot be read is told of and is no reason to stop."""
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
        problems=tuple(part.problem for part in parts if part.problem),
    )
    return file, results


def _stored(store: Store | None, found: Sequence[Taken], *, dry_run: bool) -> Iterator[Taken]:
    """The files with how many of their results were known before, in the store or by a file before them."""
    ids = [id_ for file, _ in found for id_ in file.result_ids]
    if store is None:
        new = set(ids)
    elif dry_run:
        new = {id_ for id_ in ids if not store.knows(id_)}
    else:
        new = set(store.add([result for _, results in found for result in results]))
    for file, results in found:
        known = [id_ for id_ in file.result_ids if id_ not in new]
        new.difference_update(file.result_ids)
        yield replace(file, known_count=len(known)), results
