"""Formats as a page: the families at a glance, the variants of many, or each with its figures and source."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from graycard.media import Format, Kind, rate_text
from graycard.readable import ABSENT
from graycard.report.page import Column, Note, Page, Row, Table, Tone
from graycard.report.printable import printable, shorten
from graycard.units import significant

_COLUMNS = (
    Column("Format"),
    Column("Pixels", right=True),
    Column("Mbit/s", right=True),
    Column("MB/s", right=True),
    Column("Bytes a frame", right=True),
    Column("Figure"),
    Column("Name", second=True),
    Column("Source", second=True, label="source:"),
)
_GROUP_COLUMNS = (
    Column("Family"),
    Column("Formats", right=True),
    Column("MB/s", right=True),
    Column("Among them"),
)
_SOURCE_WIDTH = 56
# A list of more formats than these is shown by its variants.
LIST_COUNT = 60
_FIGURES = {
    Kind.TARGET: "target",
    Kind.CONSTANT: "each frame",
    Kind.NOMINAL: "nominal",
    Kind.MAXIMUM: "maximum",
    Kind.SAMPLE: "sample",
    Kind.ESTIMATE: "estimate",
}
UNDECIDED_MARK = "? "
_LEGEND = (
    "MB/s are decimal, of the video alone. each frame: constant size; target: what the codec aims at; nominal: the "
    "maker's rounded figure."
)
_UNDECIDED = "? Not sure enough to decide anything: its source is a sample, an estimate or a single uncertain one."


def formats_page(found: Sequence[Format]) -> Page:
    """Each format in a row, the notes on some of them below."""
    rows = tuple(Row(_cells(each), Tone.PLAIN if each.decides else Tone.QUIET) for each in found)
    notes = [Note(_LEGEND, Tone.QUIET)]
    if not all(each.decides for each in found):
        notes.append(Note(_UNDECIDED, Tone.CAVEAT))
    told: dict[str, list[str]] = {}
    for each in found:
        if each.note:
            told.setdefault(each.note, []).append(each.key)
    if len(told) <= 6:
        notes += [Note(f"{_whom(keys, len(found))}{_sentence(note)}", Tone.QUIET) for note, keys in told.items()]
    return (Table(_COLUMNS, rows), *notes)


def families_page(found: Sequence[Format]) -> Page:
    """A row for each family."""
    return (
        _grouped(found, lambda each: each.family),
        Note("Words list them one by one, as graycard formats prores uhd 25.", Tone.QUIET),
    )


def variants_page(found: Sequence[Format]) -> Page:
    """A row for each variant, where the formats are too many to read."""
    table = _grouped(found, lambda each: each.key.split("/")[0], "Variant")
    says = f"{len(found)} formats: add a frame size or a rate to see each, as uhd or 25, or --all."
    return table, Note(says, Tone.QUIET)


def source_in_short(source: str) -> str:
    """The beginning of a source that still tells it: without address, version and remarks."""
    short = re.split(r", transcribed|; | via | \(|\?", source.removeprefix("https://"))[0]
    return shorten(printable(short), _SOURCE_WIDTH)


def _cells(each: Format) -> tuple[str, ...]:
    depth = " ".join(part for part in (f"{each.bits}-bit" if each.bits else "", each.chroma or "") if part)
    return (
        ("" if each.decides else UNDECIDED_MARK) + printable(each.key),
        f"{each.width}x{each.height}" if each.width else ABSENT,
        significant(each.bits_per_s / 1e6),
        significant(each.bytes_per_s / 1e6),
        str(each.frame_bytes),
        _FIGURES[each.kind],
        ", ".join(part for part in (printable(f"{each.family} {each.variant}"), depth) if part),
        source_in_short(each.source),
    )


def _sentence(note: str) -> str:
    return f"{printable(note[:1].upper() + note[1:])}."


def _whom(keys: Sequence[str], count: int) -> str:
    if len(keys) == count:
        return ""
    return f"{keys[0]}: " if len(keys) == 1 else f"{keys[0]} and {len(keys) - 1} more: "


def _grouped(found: Sequence[Format], name: Callable[[Format], str], title: str = "Family") -> Table:
    groups: dict[str, list[Format]] = {}
    for each in found:
        groups.setdefault(name(each), []).append(each)
    rows = tuple(Row(_group(called, each)) for called, each in groups.items())
    return Table((Column(title), *_GROUP_COLUMNS[1:]), rows)


def _group(name: str, found: Sequence[Format]) -> tuple[str, ...]:
    rates = sorted(each.bytes_per_s / 1e6 for each in found)
    decided = any(each.decides for each in found)
    return (
        ("" if decided else UNDECIDED_MARK) + printable(name),
        str(len(found)),
        f"{significant(rates[0])} to {significant(rates[-1])}" if rates[0] != rates[-1] else significant(rates[0]),
        _example(found).key,
    )


def _example(found: Sequence[Format]) -> Format:
    """The one most asked for: UHD at 25, or what is nearest to it."""
    return min(found, key=lambda each: (not each.decides, rate_text(each.rate) != "25", abs((each.width or 0) - 3840)))
