"""The stored results of a drive or share, as histories: for `history`, and for the last words of `measure`."""

from __future__ import annotations

from collections.abc import Iterable

from graycard.errors import StoreProblem, TargetProblem
from graycard.facts import value
from graycard.history import histories
from graycard.model import Fact, History
from graycard.protocols import Host
from graycard.report.printable import printable
from graycard.store import ResultRow, Store

# The newest results of each load that are read: of one drive all of a year, of many drives twice what an expectation is
# made of.
DEVICE_COUNT = 600
OVERVIEW_COUNT = 40


def every_history(store: Store, limit: int) -> tuple[History, ...]:
    """The histories of all drives and shares, with their newest `limit` results."""
    return histories(store.recent(max(OVERVIEW_COUNT, limit)), limit=limit)


def history_of_place(store: Store, host: Host, place: str, limit: int) -> tuple[History, ...]:
    """The histories of the drive or share that holds the path; where there is no such path, of the device named so."""
    try:
        target = host.resolve(place)
    except TargetProblem:
        return _of_device(store, place, limit)
    found = history_of_facts(store, host.facts(target), limit)
    if found is None:
        raise TargetProblem(
            f"{target.shown} has neither a device id nor a file system id, so its results cannot be told from others; "
            "graycard results list shows all"
        )
    if not found:
        raise StoreProblem(f"no results are stored of the drive below {target.shown}; graycard measure makes the first")
    return found


def history_of_facts(store: Store, facts: Iterable[Fact], limit: int) -> tuple[History, ...] | None:
    """The histories of the device, or of the file system if no device is known; None if neither is."""
    known = tuple(facts)
    device_id, file_system_id = _text(known, "device_id"), _text(known, "file_system_id")
    if device_id is None and file_system_id is None:
        return None
    rows = store.recent(max(DEVICE_COUNT, limit), (device_id or file_system_id or "",))
    return histories(rows, limit=limit, file_system_id=file_system_id)


def _of_device(store: Store, name: str, limit: int) -> tuple[History, ...]:
    """The histories of every device whose id, name or model begins with `name`."""
    wanted = name.removeprefix("/dev/").casefold()
    newest = [row.like for row in store.recent(1)]
    meant = {row.device_id or row.file_system_id or "" for row in newest if _is(row, wanted)}
    count = max(limit, OVERVIEW_COUNT, DEVICE_COUNT // max(1, len(meant)))
    found = histories(store.recent(count, meant), limit=limit)
    if not found or not wanted:
        raise StoreProblem(
            f"“{printable(name)}” is no path here, and no stored device has an id, a name or a model that begins so; "
            "graycard history lists them"
        )
    return found


def _is(row: ResultRow, wanted: str) -> bool:
    names = (row.device_id, row.device_name, row.device_model, row.file_system_id)
    return any(name is not None and name.casefold().startswith(wanted) for name in names)


def _text(facts: tuple[Fact, ...], name: str) -> str | None:
    found = value(facts, name)
    return str(found) if found is not None and found != "" else None
