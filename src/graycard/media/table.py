"""The table of formats: the package's own data file, read once and only when it is asked for."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import NamedTuple

import msgspec

from graycard.media.format import Confidence, Format, Kind
from graycard.media.rates import COMMON_RATES, rate_text
from graycard.media.sizes import frame_size_text

_PLACE = os.path.join(os.path.dirname(__file__), "data", "formats.json")


class Row(NamedTuple):
    """One frame size of a format. Without `rate_numerator` the format has any rate (uncompressed, image sequences)."""

    width: int
    height: int
    rate_numerator: int | None
    rate_denominator: int | None
    frame_bytes: int
    source_index: int
    note_index: int
    confidence: Confidence
    decides: bool


@dataclass(frozen=True, slots=True)
class Group:
    """The rows of one variant. `slug` is the first part of their keys; `bits` and `chroma` may be empty."""

    slug: str
    family: str
    variant: str
    bits: str
    chroma: str
    kind: Kind
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class _Data:
    sources: tuple[str, ...]
    notes: tuple[str, ...]
    groups: tuple[Group, ...]


@cache
def _data() -> _Data:
    with open(_PLACE, "rb") as file:
        return msgspec.json.decode(file.read(), type=_Data)


@cache
def formats() -> tuple[Format, ...]:
    """Every format of the table, variant by variant, the smallest frame and the lowest rate first.

    Those without a rate of their own stand at the eight common ones.
    """
    return tuple(each for group in _data().groups for row in _ordered(group.rows) for each in _formats_of(group, row))


def _ordered(rows: tuple[Row, ...]) -> list[Row]:
    def place(row: Row) -> tuple[int, int, float]:
        return row.width * row.height, row.width, (row.rate_numerator or 0) / (row.rate_denominator or 1)

    return sorted(rows, key=place)


@cache
def by_key() -> dict[str, Format]:
    """The formats of the table by their keys."""
    return {each.key: each for each in formats()}


@cache
def by_slug() -> dict[str, tuple[Format, ...]]:
    """The formats of the table by the first part of their keys."""
    found: dict[str, list[Format]] = {}
    for each in formats():
        found.setdefault(each.key.split("/", 1)[0], []).append(each)
    return {slug: tuple(each) for slug, each in found.items()}


def _formats_of(group: Group, row: Row) -> Iterator[Format]:
    size = frame_size_text(row.width, row.height)
    data = _data()
    for rate in _rates(row):
        yield Format(
            key=f"{group.slug}/{size}/{rate_text(rate)}",
            family=group.family,
            variant=group.variant,
            width=row.width,
            height=row.height,
            rate=rate,
            frame_bytes=row.frame_bytes,
            kind=group.kind,
            bits=group.bits or None,
            chroma=group.chroma or None,
            source=data.sources[row.source_index],
            confidence=row.confidence,
            decides=row.decides,
            note=data.notes[row.note_index],
        )


@cache
def _rate(numerator: int, denominator: int) -> Fraction:
    return Fraction(numerator, denominator)


def _rates(row: Row) -> tuple[Fraction, ...]:
    if row.rate_numerator is None or row.rate_denominator is None:
        return COMMON_RATES
    return (_rate(row.rate_numerator, row.rate_denominator),)
