"""Diagnoses of `why` and `watch` after they were made: kept in the store, and meant by a name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from graycard.cli.app import App
from graycard.cli.chosen import Load, chosen_ids, chosen_results
from graycard.cli.screen import counted, note
from graycard.model import Result
from graycard.model.diagnosis import Case
from graycard.report.page import Note, Tone
from graycard.store import Store

_SHOWN_ID_LENGTH = 8


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a user means by some names: results, or diagnoses, or both."""

    results: tuple[Result, ...]
    diagnoses: tuple[Case, ...]


def refuse_closed_store(app: App) -> None:
    """StoreProblem where the store cannot be used: nobody wants to measure what cannot be kept."""
    app.open_store().close()


def keep(app: App, case: Case) -> None:
    """Store the diagnosis, and say so; StoreProblem where that fails."""
    with app.open_store() as store:
        store.save_diagnosis(case)
    id_ = case.id[:_SHOWN_ID_LENGTH]
    words = f"Stored as {id_}; to show it to others: graycard report {id_} -o why.html"
    note(app, (Note(words, Tone.QUIET),))


def chosen(store: Store, names: Sequence[str], load: Load = Store.load) -> Chosen:
    """The results and diagnoses that the names mean, each once; without names the last measurement or diagnosis.

    StoreProblem where a name means nothing, or several things, or where nothing is stored.
    """
    ids, others = diagnosis_ids(store, names)
    found = tuple(case for id_ in ids if (case := store.diagnosis(id_)))
    results = chosen_results(store, others, load) if others or not found else ()
    return Chosen(results, found)


def diagnosis_ids(store: Store, names: Sequence[str]) -> tuple[tuple[str, ...], list[str]]:
    """The ids of the diagnoses that the names mean, and the names that mean none; as `chosen`."""
    ids = {name: store.diagnosis_id(name) for name in names} if names else {"": last_diagnosis_id(store)}
    return tuple(dict.fromkeys(id_ for id_ in ids.values() if id_)), [name for name in names if ids[name] is None]


def last_diagnosis_id(store: Store) -> str | None:
    """The id of the newest diagnosis, where no result is newer."""
    newest = store.diagnosis_rows(1)
    result = store.rows(1)
    if not newest or (result and result[0].created_at > newest[0].created_at):
        return None
    return newest[0].id


def chosen_for_removal(store: Store, names: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The ids of the results, and of the diagnoses, that the names mean; what is damaged can be removed, too."""
    cases, others = diagnosis_ids(store, names)
    return chosen_ids(store, others), cases


def counted_both(result_count: int, diagnosis_count: int) -> str:
    """Write "3 results and 1 diagnosis", without what there is none of; "0 results" where there is nothing."""
    diagnoses = f"{diagnosis_count} {'diagnosis' if diagnosis_count == 1 else 'diagnoses'}" if diagnosis_count else ""
    results = counted(result_count, "result") if result_count or not diagnoses else ""
    return " and ".join(words for words in (results, diagnoses) if words)
