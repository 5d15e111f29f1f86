"""A table of a plan file: every value is asked for by key and kind, and what nobody asked for is a mistake."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from graycard.errors import PlanProblem

Value = TypeVar("Value")
_KINDS = {str: "text in quotes", int: "a whole number", list: "a list in brackets", dict: "a table"}


class Table:
    """`place` names file and table in every sentence, as "plan.toml, [measure]"."""

    def __init__(self, values: Mapping[str, Any], place: str) -> None:
        self._values = values
        self._asked: list[str] = []
        self.place = place

    def text(self, key: str) -> str | None:
        """One line of text, or None where the key is absent."""
        found = self._taken(key, str)
        if found is not None and (not found.strip() or not found.isprintable()):
            raise self.problem(key, "is empty or has control characters; write one line of text")
        return found

    def count(self, key: str, least: int, usual: int) -> int:
        """A whole number of at least `least`."""
        found = self._taken(key, int)
        if found is not None and found < least:
            raise self.problem(key, f"is {found}, but must be at least {least}")
        return usual if found is None else found

    def parsed(self, key: str, parse: Callable[[str], Value]) -> Value | None:
        """Text that `parse` turns into a value; its ValueError becomes the sentence."""
        found = self.text(key)
        if found is None:
            return None
        try:
            return parse(found)
        except ValueError as error:
            raise self.problem(key, str(error)) from None

    def texts(self, key: str, parse: Callable[[str], Value]) -> tuple[Value, ...] | None:
        """A list of texts, each turned into a value by `parse`."""
        found = self._taken(key, list)
        if found is None:
            return None
        for each in found:
            if not isinstance(each, str):
                raise self.problem(key, f"holds {each!r}; write every entry as {_KINDS[str]}")
        try:
            return tuple(parse(each) for each in found)
        except ValueError as error:
            raise self.problem(key, str(error)) from None

    def table(self, key: str) -> Table:
        """A table in this one; an empty one where it is absent."""
        return Table(self._taken(key, dict) or {}, f"{self.place}, [{key}]")

    def tables(self, key: str) -> tuple[Table, ...]:
        """Tables that are written as `[[key]]`."""
        found = self._taken(key, list) or []
        if not all(isinstance(each, dict) for each in found):
            raise self.problem(key, f"holds more than tables; write each as [[{key}]] on a line of its own")
        return tuple(Table(each, f"{self.place}, {key} {place}") for place, each in enumerate(found, 1))

    def end(self) -> None:
        """PlanProblem for a key that nobody asked for."""
        for key in self._values:
            if key not in self._asked:
                near = difflib.get_close_matches(key, self._asked, 1)
                advice = f"did you mean “{near[0]}”?" if near else f"known are {', '.join(self._asked)}."
                raise PlanProblem(f"{self.place}: there is no key “{key}”; {advice}")

    def problem(self, key: str, says: str) -> PlanProblem:
        """The sentence for a mistake in the value of a key."""
        return PlanProblem(f"{self.place}: {key} {says}." if says[0].islower() else f"{self.place}: {key}: {says}.")

    def _taken(self, key: str, kind: type[Value]) -> Value | None:
        self._asked.append(key)
        found = self._values.get(key)
        if found is None:
            return None
        if not isinstance(found, kind) or isinstance(found, bool):
            raise self.problem(key, f"must be {_KINDS[kind]}")
        return found
