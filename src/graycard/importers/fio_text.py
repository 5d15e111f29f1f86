"""fio's JSON documents inside whatever surrounds them: notes, progress lines, other formats, other documents."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from graycard.errors import ImportProblem
from graycard.importers.json_text import json_decoder, refuse_crowded
from graycard.importers.text import Text, lines

_START = re.compile(r'\{\s*"fio version"')
# Lines of fio's own that say what went wrong; its progress and tables are left out.
_NOTE = re.compile(r"^(?:<\S{1,255}> ?)?((?:fio: |note: |verify: ).*)$", re.MULTILINE)
# What only fio writes: JSON, terse lines, its version, the head of a job, the group's end, its errors.
_OWN = re.compile(
    r'"fio version"|^[ \t>]{0,16}(?:<\S{1,255}> ?)?'
    r"(?:fio-\d+\.\d|fio: |verify: |Run status group \d|[345];fio-\d|2;[^;\n]{1,255};\d{1,9};\d{1,9};\d{1,18};"
    r"|[^\n]{1,255}: \(g=\d+\): rw=|[^\n]{1,255}: \(groupid=\d+, jobs=\d+\): err=)",
    re.MULTILINE,
)
# fio prints a slope or a deviation of too few values so, which is no JSON.
_NO_NUMBER = re.compile(r"(: ?|[\[,] *)-?(?:nan|inf)(?=\s*[,}\]\n])")
NOTES_COUNT = 20
_LONG_CHARS = 1 << 20
# Each costs the time to count the lines before it.
_MOST_DAMAGED = 100
_TOO_DEEP = "The JSON is nested too deeply to be fio's: get fio's own output"


@dataclass(frozen=True, slots=True)
class FioDocument:
    """One JSON document and fio's notes between it and the one before."""

    document: dict[str, Any]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FioText:
    """All documents of a text. `rest` is the text without them, with its lines where they were.

    `failure` tells what is wrong with a document after the last whole one, `notes` are those after it.
    """

    documents: tuple[FioDocument, ...]
    rest: str
    notes: tuple[str, ...]
    failure: str | None


def recognises(head: bytes) -> bool:
    """Whether this looks like output of fio: its JSON, its terse lines, its text, or what it says of a failure."""
    return bool(_OWN.search(lines(head).whole.replace("\r", "\n")))


def find(data: bytes) -> FioText:
    """The whole documents in the file, in its order. ImportProblem for what is nested too deeply."""
    text = _plain(data)
    if '"fio version"' in text:
        refuse_crowded(text, "fio")
    decoder = json_decoder(_joined)
    documents: list[FioDocument] = []
    rest: list[str] = []
    position, reached, damaged_count = 0, 0, 0
    failure: json.JSONDecodeError | None = None
    for start in _starts(text):
        # What begins inside a document, or inside the readable part of a damaged one, is part of that.
        if start < reached:
            continue
        before = text[position:start]
        try:
            document, end = decoder.raw_decode(text, start)
        except json.JSONDecodeError as error:
            reached, failure = max(error.pos, start + 1), error
            damaged_count += 1
            if damaged_count == _MOST_DAMAGED:
                raise ImportProblem(_damaged(error)) from None
            continue
        except RecursionError:
            raise ImportProblem(_TOO_DEEP) from None
        rest += before, "\n" * text.count("\n", start, end)
        position = reached = end
        failure = None
        documents.append(FioDocument(document, notes_in(before)))
    rest.append(text[position:])
    return FioText(tuple(documents), "".join(rest), notes_in(rest[-1]), _damaged(failure) if failure else None)


def _damaged(error: json.JSONDecodeError) -> str:
    return f"fio's JSON is damaged or cut short at line {error.lineno} ({error.msg}): get the whole file"


def notes_in(text: str) -> tuple[str, ...]:
    """What fio says of errors and signals, at most 20 lines."""
    found = []
    for match in _NOTE.finditer(text):
        found.append(match[1].strip())
        if len(found) == NOTES_COUNT:
            break
    return tuple(found)


def _plain(data: bytes) -> str:
    """The text without quote marks; what was drawn over by carriage returns stays on one line, for the numbers.

    A long one keeps its marks: nobody quotes such a one, and the lines of it would cost several times its memory.
    """
    text = lines(data)
    whole = text.whole.replace("\r\n", "\n") if len(text.whole) > _LONG_CHARS else _unquoted(text)
    return _NO_NUMBER.sub(r"\1null", whole) if '"fio version"' in whole else whole


def _unquoted(text: Text) -> str:
    parts: list[str] = []
    last = 1
    for line in text:
        if parts:
            parts.append("\n" * (line.number - last) or "\r")
        parts.append(line.text)
        last = line.number
    return "".join(parts)


def _starts(text: str) -> list[int]:
    found = [match.start() for match in _START.finditer(text)]
    # Another program may have sorted the keys; then nothing but the document can be in the file.
    return found or ([text.index("{")] if '"fio version"' in text and "{" in text else [])


def _joined(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A dictionary; several file names under one key are joined by colons, as fio's own option takes them."""
    names = dict.fromkeys(str(value) for key, value in pairs if key == "filename")
    found = dict(pairs)
    if len(names) > 1:
        found["filename"] = ":".join(names)
    return found
