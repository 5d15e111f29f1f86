"""Property lists of macOS in their XML form, as plain values; read by hand so that no file can do harm."""

from __future__ import annotations

from typing import Any
from xml.etree.ElementTree import Element

from graycard.errors import ImportProblem
from graycard.importers.xml_text import parse_xml

_BINARY = b"bplist"
_LONGEST_NUMBER = 25


def parse_plist(data: bytes, tool: str) -> Any:
    """The value of a property list; dates and data are None. ImportProblem where it is none, damaged or harmful."""
    if data.startswith(_BINARY):
        raise ImportProblem(f"{tool}'s property list is binary: turn it into text by plutil -convert xml1 FILE")
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
