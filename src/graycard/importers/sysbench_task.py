"""sysbench's settings as a task."""

from __future__ import annotations

from graycard.importers.sysbench_text import Half, Report
from graycard.model import Cache, Durability, IoTask, Operation, Pattern

# sysbench's own default, and what it keeps in flight with asynchronous I/O.
_BLOCK_BYTES = 16 << 10
_BACKLOG_COUNT = 128


def task(report: Report, half: Half) -> IoTask:
    """What this half did. Without directio a read may be answered by the page cache, which sysbench does not empty."""
    threads = report.threads or 1
    direct = "directio" in report.flags
    return IoTask(
        half.operation or Operation.READ,
        Pattern.RANDOM if report.random else Pattern.SEQUENTIAL,
        report.block_bytes or _BLOCK_BYTES,
        report.span_bytes or report.block_bytes or _BLOCK_BYTES,
        depth_count=threads * (_BACKLOG_COUNT if report.io_mode == "asynchronous" else 1),
        worker_count=threads,
        time_ns=report.elapsed_ns,
        cache=Cache.BYPASS if direct else Cache.WARM,
        durability=_durability(report, half),
        compressible_ratio=1.0,
        unstated=tuple(_unstated(report)),
        read_ratio=None if half.operation else report.read_ratio,
        variant="prepare" if report.prepared else None,
    )


def _durability(report: Report, half: Half) -> Durability:
    if half.operation is Operation.READ:
        return Durability.NONE
    if report.fsync_each or "sync" in report.flags:
        return Durability.EACH_WRITE
    return Durability.AT_END if report.fsync_at_end else Durability.NONE


def _unstated(report: Report) -> list[str]:
    missing = {
        "pattern": not report.test,
        "block_bytes": report.block_bytes is None,
        "span_bytes": report.span_bytes is None,
        "depth_count": (report.threads is None and not report.prepared) or report.io_mode == "asynchronous",
        "worker_count": report.threads is None and not report.prepared,
        "cache": not report.flags,
    }
    return [name for name, absent in missing.items() if absent]
