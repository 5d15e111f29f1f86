"""Reads the text of CrystalDiskMark 3 to 9, of every edition: what it saves, and what people paste of it.

It shows the best of its runs, and the lowest latency, each for itself (DiskBench.cpp). It bypasses Windows' cache and
never flushes, so what the drive's cache took counts as written; its data are one random MiB again and again, or zeros.
Its IOPS are computed from the rate. Version 3 wrote "4KB" for 4 KiB, and versions up to 6 no block for sequential
tests: 1 MiB, but 128 KiB for those with queues of versions 4 to 6 (its manual).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from graycard.facts import fact
from graycard.importers import diskmark_results
from graycard.importers.diskmark_results import Conduct, Reading
from graycard.importers.diskmark_text import CRYSTAL, Document, Row, found
from graycard.importers.imported import NO_TARGET, Figures
from graycard.model import Aggregate, Fact, IoTask, Operation, Pattern, Result, Target, TargetKind

_BEST = "The rate is the best of its runs and the latency the lowest, each for itself: they may be of different runs."
_NO_FLUSH = "CrystalDiskMark does not flush: what the drive's cache took counts as written."
_REPEATED = "It writes one random MiB again and again: a target that stores duplicates once looks faster than it is."
_DRIVE = re.compile(r"\[ ?([A-Za-z]:)")


class CrystalDiskMarkImporter:
    """CrystalDiskMark 3.0 to 9.0, also UWP, Shizuku, without its header, on one line for each section."""

    name = "crystaldiskmark"

    def recognises(self, head: bytes) -> bool:
        """Whether a text has CDM's header, or rows of its shape without one."""
        return bool(found(head, CRYSTAL))

    def read(self, data: bytes) -> tuple[Result, ...]:
        """All results of CDM in the text; ImportProblem where it holds none."""
        return diskmark_results.read(data, _CONDUCT)


def _reading(document: Document, row: Row) -> Reading:
    task = _task(document, row)
    rate, latency = row.rate_mb_per_s, row.latency_us
    figures = Figures(
        rate_bytes_per_s=None if rate is None else rate * 1e6,
        ops_per_s=row.ops_per_s,
        mean_latency_ns=latency * 1e3 if latency else None,
    )
    return Reading(task, figures, caveats=tuple(_caveats(document, task, figures)))


def _task(document: Document, row: Row) -> IoTask:
    time_ns = document.time_ns("Measure")
    unstated = ["time_ns"] if time_ns is None else []
    if not document.footer:
        unstated.append("compressible_ratio")
    task = diskmark_results.task(document, row, _block_bytes(row), tuple(unstated))
    return replace(task, time_ns=time_ns)


def _block_bytes(row: Row) -> int | None:
    if row.block_bytes or row.pattern is Pattern.RANDOM:
        return row.block_bytes
    return 128 << 10 if row.depth_count else 1 << 20


def _caveats(document: Document, task: IoTask, figures: Figures) -> Iterator[str]:
    if figures.mean_latency_ns and document.run_count != 1:
        yield _BEST
    if task.operation is Operation.WRITE or task.read_ratio is not None:
        yield _NO_FLUSH
        if not document.zeros:
            yield _REPEATED


def _engine(document: Document) -> str | None:
    return None if (document.version or "").startswith("3.") or not document.version else "diskspd"


def _target(document: Document) -> Target:
    drive = _DRIVE.search(document.footer.get("Test", ""))
    return Target(drive[1].upper(), TargetKind.FOLDER) if drive else NO_TARGET


def _facts(document: Document) -> Iterator[Fact]:
    yield from diskmark_results.footer_facts(document, CRYSTAL)
    if document.footer.get("OS"):
        yield fact("os_name", document.footer["OS"], f"{CRYSTAL}: OS")


_CONDUCT = Conduct(
    tool=CRYSTAL,
    engine=_engine,
    aggregate=lambda _: Aggregate.BEST,
    reading=_reading,
    target=_target,
    facts=_facts,
)
