"""What the core counted, as the nouns of the model: raw arrays become ticks and histograms, codes become problems."""

from __future__ import annotations

from graycard.errors import RunProblem, io_problem
from graycard.model import Bucket, Histogram, Tick

# gc_result.phase and gc_result.operation of core.h
PHASES = {1: "prepare", 2: "measure", 3: "flush", 4: "close"}
OPERATIONS = {0: "read", 1: "write", 2: "flush", 3: "close"}

RawHistogram = tuple[bytes, int, int, int, int, int]


def histogram_of(raw: RawHistogram | None, lows: tuple[int, ...], error_ratio: float) -> Histogram | None:
    """The non-empty buckets of a raw histogram; `lows` holds the least value (ns) of every bucket.

    A latency read as low_ns · (1 + error_ratio) is off by at most error_ratio (derived in histogram.h).
    """
    if raw is None:
        return None
    counts, overflow_count, sum_ns, min_ns, max_ns, ops_count = raw
    buckets = (Bucket(low, count) for low, count in zip(lows, memoryview(counts).cast("Q"), strict=True) if count)
    return Histogram(
        error_ratio,
        tuple(buckets),
        sum_ns,
        min_ns if ops_count else None,
        max_ns if ops_count else None,
        overflow_count,
    )


def ticks_of(raw: bytes, tick_ns: int, elapsed_ns: int, overflow: tuple[int, int]) -> tuple[Tick, ...]:
    """All slots from the start to the end of the run, empty ones too; what came after the last slot is put into it.

    `raw` holds pairs (operations, bytes) of 64 bits each. The sum of `moved_bytes` stays the bytes of the run.
    """
    flat = memoryview(raw).cast("Q").tolist()
    ops, moved = flat[::2], flat[1::2]
    empty_count = max(0, -(-elapsed_ns // tick_ns) - len(ops))
    if any(overflow):
        ops[-1] += overflow[0]
        moved[-1] += overflow[1]
        empty_count = 0
    ops += [0] * empty_count
    moved += [0] * empty_count
    return tuple(Tick(index * tick_ns, *pair) for index, pair in enumerate(zip(ops, moved, strict=True)))


def problem_of(error: int, *, phase: int, operation: int, offset_bytes: int, place: str) -> RunProblem:
    """The first error of a run as a RunProblem; only reads and writes have a place in the file."""
    moves = operation in {0, 1} and phase == 2
    return io_problem(
        error,
        operation=OPERATIONS[operation],
        place=place,
        offset_bytes=offset_bytes if moves else None,
        phase=PHASES[phase],
    )
