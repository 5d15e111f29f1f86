"""Which results `fits` decides on: those of a file, a label or an id, or the newest of the drive that holds a path."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import groupby

from graycard.cli.app import App
from graycard.cli.arms import figures_named
from graycard.cli.chosen import existing_store
from graycard.errors import StoreProblem, TargetProblem
from graycard.facts import value
from graycard.media import Chosen, by_measurement, choose
from graycard.model import Operation, Result
from graycard.report.printable import printable
from graycard.store import Filter, ResultRow, Store

# Of a drive so many of the newest results are looked at.
_LOOKED_AT_COUNT = 500


def chosen_for(app: App, name: str, operations: Sequence[Operation]) -> Chosen:
    """The bases that `name` means. StoreProblem, TargetProblem or ImportProblem where it means nothing, or several."""
    if os.path.isdir(name):
        return _of_drive(app, name, operations)
    if os.sep in name and not os.path.exists(name):
        raise TargetProblem(f"there is no {printable(name)}; check the path and that the volume is mounted")
    arms = figures_named(app, (name,))
    if len(arms) > 1:
        names = ", ".join(arm.name for arm in arms)
        raise StoreProblem(
            f"“{printable(name)}” is of several configurations ({names}): write one as {name}:CONFIGURATION"
        )
    return choose(by_measurement(arms[0].results if arms else ()), operations)


def _of_drive(app: App, path: str, operations: Sequence[Operation]) -> Chosen:
    with existing_store(app) as store:
        if store.labelled(path):
            raise StoreProblem(
                f"“{path}” is a folder and a label, too; write ./{path} for the folder, or the label's id"
            )
        host = app.host()
        target = host.resolve(path)
        facts = host.facts(target)
        device_id, file_system_id = (str(value(facts, name) or "") for name in ("device_id", "file_system_id"))
        if not device_id and not file_system_id:
            raise TargetProblem(
                f"{target.shown} has neither a device id nor a file system id, so its results cannot be told from "
                "others; name a result of graycard results list"
            )
        rows = _rows(store, device_id, file_system_id)
        if not rows:
            raise StoreProblem(
                f"no results are stored of the volume that holds {target.shown}; graycard measure {target.shown} "
                "makes the first"
            )
        return choose(_measurements(store, rows), operations)


def _rows(store: Store, device_id: str, file_system_id: str) -> tuple[ResultRow, ...]:
    """The newest results of the file system where it is known and has some, for a drive may hold several; else of the
    drive. Either may be empty.
    """
    of_volume = store.rows(_LOOKED_AT_COUNT, Filter(file_system_id=file_system_id)) if file_system_id else ()
    if of_volume or not device_id:
        return of_volume
    return store.rows(_LOOKED_AT_COUNT, Filter(device_id=device_id))


def _measurements(store: Store, rows: Sequence[ResultRow]) -> Iterator[tuple[Result, ...]]:
    """The results measurement by measurement, the newest first, each read only when it is asked for."""
    for _, group in groupby(rows, key=lambda row: row.measurement_id):
        yield tuple(store.outline(row.id) for row in group)
