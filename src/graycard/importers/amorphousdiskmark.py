"""Reads the text that AmorphousDiskMark puts on the clipboard.

It shows the median of its runs (DiskMark.m). F_NOCACHE bypasses the cache; the time of a write includes an fsync, which
on macOS does not reach the medium. A run touches each block at most once, so it ends with the file or after its limit
(5 s where none is printed). Queues are threads on one descriptor. MB/s and IOPS are counted apart from each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from graycard.facts import fact
from graycard.importers import diskmark_results
from graycard.importers.diskmark_results import Conduct, Reading
from graycard.importers.diskmark_text import AMORPHOUS, Document, Row, found
from graycard.importers.imported import Figures
from graycard.model import Aggregate, Durability, Fact, IoTask, Operation, Result

_SHORT = "A run goes over the file once: {:.2g} s at this rate, so that caches may have taken all of it."
_FLUSH = "The flush is fsync, which on macOS does not wait for the medium (F_FULLFSYNC does)."
_REPEATED = "It writes one random buffer again and again: a target that stores duplicates once looks faster than it is."
_USED = re.compile(r": ?\d{1,3}% used")
# What a short run is: its five seconds were not needed by far.
_SHORT_NS = 1_000_000_000


class AmorphousDiskMarkImporter:
    """AmorphousDiskMark, all versions (4.0.2 tested)."""

    name = "amorphousdiskmark"

    def recognises(self, head: bytes) -> bool:
        """Whether a text has ADM's header, or rows of its shape without one."""
        return bool(found(head, AMORPHOUS))

    def read(self, data: bytes) -> tuple[Result, ...]:
        """All results of ADM in the text; ImportProblem where it holds none."""
        return diskmark_results.read(data, _CONDUCT)


def _reading(document: Document, row: Row) -> Reading:
    task = _task(document, row)
    rate = None if row.rate_mb_per_s is None else row.rate_mb_per_s * 1e6
    return Reading(task, Figures(rate_bytes_per_s=rate, ops_per_s=row.ops_per_s), (), tuple(_caveats(task, rate)))


def _task(document: Document, row: Row) -> IoTask:
    told = bool(document.footer)
    task = diskmark_results.task(
        document, row, row.block_bytes, () if told else ("time_ns", "byte_limit", "compressible_ratio")
    )
    unlimited = "No Limit" in document.footer.get("Test", "")
    limit_ns = None if unlimited or not told else document.time_ns("Limit") or 5_000_000_000
    writes = task.operation is Operation.WRITE
    return replace(
        task,
        time_ns=limit_ns,
        byte_limit=document.span_bytes,
        durability=Durability.AT_END if writes else Durability.NONE,
    )


def _caveats(task: IoTask, rate_bytes_per_s: float | None) -> Iterator[str]:
    if rate_bytes_per_s and task.byte_limit and task.byte_limit < rate_bytes_per_s * _SHORT_NS / 1e9:
        yield _SHORT.format(task.byte_limit / rate_bytes_per_s)
    if task.operation is Operation.WRITE:
        yield _FLUSH
        if not task.compressible_ratio:
            yield _REPEATED


def _facts(document: Document) -> Iterator[Fact]:
    yield from diskmark_results.footer_facts(document, AMORPHOUS)
    volume = document.footer.get("Volume", "")
    if name := _USED.split(volume)[0].strip():
        yield fact("volume_name", name, f"{AMORPHOUS}: Volume")
    if document.footer.get("OS"):
        yield fact("os_name", document.footer["OS"], f"{AMORPHOUS}: OS")


_CONDUCT = Conduct(
    tool=AMORPHOUS,
    engine=lambda _: None,
    aggregate=lambda _: Aggregate.MEDIAN,
    reading=_reading,
    target=diskmark_results.no_target,
    facts=_facts,
)
