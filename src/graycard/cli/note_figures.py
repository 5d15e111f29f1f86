"""Figures as people type them: rates with their unit, and tables of several block sizes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from graycard.cli.note_tools import Tool
from graycard.importers.text import lines, number
from graycard.units import parse_size

# Typed in place of a figure that the tool does not show.
ABSENT = "-"
_RATE = re.compile(r"([0-9][0-9.,' ]{0,30}?) ?(?:([kKMGT]?)(i?)(B|bit|b)(?:/s|/sec|ps)?)?")
_FACTORS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
# "2,166" is 2166 to some people and 2.166 to others.
_EITHER = re.compile(r"[0-9]{1,3},[0-9]{3}")
_COLUMNS = re.compile(r"\b(block|size|read|write)\b", re.IGNORECASE)
_CELL = re.compile(r"[0-9]+(?:[.,][0-9]+)?(?: ?[kKMGT]?i?B(?:/s|/sec)?)?|(?<!\S)-(?!\S)")
_MOST_ROWS = 200


@dataclass(frozen=True, slots=True)
class Rate:
    """A typed rate. `unsure_ratio` is how much more it would be if its unit were of 1024, or None if it is sure."""

    bytes_per_s: float
    unsure_ratio: float | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """What is shown for one block size, or for none in particular. Frames are those a second."""

    block_bytes: int | None = None
    read: Rate | None = None
    write: Rate | None = None
    read_frames: float | None = None
    write_frames: float | None = None


def rate(text: str, tool: Tool) -> Rate | None:
    """The rate of "2500MB/s", "2,5 GB/s", "940 Mbit/s" or, where the tool has a unit, "2500"; None for "-".

    ValueError, in one sentence, for what is none.
    """
    words = " ".join(text.split())
    if words == ABSENT:
        return None
    match = _RATE.fullmatch(words)
    found = number(match[1]) if match else None
    if match is None or found is None:
        raise ValueError(f"“{text}” is no rate; write for example 2500MB/s, 2.5GB/s or 2384MiB/s")
    if _EITHER.fullmatch(match[1].strip()):
        raise ValueError(f"“{text}” may be a thousand times more or less; leave the comma out, or write a point")
    return _with_unit(text, found, match, tool)


def _with_unit(text: str, found: float, match: re.Match[str], tool: Tool) -> Rate:
    prefix, binary, what = (match[2] or "").lower(), match[3], match[4]
    if what is None:
        if tool.unit is None:
            raise ValueError(f"“{text}” has no unit; write for example {text.strip()}MB/s or {text.strip()}MiB/s")
        prefix = "m"
    if what == "b":
        raise ValueError(f"“{text}”: a small b may mean bits; write MB/s for bytes or Mbit/s for bits")
    power = _FACTORS[prefix]
    value = found * (1024.0 if binary else 1000.0) ** power / (8 if what == "bit" else 1)
    unsure = tool.unit is not None and not binary and power and what != "bit"
    return Rate(value, 1.024**power - 1 if unsure else None)


def block(text: str, tool: Tool) -> int:
    """The bytes of "64KiB", or of "64 KB" where the tool calls 65,536 bytes that. ValueError for what is no size."""
    words = text.strip()
    if tool.binary_blocks:
        words = re.sub(r"(?i)(?<=[kmg])b$", "iB", words)
    found = parse_size(words)
    if found <= 0:
        raise ValueError(f"“{text}” is no block size; write for example 64KiB")
    return found


def rows(tool: Tool, blocks: Sequence[str], reads: Sequence[str], writes: Sequence[str]) -> tuple[Row, ...]:
    """The rows of repeated options: the first rate belongs to the first block. ValueError where they do not fit."""
    count = len(blocks) or 1
    for name, given in (("--read", reads), ("--write", writes)):
        if given and len(given) != count:
            wanted = f"for {count} of --at; give one for each, - for what is not shown"
            alone = "and there is one row; say by --at which block each is of"
            raise ValueError(f"{name} is there {len(given)} times {wanted if blocks else alone}")
    return tuple(
        Row(
            block(blocks[place], tool) if blocks else None,
            rate(reads[place], tool) if reads else None,
            rate(writes[place], tool) if writes else None,
        )
        for place in range(count)
    )


def table(data: bytes, tool: Tool) -> tuple[Row, ...]:
    """The rows of a small table whose first line names the columns: block, write, read, in any order.

    ValueError, with the line, for what does not fit.
    """
    columns: list[str] = []
    found: list[Row] = []
    for line in lines(data):
        if not line.text.strip():
            continue
        if not columns:
            columns = _columns(line.text)
        elif len(found) >= _MOST_ROWS:
            raise ValueError(f"the table has more than {_MOST_ROWS} rows")
        else:
            found.append(_row(line.text, line.number, columns, tool))
    if not found:
        raise ValueError("the table has no row; its first line names the columns, as: block write read")
    return tuple(found)


def _columns(text: str) -> list[str]:
    names = [name.lower().replace("size", "block") for name in _COLUMNS.findall(text)]
    # "Block size" is one column.
    columns = list(dict.fromkeys(names))
    if "block" not in columns or len(columns) < 2:
        raise ValueError("the table's first line has to name the columns, as: block write read")
    return columns


def _row(text: str, number_: int, columns: Sequence[str], tool: Tool) -> Row:
    cells = _CELL.findall(text)
    if len(cells) != len(columns):
        raise ValueError(f"line {number_} of the table has {len(cells)} figures for {len(columns)} columns")
    told = dict(zip(columns, cells, strict=True))
    try:
        return Row(block(told["block"], tool), _told(told, "read", tool), _told(told, "write", tool))
    except ValueError as error:
        raise ValueError(f"line {number_} of the table: {error}") from None


def _told(told: dict[str, str], name: str, tool: Tool) -> Rate | None:
    return rate(told[name], tool) if name in told else None
