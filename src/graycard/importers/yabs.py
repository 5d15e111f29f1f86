"""fio's figures as YABS (yet-another-bench-script) and its kin tell them, in forums and in JSON.

    fio Disk Speed Tests (Mixed R/W 50/50) (Partition /dev/vda1):
    Block Size | 4k            (IOPS) | 64k           (IOPS)
    Read       | 397.81 MB/s  (99.4k) | 6.90 GB/s    (102.7k)
    Total      | …                                               reads and writes together, which are there apart

    {"version": "v2022-08-17", …, "fio": [{"bs": "4k", "speed_r": 165590, "iops_r": 41397, …}]}

The script takes fio's KiB/s for kB/s and divides by 1000 (yabs.sh, format_speed): its MB are 1,024,000 bytes. It cuts
the operations to whole ones or to tenths of a thousand, so the rate is the finer figure. Its own run is one of
`--rw=randrw --iodepth=64 --numjobs=2 --runtime=30 --direct=1`, in a file of 512 MB or 2 GB.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from graycard.errors import ImportProblem
from graycard.facts import fact
from graycard.importers import yabs_dd
from graycard.importers.imported import Figures, imported, measurement_id, result_id
from graycard.importers.json_text import document_in, json_decoder, refuse_crowded
from graycard.importers.rows import bounded, figure, refuse_long
from graycard.importers.text import LARGEST, Line, Text, lines
from graycard.model import Cache, Durability, IoTask, Operation, Origin, Pattern, Result
from graycard.units import parse_size

TOOL = "yabs"
_TITLE = re.compile(r"^fio Disk Speed Tests(?P<mixed> \(Mixed R/W [\d/]{3,7}\))?(?: \(Partition (\S{1,100})\))?:?$")
_BLOCKS = re.compile(r"^\|? ?Block Size *\|(.{1,300})$")
_BLOCK = re.compile(r"^(\d{1,6}[kKmM]?)i?B? *\(IOPS\)$")
_ROW = re.compile(r"^\|? ?(Rand)?(read|write) *\|(.{1,300})$", re.IGNORECASE)
_CELL = re.compile(r"^([^\s]{1,20}) ?([KMG]?)B/s *\(([^\s()]{1,20}?)(k?)\)$")
_VERSION = re.compile(r"^[#\s]{0,60}(v\d{4}-\d\d-\d\d)[#\s]{0,60}$")
_JSON = re.compile(r'"fio"\s{0,9}:\s{0,9}\[\s{0,20}\{\s{0,20}"bs"\s{0,9}:')
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9}
# fio's KiB over the kB for which they are taken.
_KIB_RATIO = 1.024
_DEPTH_COUNT, _JOB_COUNT, _TIME_NS = 64, 2, 30_000_000_000
_MB = "YABS takes fio's KiB for kB: its MB/s are 1,024,000 bytes, which is put right here."
_ALSO = "Reads and writes ran at once, as many of one as of the other: this is the {} half alone."


@dataclass(frozen=True, slots=True)
class _Figure:
    """One figure as the script has it. `step` is one of the last digit of its operations."""

    block_bytes: int
    operation: Operation
    pattern: Pattern
    stated_bytes_per_s: float
    ops_per_s: float
    step: float
    mixed: bool
    device: str | None = None


class YabsImporter:
    """YABS, its table and its JSON."""

    name = TOOL

    def recognises(self, head: bytes) -> bool:
        """Whether a line is the title of its table of fio's figures, or its JSON begins."""
        text = lines(head)
        titled = " Disk Speed Tests" in text.whole
        by_title = titled and (yabs_dd.is_own(text) or any(_TITLE.match(line.text.strip()) for line in text))
        return by_title or _is_json(text)

    def read(self, data: bytes) -> tuple[Result, ...]:
        """A result for each figure; ImportProblem where there is none."""
        refuse_long(data, TOOL)
        text, whole = lines(data), measurement_id(data, TOOL)
        version, figures = _from_json(text) if _is_json(text) else _from_table(text)
        numbered = enumerate(figures, 1)
        by_fio = (_result(each, version, whole, number) for number, each in numbered)
        found = bounded(chain(by_fio, yabs_dd.results(text, version, measurement_id(data, TOOL, "dd"))), TOOL)
        if not found:
            raise ImportProblem("YABS's table holds no figure of fio's or dd's: copy the whole table")
        return found


def _is_json(text: Text) -> bool:
    return bool(_JSON.search(text.plain))


def _from_table(text: Text) -> tuple[str | None, Iterator[_Figure]]:
    version = next((match[1] for line in text if (match := _VERSION.match(line.text))), None)
    return version, _rows(text)


def _rows(text: Text) -> Iterator[_Figure]:
    title: re.Match[str] | None = None
    blocks: list[int | None] = []
    for line in text:
        words = line.text.strip()
        if found := _TITLE.match(words):
            title, blocks = found, []
        elif not title:
            continue
        elif found := _BLOCKS.match(words):
            blocks = [_block(cell) for cell in _cells(found[1])]
        elif blocks and (found := _ROW.match(words)):
            yield from _row(found, blocks, title, line)
        elif words and "|" not in words and not words.startswith("---"):
            title = None


def _row(row: re.Match[str], blocks: list[int | None], title: re.Match[str], line: Line) -> Iterator[_Figure]:
    mixed = bool(title["mixed"])
    pattern = Pattern.RANDOM if mixed or row[1] else Pattern.SEQUENTIAL
    for block, cell in zip(blocks, _cells(row[3]), strict=False):
        match = _CELL.match(cell)
        if not block or not match:
            continue
        ops, kilo = figure(match[3], TOOL, line.number), 1000 if match[4] else 1
        decimals = len(match[3].partition(".")[2])
        yield _Figure(
            block,
            Operation(row[2].lower()),
            pattern,
            figure(match[1], TOOL, line.number) * _UNITS[match[2]],
            ops * kilo,
            10.0**-decimals * kilo,
            mixed,
            title[2],
        )


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.rstrip("| ").split("|")]


def _block(text: str) -> int | None:
    match = _BLOCK.match(text)
    return parse_size(match[1]) or None if match else None


def _from_json(text: Text) -> tuple[str | None, Iterator[_Figure]]:
    refuse_crowded(text.whole, "YABS")
    try:
        document, _ = json_decoder().raw_decode(document_in(text))
    except ValueError as error:
        raise ImportProblem(f"YABS's JSON is damaged or cut short ({error}): get the whole file") from error
    rows = document.get("fio") if isinstance(document, dict) else None
    version = document.get("version") if isinstance(document, dict) else None
    known = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return str(version)[:40] if version else None, (found for row in known for found in _of_json(row))


def _of_json(row: Mapping[str, object]) -> Iterator[_Figure]:
    block = _block(f"{row.get('bs')} (IOPS)")
    for letter, operation in (("r", Operation.READ), ("w", Operation.WRITE)):
        speed, ops = _amount(row.get(f"speed_{letter}")), _amount(row.get(f"iops_{letter}"))
        if block and speed is not None and ops is not None:
            yield _Figure(block, operation, Pattern.RANDOM, speed * 1e3, ops, 1.0, mixed=True)


def _amount(value: object) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and isinstance(value, int | float) and 0 <= value <= LARGEST else None


def _result(found: _Figure, version: str | None, whole: str, number: int) -> Result:
    true = found.stated_bytes_per_s * _KIB_RATIO
    # Only where the operations bear it out: a kin of the script may have put the unit right.
    borne_out = abs(true - found.ops_per_s * found.block_bytes) <= max(found.step * found.block_bytes, 0.005 * true)
    rate, remark = (true, (_MB,)) if borne_out else (found.stated_bytes_per_s, ())
    return imported(
        result_id(whole, number),
        Origin(TOOL, version, "fio"),
        _task(found),
        Figures(
            rate_bytes_per_s=rate,
            ops_per_s=found.ops_per_s,
            stated_bytes_per_s=found.stated_bytes_per_s if borne_out else None,
            rounding_bytes_per_s=found.step * found.block_bytes,
        ),
        measurement=whole,
        facts=(fact("device_name", found.device.removeprefix("/dev/"), f"{TOOL}: Partition"),) if found.device else (),
        caveats=(*remark, *((_ALSO.format(found.operation.value),) if found.mixed else ())),
    )


def _task(found: _Figure) -> IoTask:
    settings = ("depth_count", "worker_count", "cache", "time_ns", "byte_limit")
    return IoTask(
        found.operation,
        found.pattern,
        found.block_bytes,
        found.block_bytes,
        depth_count=_DEPTH_COUNT * _JOB_COUNT if found.mixed else 1,
        worker_count=_JOB_COUNT if found.mixed else 1,
        time_ns=_TIME_NS,
        cache=Cache.BYPASS,
        durability=Durability.NONE,
        unstated=("span_bytes", "compressible_ratio", *(() if found.mixed else ("durability", *settings))),
    )
