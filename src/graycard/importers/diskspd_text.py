"""diskspd's text, of versions 2.0 to 2.2: settings, then for each timespan its tables.

Rates are MiB/s, in the oldest versions as "MB/s" (ResultParser.cpp divides by 1024 twice in all of them).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from graycard.errors import ImportProblem
from graycard.importers.diskspd_span import PERCENTILES, TOOL, Half, Load, Span
from graycard.importers.imported import stated_time
from graycard.importers.rows import count, duration_ns, figure, limit
from graycard.importers.text import Line, Text, number
from graycard.model import Cache, Operation
from graycard.units import parse_size

_HALVES = {"Read IO": Operation.READ, "Write IO": Operation.WRITE}
_NINES = re.compile(r"(\d)-nines")
_RANK = re.compile(r"(\d{1,2})th")
_RESULTS = re.compile(r"Results for timespan {1,4}\d{1,6}:")
_SIZE = re.compile(r"(\d{1,18}) ?([KMGT]?i?B?)", re.IGNORECASE)
_FILE_SIZE = re.compile(r"\((\d{1,9}) ?([KMGT]?i?B)\)$")
_NOT_WHOLE = "diskspd's text ends before the table of its first timespan: it was stopped or cut; get the whole text"


def parse(text: Text) -> tuple[Span, ...]:
    """All timespans that have a table; ImportProblem without one."""
    reader = _Reader()
    for line in text:
        reader.line(line)
    spans = tuple(span for span in reader.spans if span.halves)
    if not spans:
        raise ImportProblem(_NOT_WHOLE)
    return spans


class _Reader:
    """Takes in line after line."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self._command: str | None = None
        self._loads: list[Load] = []
        self._in_results = False
        # Of the spans of this output of diskspd.
        self._first = 0
        self._began: tuple[datetime, bool] | None = None
        self._sizes: dict[str, int] = {}
        self._half: Half | None = None
        self._columns: list[str] = []
        self._ranks: list[Half | None] = []
        self._of_all = False

    def line(self, line: Line) -> None:
        """Take in the next line."""
        text = line.text.strip()
        name, _, value = text.partition(":")
        if name in {"Command Line", "Input parameters"}:
            self._begin(value.strip() or None)
        elif name == "timespan":
            self._loads.append(Load(command=self._command, compressible_ratio=1.0))
        elif name == "start time":
            self._began = stated_time(value)
        elif _RESULTS.match(text):
            self._new_span()
        elif self._in_results:
            if not self._setting_of_span(name, value):
                self._table_line(line, text)
        elif self._loads:
            _setting(self._loads[-1], text, name, value.strip())
        elif text in _HALVES or text == "Total IO":
            # A table without what stands above it.
            self._new_span()
            self._table_line(line, text)

    def _begin(self, command: str | None) -> None:
        """An output of diskspd begins, with its command line or with what it was asked for."""
        if self._in_results or command:
            self._command = command
        self._loads, self._in_results, self._first = [], False, len(self.spans)

    def _new_span(self) -> None:
        at = len(self.spans) - self._first
        command = Load(command=self._command)
        if self._command:
            _read_command(command, self._command.split()[1:])
        load = self._loads[at] if at < len(self._loads) else command
        self.spans.append(Span(load, began=self._began))
        self._in_results = True
        limit(len(self.spans), TOOL)
        self._half, self._columns, self._ranks, self._sizes = None, [], [], {}

    def _setting_of_span(self, name: str, value: str) -> bool:
        span = self.spans[-1]
        if name == "thread count":
            span.worker_count = count(value)
        return name in {"thread count", "actual test time", "proc count"}

    def _table_line(self, line: Line, text: str) -> None:
        span = self.spans[-1]
        cells = [cell.strip() for cell in text.split("|")]
        if text in _HALVES:
            self._half = span.halves.setdefault(_HALVES[text], Half())
        elif text == "Total IO":
            if span.halves:
                # Tables of the next output, without what stands above them.
                self._new_span()
                span = self.spans[-1]
            self._half = span.total = Half()
        elif cells[0] == "thread":
            self._columns = cells
        elif text in {"total:", "Total latency distribution:"}:
            self._of_all, self._ranks = True, []
        elif cells[0] == "%-ile":
            halves = {"Read (ms)": span.halves.get(Operation.READ), "Write (ms)": span.halves.get(Operation.WRITE)}
            halves["Total (ms)"] = span.total
            self._ranks = [halves.get(cell) for cell in cells] if self._of_all else []
            self._of_all = False
        elif text.startswith("total:") and self._half:
            _total(self._half, self._columns, [cells[0][6:].strip(), *cells[1:]], line.number)
        elif self._columns[-1:] == ["file"] and len(cells) == len(self._columns):
            self._file(span.load, cells[-1])
        elif self._ranks and (percentile := _percentile(cells[0])) in PERCENTILES and percentile:
            _rank(self._ranks, percentile, cells)

    def _file(self, load: Load, cell: str) -> None:
        """The file of a thread, as "test.dat (2GiB)". The settings may not name it, and do not tell its size."""
        size = _FILE_SIZE.search(cell)
        path = cell[: size.start()].strip() if size else cell
        if path not in load.paths and not self._loads:
            load.paths.append(path)
        if size and path not in self._sizes:
            self._sizes[path] = _bytes(size[1] + size[2]) or 0
            load.span_bytes = count(str(sum(self._sizes.values())))


def _total(half: Half, columns: Sequence[str], cells: Sequence[str], line: int) -> None:
    """The row "total:" of a table; its first cell is that of the bytes."""
    named = dict(zip(columns[1:], cells, strict=False))
    half.moved_bytes = count(named.get("bytes", "")) or 0
    half.ops_count = count(named.get("I/Os", "")) or 0
    if (ops := named.get("I/O per s")) is not None:
        half.ops_per_s = figure(ops, TOOL, line)
    if (rate := named.get("MiB/s", named.get("MB/s"))) is not None:
        half.stated_bytes_per_s = figure(rate, TOOL, line) * (1 << 20)
    if "AvgLat" in named and named["AvgLat"] != "N/A":
        half.mean_ns = figure(named["AvgLat"], TOOL, line) * 1e6


def _percentile(label: str) -> float | None:
    if label == "max":
        return 100.0
    if rank := _RANK.fullmatch(label):
        return float(rank[1])
    nines = _NINES.fullmatch(label)
    return round(100 - 10.0 ** (2 - int(nines[1])), 7) if nines else None


def _rank(ranks: Sequence[Half | None], percentile: float, cells: Sequence[str]) -> None:
    for half, cell in zip(ranks, cells, strict=False):
        value = number(cell, ".") if half else None
        if half and value is not None:
            half.latency_ns[percentile] = value * 1e6


def _setting(load: Load, text: str, name: str, value: str) -> None:
    """A line of "Input parameters". Of several files the first tells."""
    if name == "path":
        load.paths.append(value.strip("'"))
    if len(load.paths) > 1:
        return
    if name == "duration":
        load.time_ns = duration_ns(value.removesuffix("s"))
    elif name == "block size":
        load.block_bytes = _bytes(value)
    elif name.startswith("number of outstanding I/O operations"):
        load.depth_count = count(value)
    elif name == "performing mix test (read/write ratio":
        load.write_percent = _percent(value.rstrip(")").rpartition("/")[2])
    elif name == "write buffer source" or text.startswith("generating random data for each write"):
        load.compressible_ratio = 0.0 if "'" not in value else None
    else:
        _switch(load, text)


def _switch(load: Load, text: str) -> None:
    """A line of the settings that is a sentence."""
    for key, setting in _SETTINGS.get(text, {}).items():
        setattr(load, key, setting)
    if mixed := _MIXED.match(text):
        load.random_percent = _percent(mixed[1])
    elif pattern := _PATTERN.match(text):
        load.random_percent = 100 if pattern[1] == "random" else 0


_PATTERN = re.compile(r"using (random|sequential|interlocked sequential) I/O ")
_MIXED = re.compile(r"using mixed random/sequential I/O \((\d{1,3})% random\)")
_SETTINGS: dict[str, dict[str, object]] = {
    "performing read test": {"write_percent": 0},
    "performing write test": {"write_percent": 100},
    "using software cache": {"cache": Cache.WARM},
    "software cache disabled": {"cache": Cache.BYPASS},
    "local software cache disabled, remote cache enabled": {"cache": Cache.BYPASS, "server_cache": True},
    "hardware and software write caches disabled, writethrough on": {"write_through": True},
    "hardware write cache disabled, writethrough on": {"write_through": True},
    "using hardware write cache, writethrough off": {"write_through": False},
    "zeroing write buffers": {"compressible_ratio": 1.0},
}


def _read_command(load: Load, words: Sequence[str]) -> None:
    """The options, where the settings are not printed; what is not given is diskspd's default (its documentation)."""
    load.block_bytes, load.random_percent, load.depth_count, load.write_percent = 65536, 0, 2, 0
    load.cache, load.write_through, load.compressible_ratio = Cache.WARM, False, 1.0
    for word in words:
        option, value = word[:2], word[2:]
        if option == "-b":
            load.block_bytes = _bytes(value)
        elif option == "-r":
            load.random_percent = _percent(value[1:]) if value.startswith("s") else 100
        elif option == "-o":
            load.depth_count = count(value)
        elif option == "-w":
            load.write_percent = _percent(value)
        elif option == "-d":
            load.time_ns = duration_ns(value)
        elif option == "-S":
            _read_caching(load, value)
        elif option == "-Z":
            load.compressible_ratio = 1.0 if not value else 0.0 if "," not in value else None


def _read_caching(load: Load, letters: str) -> None:
    load.server_cache = "r" in letters
    load.cache = Cache.WARM if letters in {"b", "w", "bw"} else Cache.BYPASS
    load.write_through = "w" in letters or "h" in letters


def _percent(text: str) -> int | None:
    found = number(text, ".")
    return int(found) if found is not None and 0 <= found <= 100 else None


def _bytes(text: str) -> int | None:
    match = _SIZE.fullmatch(text.strip())
    return count(str(parse_size(match[1] + match[2][:1].strip("Bb")))) if match else None
