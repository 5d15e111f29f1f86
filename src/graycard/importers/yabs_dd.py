"""What YABS measures by dd where it has no fio: three times 1 GiB of zeros, written and read in order.

    dd Sequential Disk Speed Tests:
           | Test 1      | Test 2      | Test 3      | Avg
    Write  | 420 MB/s    | 395 MB/s    | 454 MB/s    | 423.00 MB/s
    Read   | 402 MB/s    | 642 MB/s    | 569 MB/s    | 537.67 MB/s

The units are dd's, decimal. It writes blocks of 64k around the page cache (oflag=direct) and reads blocks of 8k through
it; nothing is flushed (yabs.sh, dd_test).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from statistics import fmean

from graycard.importers.imported import Figures, imported, result_id
from graycard.importers.rows import figure
from graycard.importers.text import Line, Text
from graycard.model import Aggregate, Cache, Durability, IoTask, Operation, Origin, Pattern, Result

TOOL = "yabs"
_TITLE = re.compile(r"^dd Sequential Disk Speed Tests:?$")
_ROW = re.compile(r"^\|? ?(Write|Read) *\|(.{1,200})$")
_CELL = re.compile(r"^([\d.,]{1,12}) ?([kMGT]?)B/s$")
_UNITS = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_SPAN_BYTES = 1 << 30
_BLOCK_BYTES = {Operation.WRITE: 64 << 10, Operation.READ: 8 << 10}
_TEST_COUNT = 3
_FEWER = "Only {} of the {} tests have a figure: the average that YABS prints is too low."
_CACHED = "It was read through the page cache, which YABS does not empty: part or all of it may be memory's speed."


def is_own(text: Text) -> bool:
    """Whether the title of the table stands there."""
    return any(_TITLE.match(line.text.strip()) for line in text)


def results(text: Text, version: str | None, whole: str) -> Iterator[Result]:
    """A result for each row of each table of dd's figures: the mean of its tests."""
    made, inside = 0, False
    for line in text:
        words = line.text.strip()
        if _TITLE.match(words):
            inside = True
        elif inside and (row := _ROW.match(words)):
            made += 1
            yield _result(Operation(row[1].lower()), _rates(row[2], line), version, whole, made)
        elif words and "|" not in words and not words.startswith("---"):
            inside = False


def _rates(cells: str, line: Line) -> list[float]:
    """The rates of the tests, without the average behind them."""
    found = [_CELL.match(cell.strip()) for cell in cells.split("|")[:_TEST_COUNT]]
    return [figure(cell[1].replace(",", "."), TOOL, line.number) * _UNITS[cell[2]] for cell in found if cell]


def _result(operation: Operation, rates: list[float], version: str | None, whole: str, number: int) -> Result:
    reads = operation is Operation.READ
    fewer = (_FEWER.format(len(rates), _TEST_COUNT),) if len(rates) < _TEST_COUNT else ()
    return imported(
        result_id(whole, number),
        Origin(TOOL, version, "dd", None, Aggregate.MEAN),
        IoTask(
            operation,
            Pattern.SEQUENTIAL,
            _BLOCK_BYTES[operation],
            _SPAN_BYTES,
            byte_limit=_SPAN_BYTES,
            cache=Cache.WARM if reads else Cache.BYPASS,
            durability=Durability.NONE,
            compressible_ratio=1.0,
        ),
        Figures(rate_bytes_per_s=fmean(rates) if rates else None, run_count=len(rates)),
        measurement=whole,
        caveats=(*fewer, *((_CACHED,) if reads else ())),
    )
