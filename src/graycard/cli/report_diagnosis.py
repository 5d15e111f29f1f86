"""Which diagnosis a report is asked of: a stored one, or one in a file that `why --json` or `results export` wrote."""

from __future__ import annotations

import os
from collections.abc import Sequence

from graycard.cli.app import App
from graycard.cli.chosen import nothing_stored
from graycard.cli.diagnoses import last_diagnosis_id
from graycard.cli.diagnosis_files import with_diagnoses
from graycard.errors import ImportProblem, StoreProblem
from graycard.model.diagnosis import Case
from graycard.report.printable import printable
from graycard.store import Store


def reported(app: App, names: Sequence[str]) -> Case | None:
    """The diagnosis that a report is asked of by these names; None where it is of results.

    StoreProblem where a diagnosis stands beside anything else; ImportProblem where a file holds a damaged one.
    """
    cases = [case for name in names if os.path.isfile(name) for case in cases_of_file(name)]
    others = [name for name in names if not os.path.isfile(name)]
    if app.has_store and (others or not names):
        with app.open_store() as store:
            cases += _stored(store, others)
    elif not names:
        raise nothing_stored(app.store_file)
    if len(names) > 1 and cases:
        raise StoreProblem(
            "a report is of results, or of one diagnosis: name the diagnosis alone, and the results in another report"
        )
    return cases[0] if cases else None


def _stored(store: Store, names: Sequence[str]) -> list[Case]:
    """The diagnoses among what the names mean; what else they mean, or that they mean nothing, is told elsewhere."""
    ids = [_id_or_none(store, name) for name in names] if names else [last_diagnosis_id(store)]
    return [case for id_ in ids if id_ and (case := store.diagnosis(id_))]


def _id_or_none(store: Store, name: str) -> str | None:
    try:
        return store.diagnosis_id(name)
    except StoreProblem:
        # An experiment, or one of its configurations: names of results have more forms.
        return None


def cases_of_file(path: str) -> tuple[Case, ...]:
    """The diagnosis that `why --json` wrote into the file, or the one that was exported; none in any other file.

    ImportProblem where it cannot be read, is damaged, or holds other things beside a diagnosis.
    """
    document = with_diagnoses(path)
    if document is None:
        return ()
    if document.results or len(document.diagnoses) > 1:
        raise ImportProblem(
            f"{printable(path)} holds several things, and a report of a diagnosis is of one: export it alone"
        )
    return document.diagnoses
