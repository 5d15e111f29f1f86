"""Reads vframetest: text, CSV and JSON. Its JSON lacks commas in some versions, and it writes a document a test."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from graycard.errors import ImportProblem
from graycard.importers import frame_text
from graycard.importers.frame_tests import FrameTest, result
from graycard.importers.imported import UNKNOWN_TIME, measurement_id, stated_time
from graycard.importers.json_text import document_in, parse_json
from graycard.importers.rows import MOST_COUNT, bounded
from graycard.importers.text import Text, lines
from graycard.model import Operation, Result, Target, TargetKind

TOOL = "vframetest"
_TEXT_MARKS = (",filesystem,success_rate,", "Frames succeeded: ", "I/O Mode Statistics")
_JSON_MARKS = ('"io_fallback_stats"', '"throughput_mibs"', '"frames_succeeded"')
_NO_COMMA = re.compile(r'\}(\s{1,80})"')
_NEXT_DOCUMENT = re.compile(r"(?<=\})\s{1,80}(?=\{\s{0,80}\"results\")")
_REPEATED = "{} of {} frames are listed with the very time of the frame before: the list is not of single frames."
_OTHER_COUNT = "{} frames were asked for, and {} are counted."


class VframetestImporter:
    """vframetest, up to 25.17."""

    name = TOOL

    def recognises(self, head: bytes) -> bool:
        """Whether a text or JSON is vframetest's."""
        return is_vframetest(head)

    def read(self, data: bytes) -> tuple[Result, ...]:
        """A result for each test; ImportProblem where there is none."""
        text = lines(data)
        found = tuple(_documents(document_in(text))) if _is_json(text) else frame_text.tests(text)
        if not found:
            raise ImportProblem("vframetest's output holds no finished test: let it end and keep the whole output")
        whole = measurement_id(data, TOOL)
        return bounded((result(test, TOOL, whole, count) for count, test in enumerate(found, 1)), TOOL)


def is_vframetest(head: bytes) -> bool:
    """Whether there are words that vframetest has and tframetest has not."""
    text = lines(head)
    return _is_json(text) or (any(mark in text.whole for mark in _TEXT_MARKS) and frame_text.is_own(text))


def _is_json(text: Text) -> bool:
    marked = sum(mark in text.whole for mark in _JSON_MARKS) >= 2
    return (marked or ('"mibps"' in text.whole and '"profile"' in text.whole)) and document_in(text).startswith("{")


def _documents(whole: str) -> Iterator[FrameTest]:
    for part in _NEXT_DOCUMENT.split(_NO_COMMA.sub(r'},\1"', whole)):
        # What stands behind the last document is no part of it.
        document = parse_json(part[: part.rfind("}") + 1], TOOL)
        if not isinstance(document, dict):
            continue
        rows = document.get("results")
        if isinstance(rows, list):
            yield from (_row(row) for row in rows if isinstance(row, dict))
        elif isinstance(document.get("summary"), dict):
            yield _report(document)


def _row(row: Mapping[str, Any]) -> FrameTest:
    completion, fallback, success = (
        _part(row, name) for name in ("completion", "io_fallback_stats", "success_metrics")
    )
    case = row.get("case")
    return FrameTest(
        operation=Operation(case) if case in {"read", "write"} else None,
        profile=_word(row, "profile"),
        worker_count=_count(row, "threads"),
        frame_count=_count(row, "frames"),
        moved_bytes=_count(row, "bytes"),
        elapsed_ns=_count(row, "time_ns"),
        frames_per_s=_number(row, "fps"),
        stated_bytes_per_s=_number(row, "bps"),
        latency_ns=_latencies(completion, {"min_ms": 0.0, "max_ms": 100.0}),
        mean_latency_ns=_ns(completion, "avg_ms"),
        direct_count=_count(fallback, "direct_io_frames"),
        buffered_count=_count(fallback, "buffered_io_frames"),
        failed_count=_count(success, "frames_failed"),
    )


def _report(document: Mapping[str, Any]) -> FrameTest:
    """The document that its page of results is made from."""
    setup, summary, latency = (_part(document, name) for name in ("config", "summary", "latency"))
    listed = document.get("frames")
    frames = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    seconds, count = _number(summary, "duration_sec"), _count(summary, "total_frames")
    mode, path, rate = summary.get("io_mode"), _word(setup, "path"), _number(summary, "throughput_mibs")
    return FrameTest(
        profile=_word(setup, "profile"),
        worker_count=_count(setup, "threads"),
        frame_count=count,
        elapsed_ns=round(seconds * 1e9) if seconds and seconds < MOST_COUNT / 1e9 else None,
        frames_per_s=count / seconds if count and seconds else None,
        stated_bytes_per_s=None if rate is None else rate * (1 << 20),
        frame_bytes=_count(frames[0], "bytes") if frames else None,
        latency_ns=_latencies(
            latency, {"min_ms": 0.0, "p50_ms": 50.0, "p95_ms": 95.0, "p99_ms": 99.0, "max_ms": 100.0}
        ),
        mean_latency_ns=_ns(latency, "avg_ms"),
        direct_count=(count or 0) if mode == "Direct" else 0 if mode == "Buffered" else None,
        buffered_count=count if mode == "Buffered" else None,
        failed_count=_count(summary, "frames_failed"),
        target=Target(path, TargetKind.FOLDER) if path else FrameTest().target,
        created_at=_time(document.get("timestamp")),
        caveats=list(_caveats(setup, count, frames)),
    )


def _caveats(setup: Mapping[str, Any], count: int | None, frames: list[dict[str, Any]]) -> Iterator[str]:
    asked = _count(setup, "frames")
    if asked and count and asked != count:
        yield _OTHER_COUNT.format(asked, count)
    repeated = sum(a.get("duration_ms") == b.get("duration_ms") for a, b in pairwise(frames))
    if repeated * 2 > len(frames):
        yield _REPEATED.format(repeated, len(frames))


def _part(row: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = row.get(name)
    return found if isinstance(found, dict) else {}


def _word(row: Mapping[str, Any], name: str) -> str | None:
    found = row.get(name)
    return found[:1000] if isinstance(found, str) and found else None


def _number(row: Mapping[str, Any], name: str) -> float | None:
    found = row.get(name)
    return float(found) if isinstance(found, (int, float)) and not isinstance(found, bool) else None


def _count(row: Mapping[str, Any], name: str) -> int | None:
    found = _number(row, name)
    return round(found) if found is not None and 0 <= found <= MOST_COUNT else None


def _ns(row: Mapping[str, Any], name: str) -> float | None:
    found = _number(row, name)
    return found * 1e6 if found else None


def _latencies(row: Mapping[str, Any], names: Mapping[str, float]) -> dict[float, float]:
    found = {percentile: _ns(row, name) for name, percentile in names.items()}
    return {percentile: value for percentile, value in found.items() if value is not None}


def _time(text: object) -> datetime:
    found = stated_time(text) if isinstance(text, str) else None
    return found[0].astimezone(UTC) if found else UNKNOWN_TIME
