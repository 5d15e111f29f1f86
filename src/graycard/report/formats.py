"""Formats as a page: the families at a glance, the variants of many, or each with its figures and source."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from graycard.media import Format, Kind, rate_text
from graycard.readable import ABSENT
from graycard.report.page import Column, Note, Page, Row, Table, Tone
from graycard.report.printable import printable
from graycard.units import significant

_COLUMNS = (
    Column("Format"),
    Column("Mbit/s", right=True),
    Column("MB/s", right=True),
    Column("Bytes a frame", right=True),
    Column("Source", right=True),
    Column("Figure", second=True),
    Column("Pixels", second=True),
    Column("Name", second=True),
)
_GROUP_COLUMNS = (
    Column("Family"),
    Column("Formats", right=True),
    Column("MB/s", right=True),
    Column("Among them"),
)
# A list of more formats than these is shown by its variants.
LIST_COUNT = 60
_NOTES_COUNT = 6
_FIGURES = {
    Kind.TARGET: "target",
    Kind.CONSTANT: "each frame",
    Kind.NOMINAL: "nominal",
    Kind.MAXIMUM: "maximum",
    Kind.SAMPLE: "sample",
    Kind.ESTIMATE: "estimate",
}
# Families whose variants need no other name.
_SELF_TOLD = {"Uncompressed", "Image sequence"}
UNDECIDED_MARK = "? "
_LEGEND = (
    "MB/s are decimal, of the video alone. each frame: constant size; target: what the codec aims at; nominal: the "
    "maker's rounded figure."
)
_UNDECIDED = "? Decides nothing: a sample, an estimate, a source of low confidence, or a size without a source."


def formats_page(found: Sequence[Format]) -> Page:
    """Each format in a row; its source by number, and the notes on some of them, below."""
    sources = list(dict.fromkeys(each.source for each in found))
    rows = tuple(
        Row(_cells(each, sources.index(each.source) + 1), Tone.PLAIN if each.decides else Tone.QUIET) for each in found
    )
    cited = [Note(f"[{number}] {printable(source)}", Tone.QUIET) for number, source in enumerate(sources, 1)]
    uncertain = [] if all(each.decides for each in found) else [Note(_UNDECIDED, Tone.CAVEAT)]
    return (Table(_COLUMNS, rows), *uncertain, *_told(found), *cited, Note(_LEGEND, Tone.QUIET))


def _told(found: Sequence[Format]) -> Iterator[Note]:
    """What is said of some formats, where it is not too much: the JSON has it all."""
    told: dict[str, list[str]] = {}
    for each in found:
        if each.note:
            told.setdefault(each.note, []).append(each.key)
    if len(told) <= _NOTES_COUNT:
        for note, keys in told.items():
            yield Note(f"{_whom(keys, len(found))}{_sentence(note)}", Tone.QUIET)


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


def _cells(each: Format, source_number: int) -> tuple[str, ...]:
    return (
        ("" if each.decides else UNDECIDED_MARK) + printable(each.key),
        significant(each.bits_per_s / 1e6),
        significant(each.bytes_per_s / 1e6),
        str(each.frame_bytes),
        f"[{source_number}]",
        _FIGURES[each.kind],
        f"{each.width}x{each.height}" if each.width else ABSENT,
        printable(_name(each)),
    )


def _name(each: Format) -> str:
    """Family and variant, without a word twice, and the depth and sampling that they do not tell."""
    maker, _, last = each.family.rpartition(" ")
    family = maker if each.variant.startswith(last) else each.family
    name = each.variant if each.family in _SELF_TOLD else f"{family} {each.variant}".strip()
    depth = f"{each.bits}-bit" if each.bits and each.bits[-1].isdigit() else ""
    more = " ".join(part for part in (depth, each.chroma) if part and part not in name)
    return f"{name}, {more}" if more else name


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
