"""The core and fio on the same file, in interleaved pairs: their ratio of rate, and of processor time per I/O."""

from __future__ import annotations

import os
import random
import time
from dataclasses import dataclass, replace

from graycard.engines.fio import FioEngine
from graycard.engines.native import NativeEngine
from graycard.host import this_host
from graycard.model import Durability, Estimate, IoTask, Operation, Pattern, Samples, Target, TargetKind
from graycard.stats.between import runs_estimate
from tests.bed.accuracy import ignore

KIB, MIB = 1 << 10, 1 << 20
# The four tests of AmorphousDiskMark.
STANDARD = (
    (Pattern.SEQUENTIAL, MIB, 8),
    (Pattern.SEQUENTIAL, MIB, 1),
    (Pattern.RANDOM, 4 * KIB, 64),
    (Pattern.RANDOM, 4 * KIB, 1),
)


# Before every run, so that a device with a token bucket (or a cache) starts each of them alike.
REST_S = 0.3


@dataclass(frozen=True)
class Versus:
    """Ratios core ÷ fio of one load; `cpu` is processor time of the I/O threads per operation."""

    label: str
    rate: Estimate
    cpu: Estimate | None
    core_bytes_per_s: Estimate
    core_ops_per_s: Estimate
    fio_ops_per_s: Estimate
    core_cpu_ns: Estimate | None
    fio_cpu_ns: Estimate | None


def standard_loads(span: int, seconds: float) -> list[IoTask]:
    """The four standard tests, read and write, for a time."""
    return [
        IoTask(
            operation,
            pattern,
            block,
            span,
            depth_count=depth,
            time_ns=int(seconds * 1e9),
            durability=Durability.AT_END if operation is Operation.WRITE else Durability.NONE,
        )
        for pattern, block, depth in STANDARD
        for operation in Operation
    ]


def lay_out(path: str, span: int) -> None:
    """A file of `span` bytes, every block written with data of its own."""
    host = this_host()
    os.close(host.create_file(path, direct=False, nocow=False))
    task = IoTask(Operation.WRITE, Pattern.SEQUENTIAL, MIB, span, depth_count=8, byte_limit=span, seed=1)
    NativeEngine(host).run(task, Target(path, TargetKind.FILE), ignore)


def versus_fio(path: str, task: IoTask, pairs: int, seed: int = 1) -> Versus:
    """`pairs` interleaved pairs in random ABBA order on the laid-out file `path`."""
    core, fio = NativeEngine(this_host()), FioEngine()
    orders = random.Random(seed)
    ours: list[Samples] = []
    theirs: list[Samples] = []
    for index in range(pairs):
        if index % 2 == 0:
            core_first = orders.random() < 0.5
        repeat = replace(task, seed=1000 * seed + index)
        for engine_is_core in (core_first, not core_first):
            engine, kept = (core, ours) if engine_is_core else (fio, theirs)
            time.sleep(REST_S)
            kept.append(engine.run(repeat, Target(path, TargetKind.FILE), ignore))
        core_first = not core_first
    return compare(task, ours, theirs)


def compare(task: IoTask, ours: list[Samples], theirs: list[Samples]) -> Versus:
    """Geometric means of the pairs' ratios with their t intervals."""
    core_ops, fio_ops = ops_per_s(ours), ops_per_s(theirs)
    core_cpu, fio_cpu = cpu_per_op(ours), cpu_per_op(theirs)
    return Versus(
        task.label,
        runs_estimate([a / b for a, b in zip(core_ops, fio_ops, strict=True)], "ratio"),
        runs_estimate([a / b for a, b in zip(core_cpu, fio_cpu, strict=True)], "ratio")
        if core_cpu and fio_cpu
        else None,
        runs_estimate([value * task.block_bytes for value in core_ops], "bytes/s"),
        runs_estimate(core_ops, "ops/s"),
        runs_estimate(fio_ops, "ops/s"),
        runs_estimate(core_cpu, "ns") if core_cpu else None,
        runs_estimate(fio_cpu, "ns") if fio_cpu else None,
    )


def ops_per_s(runs: list[Samples]) -> list[float]:
    """Operations per second of each run."""
    return [run.ops_count / run.elapsed_ns * 1e9 for run in runs]


def cpu_per_op(runs: list[Samples]) -> list[float]:
    """Processor time per operation of each run, or nothing where an engine cannot tell."""
    return [run.cpu_ns / run.ops_count for run in runs if run.cpu_ns]
