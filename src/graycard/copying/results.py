"""Runs of copies become results: a rate with its interval, files per second, checks."""

from __future__ import annotations

from dataclasses import replace

from graycard import __version__
from graycard.copying.arms import CopyArm
from graycard.copying.data import Data
from graycard.facts import number
from graycard.model import (
    SCHEMA,
    Action,
    Cache,
    Check,
    Durability,
    Fact,
    IoTask,
    Operation,
    Origin,
    Pattern,
    Result,
    Run,
    Target,
    TargetKind,
    Transfer,
    Verdict,
)
from graycard.model.copying import Scheme
from graycard.summary import summarise
from graycard.units import format_size

ENGINE = "copy"
_NOT_A_FILE = ("block_bytes", "depth_count", "pattern")
# What is read again from memory is no copy from the server: the data should be larger than what can hold it.
MEMORY_RATIO = 2.0


def copy_task(arm: CopyArm, data: Data, *, is_cold: bool) -> IoTask:
    """The task of an arm. `span_bytes` is all that is copied."""
    flushes = arm.is_upload and arm.place.scheme is Scheme.PATH
    return IoTask(
        Operation.WRITE if arm.is_upload else Operation.READ,
        Pattern.SEQUENTIAL,
        max(1, data.largest_bytes),
        max(1, data.total_bytes),
        byte_limit=data.total_bytes,
        cache=Cache.COLD if is_cold else Cache.WARM,
        durability=Durability.AT_END if flushes else Durability.NONE,
        transfer=Transfer(arm.name, Action.COPY, file_count=data.file_count),
        unstated=_NOT_A_FILE,
    )


def result_of(
    arm: CopyArm,
    task: IoTask,
    runs: tuple[Run, ...],
    checks: tuple[Check, ...],
    facts: tuple[Fact, ...],
    *,
    measurement_id: str,
    index: int,
) -> Result:
    """The result of all runs of an arm so far."""
    place = arm.place
    summary = summarise(task, runs, checks)
    files = task.transfer.file_count if task.transfer else 0
    kind = TargetKind.FOLDER if place.scheme is Scheme.PATH else TargetKind.SHARE
    return Result(
        id=f"{measurement_id}{index:04x}",
        measurement_id=measurement_id,
        schema=SCHEMA,
        created_at=runs[0].started_at,
        origin=Origin("graycard", __version__, ENGINE),
        target=Target(place.shown, kind),
        task=task,
        facts=facts,
        runs=runs,
        summary=summary if (files or 0) > 1 else replace(summary, ops=None),
    )


def checks_of(
    data: Data, facts: tuple[Fact, ...], arm: CopyArm, arrived: Data | None, *, equal: bool | None
) -> tuple[Check, ...]:
    """What is known of one copy. `equal` is None where the content was not compared."""
    return (_whole(data, arrived), _equal(equal=equal), _flushed(arm), _larger_than_memory(data, facts))


def _whole(data: Data, arrived: Data | None) -> Check:
    name = "bytes_conserved"
    if arrived is None:
        return Check(
            name,
            float(data.total_bytes),
            None,
            "bytes",
            0.0,
            Verdict.UNKNOWN,
            "The copy cannot be looked at from here.",
        )
    same = (arrived.file_count, arrived.total_bytes) == (data.file_count, data.total_bytes)
    wrong = (
        f"The copy has {arrived.file_count} files of {format_size(arrived.total_bytes)}, not {data.file_count} of "
        f"{format_size(data.total_bytes)}."
    )
    says = "The copy has all files and bytes." if same else wrong
    verdict = Verdict.PASS if same else Verdict.FAIL
    return Check(name, float(data.total_bytes), float(arrived.total_bytes), "bytes", 0.0, verdict, says)


def _equal(*, equal: bool | None) -> Check:
    name = "copy_equal"
    if equal is None:
        return Check(name, None, None, None, None, Verdict.PASS, "The content was not compared (--verify does that).")
    says = "Every file has the same hash as its source." if equal else "A file differs from its source."
    return Check(name, None, None, None, None, Verdict.PASS if equal else Verdict.FAIL, says)


def _flushed(arm: CopyArm) -> Check:
    name = "on_the_medium"
    if not arm.is_upload:
        return Check(name, None, None, None, None, Verdict.PASS, "It was written to this computer and flushed.")
    if arm.place.scheme is Scheme.PATH:
        return Check(name, None, None, None, None, Verdict.PASS, "It was flushed, and that is in the time.")
    says = "Without a mount nothing can be flushed from here: the end of it may still have been in the server's memory."
    return Check(name, None, None, None, None, Verdict.CAVEAT, says)


def _larger_than_memory(data: Data, facts: tuple[Fact, ...]) -> Check:
    name = "larger_than_memory"
    memories = {"this computer": number(facts, "memory_bytes"), "the server": number(facts, "server_memory_bytes")}
    small = [who for who, memory in memories.items() if memory and data.total_bytes < MEMORY_RATIO * memory]
    known = max((memory for memory in memories.values() if memory), default=None)
    expected = MEMORY_RATIO * known if known else None
    if small:
        says = (
            f"{format_size(data.total_bytes)} fit into the memory of {' and '.join(small)}: what is sustained may be "
            "less, so copy at least twice as much as the larger memory holds."
        )
        return Check(name, expected, float(data.total_bytes), "bytes", None, Verdict.CAVEAT, says)
    if memories["the server"] is None and arm_is_remote(facts):
        says = "The server's memory is not known (--server tells it): it may hold all of this."
        return Check(name, expected, float(data.total_bytes), "bytes", None, Verdict.UNKNOWN, says)
    return Check(
        name, expected, float(data.total_bytes), "bytes", None, Verdict.PASS, "It is twice the memory or more."
    )


def arm_is_remote(facts: tuple[Fact, ...]) -> bool:
    """Whether a server is in between, as far as the facts tell."""
    return any(fact.name == "server" and fact.value for fact in facts)
