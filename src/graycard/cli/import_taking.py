"""Taking files in: each is read, and what is in some of them goes into the store at once, for that is much faster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from graycard.cli.app import App
from graycard.cli.given_facts import GivenFacts
from graycard.cli.import_documents import ImportedFile
from graycard.cli.import_export import is_large_export, taken_export
from graycard.cli.import_files import STDIN, read
from graycard.cli.unreadable import hint
from graycard.errors import ImportProblem
from graycard.model import Result
from graycard.store import Store

Taken = tuple[ImportedFile, tuple[Result, ...]]
# As many as are read in about a tenth of a second: whoever stops it loses no more.
_BATCH_COUNT = 20
# A few files may hold as many results as memory does.
_BATCH_RESULTS_COUNT = 1000


def taken(
    app: App, store: Store | None, files: Iterable[tuple[str, bool]], given: GivenFacts, *, dry_run: bool
) -> Iterator[Taken]:
    """What is in each of `files`: paths, and whether they come from a folder. It is stored unless this is a dry run.

    The results get the `given` facts, those too that are stored already.
    """
    found: list[Taken] = []
    for path, folder in files:
        is_large = is_large_export(path)
        if not is_large:
            found.append(_read(app, path, given, from_folder=folder))
        if is_large or len(found) == _BATCH_COUNT or sum(len(each) for _, each in found) >= _BATCH_RESULTS_COUNT:
            yield from _stored(store, found, given, dry_run=dry_run)
            found = []
        if is_large:
            yield taken_export(store, path, given, dry_run=dry_run), ()
    yield from _stored(store, found, given, dry_run=dry_run)


def _read(app: App, path: str, given: GivenFacts, *, from_folder: bool) -> Taken:
    """What is in one file; one that cannot be read is told of and is no reason to stop."""
    try:
        parts = read(app, path)
        results = tuple(given.on(result) for part in parts for result in part.results)
    except ImportProblem as problem:
        return ImportedFile(path, problems=(str(problem),)), ()
    if not parts:
        # A folder may hold anything; who names a file means it.
        return ImportedFile(path, problems=() if from_folder else (hint(path, STDIN),), is_foreign=True), ()
    file = ImportedFile(
        file=path,
        tools=tuple(part.importer for part in parts if part.results),
        result_ids=tuple(result.id for result in results),
        problems=tuple(part.problem for part in parts if part.problem),
    )
    return file, results


def _stored(store: Store | None, found: Sequence[Taken], given: GivenFacts, *, dry_run: bool) -> Iterator[Taken]:
    """The files with how many of their results were known before, in the store or by a file before them."""
    ids = [id_ for file, _ in found for id_ in file.result_ids]
    if store is None:
        new = set(ids)
    elif dry_run:
        new = {id_ for id_ in ids if not store.knows(id_)}
    else:
        new = set(store.add([result for _, results in found for result in results]))
        _give(store, {id_ for id_ in ids if id_ not in new}, given)
    for file, results in found:
        known = [id_ for id_ in file.result_ids if id_ not in new]
        new.difference_update(file.result_ids)
        yield replace(file, known_count=len(known)), results


def _give(store: Store, known: Iterable[str], given: GivenFacts) -> None:
    """The facts to results that were stored before."""
    if not given.documents:
        return
    for id_ in known:
        before = store.load(id_)
        after = given.on(before)
        if after is not before:
            store.save(after)
