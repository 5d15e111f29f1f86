"""The chain: which manifests there are, with the C4 id of each; and how they are named."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NoReturn
from xml.parsers import expat

from graycard.errors import ImportProblem
from graycard.mhl.escaping import xml_text

HISTORY_FOLDER = "ascmhl"
CHAIN_FILE = "ascmhl_chain.xml"
_NAME_LIMIT_BYTES = 200


@dataclass(frozen=True, slots=True)
class Generation:
    """One manifest: its number, file name and C4 id."""

    number: int
    name: str
    c4: str


def manifest_name(number: int, folder: str, created_at: datetime) -> str:
    """The file name "0001_A002R2EC_2026-11-30_200404Z.mhl"; a folder's name that is too long is cut."""
    plain = "".join(c if c.isprintable() and c not in '/\\:*?"<>|' else "_" for c in folder)
    short = plain.encode()[:_NAME_LIMIT_BYTES].decode(errors="ignore")
    return f"{number:04}_{short}_{created_at.astimezone(UTC):%Y-%m-%d_%H%M%SZ}.mhl"


def chain_text(generations: Iterable[Generation]) -> str:
    """The chain file."""
    parts = ['<?xml version="1.0" encoding="UTF-8"?>\n<ascmhldirectory xmlns="urn:ASC:MHL:DIRECTORY:v2.0">\n']
    for each in generations:
        parts.append(f'  <hashlist sequencenr="{each.number}">\n    <path>{xml_text(each.name)}</path>\n')
        parts.append(f"    <c4>{each.c4}</c4>\n  </hashlist>\n")
    return "".join([*parts, "</ascmhldirectory>\n"])


def read_chain(data: bytes, name: str) -> tuple[Generation, ...]:
    """The generations of a chain file; ImportProblem where it is damaged."""
    found: list[Generation] = []
    texts: dict[str, str] = {}
    open_tag = number = ""

    def refuse(*_: object) -> NoReturn:
        raise ImportProblem(f"the chain {name} declares entities; take it from another copy of the folder")

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal open_tag, number
        open_tag = tag.rpartition("}")[2]
        if open_tag == "hashlist":
            texts.clear()
            number = attributes.get("sequencenr", "")

    def take(text: str) -> None:
        texts[open_tag] = texts.get(open_tag, "") + text

    def end(tag: str) -> None:
        if tag.rpartition("}")[2] == "hashlist" and number.isdigit():
            found.append(Generation(int(number), texts.get("path", "").strip(), texts.get("c4", "").strip()))

    parser = expat.ParserCreate(namespace_separator="}")
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler, parser.EntityDeclHandler = take, refuse
    try:
        is_last = True
        parser.Parse(data, is_last)
    except expat.ExpatError as error:
        says = f"line {error.lineno}, {expat.ErrorString(error.code)}"
        raise ImportProblem(f"the chain {name} is damaged ({says}); take it from another copy of the folder") from error
    return tuple(found)
