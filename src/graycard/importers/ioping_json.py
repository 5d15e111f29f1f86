"""ioping's JSON (-J): an array of requests, whose last element has the statistics."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from graycard.errors import ImportProblem
from graycard.importers.imported import UNKNOWN_TIME
from graycard.importers.ioping_task import Statistics
from graycard.importers.json_text import document_in, parse_json
from graycard.importers.text import lines
from graycard.model import Operation

_TARGET = re.compile(r'\[\s*\{\s*"timestamp"\s*:[^{}]{0,400}"target"\s*:')
_LATEST_S = 4e9


def is_document(head: bytes) -> bool:
    """Whether it begins as ioping's JSON does."""
    text = lines(head)
    return '"target"' in text.whole and _TARGET.match(document_in(text)) is not None


def statistics(data: bytes) -> tuple[Statistics, ...]:
    """The statistics at the end; ImportProblem for damaged JSON, or where there are none."""
    document = parse_json(data, "ioping")
    elements = [each for each in document if isinstance(each, dict)] if isinstance(document, list) else []
    found = next((each for each in reversed(elements) if isinstance(each.get("stat"), dict)), None)
    if not found:
        raise ImportProblem("ioping's JSON holds no statistics: let it end by -c or -w, and keep the whole output")
    requests = [each["io"] for each in elements if isinstance(each.get("io"), dict)]
    return (_statistics(found, requests),)


def _statistics(found: Mapping[str, Any], requests: list[dict[str, Any]]) -> Statistics:
    stat, target = found["stat"], found.get("target")
    place = target if isinstance(target, dict) else {}
    count, moved = _number(stat, "count"), _number(stat, "size")
    return Statistics(
        path=str(place.get("path") or ""),
        medium=f"{place.get('fstype') or ''} {place.get('device') or ''}".strip(),
        operation=Operation.WRITE if any(io.get("operation") == "write" for io in requests) else Operation.READ,
        request_count=round(count),
        block_bytes=round(moved / count) or None if count else None,
        elapsed_ns=round(_number(stat, "time")),
        ops_per_s=_number(stat, "iops"),
        rate_bytes_per_s=_number(stat, "bps"),
        min_ns=_number(stat, "min"),
        mean_ns=_number(stat, "avg"),
        max_ns=_number(stat, "max"),
        created_at=_time(found.get("timestamp")),
        states_operation=bool(requests),
    )


def _number(stat: Mapping[str, Any], name: str) -> float:
    value = stat.get(name)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1 << 60:
        raise ImportProblem(f"ioping's JSON has no number for “{name}” of its statistics: get the file anew")
    return float(value)


def _time(seconds: object) -> datetime:
    known = isinstance(seconds, (int, float)) and not isinstance(seconds, bool) and 0 < seconds < _LATEST_S
    return datetime.fromtimestamp(float(seconds), UTC) if known and isinstance(seconds, (int, float)) else UNKNOWN_TIME
