"""The small line grammar that the texts of CrystalDiskMark, AmorphousDiskMark and KDiskMark share.

    for document in documents(lines(data)):     # one for each result that the text holds
        for row in document.rows: …             # a test each, in the tool's own units

A text is a header with the tool's name, rows, and a footer of "Key: value". Every forum copy is damaged, so blanks and
columns mean nothing, lines may run together, and a missing header is guessed from the shape of the rows. The formats
stand in the tools' sources: CDM's DiskMarkDlg.cpp (SaveText, ResultText), ADM's AppDelegate.m (scoreString) and
KDiskMark's mainwindow.cpp (getTextBenchmarkResult). All of it takes linear time.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate

from graycard.importers.text import Text, lines, number
from graycard.model import Pattern

CRYSTAL, AMORPHOUS, KDE = "CrystalDiskMark", "AmorphousDiskMark", "KDiskMark"
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
# Texts up to this length are looked through once for all three tools.
_REMEMBERED_BYTES = 1 << 20
# What a text must contain to be worth a closer look.
_SIGNS = ("DiskMark", "(Q", "(T=", "( Q")
_KEYS = "Profile|Test|Mode|Time|Date|OS|Comment|Volume|Device|CPU|Target"
# Runs of blanks are one blank before this is used: so each " ?" and each newline stands alone.
_GAP = r"[ \n]?"
_TOKEN = re.compile(
    rf"""
      (?P<crystal>\bCrystalDiskMark[ ]v?(?P<crystal_version>\d[\w.]{{0,20}})
          (?P<edition>[^\n©]{{0,40}}?)(?P<crystal_mark>\([Cc]\)|©|$))
    | (?P<amorphous>\bAmorphousDiskMark[ ]v?(?P<amorphous_version>\d[\w.]{{0,20}})
          [ ]?(?P<amorphous_mark>\([Cc]\)|©|$))
    | (?P<kde>\bKDiskMark(?:[ ]?\((?P<kde_version>\d[\w.\-]{{0,20}})\)|[ ]?:[ ]?(?=\S{{0,3}}https?:)))
    | (?P<fio>\(fio-(?P<fio_version>\d[\w.\-]{{0,30}})\))
    | \[(?P<section>Read|Write|Mix)\](?:[ ]Read[ ]?(?P<read_percent>\d{{1,3}})[ ]?%)?
    | (?P<row>\b(?<!Legacy[ ])(?<![KM]iB[ ])(?P<pattern>SEQ|RND|Seq|Sequ[ae]ntial|Random)
          (?:{_GAP}(?P<operation>Read|Write|Mix))?
          (?:{_GAP}(?P<block>\d{{1,6}})(?P<space>{_GAP})(?P<unit>[KM])i?B)?
          (?:{_GAP}(?P<load>\([ ]?[QT][^()\n]{{0,30}}\)))?
          {_GAP}[:：]
          (?:{_GAP}(?P<rate>[^\s\[\]()<>]{{1,40}}){_GAP}MB/s)?
          (?:{_GAP}\[[ ]?(?P<ops>[^\s\[\]()<>]{{1,40}}){_GAP}IOPS[ ]?\])?
          (?:{_GAP}(?:<|&lt;)[ ]?(?P<latency>[^\s\[\]()<>&]{{1,40}}){_GAP}[uµμ]s)?)
    | (?P<key>\b(?:{_KEYS}))[ ]?[:：](?P<value>(?:(?![ ](?:{_KEYS})[ ]?[:：])[^\n]){{0,1000}})
    """,
    re.VERBOSE | re.MULTILINE,
)
_QUEUES = re.compile(r"QD?= ?(\d{1,6})")
_THREADS = re.compile(r"T= ?(\d{1,6})")
_SIZE = re.compile(r"(\d{1,6}) ?([KMGT])i?B\b")
_COUNT = re.compile(r"\( ?x ?(\d{1,4}) ?\)")
_SECONDS = re.compile(r"(Measure|Interval|Limit)[:= ]{1,2}(\d{1,5}) ?(sec|min)")
_USED = re.compile(r"(\d{1,3}(?:[.,]\d{1,3})?) ?%")


@dataclass(frozen=True, slots=True)
class Row:
    """One test, as printed: MB/s, operations a second, µs; None is not printed, `rate_mb_per_s` None is unreadable.

    `operation` is "Read", "Write" or "Mix", None where the text does not say. `depth_count` is per thread.
    `read_percent` is the share of reads in a mix. `space` tells "1 MiB" from "1MiB".
    """

    line_number: int
    pattern: Pattern
    operation: str | None
    read_percent: int | None
    block_bytes: int | None
    depth_count: int | None
    thread_count: int | None
    rate_mb_per_s: float | None
    ops_per_s: float | None
    latency_us: float | None
    short_name: bool
    space: bool


@dataclass(slots=True)
class Document:
    """One result of a tool. `tool` is guessed where `headed` is False. `footer` has the tool's own keys, as "Test"."""

    tool: str | None = None
    version: str | None = None
    edition: str = ""
    headed: bool = False
    fio_version: str | None = None
    rows: list[Row] = field(default_factory=list)
    footer: dict[str, str] = field(default_factory=dict)

    @property
    def span_bytes(self) -> int | None:
        """The size of the test file; CDM 3 writes MB for MiB, as it writes 4KB for 4 KiB."""
        found = _SIZE.match(self.footer.get("Test", ""))
        return int(found[1]) * _UNITS[found[2]] or None if found else None

    @property
    def run_count(self) -> int | None:
        """How many runs each figure is made of."""
        found = _COUNT.search(self.footer.get("Test", ""))
        return int(found[1]) or None if found else None

    @property
    def used_ratio(self) -> float | None:
        """The share in use, of "[E: 96% (894/932GiB)]"; the sizes are too coarse, and in CDM 5 mislabelled."""
        for key in ("Test", "Volume", "Target"):
            if found := _USED.search(self.footer.get(key, "")):
                percent = number(found[1])
                return percent / 100 if percent is not None and percent <= 100 else None
        return None

    @property
    def zeros(self) -> bool:
        """Whether zeros were written instead of random data."""
        return any("0Fill" in self.footer.get(key, "") for key in ("Test", "Mode"))

    def time_ns(self, name: str) -> int | None:
        """The time called "Measure", "Interval" or "Limit"."""
        for key in ("Time", "Test"):
            for found in _SECONDS.finditer(self.footer.get(key, "")):
                if found[1] == name:
                    return int(found[2]) * (60 if found[3] == "min" else 1) * 1_000_000_000
        return None


def found(data: bytes, tool: str) -> tuple[Document, ...]:
    """The documents of one tool; those without a row are there too if their header is beyond doubt."""
    return tuple(document for document in _documents(data) if document.tool == tool)


def _documents(data: bytes) -> tuple[Document, ...]:
    return _short(data) if len(data) <= _REMEMBERED_BYTES else _looked_through(data)


@lru_cache(maxsize=1)
def _short(data: bytes) -> tuple[Document, ...]:
    return _looked_through(data)


def _looked_through(data: bytes) -> tuple[Document, ...]:
    text = lines(data)
    return documents(text) if any(sign in text.whole for sign in _SIGNS) else ()


def documents(text: Text) -> tuple[Document, ...]:
    """All documents in the text, in its order."""
    kept = [document for document in _gathered(text) if document.rows or document.headed]
    for document in kept:
        if document.tool is None:
            document.tool = _tool_of(document.rows)
    return tuple(kept)


def _gathered(text: Text) -> Iterator[Document]:
    document, section = Document(), _Section()
    for line_number, match in _tokens(text):
        header = _header(match)
        fresh = document.footer and (match["row"] or match["section"])
        if header or fresh:
            yield document
            document, section = header or Document(), _Section()
        if match["section"]:
            section = _Section(match["section"], int(match["read_percent"]) if match["read_percent"] else None)
        elif match["row"]:
            _add(document, match, section, line_number)
        elif match["fio"]:
            document.fio_version = match["fio_version"]
        elif match["key"] and document.rows:
            document.footer.setdefault(match["key"], match["value"].strip())
    yield document


@dataclass(frozen=True, slots=True)
class _Section:
    operation: str | None = None
    read_percent: int | None = None


def _tokens(text: Text) -> Iterator[tuple[int, re.Match[str]]]:
    """The tokens with their line numbers."""
    squeezed = [(line.number, " ".join(line.text.split())) for line in text]
    starts = list(accumulate((len(content) + 1 for _, content in squeezed), initial=0))
    for match in _TOKEN.finditer("\n".join(content for _, content in squeezed)):
        yield squeezed[bisect_right(starts, match.start()) - 1][0], match


def _header(match: re.Match[str]) -> Document | None:
    if match["crystal"]:
        edition = match["edition"].strip()
        return Document(CRYSTAL, match["crystal_version"], edition, headed=bool(match["crystal_mark"]))
    if match["amorphous"]:
        return Document(AMORPHOUS, match["amorphous_version"], headed=bool(match["amorphous_mark"]))
    if match["kde"]:
        return Document(KDE, match["kde_version"], headed=True)
    return None


def _add(document: Document, match: re.Match[str], section: _Section, line_number: int) -> None:
    """Add the row; without a load and a rate it is a sentence of someone's, as "Sequential: fast"."""
    load, rate = match["load"] or "", match["rate"]
    if not load and (rate is None or not (match["operation"] or section.operation)):
        return
    queues, threads = _QUEUES.search(load), _THREADS.search(load)
    document.rows.append(
        Row(
            line_number=line_number,
            pattern=Pattern.RANDOM if match["pattern"][0] == "R" else Pattern.SEQUENTIAL,
            operation=match["operation"] or section.operation,
            read_percent=section.read_percent,
            block_bytes=int(match["block"]) * _UNITS[match["unit"]] or None if match["block"] else None,
            depth_count=int(queues[1]) or None if queues else None,
            thread_count=int(threads[1]) or None if threads else None,
            rate_mb_per_s=number(rate) if rate else None,
            ops_per_s=number(match["ops"]) if match["ops"] else None,
            latency_us=number(match["latency"]) if match["latency"] else None,
            short_name=match["pattern"] in {"SEQ", "RND"},
            space=bool(match["space"]),
        )
    )


def _tool_of(rows: list[Row]) -> str:
    """Whose rows these are: SEQ and RND are CDM 8's; "1 MiB" is KDiskMark's; ADM has QD, a block and a direction."""
    first = rows[0]
    if first.short_name or first.operation is None:
        return CRYSTAL
    if first.space:
        return KDE
    has_mebibytes = any(row.block_bytes and row.block_bytes >= 1 << 20 and row.thread_count is None for row in rows)
    return AMORPHOUS if has_mebibytes else CRYSTAL
