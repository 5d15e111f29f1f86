"""The nouns as JSON and back: one document `{"schema": "graycard/1", "results": […]}`, lossless."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

import msgspec

from graycard.model import (
    SCHEMA,
    Agreement,
    Annotations,
    Comparison,
    CrossCheck,
    Fact,
    History,
    Result,
    ToolAgreement,
    escaped,
)
from graycard.model.diagnosis import Case

Noun = TypeVar("Noun")


@dataclass(frozen=True, slots=True)
class Document:
    """What every command that shows results prints with --json; `results list` leaves their runs out.

    A measurement that has just ended adds its cross-checks and the sentences about the whole of it. Stored results come
    with the annotations of the results and measurements that have any, by their ids. Diagnoses are those of `why` and
    `watch`; `results list` leaves their timelines out.
    """

    schema: str = SCHEMA
    diagnoses: tuple[Case, ...] = ()
    results: tuple[Result, ...] = ()
    cross_checks: tuple[CrossCheck, ...] = ()
    notes: tuple[str, ...] = ()
    annotations: dict[str, Annotations] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ComparisonsDocument:
    """What `compare` prints with --json."""

    schema: str = SCHEMA
    comparisons: tuple[Comparison, ...] = ()


@dataclass(frozen=True, slots=True)
class AgreementsDocument:
    """What `agree` prints with --json: each thing that was measured, and every two tools over several things.

    `results` are there after --run, with their runs.
    """

    schema: str = SCHEMA
    agreements: tuple[Agreement, ...] = ()
    tools: tuple[ToolAgreement, ...] = ()
    results: tuple[Result, ...] = ()


@dataclass(frozen=True, slots=True)
class HistoriesDocument:
    """What `history` prints with --json."""

    schema: str = SCHEMA
    histories: tuple[History, ...] = ()


@dataclass(frozen=True, slots=True)
class ReportDocument:
    """What `report` writes as JSON: the results with every run, and what is said of them together."""

    schema: str = SCHEMA
    title: str = ""
    results: tuple[Result, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    histories: tuple[History, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FactsDocument:
    """What `info` and `volumes` print with --json; a volume is a dictionary of its facts."""

    schema: str = SCHEMA
    facts: tuple[Fact, ...] = ()
    volumes: tuple[dict[str, Any], ...] = field(default=())


def encode(value: object) -> bytes:
    """Compact UTF-8 JSON of a noun. Bytes that are no UTF-8 (surrogates in a path) become backslash escapes."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return msgspec.json.encode(_printable(msgspec.to_builtins(value)))


def streamed(document: Document | ReportDocument, lists: Mapping[str, Iterable[bytes]]) -> Iterator[bytes]:
    """`encode` of the document in pieces, with these lists of JSON texts in place of its own: a text a line."""
    for number, each in enumerate(fields(document)):
        yield b'%b"%b":' % (b"," if number else b"{", each.name.encode())
        if each.name in lists:
            yield from _lines(lists[each.name])
        else:
            yield encode(getattr(document, each.name))
    yield b"}\n"


def _lines(texts: Iterable[bytes]) -> Iterator[bytes]:
    yield b"["
    for number, text in enumerate(texts):
        yield b",\n" if number else b"\n"
        yield text
    yield b"]"


def pretty(value: object) -> bytes:
    """`encode`, indented, with a last newline."""
    return _indented(encode(value)) + b"\n"


def pretty_pieces(document: Document, lists: Mapping[str, Iterable[bytes]]) -> Iterator[bytes]:
    """`pretty` of the document in pieces, with these lists of JSON texts in place of its own."""
    for number, each in enumerate(fields(document)):
        yield b'%b\n  "%b": ' % (b"," if number else b"{", each.name.encode())
        if each.name in lists:
            yield from _indented_items(lists[each.name])
        else:
            yield _indented(encode(getattr(document, each.name)), 1)
    yield b"\n}\n"


def _indented_items(texts: Iterable[bytes]) -> Iterator[bytes]:
    begin = b"["
    for text in texts:
        yield begin + b"\n    " + _indented(text, 2)
        begin = b","
    yield b"[]" if begin == b"[" else b"\n  ]"


def _indented(text: bytes, levels: int = 0) -> bytes:
    """JSON in lines, as it stands so many levels deep; texts inside of it have no line ends of their own."""
    return msgspec.json.format(text, indent=2).replace(b"\n", b"\n" + b"  " * levels)


def decode(data: bytes, kind: type[Noun]) -> Noun:
    """The noun back. msgspec.DecodeError or ValidationError says where it does not fit."""
    return msgspec.json.decode(data, type=kind)


def json_schema(documents: Iterable[type]) -> dict[str, Any]:
    """JSON Schema (2020-12) of what is one of these documents; each always prints all of its fields."""
    kinds = tuple(documents)
    references, definitions = msgspec.json.schema_components(kinds, ref_template="#/$defs/{name}")
    for kind in kinds:
        document = definitions[kind.__name__]
        document["required"] = list(document["properties"])
        document["properties"]["schema"] = {"const": SCHEMA}
    return {"anyOf": list(references), "$defs": definitions}


def _printable(value: Any) -> Any:
    if isinstance(value, str):
        return "".join(escaped(c) if "\ud800" <= c <= "\udfff" else c for c in value)
    if isinstance(value, dict):
        return {_printable(key): _printable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_printable(item) for item in value]
    return value
