"""The run of a tool that tells its bytes and its time, or its rate in place of one of them."""

from __future__ import annotations

from datetime import datetime

from graycard.importers.imported import UNKNOWN_TIME
from graycard.importers.rows import MOST_COUNT
from graycard.model import Run, Samples


def one_run(
    tool: str,
    moved_bytes: float,
    elapsed_ns: float,
    *,
    ops_count: int = 0,
    error_count: int = 0,
    started_at: datetime = UNKNOWN_TIME,
) -> tuple[Run, ...]:
    """The run in a tuple; an empty one where bytes or time are missing, or more than can be."""
    if not 0 < moved_bytes <= MOST_COUNT or not 1 <= elapsed_ns <= MOST_COUNT or not ops_count <= MOST_COUNT:
        return ()
    elapsed = round(elapsed_ns)
    samples = Samples(tool, elapsed, ops_count, round(moved_bytes), (), elapsed, None, error_count=error_count)
    return (Run(0, 0, started_at, samples, (), ()),)
