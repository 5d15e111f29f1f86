"""The unit stands in the name of every numeric field, and in the unit of every fact."""

from __future__ import annotations

import dataclasses
import inspect

from graycard import model
from graycard.facts import TERMS

UNIT_ENDINGS = (
    "_bytes",
    "_ns",
    "_bytes_per_s",
    "_bits_per_s",
    "_ratio",
    "_count",
    "_ops_per_s",
    "_celsius",
    "_per_s",
    "_index",
)
# Numbers that are not quantities, and pairs whose unit stands beside them in a `unit` field.
FREE = {"seed", "percentile", "byte_limit", "count"}


def test_numeric_fields_carry_their_unit() -> None:
    for _, kind in inspect.getmembers(model, dataclasses.is_dataclass):
        fields = dataclasses.fields(kind)
        has_unit_field = any(field.name == "unit" for field in fields)
        for field in fields:
            numeric = str(field.type).replace(" | None", "") in {"int", "float"}
            if numeric and not has_unit_field and field.name not in FREE and kind is not model.Point:
                assert field.name.endswith(UNIT_ENDINGS), f"{kind.__name__}.{field.name}"


def test_facts_carry_their_unit() -> None:
    for name, term in TERMS.items():
        for unit, ending in {
            "bytes": "_bytes",
            "ns": "_ns",
            "ratio": "_ratio",
            "bytes/s": "_bytes_per_s",
            "celsius": "_celsius",
            "dBm": "_dbm",
        }.items():
            if term.unit == unit:
                assert name.endswith(ending), name
