"""Comparisons of the instrument with devices of known truth; the tests run them short, docs/accuracy.md long."""

from __future__ import annotations

import contextlib
import itertools
import mmap
import os
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from graycard.engines.native import NativeEngine
from graycard.host import this_host
from graycard.model import Durability, IoTask, Operation, Pattern, Samples, Target, TargetKind
from graycard.protocols import Progress
from tests.bed.rates import RatedDevice, device_bytes
from tests.bed.truth import Device, Request, truth_device

MIB = 1 << 20
FILE_BYTES = 256 * MIB
BLOCK_BYTES = {Pattern.SEQUENTIAL: 128 << 10, Pattern.RANDOM: 4 << 10}
FuseLoad = tuple[Operation, Pattern, int]
MOST_DEPTH = 64
FUSE_LOADS: tuple[FuseLoad, ...] = tuple(itertools.product(Operation, Pattern, (1, 8, MOST_DEPTH)))


def ignore(_: Progress) -> None:
    """Nobody listens."""


def load(operation: Operation, pattern: Pattern, block: int, depth: int, seconds: float, span: int) -> IoTask:
    """A load for a time, with a flush at the end of writes."""
    return IoTask(
        operation,
        pattern,
        block,
        span,
        depth_count=depth,
        time_ns=int(seconds * 1e9),
        durability=Durability.AT_END if operation is Operation.WRITE else Durability.NONE,
        seed=depth,
    )


def run(path: str, task: IoTask) -> Samples:
    """One run by the native engine."""
    return NativeEngine(this_host()).run(task, Target(path, TargetKind.FILE), ignore)


def mean_latency_ns(samples: Samples) -> float:
    """Exact mean: the sum of all latencies over their number."""
    assert samples.latency is not None
    return samples.latency.sum_ns / samples.latency.ops_count


@dataclass(frozen=True)
class FuseRow:
    """One load on the FUSE device of known truth, instrument beside log."""

    operation: str
    pattern: str
    depth_count: int
    ops_count: int
    log_ops_per_s: float
    ops_per_s: float
    log_latency_ns: float
    latency_ns: float
    path_cost_ns: float

    @property
    def rate_error_ratio(self) -> float:
        """Rate of the instrument over that of the log, less 1."""
        return self.ops_per_s / self.log_ops_per_s - 1

    @property
    def latency_error_ratio(self) -> float:
        """Mean latency of the instrument over that of the log plus the path's own cost, less 1."""
        return self.latency_ns / (self.log_latency_ns + self.path_cost_ns) - 1


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """This process and those it starts go before all others, so that a busy machine does not add to either side."""
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
    try:
        yield
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def path_cost_ns(device: Device, count: int = 60) -> float:
    """What the way through the kernel to the FUSE server and back costs now, by plain preadv: mean of caller − log."""
    fd = os.open(device.path, os.O_RDONLY | os.O_DIRECT)
    buffer = mmap.mmap(-1, 4096)
    try:
        device.take_log()
        seen = []
        for index in range(count):
            start = time.monotonic_ns()
            os.preadv(fd, [buffer], index * 4096)
            seen.append(time.monotonic_ns() - start)
    finally:
        os.close(fd)
    log = [request.answered_ns - request.arrived_ns for request in device.take_log()]
    return statistics.fmean(caller - server for caller, server in zip(seen, log, strict=True))


def fuse_rows(tmp: Path, loads: Sequence[FuseLoad], *, seconds: float, service_ns: int) -> Iterator[FuseRow]:
    """These loads on a device whose requests take `service_ns` in the mean."""
    depths = {depth for _, _, depth in loads}
    with contextlib.ExitStack() as stack:
        stack.enter_context(undisturbed())
        device = stack.enter_context(
            truth_device(tmp / "truth", size=FILE_BYTES, service_ns=service_ns, channels=MOST_DEPTH)
        )
        # What the path costs depends on how long the processor slept before: one request at a time, at the row's pace.
        paced = {
            depth: stack.enter_context(
                truth_device(tmp / f"cost{depth}", size=FILE_BYTES, service_ns=service_ns // depth, channels=64)
            )
            for depth in depths
        }
        for operation, pattern, depth in loads:
            cost_ns = path_cost_ns(paced[depth])
            device.take_log()
            task = load(operation, pattern, BLOCK_BYTES[pattern], depth, seconds, FILE_BYTES)
            yield fuse_row(task, run(device.path, task), device.take_log(), cost_ns)


def fuse_row(task: IoTask, samples: Samples, log: list[Request], cost_ns: float) -> FuseRow:
    """Instrument and log side by side: the log's rate is over first arrival to last answer, as a device sees it."""
    span_ns = max(request.answered_ns for request in log) - min(request.arrived_ns for request in log)
    assert len(log) == samples.ops_count, (len(log), samples.ops_count)
    return FuseRow(
        task.operation.value,
        task.pattern.value,
        task.depth_count,
        samples.ops_count,
        len(log) / span_ns * 1e9,
        samples.ops_count / samples.elapsed_ns * 1e9,
        statistics.fmean(request.answered_ns - request.arrived_ns for request in log),
        mean_latency_ns(samples),
        cost_ns,
    )


@dataclass(frozen=True)
class RatedRow:
    """One load on a device of known rate: what was set, what the kernel counted, what the instrument says."""

    device: str
    load: str
    set_bytes_per_s: float
    counted_bytes_per_s: float
    bytes_per_s: float

    @property
    def error_ratio(self) -> float:
        """Rate of the instrument over that of the kernel's counters, less 1."""
        return self.bytes_per_s / self.counted_bytes_per_s - 1


def rated_row(name: str, device: RatedDevice, task: IoTask, path: str) -> RatedRow:
    """Bytes the kernel counted on the device over the instrument's own time, beside the instrument's rate."""
    write = task.operation is Operation.WRITE
    before = device_bytes(device.loop, write=write)
    samples = run(path, task)
    counted = device_bytes(device.loop, write=write) - before
    return RatedRow(
        name,
        task.label,
        device.bytes_per_s,
        counted / samples.elapsed_ns * 1e9,
        samples.moved_bytes / samples.elapsed_ns * 1e9,
    )
