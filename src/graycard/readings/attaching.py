"""Facts from documents on results: what a result knows itself stays, and what was attached can be taken away again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from graycard.model import Fact, Result

_MARK = "attached from "


def marked(fact: Fact, file: str) -> Fact:
    """The fact with the document it comes from in its source."""
    return replace(fact, source=f"{_MARK}{file}: {fact.source}")


def attached(result: Result, facts: Iterable[Fact]) -> Result:
    """The result with the facts that it does not know of itself. Of two for one name the first is taken.

    A fact that was attached before gives way to a new one of its name. The runs stay as they are.
    """
    own = {each.name for each in result.facts if each.value is not None and not _is_attached(each)}
    new: dict[str, Fact] = {}
    for each in facts:
        if each.name not in own:
            new.setdefault(each.name, each)
    kept = tuple(each for each in result.facts if not (_is_attached(each) and each.name in new))
    changed = (*kept, *new.values())
    return result if set(changed) == set(result.facts) else replace(result, facts=changed)


def without(result: Result) -> Result:
    """The result without attached facts."""
    return replace(result, facts=tuple(each for each in result.facts if not _is_attached(each)))


def _is_attached(fact: Fact) -> bool:
    return fact.source.startswith(_MARK)
