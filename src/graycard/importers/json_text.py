"""JSON of other tools, read so that no file can do harm: no depth, no huge numbers, no NaN, no traceback."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from graycard.errors import ImportProblem
from graycard.importers.text import LARGEST, Text, lines

# What the values of a text may take in memory, by what an object, a list and any other value of Python take.
_MOST_TREE_BYTES = 150_000_000
_VALUE_BYTES = {"{": 232, "[": 72, ",": 40}
_LONGEST_COUNT = len(str(int(LARGEST)))
_BEGINNING = re.compile(r"^ {0,99}[{\[]", re.MULTILINE)
_Pairs = Callable[[list[tuple[str, Any]]], Any]


def parse_json(data: bytes | str, tool: str, *, pairs: _Pairs | None = None) -> Any:
    """The value of a JSON text; ImportProblem with the line where it is damaged, or where it is nested too deeply.

    NaN and infinities become None, as do numbers beyond LARGEST. `pairs` makes the objects, where
    a key may occur twice (see json.JSONDecoder). In bytes, words before and behind the document are passed over.
    """
    text = document_in(lines(data)) if isinstance(data, bytes) else data
    refuse_crowded(text, tool)
    decoder = json_decoder(pairs)
    try:
        found, end = decoder.raw_decode(text, len(text) - len(text.lstrip()))
        if isinstance(data, str) or "{" in text[end:] or "[" in text[end:]:
            # Another document must not be lost.
            return decoder.decode(text)
        return found
    except json.JSONDecodeError as error:
        raise ImportProblem(_damaged(tool, error.lineno, error.msg)) from error
    except RecursionError:
        raise _too_deep(tool) from None


def document_in(text: Text) -> str:
    """The text from the beginning of its JSON on, without the quote marks and the words of a forum around it."""
    whole = text.whole.lstrip()
    if whole.startswith(("{", "[")):
        return whole
    beginning = _BEGINNING.search(text.plain)
    return text.plain[beginning.start() :].lstrip() if beginning else text.plain


def json_lines(data: bytes, tool: str) -> Iterator[tuple[int, Any]]:
    """Values of JSON text with one in each line, and the line's number; other lines are passed over.

    ImportProblem for a line that begins like an object and is none.
    """
    decoder = json_decoder(None)
    text = lines(data)
    refuse_crowded(text.whole, tool)
    for line in text:
        if not line.text.lstrip().startswith("{"):
            continue
        try:
            yield line.number, decoder.decode(line.text.strip())
        except json.JSONDecodeError as error:
            raise ImportProblem(_damaged(tool, line.number, error.msg)) from error
        except RecursionError:
            raise _too_deep(tool) from None


def refuse_crowded(text: str, tool: str) -> None:
    """Refuse by ImportProblem a text of so many tiny values that they would take many times its length of memory."""
    if sum(text.count(mark) * each for mark, each in _VALUE_BYTES.items()) > _MOST_TREE_BYTES:
        raise ImportProblem(f"The JSON holds too many values to be {tool}'s: get the tool's own output")


def json_decoder(pairs: _Pairs | None = None) -> json.JSONDecoder:
    """As `parse_json` decodes: for documents in the middle of other text, by `raw_decode`."""
    return json.JSONDecoder(
        object_pairs_hook=pairs, parse_constant=lambda _: None, parse_int=_integer, parse_float=_real, strict=False
    )


def _integer(text: str) -> int | None:
    return int(text) if len(text) <= _LONGEST_COUNT else None


def _real(text: str) -> float | None:
    found = float(text)
    return found if abs(found) <= LARGEST else None


def _damaged(tool: str, line_number: int, what: str) -> str:
    return f"{tool}'s JSON is damaged or cut short at line {line_number} ({what}): get the whole file"


def _too_deep(tool: str) -> ImportProblem:
    return ImportProblem(f"The JSON is nested too deeply to be {tool}'s: get the tool's own output")
