"""Reads IOR's text: the repetitions of each access of a test become one result, their mean, with a run each.

IOR sums up all tasks of all computers. What it writes is a counted pattern; how far that compresses it does not tell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from graycard.errors import ImportProblem
from graycard.facts import fact
from graycard.importers.imported import (
    LOCAL_TIME,
    NO_TARGET,
    UNKNOWN_TIME,
    Figures,
    imported,
    measurement_id,
    result_id,
)
from graycard.importers.ior_test import BANNER, TOOL, Repetition, Settings, Test, parse
from graycard.importers.rows import MOST_COUNT, bounded
from graycard.importers.text import lines
from graycard.model import (
    Aggregate,
    Cache,
    Durability,
    IoTask,
    Operation,
    Origin,
    Pattern,
    Result,
    Run,
    Samples,
    Target,
    TargetKind,
)
from graycard.units import format_duration

_TABLE = re.compile(r"^[#\t ]{0,16}access {1,12}bw\(MiB/s\)", re.MULTILINE)
_NOTHING = "IOR's text has no row of results: it failed or was stopped; look at what it said, and measure again"


class IorImporter:
    """IOR 3 and 4, as text; several calls and tests in one file."""

    name = "ior"

    def recognises(self, head: bytes) -> bool:
        """Whether there is IOR's banner or the head of its table."""
        text = lines(head).whole
        return bool(BANNER.search(text) or _TABLE.search(text))

    def read(self, data: bytes) -> tuple[Result, ...]:
        """All results; ImportProblem where there is no row."""
        found = bounded(_results(data), TOOL)
        if not found:
            raise ImportProblem(_NOTHING)
        return found


def _results(data: bytes) -> Iterator[Result]:
    file = measurement_id(data, TOOL).encode()
    for number, test in enumerate(parse(lines(data)), 1):
        whole = measurement_id(file, number)
        for made, access in enumerate(dict.fromkeys(each.access for each in test.repetitions), 1):
            yield _result(test, access, whole, made)


def _result(test: Test, access: str, whole: str, made: int) -> Result:
    settings = test.settings
    repetitions = [each for each in test.repetitions if each.access == access]
    mean = sum(each.bytes_per_s for each in repetitions) / len(repetitions)
    # The summary has two decimals more; it is absent where IOR was stopped.
    stated = test.means.get(access)
    task = _task(settings, Operation(access), repetitions[-1])
    return imported(
        result_id(whole, made),
        Origin(TOOL, settings.version, settings.api, access, Aggregate.MEAN if len(repetitions) > 1 else None),
        task,
        Figures(
            rate_bytes_per_s=stated * (1 << 20) if stated else mean,
            ops_per_s=_ops(repetitions, settings),
            run_count=len(repetitions),
            computer_count=_computer_count(settings) or 1,
        ),
        measurement=whole,
        created_at=settings.began or UNKNOWN_TIME,
        target=Target(settings.file, TargetKind.FILE) if settings.file else NO_TARGET,
        facts=(fact("engine_settings", settings.command, "IOR: command line"),) if settings.command else (),
        runs=_runs(repetitions, settings),
        caveats=tuple(_caveats(settings, task)),
    )


def _ops(repetitions: Sequence[Repetition], settings: Settings) -> float | None:
    """The mean of bytes over transfer size and time: it does not come from the printed rate, and so checks it."""
    found = [
        each.moved_bytes * 1e9 / settings.transfer_bytes / each.elapsed_ns
        for each in repetitions
        if each.moved_bytes and each.elapsed_ns and settings.transfer_bytes
    ]
    return sum(found) / len(found) if found and len(found) == len(repetitions) else None


def _runs(repetitions: Sequence[Repetition], settings: Settings) -> tuple[Run, ...]:
    """A run for each repetition, where the bytes of all are known."""
    runs = tuple(
        Run(0, at, settings.began or UNKNOWN_TIME, _samples(each, settings), (), ())
        for at, each in enumerate(repetitions)
        if each.moved_bytes and each.elapsed_ns and each.moved_bytes <= MOST_COUNT
    )
    return runs if len(runs) == len(repetitions) else ()


def _samples(each: Repetition, settings: Settings) -> Samples:
    moved, elapsed = each.moved_bytes or 0, each.elapsed_ns or 0
    return Samples(TOOL, elapsed, moved // (settings.transfer_bytes or moved), moved, (), elapsed, None)


def _caveats(settings: Settings, task: IoTask) -> Iterator[str]:
    computers = _computer_count(settings)
    if computers and computers > 1:
        yield f"The figure is the sum over {computers} computers."
    if settings.stonewall_ns:
        rest = ", then let all tasks move as much as the fastest had" if settings.wears_out else ""
        yield f"IOR stopped issuing after {format_duration(settings.stonewall_ns)}{rest}."
    words = (settings.command or "").split()
    if task.operation is Operation.READ and {"-C", "-Z"} & set(words):
        yield "Each task read what another had written, so that its own computer's cache could not help."
    if settings.began:
        yield LOCAL_TIME


def _computer_count(settings: Settings) -> int | None:
    if settings.computers or not settings.tasks or not settings.per_computer:
        return settings.computers
    return -(-settings.tasks // settings.per_computer)


def _task(settings: Settings, operation: Operation, last: Repetition) -> IoTask:
    words = (settings.command or "").split()
    # -B up to 3.2, and then an option of the back end.
    direct = "-B" in words or "--posix.odirect" in words
    span = last.moved_bytes or settings.aggregate_bytes
    stated = {
        "pattern": settings.random is not None,
        "block_bytes": bool(settings.transfer_bytes),
        "span_bytes": bool(span),
        "depth_count": bool(settings.tasks),
        "worker_count": bool(settings.tasks),
        "cache": direct,
        "durability": bool(settings.command) or operation is Operation.READ,
        "compressible_ratio": False,
    }
    return IoTask(
        operation=operation,
        pattern=Pattern.RANDOM if settings.random else Pattern.SEQUENTIAL,
        block_bytes=settings.transfer_bytes or 1,
        span_bytes=min(span or 1, MOST_COUNT),
        # Each task waits for its request before the next.
        depth_count=settings.tasks or 1,
        worker_count=settings.tasks or 1,
        time_ns=settings.stonewall_ns,
        byte_limit=min(span or 1, MOST_COUNT),
        cache=Cache.BYPASS if direct else Cache.WARM,
        durability=_durability(settings, operation, words),
        unstated=tuple(name for name, told in stated.items() if not told),
    )


def _durability(settings: Settings, operation: Operation, words: Sequence[str]) -> Durability:
    if operation is Operation.READ or settings.no_fsync:
        return Durability.NONE
    if "-Y" in words:
        return Durability.EACH_WRITE
    return Durability.AT_END if "-e" in words else Durability.NONE
