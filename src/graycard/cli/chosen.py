"""Which stored results a user means by the beginning of an id."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from graycard.errors import StoreProblem
from graycard.model import Result, Target, TargetKind
from graycard.store import ResultRow, Store

SHOWN_COUNT = 3


def nothing_stored(path: str) -> StoreProblem:
    """What to say where there is no result to show, export or remove."""
    place = Target(path, TargetKind.FILE).shown
    return StoreProblem(f"no results are stored yet at {place}; graycard measure makes the first")


def chosen_ids(rows: Sequence[ResultRow], prefix: str) -> tuple[str, ...]:
    """Ids of the results of the only measurement, or the only result, whose id begins with `prefix`.

    Oldest first, as they were measured. StoreProblem where there is none, or more than one.
    """
    measurements = dict.fromkeys(row.measurement_id for row in rows if row.measurement_id.startswith(prefix))
    results = dict.fromkeys(row.id for row in rows if row.id.startswith(prefix))
    found = [*measurements, *results]
    if prefix in found:
        found = [prefix]
    if not found or not prefix:
        raise StoreProblem(f"no stored result or measurement begins with “{prefix}”; graycard results list shows them")
    if len(found) > 1:
        some = ", ".join(found[:SHOWN_COUNT]) + (", …" if len(found) > SHOWN_COUNT else "")
        raise StoreProblem(f"“{prefix}” is the beginning of {len(found)} ids ({some}); write more letters")
    return tuple(row.id for row in reversed(rows) if found[0] in (row.measurement_id, row.id))


def chosen_results(store: Store, prefixes: Iterable[str]) -> tuple[Result, ...]:
    """The results that the prefixes name, each once; those of the last measurement if there are no prefixes."""
    rows = store.rows()
    wanted = tuple(prefixes) or tuple(row.measurement_id for row in rows[:1])
    if not wanted:
        raise nothing_stored(store.path)
    ids = dict.fromkeys(id_ for prefix in wanted for id_ in chosen_ids(rows, prefix))
    return in_plan_order(store.load(id_) for id_ in ids)


def listed_rows(store: Store, limit: int) -> tuple[ResultRow, ...]:
    """The newest `limit` results, the newest measurement first, its tasks in the order of the plan."""
    rows = store.rows(limit)
    places = {id_: place for place, id_ in enumerate(dict.fromkeys(row.measurement_id for row in rows))}

    def place(row: ResultRow) -> tuple[int, int, datetime]:
        return places[row.measurement_id], store.task_index(row.id) or 0, row.created_at

    return tuple(sorted(rows, key=place))


def in_plan_order(results: Iterable[Result]) -> tuple[Result, ...]:
    """The results measurement by measurement, the tasks in the order of the plan: they ran in a random one."""
    found = tuple(results)
    measurements = list(dict.fromkeys(result.measurement_id for result in found))
    return tuple(sorted(found, key=lambda result: (measurements.index(result.measurement_id), _task_index(result))))


def _task_index(result: Result) -> int:
    return result.runs[0].task_index if result.runs else 0
