"""Reads rsync's output: --info=progress2, --progress, --stats and its closing lines.

The rate that counts is that of the last line of a progress over the whole transfer; its "MB/s" are 2^20 bytes
(progress.c). The closing "bytes/sec" divides by whole seconds + 0.5 (main.c), so that of under two seconds
means nothing. With --progress alone, rsync times single files, and their clock is not restarted: left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from graycard.errors import ImportProblem
from graycard.importers import rsync_log, rsync_text
from graycard.importers.imported import LOCAL_TIME, UNKNOWN_TIME, Figures, imported, measurement_id, result_id
from graycard.importers.one_run import one_run
from graycard.importers.rows import bounded
from graycard.importers.rsync_text import Session
from graycard.importers.text import lines
from graycard.model import Action, IoTask, Operation, Origin, Pattern, Result, Transfer
from graycard.units import format_rate, format_size

TOOL = "rsync"
_UNSTATED = ("block_bytes", "depth_count", "cache", "durability", "compressible_ratio")
_TOO_SHORT = (
    "rsync times whole transfers in whole seconds, and this was too short for that: nothing was measured; repeat it "
    "with --info=progress2, or with more data."
)
_NOTHING = "rsync had nothing to transfer: nothing was measured."
_DRY_RUN = "This was a dry run of rsync: nothing was copied."
_NO_FLUSH = "rsync does not flush what it wrote: the last of it may not have reached the drive."
_COARSE = "rsync's clock has whole seconds: the rate is between {} and {}."
_MATCHED = "{} of it were there already and not copied."
_HUMAN = "Sizes are rounded to two digits behind the point (-h)."


class RsyncImporter:
    """rsync 2.6.9 to 3.5, and macOS's openrsync."""

    name = TOOL

    def recognises(self, head: bytes) -> bool:
        """Whether a line is one that only rsync writes."""
        text = lines(head)
        return rsync_text.is_own(text) or rsync_log.is_own(text)

    def read(self, data: bytes) -> tuple[Result, ...]:
        """A result for each transfer; ImportProblem where there is none."""
        file = measurement_id(data, TOOL).encode()
        text = lines(data)
        numbered = enumerate(chain(rsync_text.sessions(text), rsync_log.sessions(text)), 1)
        found = bounded((_result(session, measurement_id(file, count)) for count, session in numbered), TOOL)
        if not found:
            raise ImportProblem("rsync's text holds no end of a transfer: repeat it with --info=progress2 --stats")
        return found


def _result(session: Session, whole: str) -> Result:
    trouble = _trouble(session)
    rate = None if trouble else session.progress_bytes_per_s or session.closing_bytes_per_s
    moved = session.moved_bytes
    if session.logged_bytes is not None and rate:
        # The rate is that of the bytes on the wire.
        moved = round(session.logged_bytes)
    return imported(
        result_id(whole, 1),
        Origin(TOOL, None, None),
        _task(session),
        Figures(rate_bytes_per_s=rate),
        measurement=whole,
        created_at=session.began or UNKNOWN_TIME,
        runs=one_run(TOOL, moved, moved * 1e9 / rate) if moved and rate else (),
        caveats=tuple(_caveats(session)),
        trouble=trouble,
    )


def _trouble(session: Session) -> str | None:
    if session.error:
        after = f" after {format_size(session.seen_bytes)}" if session.seen_bytes else ""
        return f"rsync failed{after}: {session.error}."
    if session.is_dry_run:
        return _DRY_RUN
    if session.transferred_bytes == 0 or session.file_count == 0:
        return _NOTHING
    if session.logged_bytes is not None and not session.file_count and not session.moves_files:
        # Nor does the log of a dry run name a file.
        return _NOTHING
    return None if session.progress_bytes_per_s or session.closing_bytes_per_s else _TOO_SHORT


def _task(session: Session) -> IoTask:
    moved = session.moved_bytes or session.seen_bytes
    unstated = _UNSTATED if moved else (*_UNSTATED, "span_bytes", "byte_limit")
    return IoTask(
        Operation.WRITE,
        Pattern.SEQUENTIAL,
        1,
        max(1, moved or 1),
        byte_limit=max(1, moved or 1),
        transfer=Transfer(TOOL, Action.COPY, session.file_count),
        unstated=unstated,
    )


def _caveats(session: Session) -> Iterator[str]:
    yield _NO_FLUSH
    if session.began:
        yield LOCAL_TIME
    if not session.progress_bytes_per_s and session.closing_bounds:
        yield _COARSE.format(*map(format_rate, session.closing_bounds))
    if session.matched_bytes:
        yield _MATCHED.format(format_size(session.matched_bytes))
    if session.is_rounded:
        yield _HUMAN
