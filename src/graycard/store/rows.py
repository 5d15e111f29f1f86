"""The short form of a result, for lists and history, and the columns it is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from graycard import facts
from graycard.model import IoTask, Result, Verdict

# From harmless to worst; `unknown` is no finding, but less than a pass.
_SEVERITY = (Verdict.PASS, Verdict.UNKNOWN, Verdict.CAVEAT, Verdict.FAIL)


@dataclass(frozen=True, slots=True)
class ResultRow:
    """A result without its runs. The rate is None before the first summary; its bounds where there is no interval."""

    id: str
    measurement_id: str
    created_at: datetime
    tool: str
    target_path: str
    file_system: str | None
    file_system_id: str | None
    device_id: str | None
    task_label: str
    task_key: str
    rate_bytes_per_s: float | None
    rate_low_bytes_per_s: float | None
    rate_high_bytes_per_s: float | None
    run_count: int
    verdict: Verdict | None


_MAKE_ROW: Callable[..., ResultRow] = ResultRow


@dataclass(frozen=True, slots=True)
class Filter:
    """Which rows; None leaves a column free. `since` is the first moment that counts, `until` the first that is out."""

    measurement_id: str | None = None
    device_id: str | None = None
    file_system_id: str | None = None
    task_key: str | None = None
    tool: str | None = None
    since: datetime | None = None
    until: datetime | None = None


def task_key(task: IoTask) -> str:
    """The load of a task without its length, span and seed: equal keys make a history.

    For example "SEQ1M QD8 write, bypass, at_end"; zeros in the data and a pace are added where there are any.
    """
    parts = [task.label, task.cache.value, task.durability.value]
    if task.compressible_ratio:
        parts.append(f"{task.compressible_ratio:g} zeros")
    if task.pace:
        parts.append(f"{task.pace.frames_per_s:g} frames/s of {task.pace.frame_bytes}")
    return ", ".join(parts)


def columns(result: Result) -> dict[str, Any]:
    """What the table `results` holds of a result. Only fields of the noun, so they can be made anew at any time."""
    rate = result.summary.rate if result.summary else None
    checks = result.summary.checks if result.summary else ()
    verdict = max((check.verdict for check in checks), key=_SEVERITY.index, default=None)
    return {
        "id": result.id,
        "measurement_id": result.measurement_id,
        "created_at": stamp(result.created_at),
        "tool": result.origin.tool,
        "target_path": result.target.path,
        "file_system": _text(result, "file_system"),
        "file_system_id": _text(result, "file_system_id"),
        "device_id": _text(result, "device_id"),
        "task_label": result.task.label,
        "task_key": task_key(result.task),
        "rate_bytes_per_s": rate.value if rate else None,
        "rate_low_bytes_per_s": rate.low if rate else None,
        "rate_high_bytes_per_s": rate.high if rate else None,
        "run_count": len(result.runs),
        "verdict": verdict.value if verdict else None,
    }


def row(values: tuple[Any, ...]) -> ResultRow:
    """A row of the table, its columns in the order of ResultRow. By position: a list of all results makes 100,000."""
    (id_, measurement_id, created_at, *middle, verdict) = values
    moment = datetime.fromisoformat(created_at)
    return _MAKE_ROW(id_, measurement_id, moment, *middle, Verdict(verdict) if verdict else None)


def conditions(wanted: Filter) -> tuple[str, dict[str, object]]:
    """The WHERE clause, or nothing, and its parameters."""
    terms = [
        ("measurement_id = :measurement_id", wanted.measurement_id),
        ("device_id = :device_id", wanted.device_id),
        ("file_system_id = :file_system_id", wanted.file_system_id),
        ("task_key = :task_key", wanted.task_key),
        ("tool = :tool", wanted.tool),
        ("created_at >= :since", wanted.since and stamp(wanted.since)),
        ("created_at < :until", wanted.until and stamp(wanted.until)),
    ]
    used = [(term, value) for term, value in terms if value is not None]
    clause = "WHERE " + " AND ".join(term for term, _ in used) if used else ""
    return clause, {term.rpartition(":")[2]: value for term, value in used}


def stamp(moment: datetime) -> str:
    """UTC with microseconds, always of one length, so that the text sorts by time."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def _text(result: Result, name: str) -> str | None:
    value = facts.value(result.facts, name)
    return None if value is None else str(value)
