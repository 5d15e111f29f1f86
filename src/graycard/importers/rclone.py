"""Reads rclone's text (--stats, -P, one line), its JSON log (--use-json-log) and its rc core/stats, core/transferred.

"MiB", older "MBytes" are 2^20 bytes, "Mibit" 2^20 bits. The speed is rclone's own: up to 1.60 bytes over the time with
a transfer going on, later a moving average; bytes over the whole time are told beside it where they are far off.
"""

from __future__ import annotations

from collections.abc import Iterator

from graycard.errors import ImportProblem
from graycard.importers.imported import UNKNOWN_TIME, Figures, imported, measurement_id, result_id
from graycard.importers.one_run import one_run
from graycard.importers.rclone_json import is_json, log_snapshots
from graycard.importers.rclone_text import Snapshot, is_own, last_of_each, text_snapshots
from graycard.importers.rows import bounded
from graycard.importers.text import lines
from graycard.model import Action, IoTask, Operation, Origin, Pattern, Result, Run, Transfer
from graycard.units import format_rate, format_size

TOOL = "rclone"
_UNSTATED = ("block_bytes", "depth_count", "cache", "durability", "compressible_ratio")
_NOTHING = "rclone had nothing to transfer: nothing was measured."
_NO_SPEED = "rclone moved {} and gives no speed: it was too short for it."
_OTHER = (
    "rclone's speed counts the time with a transfer going on, or the last seconds; over the whole {:.1f} s it was {}."
)
_NO_FLUSH = "rclone does not flush what it wrote: the last of it may not have reached the drive."
_WORKED_OUT = "The rate is worked out from the begin and the end of {} single files."
_UNFINISHED = "rclone had moved {} of {} when it wrote this: the copy was not finished."


class RcloneImporter:
    """rclone 1.4 to 1.7x."""

    name = TOOL

    def recognises(self, head: bytes) -> bool:
        """Whether it is rclone's log in text or JSON, or an answer of its remote control."""
        return is_json(head) or is_own(lines(head))

    def read(self, data: bytes) -> tuple[Result, ...]:
        """A result for each copy; ImportProblem where there is none."""
        snapshots = log_snapshots(data) if is_json(data) else text_snapshots(lines(data))
        file = measurement_id(data, TOOL).encode()
        numbered = enumerate(last_of_each(snapshots), 1)
        found = bounded((_result(each, measurement_id(file, count)) for count, each in numbered), TOOL)
        if not found:
            raise ImportProblem("rclone's output holds no statistics: repeat it with -v, --progress or --use-json-log")
        return found


def _result(each: Snapshot, whole: str) -> Result:
    trouble = _trouble(each)
    rate = each.rate_bytes_per_s if not trouble or each.is_partial else None
    return imported(
        result_id(whole, 1),
        Origin(TOOL, None, None),
        _task(each),
        Figures(rate_bytes_per_s=rate),
        measurement=whole,
        created_at=each.created_at or UNKNOWN_TIME,
        runs=_runs(each, rate) if rate else (),
        caveats=tuple(_caveats(each, rate)),
        trouble=trouble,
    )


def _trouble(each: Snapshot) -> str | None:
    if each.error:
        return f"rclone failed after {format_size(each.moved_bytes)}: {each.error}."
    if not each.moved_bytes:
        return _NOTHING
    if each.is_partial:
        return _UNFINISHED.format(format_size(each.moved_bytes), format_size(each.total_bytes or 0))
    return None if each.rate_bytes_per_s else _NO_SPEED.format(format_size(each.moved_bytes))


def _task(each: Snapshot) -> IoTask:
    moved = each.moved_bytes
    return IoTask(
        Operation.WRITE,
        Pattern.SEQUENTIAL,
        1,
        max(1, moved),
        byte_limit=max(1, moved),
        transfer=Transfer(TOOL, Action.COPY, each.file_count),
        unstated=_UNSTATED if moved else (*_UNSTATED, "span_bytes", "byte_limit"),
    )


def _caveats(each: Snapshot, rate: float | None) -> Iterator[str]:
    yield _NO_FLUSH
    overall = each.moved_bytes / each.elapsed_s if each.elapsed_s else None
    if each.is_worked_out:
        yield _WORKED_OUT.format(each.file_count)
    elif rate and overall and each.elapsed_s and abs(overall - rate) > 0.1 * rate:
        yield _OTHER.format(each.elapsed_s, format_rate(overall))


def _runs(each: Snapshot, rate: float) -> tuple[Run, ...]:
    return one_run(TOOL, each.moved_bytes, each.moved_bytes * 1e9 / rate, started_at=each.created_at or UNKNOWN_TIME)
