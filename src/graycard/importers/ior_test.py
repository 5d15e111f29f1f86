"""IOR's text, of versions 3.0 to 4.1: settings, a table with a row for each repetition, and a summary.

Rates are MiB/s over the whole time, opening and closing in it; the column IOPS is of the time between them alone.
What a stonewall cut off, or a file that is smaller than planned, is told in a WARNING inside the table.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import datetime

from graycard.importers.ctime import ctime
from graycard.importers.rows import MOST_COUNT, count, duration_ns, figure, limit, size
from graycard.importers.text import Line, Text, number

TOOL = "IOR"
BANNER = re.compile(r"IOR-(\d{1,2}\.\d[^\s:]{0,30}): MPI Coordinated Test of Parallel I/O")
_PAIR = re.compile(r"([A-Za-z][A-Za-z ]{1,30}?) {0,30}[:=] {0,9}(.{0,4000})")
_SIZE = re.compile(r"(\d{1,18}(?:\.\d{1,6})?) (bytes|[KMGT]iB)")
_UNITS = {"bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}
_MOVED = re.compile(r"WARNING: Using actual aggregate bytes moved = (\d{1,19})\.?")
_NO_FSYNC = re.compile(r"ior WARNING: fsync\(\) (?:only available|not supported)")
_SEGMENTS = re.compile(r" -s ?(\d{1,18})(?= |$)")
_ACCESSES = {"read", "write"}


@dataclass(frozen=True, slots=True)
class Repetition:
    """A row of the table; `moved_bytes` is None where it is not known to the last byte."""

    access: str
    bytes_per_s: float
    elapsed_ns: int | None
    moved_bytes: int | None


@dataclass(frozen=True, slots=True)
class Settings:
    """What stands above the table; None is not told."""

    version: str | None = None
    began: datetime | None = None
    command: str | None = None
    api: str | None = None
    file: str | None = None
    random: bool | None = None
    segments: int | None = None
    tasks: int | None = None
    computers: int | None = None
    per_computer: int | None = None
    transfer_bytes: int | None = None
    block_bytes: int | None = None
    stonewall_ns: int | None = None
    wears_out: bool = False
    no_fsync: bool = False

    @property
    def aggregate_bytes(self) -> int | None:
        """What all tasks together should move."""
        if not self.block_bytes or not self.tasks or not self.segments:
            return None
        whole = self.block_bytes * self.tasks * self.segments
        return whole if whole <= MOST_COUNT * 64 else None


@dataclass(slots=True)
class Test:
    """One test: its settings, its repetitions, and the exact means of the summary by access, in MiB/s."""

    settings: Settings = field(default_factory=Settings)
    repetitions: list[Repetition] = field(default_factory=list)
    means: dict[str, float] = field(default_factory=dict)


def parse(text: Text) -> list[Test]:
    """All tests in the order of the text, those without a row too."""
    reader = _Reader()
    for line in text:
        reader.line(line)
    return reader.tests


class _Reader:
    """Takes in line after line."""

    def __init__(self) -> None:
        self.tests: list[Test] = []
        self._columns: list[str] = []
        self._moved: int | None = None
        # fsync is told of before the banner.
        self._no_fsync = False

    def line(self, line: Line) -> None:
        """Take in the next line."""
        # Pages that show commands make comments of the output.
        text = line.text.strip().lstrip("#").strip()
        self._no_fsync |= bool(_NO_FSYNC.match(text))
        if banner := BANNER.search(text):
            self._begin(Settings(version=banner[1], no_fsync=self._no_fsync))
        elif text in {"Options:", "Summary:"} and (not self.tests or self.tests[-1].repetitions):
            # The next test of one call; or the first one, copied without what stands above.
            known = self.tests[-1].settings if self.tests else Settings()
            self._begin(Settings(known.version, known.began, known.command, no_fsync=known.no_fsync))
        elif text.startswith("access ") and "bw(MiB/s)" in text:
            if not self.tests:
                self._begin(Settings())
            self._columns = text.split()
        elif text.startswith("Operation ") and "Mean(MiB)" in text:
            self._columns = text.split()
        elif moved := _MOVED.match(text):
            self._moved = count(moved[1])
        elif self.tests and not self._row(text, line.number) and (pair := _PAIR.fullmatch(text)):
            self.tests[-1].settings = _with(self.tests[-1].settings, pair[1].strip(), pair[2].strip())

    def _begin(self, settings: Settings) -> None:
        self.tests.append(Test(settings))
        limit(len(self.tests), TOOL)
        self._columns, self._moved, self._no_fsync = [], None, False

    def _row(self, text: str, line: int) -> bool:
        cells = text.split()
        if not cells or cells[0] not in _ACCESSES or len(cells) < 4 or not self._columns:
            return False
        named = dict(zip(self._columns, cells, strict=False))
        test = self.tests[-1]
        if self._columns[0] == "Operation":
            test.means[cells[0]] = figure(named.get("Mean(MiB)", ""), TOOL, line)
        elif len(cells) == len(self._columns):
            test.repetitions.append(
                Repetition(
                    cells[0],
                    figure(named.get("bw(MiB/s)", ""), TOOL, line) * (1 << 20),
                    duration_ns(named.get("total(s)", "")),
                    self._moved or test.settings.aggregate_bytes,
                )
            )
            self._moved = None
            limit(len(test.repetitions), TOOL)
        return True


def _with(settings: Settings, name: str, value: str) -> Settings:
    """The settings with one more of them; others are passed over."""
    match name:
        case "Began":
            return replace(settings, began=ctime(value))
        case "Command line" | "Command line used":
            # Up to 3.1 the segments are told here alone, and are one without the option.
            segments = _SEGMENTS.search(value)
            return replace(settings, command=value, segments=count(segments[1]) if segments else 1)
        case "api":
            return replace(settings, api=value.split()[0] if value else None)
        case "test filename":
            return replace(settings, file=value or None)
        case "ordering in a file":
            return replace(settings, random=value.startswith("random"))
        case "segments":
            return replace(settings, segments=count(value))
        case "tasks":
            return replace(settings, tasks=count(value))
        case "nodes":
            return replace(settings, computers=count(value))
        case "clients per node":
            return replace(settings, per_computer=count(value))
        case _:
            return _with_size(settings, name, value)


def _with_size(settings: Settings, name: str, value: str) -> Settings:
    match name:
        # "clients = 64 (1 per node)", up to 3.1.
        case "clients":
            tasks, _, rest = value.partition("(")
            return replace(settings, tasks=count(tasks), per_computer=count(rest.partition(" ")[0]))
        case "xfersize":
            return replace(settings, transfer_bytes=_bytes(value))
        case "blocksize":
            return replace(settings, block_bytes=_exact(value))
        case "stonewallingTime":
            return replace(settings, stonewall_ns=duration_ns(value))
        case "stoneWallingWearOut":
            return replace(settings, wears_out=value == "1")
        case _:
            return settings


def _bytes(text: str) -> int | None:
    match = _SIZE.fullmatch(text)
    return size(match[1], _UNITS[match[2]]) if match else None


def _exact(text: str) -> int | None:
    """As `_bytes`, of a number that was not rounded: "9.46 TiB" is."""
    found = number(text.partition(" ")[0], ".")
    return _bytes(text) if found is not None and found == int(found) else None
