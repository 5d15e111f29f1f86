"""One phase of elbencho, whether from its CSV, JSON or text, and the results of it.

The figures are those of the last thread that was done: of all threads over the whole time. CSV and text cut them to
whole numbers; the rate is then the middle of what they allow together. Written data are random since 2.2, and one
random block again and again before (CHANGELOG, --blockvarpct). Writing ends without a flush, which is a phase apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from graycard.facts import fact
from graycard.importers.imported import LOCAL_TIME, NO_TARGET, UNKNOWN_TIME, Figures, imported, result_id
from graycard.importers.rows import MOST_COUNT
from graycard.model import (
    Cache,
    Check,
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
    Verdict,
)
from graycard.units import format_rate

TOOL = "elbencho"
_ENDS_EARLY = re.compile(r"--(?:timelimit|randamount|infloop|interrupt)\b")
_VARIANCE = re.compile(r"--blockvarpct[\"= ]{1,4}(\d{1,3})")
# From here on each block is random as a whole.
_RANDOM_SINCE = (2, 2)
_LEAST_SHARE = 0.99


@dataclass(slots=True)
class Half:
    """What was read, or written, in a phase; None is not given.

    `rate` is in units of `unit_bytes` a second and `moved` in MiB, both cut to whole numbers unless `exact` (bytes).
    """

    rate: float | None = None
    moved: int | None = None
    ops_per_s: float | None = None
    mean_ns: float | None = None
    latency_ns: dict[float, float] = field(default_factory=dict)


@dataclass(slots=True)
class Phase:
    """One phase; None is not given. `file_count` is how many files of `file_bytes` it went over.

    `step_ns` is what the time was cut to.
    """

    name: str
    halves: dict[Operation, Half] = field(default_factory=dict)
    elapsed_ns: int | None = None
    step_ns: float = 1e6
    exact: bool = False
    unit_bytes: int = 1 << 20
    began: tuple[datetime, bool] | None = None
    version: str | None = None
    command: str | None = None
    place: str | None = None
    block_bytes: int | None = None
    file_bytes: int | None = None
    file_count: int | None = None
    thread_count: int | None = None
    depth_count: int | None = None
    direct: bool | None = None
    random: bool | None = None
    interrupted: bool = False


def results(phase: Phase, whole: str, number: int) -> Iterator[Result]:
    """What moved bytes in the phase; nothing for one that did not, as making folders. `number` is that of the first."""
    for operation, half in phase.halves.items():
        if half.rate or half.moved:
            yield _result(phase, operation, half, whole, number)
            number += 1


def _result(phase: Phase, operation: Operation, half: Half, whole: str, number: int) -> Result:
    began, local = phase.began or (UNKNOWN_TIME, False)
    rate, agrees = _rate(phase, half)
    task = _task(phase, operation)
    other = len([each for each in phase.halves.values() if each.moved]) > 1
    mixed = (f"Reads and writes ran at once: this is the {operation.value} half alone.",) if other else ()
    return imported(
        result_id(whole, number),
        Origin(TOOL, phase.version, None, f"{phase.name} phase"),
        task,
        Figures(
            rate_bytes_per_s=rate,
            ops_per_s=_ops(phase, half, rate),
            latency_ns=half.latency_ns,
            mean_latency_ns=half.mean_ns,
        ),
        measurement=whole,
        created_at=began,
        target=Target(phase.place, TargetKind.FILE) if phase.place else NO_TARGET,
        facts=(fact("engine_settings", phase.command, "elbencho: command"),) if phase.command else (),
        runs=_runs(phase, half, began),
        checks=(agrees,) if agrees else (),
        caveats=(*mixed, *([LOCAL_TIME] if local else ())),
        trouble=_trouble(phase),
    )


def _rate(phase: Phase, half: Half) -> tuple[float | None, Check | None]:
    """The rate in bytes; of figures that were cut, the middle of what rate, MiB over time and operations allow."""
    if not half.rate:
        return None, None
    rate = half.rate * phase.unit_bytes
    if phase.exact or not half.moved or not phase.elapsed_ns:
        return rate, None
    # Each printed number n stands for n up to n + 1; a total that is the whole file is no cut number.
    more = 0 if half.moved << 20 == _whole_bytes(phase) else 1
    least = (half.moved << 20) * 1e9 / (phase.elapsed_ns + phase.step_ns)
    most = ((half.moved + more) << 20) * 1e9 / phase.elapsed_ns
    low, high = max(rate, least), min(rate + phase.unit_bytes, most)
    if low > high:
        told = f"it states {format_rate(rate)}, its bytes over its time are {format_rate(least)} to {format_rate(most)}"
        says = f"The file contradicts itself: {told}; do not use this figure."
        return rate, Check("bytes_over_time", least, rate, "bytes/s", None, Verdict.FAIL, says)
    check = Check("bytes_over_time", least, rate, "bytes/s", None, Verdict.PASS, "The rate is bytes over time.")
    if phase.block_bytes and half.ops_per_s is not None:
        fewest, most = half.ops_per_s * phase.block_bytes, (half.ops_per_s + 1) * phase.block_bytes
        if max(low, fewest) <= min(high, most):
            low, high = max(low, fewest), min(high, most)
    return (low + high) / 2, check


def _ops(phase: Phase, half: Half, rate: float | None) -> float | None:
    """Operations a second; of a number that was cut, what the rate makes of it, where that is within the cut."""
    if phase.exact or not rate or not phase.block_bytes or half.ops_per_s is None:
        return half.ops_per_s
    counted = rate / phase.block_bytes
    return counted if half.ops_per_s <= counted <= half.ops_per_s + 1 else half.ops_per_s


def _whole_bytes(phase: Phase) -> int | None:
    return phase.file_bytes * phase.file_count if phase.file_bytes and phase.file_count else None


def _trouble(phase: Phase) -> str | None:
    """An interrupted phase looks like a whole one but for its bytes; only the text may say so."""
    whole = _whole_bytes(phase)
    moved = sum(half.moved or 0 for half in phase.halves.values()) << (0 if phase.exact else 20)
    less = bool(whole) and moved < (whole or 0) * _LEAST_SHARE and not _ENDS_EARLY.search(phase.command or "")
    if not less and not phase.interrupted:
        return None
    share = f": it moved {moved >> 20} of {whole >> 20} MiB" if whole and less else ""
    return f"elbencho was interrupted{share}; the figure is of the part until then."


def _runs(phase: Phase, half: Half, began: datetime) -> tuple[Run, ...]:
    """The run, where its bytes are known to the last."""
    if not phase.exact or not half.moved or not phase.elapsed_ns:
        return ()
    ops = min(round((half.ops_per_s or 0) * phase.elapsed_ns / 1e9), MOST_COUNT)
    samples = Samples(TOOL, phase.elapsed_ns, ops, half.moved, (), phase.elapsed_ns, None)
    return (Run(0, 0, began, samples, (), ()),)


def _task(phase: Phase, operation: Operation) -> IoTask:
    span, workers = _whole_bytes(phase), phase.thread_count or 1
    compressible = _compressible(phase)
    stated = {
        "pattern": phase.random is not None,
        "block_bytes": bool(phase.block_bytes),
        "span_bytes": bool(span),
        "depth_count": bool(phase.depth_count and phase.thread_count),
        "worker_count": bool(phase.thread_count),
        # What was in the page cache before a read is not told.
        "cache": phase.direct or (operation is Operation.WRITE and phase.direct is not None),
        "compressible_ratio": compressible is not None,
    }
    return IoTask(
        operation=operation,
        pattern=Pattern.RANDOM if phase.random else Pattern.SEQUENTIAL,
        block_bytes=phase.block_bytes or 1,
        span_bytes=min(span or phase.block_bytes or 1, MOST_COUNT),
        depth_count=min((phase.depth_count or 1) * workers, MOST_COUNT),
        worker_count=workers,
        byte_limit=min(span or phase.block_bytes or 1, MOST_COUNT),
        cache=Cache.BYPASS if phase.direct else Cache.WARM,
        durability=Durability.NONE,
        compressible_ratio=compressible or 0.0,
        unstated=tuple(name for name, told in stated.items() if not told),
    )


def _compressible(phase: Phase) -> float | None:
    variance = _VARIANCE.search(phase.command or "")
    if variance:
        return 1 - min(int(variance[1]), 100) / 100
    numbers = re.findall(r"\d{1,4}", phase.version or "")[:2]
    if len(numbers) < 2:
        return None
    # One random block repeated is neither compressible by itself nor unique: not stated.
    return 0.0 if tuple(map(int, numbers)) >= _RANDOM_SINCE else None
