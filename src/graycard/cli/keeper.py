"""Keeps the results of a measurement while it goes on."""

from __future__ import annotations

from graycard.cli.chosen import in_plan_order
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
        """The newest state of every result, the tasks in the order of the plan."""
        return in_plan_order(self._results.values())
