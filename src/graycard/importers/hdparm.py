"""Reads what `hdparm -t`, `-T` and `--direct` print. Its MB are 2^20 bytes (hdparm.c, TIMING_BUF_MB).

-t reads 2 MiB after 2 MiB from the device's beginning for about 3 s; without --direct through a page cache that was
emptied. -T reads the same 2 MiB again and again: the speed of memory, with --direct of the drive's own cache and link.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from graycard.errors import ImportProblem
from graycard.importers.imported import NO_TARGET, Figures, imported, measurement_id, result_id
from graycard.importers.one_run import one_run
from graycard.importers.rows import bounded
from graycard.importers.text import Line, lines, number, whole_number
from graycard.model import (
    Cache,
    Check,
    Durability,
    IoTask,
    Operation,
    Origin,
    Pattern,
    Result,
    Target,
    TargetKind,
    Verdict,
)

TOOL = "hdparm"
_MIB = 1 << 20
_BLOCK_BYTES = 2 * _MIB
_KIND = r"(O_DIRECT disk|buffered disk|O_DIRECT cached|buffer-cache|cached) reads"
_TIMING = re.compile(
    rf"Timing {_KIND}(?: \(offset {{1,3}}(\d{{1,9}}) GB\))?: {{0,8}}(\d{{1,9}}) MB in {{1,8}}([^\s]{{1,12}}) seconds ="
    r" {1,8}([^\s]{1,15}) ([kM])B/sec"
)
_FAILED = re.compile(rf"Timing {_KIND}(?: \(offset {{1,3}}\d{{1,9}} GB\))?: {{0,8}}([^\d\s].{{0,200}})")
_DEVICE = re.compile(r"(/\S{1,300}):")
_UNSTATED = ("span_bytes", "compressible_ratio")
_MEMORY = "hdparm -T reads the same 2 MiB from memory again and again: this says nothing about the drive."
_OWN_CACHE = "hdparm -T --direct reads the same 2 MiB again and again: the speed of the drive's own cache and its link."


class HdparmImporter:
    """hdparm, all versions."""

    name = TOOL

    def recognises(self, head: bytes) -> bool:
        """Whether a text has one of hdparm's lines of timing."""
        text = lines(head).whole
        return bool(_TIMING.search(text) or _FAILED.search(text))

    def read(self, data: bytes) -> tuple[Result, ...]:
        """A result for each line of timing; ImportProblem with what hdparm says where there is none."""
        whole = measurement_id(data, TOOL)
        found = bounded(_results(data, whole), TOOL)
        if not found:
            raise ImportProblem(_failure(data))
        return found


def _results(data: bytes, whole: str) -> Iterator[Result]:
    target, count = NO_TARGET, 0
    for line in lines(data):
        device = _DEVICE.fullmatch(line.text.strip())
        match = _TIMING.search(line.text)
        if device:
            target = Target(device[1], TargetKind.FILE)
        elif match:
            count += 1
            yield _result(match, line, target, whole, count)


def _failure(data: bytes) -> str:
    for line in lines(data):
        if match := _FAILED.search(line.text):
            return f"hdparm failed at line {line.number}: {match[2].strip()}; repeat it on a whole drive, as root"
    return "hdparm's text holds no line with a speed: repeat hdparm -t on a drive and keep the whole output"


def _result(match: re.Match[str], line: Line, target: Target, whole: str, count: int) -> Result:
    kind, _, megabytes, seconds, speed, prefix = match.groups()
    rate, elapsed = number(speed), number(seconds)
    moved = (whole_number(megabytes) or 0) * _MIB
    if rate is None or elapsed is None:
        raise ImportProblem(f"Line {line.number} of hdparm's output has no number for a figure: get the file anew")
    rate *= _MIB if prefix == "M" else 1024
    cached = kind.endswith("cached") or kind == "buffer-cache"
    return imported(
        result_id(whole, count),
        Origin(TOOL, None, None, f"{kind} reads"),
        _task(kind, moved, cached=cached),
        Figures(rate_bytes_per_s=rate),
        measurement=whole,
        target=target,
        # The time is worked out from the speed, which has more digits.
        runs=one_run(TOOL, moved, moved * 1e9 / rate, ops_count=moved // _BLOCK_BYTES) if rate else (),
        checks=(_agreement(moved, elapsed, rate),),
        caveats=((_OWN_CACHE if kind.startswith("O_DIRECT") else _MEMORY),) if cached else (),
    )


def _task(kind: str, moved_bytes: int, *, cached: bool) -> IoTask:
    direct = kind.startswith("O_DIRECT")
    task = IoTask(
        Operation.READ,
        Pattern.SEQUENTIAL,
        _BLOCK_BYTES,
        _BLOCK_BYTES if cached else max(1, moved_bytes),
        time_ns=2_000_000_000 if cached else 3_000_000_000,
        cache=Cache.BYPASS if direct else Cache.WARM if cached else Cache.COLD,
        durability=Durability.NONE,
        variant="cached" if cached else None,
    )
    return replace(task, unstated=tuple(name for name in _UNSTATED if name != "span_bytes" or not cached))


def _agreement(moved_bytes: int, elapsed_s: float, rate: float) -> Check:
    """Times have two decimals: a run of 0.12 s may have lasted 4 % more or less."""
    counted = moved_bytes / elapsed_s if elapsed_s else None
    if not counted:
        return Check("printed_rate", None, rate, "bytes/s", None, Verdict.UNKNOWN, "hdparm printed no time.")
    tolerance = 0.005 / elapsed_s + 0.01
    if abs(rate - counted) <= tolerance * counted:
        verdict, says = Verdict.PASS, "The printed speed is MB over seconds."
    else:
        verdict, says = Verdict.FAIL, "hdparm's line contradicts itself: its speed is not its MB over its seconds."
    return Check("printed_rate", counted, rate, "bytes/s", tolerance, verdict, says)
