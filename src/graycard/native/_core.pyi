"""What the compiled core offers; core.h tells the meaning of every number."""

from mmap import mmap
from typing import TypedDict

VERSION: int
ERROR_RATIO: float

class Run:
    """Opaque: a run in the core."""

RawHistogram = tuple[bytes, int, int, int, int, int]

class Outcome(TypedDict):
    engine: int
    setup: int
    elapsed_ns: int
    ops_count: int
    moved_bytes: int
    drain_ns: int
    flush_ns: int
    close_ns: int
    submit_ns: int
    cpu_ns: int
    reap_gap_ns: int
    late_count: int
    error_count: int
    error: int
    phase: int
    operation: int
    error_offset: int
    tick_ns: int
    overflow_ops: int
    overflow_bytes: int
    ticks: bytes
    latency: RawHistogram
    flush_latency: RawHistogram | None

def prepare(
    *,
    version: int,
    fd: int,
    operation: int,
    pattern: int,
    engine: int,
    durability: int,
    may_write: int,
    null_device: int,
    account: int,
    depth_count: int,
    worker_count: int,
    zero_bytes: int,
    block_bytes: int,
    span_bytes: int,
    time_ns: int,
    op_limit: int,
    seed: int,
    run_number: int,
    tick_ns: int,
    period_ns: int,
    frame_ops: int,
    late_ns: int,
) -> Run: ...
def execute(run: Run, /) -> None: ...
def stop(run: Run, /) -> None: ...
def abandon(run: Run, /) -> None: ...
def peek(run: Run, /) -> tuple[int, int, int, int]: ...
def outcome(run: Run, /) -> Outcome: ...
def measure_clock() -> tuple[float, float]: ...
def measure_generator(block_bytes: int, time_ns: int, /) -> float: ...
def bucket_lows() -> tuple[int, ...]: ...
def read_at(fd: int, buffer: mmap | memoryview, offset: int, moment_ns: int, /) -> tuple[int, int, int]: ...
def write_at(fd: int, buffer: mmap | memoryview, offset: int, moment_ns: int, /) -> tuple[int, int, int]: ...
def fill(buffer: mmap | memoryview, seed: int, run: int, serial: int, /) -> None: ...
def flush(fd: int, /) -> None: ...
def clock_ns() -> int: ...
