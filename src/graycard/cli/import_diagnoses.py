"""Diagnoses in imported files of graycard's own: stored beside the results, each once."""

from __future__ import annotations

from dataclasses import replace

from graycard.cli.diagnosis_files import with_diagnoses
from graycard.cli.import_documents import ImportedFile
from graycard.cli.import_files import STDIN
from graycard.errors import ImportProblem
from graycard.store import Store

_OWN = "graycard"


def take_diagnoses(store: Store | None, file: ImportedFile, *, dry_run: bool) -> ImportedFile:
    """The file with the diagnoses in it, which are stored unless they are already, or this is a dry run."""
    if file.file == STDIN or file.is_foreign or (file.tools and _OWN not in file.tools):
        return file
    try:
        document = with_diagnoses(file.file)
    except ImportProblem as problem:
        return replace(file, problems=file.problems or (str(problem),))
    if document is None:
        return file
    for case in document.diagnoses if store and not dry_run else ():
        if store and store.diagnosis(case.id) is None:
            store.save_diagnosis(case)
    # That there are no results is no problem then.
    problems = file.problems if file.result_ids else ()
    return replace(file, diagnosis_ids=tuple(case.id for case in document.diagnoses), problems=problems)
