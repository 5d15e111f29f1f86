"""Reads the text of KDiskMark, whose MB are 1,024,000 bytes.

It runs fio and divides fio's KiB/s by 1000 (benchmark.cpp), so its MB/s are 2.4 % low; its IOPS are right, and IOPS ×
block is what is published here. Where the two do not differ by that factor, the printed rate is kept and fails a check
(version 1.0 printed MiB/s). The default profile shows the mean of its runs, the others the best of them.
Versions before 3.3.0 left out every second job of tests with several (commit 56e0ce2).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from graycard.facts import fact
from graycard.importers import diskmark_results
from graycard.importers.diskmark_results import Conduct, Reading
from graycard.importers.diskmark_text import KDE, Document, Row, found
from graycard.importers.imported import AGREEMENT_RATIO, NO_TARGET, Figures
from graycard.model import (
    Aggregate,
    Check,
    Durability,
    Fact,
    IoTask,
    Operation,
    Result,
    Target,
    TargetKind,
    Verdict,
)

_MB, _MIB = 1_024_000, 1 << 20
_FIRST_RIGHT = (3, 3)
_UNIT = "KDiskMark calls 1,024,000 bytes a MB: its figure as printed is 2.4 % low, and corrected here."
_MEBIBYTES = "The two would agree if its MB/s were MiB/s (1,048,576 bytes), as version 1.0 seems to have printed."
_MIXED = (
    "KDiskMark's mixed figure is the mean of the rates of reading and writing, weighted by their shares, not a sum."
)
_TARGET = re.compile(r"^(.{0,1000}?) \d{1,3}(?:[.,]\d{1,3})?% \(")
_KERNEL = re.compile(r"^(.{0,200}?) ?\[linux ([^\]\n]{1,100})\]")


class KDiskMarkImporter:
    """KDiskMark 1.0 to 3.3."""

    name = "kdiskmark"

    def recognises(self, head: bytes) -> bool:
        """Whether a text has KDiskMark's header, or rows of its shape without one."""
        return bool(found(head, KDE))

    def read(self, data: bytes) -> tuple[Result, ...]:
        """All results of KDiskMark in the text; ImportProblem where it holds none."""
        return diskmark_results.read(data, _CONDUCT)


def _reading(document: Document, row: Row) -> Reading:
    task = _task(document, row)
    figures, caveats = _figures(document, row, task)
    if task.read_ratio is not None:
        caveats = (*caveats, _MIXED)
    return Reading(task, figures, tuple(_checks(document, task)), caveats)


def _figures(document: Document, row: Row, task: IoTask) -> tuple[Figures, tuple[str, ...]]:
    printed, ops, latency = row.rate_mb_per_s, row.ops_per_s, row.latency_us
    figures = Figures(
        rate_bytes_per_s=None if printed is None else printed * 1e6,
        ops_per_s=ops,
        mean_latency_ns=latency * 1e3 if latency else None,
    )
    if not printed:
        return figures, ()
    if not ops or "block_bytes" in task.unstated:
        if document.version is None:
            return figures, ()
        return replace(figures, rate_bytes_per_s=printed * _MB, stated_bytes_per_s=printed * 1e6), (_UNIT,)
    counted, rounding = ops * task.block_bytes, 0.05 * task.block_bytes
    if _near(printed * _MB, counted, rounding):
        return replace(figures, rate_bytes_per_s=counted, stated_bytes_per_s=printed * 1e6), (_UNIT,)
    return figures, (_MEBIBYTES,) if _near(printed * _MIB, counted, rounding) else ()


def _near(supposed: float, counted: float, rounding: float) -> bool:
    """Whether both are one figure: IOPS are printed to a tenth, MB/s to a thousandth."""
    return abs(supposed - counted) <= max(AGREEMENT_RATIO * counted, rounding, 0.0005 * _MIB)


def _task(document: Document, row: Row) -> IoTask:
    newer = document.time_ns("Measure") is not None
    unstated = [] if document.footer else ["time_ns", "byte_limit"]
    if newer or not document.footer:
        # From 3.0 on, direct I/O and random data are settings that the text does not tell.
        unstated += ["cache", "compressible_ratio"]
    task = diskmark_results.task(document, row, row.block_bytes, tuple(unstated))
    writes = task.operation is Operation.WRITE or task.read_ratio is not None
    span = document.span_bytes
    return replace(
        task,
        time_ns=document.time_ns("Measure"),
        # fio's size is of each job.
        byte_limit=span * task.worker_count if span else None,
        durability=Durability.AT_END if writes else Durability.NONE,
    )


def _checks(document: Document, task: IoTask) -> Iterator[Check]:
    if task.worker_count == 1:
        return
    verdict, says = Verdict.PASS, "This version counts all of several jobs."
    if not document.headed:
        verdict = Verdict.UNKNOWN
        says = "KDiskMark before 3.3.0 counted about half of several jobs; the text does not tell its version."
    elif _parts(document.version or "1.0") < _FIRST_RIGHT:
        verdict = Verdict.FAIL
        says = (
            f"KDiskMark {document.version or '1.0'} left out every second job: the figure of {task.worker_count} jobs "
            "is about half of what was reached; measure again with 3.3.0 or later."
        )
    yield Check("version_counts_all_jobs", None, None, None, None, verdict, says)


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(part[:9]) for part in re.findall(r"\d+", version))


def _aggregate(document: Document) -> Aggregate | None:
    profile = document.footer.get("Profile")
    if profile is None:
        return None
    return Aggregate.MEAN if profile.startswith("Default") else Aggregate.BEST


def _engine(document: Document) -> str:
    return f"fio {document.fio_version} libaio" if document.fio_version else "fio libaio"


def _target(document: Document) -> Target:
    place = _TARGET.match(document.footer.get("Target", ""))
    return Target(place[1], TargetKind.FOLDER) if place and place[1] else NO_TARGET


def _facts(document: Document) -> Iterator[Fact]:
    yield from diskmark_results.footer_facts(document, KDE)
    system = document.footer.get("OS", "")
    kernel = _KERNEL.match(system)
    if name := kernel[1] if kernel else system:
        yield fact("os_name", name, f"{KDE}: OS")
    if kernel:
        yield fact("kernel_version", kernel[2], f"{KDE}: OS")


_CONDUCT = Conduct(
    tool=KDE,
    engine=_engine,
    aggregate=_aggregate,
    reading=_reading,
    target=_target,
    facts=_facts,
)
