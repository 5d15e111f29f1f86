"""rclone's JSON: the log, an object a line, and the answers of its remote control."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from graycard.importers.imported import stated_time
from graycard.importers.json_text import document_in, json_lines, parse_json
from graycard.importers.rclone_text import Snapshot
from graycard.importers.rows import MOST_COUNT
from graycard.importers.text import lines

_LOG = re.compile(r'^\s{0,20}\{"[^\n]{0,4000}"source":"[a-z]{1,30}/[\w./]{1,60}\.go:\d{1,6}"', re.MULTILINE)
_FRACTION = re.compile(r":\d\d(\.\d{1,9})")
_STATS = ('"elapsedTime"', '"totalTransfers"', '"speed"')
_TRANSFERRED = ('"transferred"', '"started_at"', '"completed_at"')


def is_json(head: bytes) -> bool:
    """Whether it is rclone's log in JSON, or an answer of core/stats or core/transferred."""
    whole = lines(head).plain
    if _LOG.search(whole):
        return True
    known = all(name in whole for name in _STATS) or all(name in whole for name in _TRANSFERRED)
    return known and document_in(lines(head)).startswith("{")


def log_snapshots(data: bytes) -> Iterator[Snapshot]:
    """Every statistics; ImportProblem for damaged JSON."""
    if not _LOG.search(lines(data).plain):
        yield from _answer(parse_json(data, "rclone"))
        return
    error: str | None = None
    for _, entry in json_lines(data, "rclone"):
        if not isinstance(entry, dict):
            continue
        if entry.get("level") in {"error", "critical", "emergency"}:
            error = _line(entry.get("msg"))
        stats = entry.get("stats")
        if isinstance(stats, dict):
            yield _snapshot(stats, error, str(entry.get("time") or ""))


def _answer(document: object) -> Iterator[Snapshot]:
    if not isinstance(document, dict):
        return
    files = document.get("transferred")
    if isinstance(files, list):
        yield from _of_files([each for each in files if isinstance(each, dict) and not each.get("checked")])
    else:
        yield _snapshot(document, None, "")


def _snapshot(stats: Mapping[str, Any], error: str | None, time: str) -> Snapshot:
    errors = _number(stats, "errors")
    told = _line(stats.get("lastError")) or error or "not told"
    date = stated_time(time)
    return Snapshot(
        moved_bytes=round(_number(stats, "bytes") or 0),
        total_bytes=round(_number(stats, "totalBytes") or 0) or None,
        rate_bytes_per_s=_number(stats, "speed") or None,
        elapsed_s=_number(stats, "elapsedTime"),
        file_count=round(_number(stats, "transfers") or 0),
        error=f"{errors:.0f} errors, the last: {told}" if errors else None,
        created_at=date[0] if date else None,
    )


def _of_files(files: list[dict[str, Any]]) -> Iterator[Snapshot]:
    """All files together, from the first begin to the last end."""
    spans = [(_seconds(each, "started_at"), _seconds(each, "completed_at")) for each in files]
    known = [(start, end) for start, end in spans if start is not None and end is not None and start < end]
    if not known:
        return
    moved = round(sum(_number(each, "bytes") or 0 for each in files))
    begin = min(start for start, _ in known)
    elapsed_s = max(end for _, end in known) - begin
    errors = [_line(each["error"]) for each in files if each.get("error")]
    date = stated_time(str(min(str(each.get("started_at")) for each in files)))
    yield Snapshot(
        moved_bytes=moved,
        rate_bytes_per_s=moved / elapsed_s,
        elapsed_s=elapsed_s,
        file_count=len(files),
        error=f"{len(errors)} errors, the last: {errors[-1]}" if errors else None,
        created_at=date[0] if date else None,
        is_worked_out=True,
    )


def _seconds(each: Mapping[str, Any], name: str) -> float | None:
    """Seconds since 1970 with their fractions."""
    text = each.get(name)
    found = stated_time(text) if isinstance(text, str) else None
    if not found or not isinstance(text, str):
        return None
    fraction = _FRACTION.search(text)
    return found[0].timestamp() + (float(fraction[1]) if fraction else 0.0)


def _line(text: object) -> str:
    """A message of one line."""
    return " ".join(str(text or "")[:300].split())


def _number(row: Mapping[str, Any], name: str) -> float | None:
    found = row.get(name)
    if isinstance(found, bool) or not isinstance(found, (int, float)) or not 0 <= found < MOST_COUNT:
        return None
    return float(found)
