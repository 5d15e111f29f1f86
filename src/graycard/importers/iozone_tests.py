"""What iozone prints, as records: its tests, its settings, its figures. Sizes in KiB, as iozone counts them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from graycard.importers.ctime import ctime
from graycard.model import Operation, Pattern

TOOL = "iozone"


@dataclass(frozen=True, slots=True)
class Test:
    """One of iozone's tests; `group` is its number for the option -i."""

    name: str
    group: int
    operation: Operation
    pattern: Pattern = Pattern.SEQUENTIAL
    variant: str | None = None


_READ, _WRITE = Operation.READ, Operation.WRITE
# In the order of the table's columns.
TESTS = (
    Test("write", 0, _WRITE),
    Test("rewrite", 0, _WRITE, variant="rewrite"),
    Test("read", 1, _READ),
    Test("reread", 1, _READ, variant="reread"),
    Test("random read", 2, _READ, Pattern.RANDOM),
    Test("random write", 2, _WRITE, Pattern.RANDOM),
    Test("backward read", 3, _READ, variant="backward"),
    Test("record rewrite", 4, _WRITE, variant="record rewrite"),
    Test("stride read", 5, _READ, variant="stride"),
    Test("fwrite", 6, _WRITE, variant="fwrite"),
    Test("refwrite", 6, _WRITE, variant="refwrite"),
    Test("fread", 7, _READ, variant="fread"),
    Test("refread", 7, _READ, variant="refread"),
)
_PWRITE = Test("pwrite", 9, _WRITE, variant="pwrite")
_PREAD = Test("pread", 10, _READ, variant="pread")
# Some processes read while the others write: Settings.reader_count.
MIXED = Test("mixed workload", 8, _READ, Pattern.RANDOM)
# Titles of the spreadsheet's reports, in lower case and without "report".
REPORTS = {
    "writer": TESTS[0],
    "re-writer": TESTS[1],
    "reader": TESTS[2],
    "re-reader": TESTS[3],
    "random read": TESTS[4],
    "random write": TESTS[5],
    "backward read": TESTS[6],
    "record rewrite": TESTS[7],
    "stride read": TESTS[8],
    "fwrite": TESTS[9],
    "re-fwrite": TESTS[10],
    "fread": TESTS[11],
    "re-fread": TESTS[12],
}
# What moves the data in throughput mode.
MOVERS = {
    "initial writers": TESTS[0],
    "rewriters": TESTS[1],
    "readers": TESTS[2],
    "re-readers": TESTS[3],
    "random readers": TESTS[4],
    "random writers": TESTS[5],
    "reverse readers": TESTS[6],
    "stride readers": TESTS[8],
    "pwrite writers": _PWRITE,
    "pread readers": _PREAD,
    "fwriters": TESTS[9],
    "freaders": TESTS[11],
    "mixed workload": MIXED,
}


class Unit(StrEnum):
    """What iozone's figures are: KiB/s, or operations a second (-O), or microseconds an operation (-N)."""

    KIB_PER_S = "KiB/s"
    OPS_PER_S = "ops/s"
    US_PER_OP = "µs/op"


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure. `children` is what the processes saw of their own time, `idle` that one of them moved nothing."""

    test: Test
    span_kib: int | None
    record_kib: int | None
    value: float
    unit: Unit
    worker_count: int = 1
    children: float | None = None
    idle: bool = False


_VERSION = re.compile(r"Version \$Revision: {1,4}(\d[\d.]{0,8})")
_COMMAND = re.compile(r"Command line used: (.*)")
# iozone's options that have no value, and may stand in one word.
_FLAGS = re.compile(r"-[aAceIoONRpTMCDGzZKQ]+")
_GROUPS = re.compile(r"-i ?(\d{1,2})(?= |$)")
_FILE = re.compile(r" -f ?(\S{1,255})")
_UNMOUNT = re.compile(r" -U ?\S")
_PERCENT_READ = re.compile(r"Percent read in mix test is (\d{1,3})$")
# The ">>>" before it, as before "O_DSYNC mode", is taken off as a quote mark.
_SEQUENTIAL_MIX = "Sequential Mixed workload"
_SHARED_BY_HAND = re.compile(r" -\+K")
_OTHER_DATA = re.compile(r" -\+[wyC] ?\d")


@dataclass(slots=True)
class Settings:
    """What stands above iozone's figures. `stated` is whether anything of it was there."""

    stated: bool = False
    version: str | None = None
    began: datetime | None = None
    command: str = ""
    direct: bool = False
    flush: bool = False
    sync: bool = False
    unit: Unit = Unit.KIB_PER_S
    percent_read: int = 0
    sequential_mix: bool = False

    def read(self, line: str) -> None:
        """Take in what a line says of the settings; others are passed over."""
        if version := _VERSION.search(line):
            self.stated, self.version = True, version[1]
        elif line.startswith("Run began:"):
            self.stated, self.began = True, ctime(line)
        elif command := _COMMAND.match(line):
            self.read_command(command[1])
        elif line.startswith("O_DIRECT feature enabled"):
            self.direct = True
        elif line.startswith("Include fsync in write timing"):
            self.flush = True
        elif line.startswith(("SYNC Mode", "O_DSYNC mode", "Read & Write sync mode")):
            self.sync = True
        else:
            self._read_mode(line)

    def _read_mode(self, line: str) -> None:
        if percent := _PERCENT_READ.match(line):
            self.percent_read = min(int(percent[1]), 100)
        elif line.startswith(_SEQUENTIAL_MIX):
            self.sequential_mix = True
        elif line.startswith("OPS Mode."):
            self.unit = Unit.OPS_PER_S
        elif line.startswith("Microseconds/op Mode."):
            self.unit = Unit.US_PER_OP

    def read_command(self, command: str) -> None:
        """Take in iozone's own command line."""
        self.stated, self.command = True, command.strip()
        flags = "".join(word for word in self.command.split() if _FLAGS.fullmatch(word))
        self.direct |= "I" in flags
        self.flush |= "e" in flags
        self.sync |= "o" in flags
        if "O" in flags:
            self.unit = Unit.OPS_PER_S
        elif "N" in flags:
            self.unit = Unit.US_PER_OP

    def reader_count(self, worker_count: int) -> int | None:
        """How many processes of a mixed workload read (iozone.c, thread_mix_test): every second one, the first too,
        or the share that was asked for (-+p), cut to whole ones. None where it was shared out by hand (-+K).
        """
        if self.percent_read:
            return worker_count * self.percent_read // 100
        return None if _SHARED_BY_HAND.search(self.command) else (worker_count + 1) // 2

    @property
    def unmounts(self) -> bool:
        """Whether the file system was unmounted before each test (-U), which empties the cache."""
        return bool(_UNMOUNT.search(self.command))

    @property
    def other_data(self) -> bool:
        """Whether data were asked for that do not compress to nothing."""
        return bool(_OTHER_DATA.search(self.command))

    @property
    def file(self) -> str | None:
        """The file that was measured, where it is named."""
        found = _FILE.search(self.command)
        return found[1] if found else None

    @property
    def columns(self) -> tuple[Test, ...] | None:
        """The columns of the table that have figures, by the command; None where that is not there."""
        if not self.command:
            return None
        groups = {int(number) for number in _GROUPS.findall(self.command)}
        return tuple(test for test in TESTS if not groups or test.group in groups)
