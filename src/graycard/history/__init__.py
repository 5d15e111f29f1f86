"""Stored results become histories: how each stood to those before it of the same set-up, and when the set-up changed.

    rows → by device and load → strands that follow one another → eras of one set-up → standings

Each set-up has an expectation of its own. One that comes back (another kernel for a week, then the old one again)
begins a new era for the reader, and is judged by its own earlier results.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from graycard.history.following import Follower
from graycard.history.standings import Standings, standings
from graycard.history.strands import by_device_and_load, strands
from graycard.history.words import device_words, task_words
from graycard.model import History
from graycard.store import PastRow

__all__ = ["Standings", "histories", "standings"]


def histories(
    rows: Iterable[PastRow], *, limit: int | None = None, file_system_id: str | None = None
) -> tuple[History, ...]:
    """The histories of these stored results (in any order): the device measured last first, its tasks by name.

    All results are judged; only the newest `limit` of each history become entries. Of a device that has results of
    `file_system_id`, only the histories with them are told: those of its other volumes are left out.
    """
    found: list[History] = []
    devices = _by_device(rows)
    for chains in sorted(
        devices.values(), key=lambda chains: max(rows[-1].created_at for rows in chains), reverse=True
    ):
        kept = _of_volume(chains, file_system_id)
        names = task_words([chain[-1].like for chain in kept])
        told = sorted(zip(names, kept, strict=True), key=lambda pair: (not pair[0].startswith("SEQ"), pair[0]))
        found.extend(_history(name, chain, limit) for name, chain in told)
    return tuple(found)


def _by_device(rows: Iterable[PastRow]) -> dict[str, list[list[PastRow]]]:
    found: dict[str, list[list[PastRow]]] = {}
    for (device, _), group in by_device_and_load(rows).items():
        found.setdefault(device, []).extend(strands(group))
    return found


def _of_volume(chains: list[list[PastRow]], file_system_id: str | None) -> list[list[PastRow]]:
    """The chains with results of the file system; all of them where it has none (it was made anew and not measured)."""
    if file_system_id is None:
        return chains
    return [rows for rows in chains if any(row.like.file_system_id == file_system_id for row in rows)] or chains


def _history(name: str, rows: Sequence[PastRow], limit: int | None) -> History:
    follower = Follower()
    first_kept = 0 if limit is None else len(rows) - limit
    for index, row in enumerate(rows):
        follower.take(row, keep=index >= first_kept, newest=index == len(rows) - 1)
    return History(name, device_words(rows[-1].like), follower.eras, follower.says)
