"""Which stored results a user means by a label or the beginning of an id."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from graycard.cli.app import App
from graycard.errors import StoreProblem
from graycard.model import Annotations, Result, Target, TargetKind
from graycard.model.diagnosis import Case
from graycard.store import DiagnosisRow, Filter, ResultRow, Store

# How much of a stored result is read: Store.load for all of it, Store.figures without its samples.
Load = Callable[[Store, str], Result]


def existing_store(app: App) -> Store:
    """The store; StoreProblem where there is none, for nothing is made by looking for it."""
    if not app.has_store:
        raise nothing_stored(app.store_file)
    return app.open_store()


def nothing_stored(path: str) -> StoreProblem:
    """What to say where there is no result to show, export or remove."""
    place = Target(path, TargetKind.FILE).shown
    return StoreProblem(f"no results are stored yet at {place}; graycard measure makes the first")


def chosen_ids(store: Store, names: Iterable[str]) -> tuple[str, ...]:
    """Ids of the results that the names mean, each once; of one measurement the oldest first, as they were measured.

    StoreProblem where a name means none, or more than one measurement or result.
    """
    return tuple(dict.fromkeys(row.id for name in names for row in reversed(store.named(name))))


def chosen_results(store: Store, names: Sequence[str], load: Load = Store.load) -> tuple[Result, ...]:
    """The results that the names mean, each once; those of the last measurement if there are no names."""
    return tuple(load(store, id_) for id_ in ordered_ids(store, names))


def ordered_ids(store: Store, names: Sequence[str]) -> dict[str, str]:
    """As `chosen_results`, their ids with those of their measurements; the tasks in the order of the plan."""
    last = () if names else store.rows(1)
    newest_first = [store.named(name) for name in names] or [_measured(store, row) for row in last]
    rows = [row for found in newest_first for row in reversed(found)]
    if not rows:
        raise nothing_stored(store.path)
    return _in_plan_order((row.id, row.measurement_id, store.task_index(row.id) or 0) for row in rows)


def all_ids(store: Store) -> dict[str, str]:
    """As `ordered_ids` of all results, the oldest first."""
    return _in_plan_order(store.every())


def _measured(store: Store, row: ResultRow) -> tuple[ResultRow, ...]:
    return store.rows(wanted=Filter(measurement_id=row.measurement_id))


def _in_plan_order(places: Iterable[tuple[str, str, int]]) -> dict[str, str]:
    groups: dict[str, dict[str, int]] = {}
    for id_, measurement_id, task_index in places:
        groups.setdefault(measurement_id, {})[id_] = task_index
    return {id_: group for group, ids in groups.items() for id_ in sorted(ids, key=ids.__getitem__)}


def in_list_order(store: Store, rows: Sequence[ResultRow]) -> tuple[ResultRow, ...]:
    """The rows, the newest measurement first as they are given, its tasks in the order of the plan."""
    places = {id_: place for place, id_ in enumerate(dict.fromkeys(row.measurement_id for row in rows))}

    def place(row: ResultRow) -> tuple[int, int, datetime]:
        return places[row.measurement_id], store.task_index(row.id) or 0, row.created_at

    # Rows come newest first: what has one time keeps the order in which it was stored.
    stored = tuple(reversed(rows))
    return tuple(sorted(stored, key=place))


def in_plan_order(results: Iterable[Result]) -> tuple[Result, ...]:
    """The results measurement by measurement, the tasks in the order of the plan: they ran in a random one."""
    found = tuple(results)
    ids = dict.fromkeys(result.measurement_id for result in found)
    places = {id_: place for place, id_ in enumerate(ids)}
    return tuple(sorted(found, key=lambda result: (places[result.measurement_id], _task_index(result))))


def written_beside(store: Store, stored: Iterable[Result | ResultRow | Case | DiagnosisRow]) -> dict[str, Annotations]:
    """What is written beside results, their measurements, and diagnoses, by id."""
    return store.annotations(dict.fromkeys(id_ for each in stored for id_ in (group_id(each), each.id)))


def group_id(each: Result | ResultRow | Case | DiagnosisRow) -> str:
    """The id of the measurement that a result belongs to; a diagnosis stands alone."""
    return each.measurement_id if isinstance(each, Result | ResultRow) else each.id


def _task_index(result: Result) -> int:
    return result.runs[0].task_index if result.runs else 0
