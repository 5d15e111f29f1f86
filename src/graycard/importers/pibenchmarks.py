"""fio's figures in the log of the PiBenchmarks script (Storage.sh), which tells them in a line of its own.

    FIO results - 4k RandWrite: 964 IOPS (3859 KB/s) - 4k RandRead: 2742 IOPS (10969 KB/s)

They are the fields of fio's terse line: KB are KiB. The script runs fio with `--ioengine=libaio --direct=1 --bs=4k
--iodepth=64` in a file of 80 to 200 MB. What else is in its log, other importers read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from graycard.errors import ImportProblem
from graycard.importers.imported import Figures, imported, measurement_id, result_id
from graycard.importers.rows import bounded, refuse_long, short_figure
from graycard.importers.text import Line, lines
from graycard.model import Cache, Durability, IoTask, Operation, Origin, Pattern, Result

TOOL = "pibenchmarks"
_LINE = re.compile(r"FIO results - (?=4k Rand)")
_FIGURES = re.compile(r"4k Rand(Read|Write): ([^\s]{1,20}) IOPS \(([^\s]{1,20}) KB/s\)")
_BLOCK_BYTES, _DEPTH_COUNT = 4096, 64


class PiBenchmarksImporter:
    """The line of fio's figures of the script."""

    name = TOOL

    def recognises(self, head: bytes) -> bool:
        """Whether a line holds fio's figures in the script's words."""
        return any(_LINE.search(line.text) for line in lines(head))

    def read(self, data: bytes) -> tuple[Result, ...]:
        """A result for each figure; ImportProblem where there is none, as after a fio that failed."""
        refuse_long(data, TOOL)
        whole = measurement_id(data, TOOL)
        told = ((line, match) for line in lines(data) if _LINE.search(line.text) for match in _matches(line))
        found = bounded((_result(line, match, whole, count) for count, (line, match) in enumerate(told, 1)), TOOL)
        if not found:
            raise ImportProblem("The log of PiBenchmarks tells no figure of fio's: fio failed there; repeat it")
        return found


def _matches(line: Line) -> Iterator[re.Match[str]]:
    return _FIGURES.finditer(line.text)


def _result(line: Line, match: re.Match[str], whole: str, number: int) -> Result:
    kind, ops, kib = match.groups()
    return imported(
        result_id(whole, number),
        Origin(TOOL, None, "fio libaio", f"4k Rand{kind}"),
        IoTask(
            Operation(kind.lower()),
            Pattern.RANDOM,
            _BLOCK_BYTES,
            _BLOCK_BYTES,
            depth_count=_DEPTH_COUNT,
            cache=Cache.BYPASS,
            durability=Durability.NONE,
            unstated=("span_bytes", "byte_limit", "compressible_ratio"),
            byte_limit=_BLOCK_BYTES,
        ),
        Figures(
            rate_bytes_per_s=short_figure(kib, TOOL, line.number) * 1024,
            ops_per_s=short_figure(ops, TOOL, line.number),
            # fio cuts both to whole ones.
            rounding_bytes_per_s=_BLOCK_BYTES + 1024,
        ),
        measurement=whole,
    )
