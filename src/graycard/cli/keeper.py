"""Keeps the results of a measurement while it goes on."""

from __future__ import annotations

from graycard.model import Result
from graycard.store import Store


class Keeper:
    """Saves each result in the store, and holds the newest of each, so that a stopped measurement can be shown."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._results: dict[str, Result] = {}

    def save(self, result: Result) -> None:
        """Store it; StoreProblem if that fails."""
        self._store.save(result)
        self._results[result.id] = result

    @property
    def results(self) -> tuple[Result, ...]:
        """The newest state of every result, in the order in which they were first saved."""
        return tuple(self._results.values())
