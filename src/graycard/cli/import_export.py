"""Taking in a large export of graycard's own, result by result: the whole of it or nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from typing import BinaryIO

from graycard.cli.given_facts import GivenFacts
from graycard.cli.import_documents import ImportedFile
from graycard.errors import ImportProblem
from graycard.importers import HEAD_BYTES, MEMORY_LIMIT_BYTES
from graycard.importers.graycard import GraycardImporter
from graycard.importers.graycard_stream import each_result
from graycard.model import Result
from graycard.store import Store

_OWN = GraycardImporter()
# Results that are in memory, and in one transaction, at any time.
_AT_ONCE = 10


def is_large_export(path: str) -> bool:
    """Whether the file is graycard's own document and too large to be read whole; False where it cannot be read."""
    try:
        if not os.path.isfile(path) or os.path.getsize(path) <= MEMORY_LIMIT_BYTES:
            return False
        with open(path, "rb") as file:
            return _OWN.recognises(file.read(HEAD_BYTES))
    except OSError:
        return False


def taken_export(store: Store | None, path: str, given: GivenFacts, *, dry_run: bool) -> ImportedFile:
    """What is in the file; it is stored unless this is a dry run. It is read twice, so that a damaged one is left out.

    Of results that are stored already nothing is changed.
    """
    try:
        with open(path, "rb") as file:
            ids = tuple(result.id for result in each_result(file))
            known = _known(store, ids) if dry_run else _add(store, file, given)
    except ImportProblem as problem:
        return ImportedFile(path, problems=(str(problem),))
    except OSError as error:
        return ImportedFile(path, problems=(f"it cannot be read ({error.strerror}); check the file",))
    return ImportedFile(path, (_OWN.name,), ids, known)


def _known(store: Store | None, ids: tuple[str, ...]) -> int:
    return sum(map(store.knows, ids)) if store else 0


def _add(store: Store | None, file: BinaryIO, given: GivenFacts) -> int:
    """How many of the results were stored before."""
    file.seek(0)
    results = (given.on(result) for result in each_result(file))
    return sum(len(batch) - len(store.add(batch)) for batch in _batches(results)) if store else 0


def _batches(results: Iterator[Result]) -> Iterator[tuple[Result, ...]]:
    while batch := tuple(islice(results, _AT_ONCE)):
        yield batch
