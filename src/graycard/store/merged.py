"""What a merge tells, apart from how it is done: every command knows the one and nearly none needs the other."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Merged:
    """What a merge did.

    Of the results that were known here already, `extended_count` got runs that were only there, and `differing_count`
    have other runs there: they stay as they are here. `tagged_labels` are labels that are taken here: they became tags.
    """

    added_count: int
    known_count: int
    extended_count: int
    differing_count: int
    experiment_count: int
    tagged_labels: tuple[str, ...]
    diagnosis_count: int = 0
