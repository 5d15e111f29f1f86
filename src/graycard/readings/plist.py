"""Property lists of macOS as plain values; the XML form is read by hand so that no file can do harm.

The binary form (CFBinaryPList.c) becomes XML first. Its objects refer to each other by number, so a short file may
stand for an endless tree: what is taken out of it is bounded.
"""

from __future__ import annotations

import plistlib
import re
import struct
from typing import Any
from xml.etree.ElementTree import Element

from graycard.errors import ImportProblem
from graycard.importers.xml_text import parse_xml

_BINARY = b"bplist"
# Behind the objects: sizes of an offset and a reference, how many objects, which is the top, where the offsets are.
_TRAILER = struct.Struct(">6xBBQQQ")
_MOST_VALUES, _DEEPEST = 100_000, 60
_UNPRINTED = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_DAMAGED = "The binary property list is damaged or cut short: turn it into text by plutil -convert xml1 FILE"
_LONGEST_NUMBER = 25


def as_xml(data: bytes) -> bytes:
    """A binary property list as XML, anything else as it is. ImportProblem where it is damaged or too large."""
    if not data.startswith(_BINARY):
        return data
    # plistlib makes room for as many objects as the trailer tells.
    if len(data) < _TRAILER.size or _TRAILER.unpack(data[-_TRAILER.size :])[2] > len(data):
        raise ImportProblem(_DAMAGED)
    try:
        return plistlib.dumps(_Bounded().plain(plistlib.loads(data, fmt=plistlib.FMT_BINARY)), sort_keys=False)
    except (plistlib.InvalidFileException, RecursionError):
        raise ImportProblem(_DAMAGED) from None


class _Bounded:
    """Copies values out of a binary list, where one object may stand in many places, or within itself."""

    def __init__(self) -> None:
        self._count = 0

    def plain(self, value: Any, depth: int = 0) -> Any:
        """The value without dates, data and what XML cannot hold, which become an empty text."""
        self._count += 1
        if self._count > _MOST_VALUES or depth > _DEEPEST:
            raise ImportProblem("The binary property list is too large or nested too deeply to be of drives")
        if isinstance(value, dict):
            return {_text(key): self.plain(each, depth + 1) for key, each in value.items() if isinstance(key, str)}
        if isinstance(value, list):
            return [self.plain(each, depth + 1) for each in value]
        if isinstance(value, (bool, float)):
            return value
        if isinstance(value, int):
            return value if abs(value) < 1 << 63 else ""
        return _text(value) if isinstance(value, str) else ""


def _text(value: str) -> str:
    return _UNPRINTED.sub("", value)


def parse_plist(data: bytes, tool: str) -> Any:
    """The value of a property list; dates and data are None. ImportProblem where it is none, damaged or harmful."""
    root = parse_xml(data, tool)
    if root.tag != "plist" or len(root) != 1:
        raise ImportProblem(f"The XML is not {tool}'s property list: keep the whole output")
    return _value(root[0])


def _value(element: Element) -> Any:
    match element.tag:
        case "dict":
            children = list(element)
            pairs = zip(children[::2], children[1::2], strict=False)
            return {key.text or "": _value(child) for key, child in pairs if key.tag == "key"}
        case "array":
            return [_value(child) for child in element]
        case "string":
            return element.text or ""
        case "integer" | "real":
            return _number(element.text or "", element.tag)
        case "true" | "false":
            return element.tag == "true"
        case _:
            return None


def _number(text: str, kind: str) -> int | float | None:
    if len(text) > _LONGEST_NUMBER:
        return None
    try:
        return int(text) if kind == "integer" else float(text)
    except ValueError:
        return None
