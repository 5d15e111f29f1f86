"""fio's JSON documents inside whatever surrounds them: notes, progress lines, other formats, earlier documents."""

from __future__ import annotations

import codecs
import json
import re
from dataclasses import dataclass
from typing import Any

from graycard.errors import ImportProblem

_START = re.compile(r'\{\s*"fio version"')
# Lines of fio's own that say what went wrong; its progress and tables are left out.
_NOTE = re.compile(r"^(?:fio: |note: |verify: ).*$", re.MULTILINE)
_NORMAL = re.compile(r"^(?:fio-\d|Run status group|.*\(groupid=\d+, jobs=\d+\))", re.MULTILINE)
_NOTES_COUNT = 20


@dataclass(frozen=True, slots=True)
class FioText:
    """One document and the notes around it. `cut_short`: the text ends in the middle of a later document."""

    document: dict[str, Any]
    notes: tuple[str, ...]
    cut_short: bool


def recognises(head: bytes) -> bool:
    """Whether this looks like output of fio: its JSON, or text that tells of its failure."""
    text = as_text(head)
    return '"fio version"' in text or bool(_NOTE.search(text) or _NORMAL.search(text))


def find(data: bytes) -> FioText:
    """The last whole document; status-interval output is a row of them, the last is final. ImportProblem if none."""
    text = as_text(data)
    decoder = json.JSONDecoder(object_pairs_hook=_joined, strict=False)
    document, rest, failure = None, "", None
    position = 0
    for start in _starts(text):
        rest += text[position:start]
        try:
            document, position = decoder.raw_decode(text, start)
            failure = None
        except json.JSONDecodeError as error:
            position, failure = start, error
    rest += text[position:]
    notes = _notes(rest)
    if not isinstance(document, dict):
        raise ImportProblem(_nothing(text, notes, failure))
    return FioText(document, notes, failure is not None)


def as_text(data: bytes) -> str:
    """UTF-8, or UTF-16 as a redirected PowerShell writes it; bytes that are neither are kept as surrogates."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace")
    return data.removeprefix(codecs.BOM_UTF8).decode("utf-8", "surrogateescape")


def _starts(text: str) -> list[int]:
    found = [match.start() for match in _START.finditer(text)]
    # Another program may have sorted the keys; then nothing but the document can be in the file.
    return found or [text.index("{")] if '"fio version"' in text and "{" in text else []


def _notes(text: str) -> tuple[str, ...]:
    return tuple(match.group().strip() for match in _NOTE.finditer(text))[:_NOTES_COUNT]


def _nothing(text: str, notes: tuple[str, ...], failure: json.JSONDecodeError | None) -> str:
    if failure:
        return f"fio's JSON is damaged or cut short at line {failure.lineno} ({failure.msg}): get the whole file"
    if notes:
        return f"The file holds no measurement, fio failed: “{notes[0]}”; repeat it with --output-format=json+"
    if _NORMAL.search(text):
        return "This is fio's text for people: repeat the measurement with --output-format=json+"
    return "The file holds no JSON of fio's: repeat the measurement with --output-format=json+ --output=FILE"


def _joined(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A dictionary; several file names under one key are joined by colons, as fio's own option takes them."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        several = key == "filename" and key in found and value not in found[key].split(":")
        found[key] = f"{found[key]}:{value}" if several else value
    return found
