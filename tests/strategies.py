"""Hypothesis strategies for the nouns: any value that a measurement may legally hold, made from the annotations."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime, timedelta
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

from graycard.model import Result, Target

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

# Any Unicode but lone surrogates; the NUL character is among it.
texts = st.text(max_size=12)
# As the operating system gives paths: bytes that are no UTF-8 come as surrogates.
paths = st.binary(min_size=1, max_size=20).map(lambda raw: raw.decode("utf-8", "surrogateescape"))
SCALARS: dict[Any, st.SearchStrategy[Any]] = {
    str: texts,
    int: st.integers(0, 2**63 - 1),
    float: st.floats(allow_nan=False, allow_infinity=False),
    bool: st.booleans(),
    NoneType: st.none(),
    datetime: st.integers(0, 2**52).map(lambda us: EPOCH + timedelta(microseconds=us)),
}


def values(kind: Any) -> st.SearchStrategy[Any]:
    """Anything of a type that occurs in the nouns."""
    if kind in SCALARS:
        return SCALARS[kind]
    if get_origin(kind) in (Union, UnionType):
        return st.one_of(*(values(option) for option in get_args(kind)))
    if get_origin(kind) is tuple:
        return st.lists(values(get_args(kind)[0]), max_size=3).map(tuple)
    if issubclass(kind, Enum):
        return st.sampled_from(kind)
    return nouns(kind)


def nouns(kind: type) -> st.SearchStrategy[Any]:
    """Any value of a dataclass of the model."""
    hints = get_type_hints(kind)
    fields = {field.name: values(hints[field.name]) for field in dataclasses.fields(kind)}
    if kind is Target:
        fields["path"] = paths
    return st.builds(kind, **fields)


results: st.SearchStrategy[Result] = nouns(Result)
