"""The short form of a result, for lists and history, and the columns it is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

from graycard import facts
from graycard.codec import decode, encode
from graycard.model import Fact, IoTask, Result, Verdict

# From harmless to worst; `unknown` is no finding, but less than a pass.
_SEVERITY = (Verdict.PASS, Verdict.UNKNOWN, Verdict.CAVEAT, Verdict.FAIL)


class ResultRow(NamedTuple):
    """A result without its runs. The rate is None before the first summary; its bounds where there is no interval.

    What a history or a comparison must tell apart stands in columns of its own, as the facts of that name say it.
    A named tuple, because a history may read 25,000 of them: it is made in half the time of a frozen dataclass.
    """

    id: str
    measurement_id: str
    created_at: datetime
    verdict: Verdict | None
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
    experiment_id: str | None
    configuration: str | None
    engine: str | None
    tool_version: str | None
    engine_settings: str | None
    span_bytes: int
    time_ns: int | None
    os_name: str | None
    kernel_version: str | None
    cpu_model: str | None
    device_name: str | None
    device_model: str | None
    bus: str | None
    link_bits_per_s: float | None
    protocol_version: str | None
    allocation_unit_bytes: float | None
    mount_options: str | None
    compression: str | None
    encryption: str | None


# What a result shares with others of its set-up and task; all else of a row is its own.
_OWN = {
    "id",
    "measurement_id",
    "created_at",
    "verdict",
    "rate_bytes_per_s",
    "rate_low_bytes_per_s",
    "rate_high_bytes_per_s",
    "run_count",
    "experiment_id",
    "configuration",
}
SHARED = tuple(name for name in ResultRow._fields if name not in _OWN)
# The columns of the table `results` but its own number: those of ResultRow, and those that only find rows.
COLUMNS = (*ResultRow._fields, "place_id", "setup_key")
# All that a later state of a result may change: the runs stand in a table of their own, and so does their count.
CHANGING = tuple(name for name in COLUMNS if name not in {"id", "run_count"})
_MAKE_ROW: Callable[..., ResultRow] = ResultRow
VERDICTS: dict[str | None, Verdict | None] = {None: None, **{verdict.value: verdict for verdict in Verdict}}
# Facts that are columns as they are.
_NUMBERS = ("link_bits_per_s", "allocation_unit_bytes")
_TEXTS = (
    "file_system",
    "file_system_id",
    "device_id",
    "os_name",
    "kernel_version",
    "cpu_model",
    "engine_settings",
    "device_name",
    "device_model",
    "bus",
    "protocol_version",
    "mount_options",
    "compression",
    "encryption",
)
_WATCHED = frozenset((*_NUMBERS, *_TEXTS))


@dataclass(frozen=True, slots=True)
class Filter:
    """Which rows; None leaves a column free. `since` is the first moment that counts, `until` the first that is out.

    `label` and `tag` are those of a result or of its measurement.
    """

    measurement_id: str | None = None
    device_id: str | None = None
    file_system_id: str | None = None
    task_key: str | None = None
    tool: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    experiment_id: str | None = None
    configuration: str | None = None
    label: str | None = None
    tag: str | None = None


# The condition that each field of the filter adds.
_CONDITIONS = {
    "measurement_id": "measurement_id = :measurement_id",
    "device_id": "device_id = :device_id",
    "file_system_id": "file_system_id = :file_system_id",
    "task_key": "task_key = :task_key",
    "tool": "tool = :tool",
    "since": "created_at >= :since",
    "until": "created_at < :until",
    "experiment_id": "experiment_id = :experiment_id",
    "configuration": "configuration = :configuration",
    "label": """number IN (
        SELECT number FROM labels JOIN results ON measurement_id = subject WHERE label = :label
        UNION SELECT number FROM labels JOIN results ON id = subject WHERE label = :label)""",
    "tag": """number IN (
        SELECT number FROM tags JOIN results ON measurement_id = subject WHERE tag = :tag
        UNION SELECT number FROM tags JOIN results ON id = subject WHERE tag = :tag)""",
}


def with_columns(statement: str) -> str:
    """The statement with the names in place of {row}, {shared}, {columns}, {values}, {changes} and {taken}."""
    lists = {
        "{row}": ResultRow._fields,
        "{shared}": SHARED,
        "{columns}": COLUMNS,
        "{values}": [f":{name}" for name in COLUMNS],
        "{changes}": [f"{name} = :{name}" for name in CHANGING],
        "{taken}": [f"{name} = excluded.{name}" for name in CHANGING],
    }
    for place, names in lists.items():
        statement = statement.replace(place, ", ".join(names))
    return statement


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
    watched = tuple(each for each in result.facts if each.name in _WATCHED)
    found = {
        "id": result.id,
        "measurement_id": result.measurement_id,
        "created_at": stamp(result.created_at),
        "verdict": verdict.value if verdict else None,
        "tool": result.origin.tool,
        "target_path": result.target.path,
        "task_label": result.task.label,
        "task_key": task_key(result.task),
        "rate_bytes_per_s": rate.value if rate else None,
        "rate_low_bytes_per_s": rate.low if rate else None,
        "rate_high_bytes_per_s": rate.high if rate else None,
        "run_count": len(result.runs),
        "experiment_id": result.trial.experiment_id if result.trial else None,
        "configuration": result.trial.configuration if result.trial else None,
        "engine": result.origin.engine,
        "tool_version": result.origin.tool_version,
        "span_bytes": result.task.span_bytes,
        "time_ns": result.task.time_ns,
        **{name: facts.number(watched, name) for name in _NUMBERS},
        **{name: _text(watched, name) for name in _TEXTS},
    }
    return found | for_history(tuple(found[name] for name in SHARED))


def for_history(shared: tuple[Any, ...]) -> dict[str, Any]:
    """The columns that histories find results by, of the values of SHARED.

    Equal keys mean equal values: of 64 bits, so a million set-ups give two equal ones with a chance of 3 in 10^8.
    """
    # Only who writes needs it, and it takes as long to load as the rest of the store.
    from hashlib import blake2b

    values = dict(zip(SHARED, shared, strict=True))
    digest = blake2b(repr(shared).encode(), digest_size=8).digest()
    key = int.from_bytes(digest, "big", signed=True)
    return {"place_id": values["device_id"] or values["file_system_id"] or None, "setup_key": key}


def row(values: tuple[Any, ...]) -> ResultRow:
    """A row of the table, its columns in the order of ResultRow."""
    id_, measurement_id, created_at, verdict, *others = values
    return _MAKE_ROW(id_, measurement_id, datetime.fromisoformat(created_at), VERDICTS[verdict], *others)


def conditions(wanted: Filter) -> tuple[str, dict[str, object]]:
    """The WHERE clause, or nothing, and its parameters."""
    given = {name: getattr(wanted, name) for name in _CONDITIONS}
    used = {name: value for name, value in given.items() if value is not None}
    clause = "WHERE " + " AND ".join(_CONDITIONS[name] for name in used) if used else ""
    return clause, {
        name: stamp(value) if isinstance(value, datetime) else storable(value) for name, value in used.items()
    }


def storable(text: str) -> str:
    """The text as documents hold it: bytes that are no UTF-8 as the codec's escapes."""
    return decode(encode(text), str)


def stamp(moment: datetime) -> str:
    """UTC with microseconds, always of one length, so that the text sorts by time."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def _text(watched: Iterable[Fact], name: str) -> str | None:
    value = facts.value(watched, name)
    return None if value is None else str(value)
