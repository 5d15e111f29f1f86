"""The named sets of tasks.

`standard` are AmorphousDiskMark's four tests, `nvme` CrystalDiskMark's NVMe set (Q is per thread there, so Q32T16 has
512 requests in flight), `records` iozone's automatic matrix. A write run touches each block at most once, so that the
bytes of a plan are known beforehand; a read run goes round the file until its time is over.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from graycard.model import Cache, Durability, IoTask, Operation, Pattern, Repeat
from graycard.plan.options import TaskOptions

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
SECOND_NS = 10**9
DEFAULT = "standard"

SEQ, RND = Pattern.SEQUENTIAL, Pattern.RANDOM
BOTH = (Operation.READ, Operation.WRITE)
# Pattern, block_bytes, depth_count, worker_count.
Shape = tuple[Pattern, int, int, int]

STANDARD: tuple[Shape, ...] = ((SEQ, MIB, 8, 1), (SEQ, MIB, 1, 1), (RND, 4 * KIB, 64, 1), (RND, 4 * KIB, 1, 1))
NVME: tuple[Shape, ...] = (
    (SEQ, MIB, 8, 1),
    (SEQ, 128 * KIB, 32, 1),
    (RND, 4 * KIB, 512, 16),
    (RND, 4 * KIB, 1, 1),
)
QUICK: tuple[Shape, ...] = ((SEQ, MIB, 8, 1), (RND, 4 * KIB, 1, 1))
# One thread that waits for each flush, in both orders, then eight that may share flushes (group commit).
DURABLE: tuple[Shape, ...] = ((SEQ, 4 * KIB, 1, 1), (RND, 4 * KIB, 1, 1), (RND, 4 * KIB, 8, 8))

# iozone -a doubles the record from 4 KiB to 16 MiB and the file size; files above 16 MiB start with 64 KiB records
# (its constants CROSSOVER and LARGE_REC). The smallest file here is 16 MiB (iozone: 64 KiB): smaller ones take too
# few requests to time. At most six file sizes keep the matrix bounded however large the file.
SMALLEST_RECORD_BYTES, LARGEST_RECORD_BYTES = 4 * KIB, 16 * MIB
CROSSOVER_BYTES, LARGE_FILE_RECORD_BYTES = 16 * MIB, 64 * KIB
SMALLEST_FILE_BYTES, FILE_SIZES_COUNT = 16 * MIB, 6


@dataclass(frozen=True, slots=True)
class Preset:
    """A named set of tasks. `build` takes size_bytes and time_ns; `says` is one line for the help.

    `size_bytes`, `time_ns`, `repeat` and `budget_ns` hold unless the user says otherwise.
    """

    name: str
    says: str
    build: Callable[[int, int], tuple[IoTask, ...]]
    size_bytes: int
    time_ns: int
    repeat: Repeat
    budget_ns: int


def io_task(operation: Operation, shape: Shape, size_bytes: int, time_ns: int, durability: Durability) -> IoTask:
    """One task whose span is `size_bytes` rounded down to whole blocks for every worker (0 if not even one fits)."""
    pattern, block, depth, workers = shape
    span = size_bytes // (block * workers) * (block * workers)
    writes = operation is Operation.WRITE
    return IoTask(
        operation=operation,
        pattern=pattern,
        block_bytes=block,
        span_bytes=span,
        depth_count=depth,
        worker_count=workers,
        time_ns=time_ns,
        byte_limit=span if writes else None,
        durability=durability if writes else Durability.NONE,
    )


def through(task: IoTask, cache: Cache) -> IoTask:
    """The task in that cache mode. A cold read makes one pass at most: what it has read is in memory from then on."""
    if cache is Cache.COLD and task.operation is Operation.READ:
        return replace(task, cache=cache, byte_limit=min(task.byte_limit or task.span_bytes, task.span_bytes))
    return replace(task, cache=cache)


def _each(
    shapes: tuple[Shape, ...],
    operations: tuple[Operation, ...] = BOTH,
    durability: Durability = Durability.AT_END,
) -> Callable[[int, int], tuple[IoTask, ...]]:
    def build(size_bytes: int, time_ns: int) -> tuple[IoTask, ...]:
        pairs = ((shape, operation) for shape in shapes for operation in operations)
        return tuple(io_task(operation, shape, size_bytes, time_ns, durability) for shape, operation in pairs)

    return build


def file_sizes(size_bytes: int) -> tuple[int, ...]:
    """The doubling of iozone: the last six powers of two up to `size_bytes`, none under 16 MiB unless all are."""
    largest = 1 << (size_bytes.bit_length() - 1)
    sizes = (largest >> step for step in reversed(range(FILE_SIZES_COUNT)))
    return tuple(size for size in sizes if size >= SMALLEST_FILE_BYTES) or (largest,)


def record_sizes(file_bytes: int) -> tuple[int, ...]:
    """The doubling of the record by iozone for one file size; small records are left out of large files."""
    smallest = LARGE_FILE_RECORD_BYTES if file_bytes > CROSSOVER_BYTES else SMALLEST_RECORD_BYTES
    steps = (LARGEST_RECORD_BYTES // smallest).bit_length()
    return tuple(smallest << step for step in range(steps) if smallest << step <= file_bytes)


def _records(size_bytes: int, time_ns: int) -> tuple[IoTask, ...]:
    cells = ((size, record) for size in file_sizes(size_bytes) for record in record_sizes(size))
    return tuple(
        io_task(operation, (pattern, record, 1, 1), size, time_ns, Durability.AT_END)
        for size, record in cells
        for pattern in (SEQ, RND)
        for operation in BOTH
    )


def _ms(count: int) -> int:
    return count * 1_000_000


# Times are chosen so that five rounds, rests and layout fit the budget on a disk that writes 50 MB/s (quick: 100 MB/s);
# a faster disk has the rest of the budget for more rounds.
PRESETS: dict[str, Preset] = {
    each.name: each
    for each in (
        Preset(
            "quick",
            "a first look in about 20 s: 1 MiB sequential and 4 KiB random",
            _each(QUICK),
            256 * MIB,
            _ms(500),
            Repeat(rest_ns=_ms(100)),
            20 * SECOND_NS,
        ),
        Preset(
            "standard",
            "the four AmorphousDiskMark tests, read and write, in about 3 min",
            _each(STANDARD),
            GIB,
            _ms(2500),
            Repeat(rest_ns=_ms(500)),
            190 * SECOND_NS,
        ),
        Preset(
            "nvme",
            "CrystalDiskMark's NVMe set, read and write, up to 512 requests in flight",
            _each(NVME),
            GIB,
            _ms(2500),
            Repeat(rest_ns=_ms(500)),
            190 * SECOND_NS,
        ),
        Preset(
            "records",
            "iozone's matrix: record size × file size, sequential and random",
            _records,
            128 * MIB,
            _ms(200),
            Repeat(),
            300 * SECOND_NS,
        ),
        Preset(
            "durable",
            "4 KiB writes that wait for a flush after each one",
            _each(DURABLE, (Operation.WRITE,), Durability.EACH_WRITE),
            256 * MIB,
            _ms(2500),
            Repeat(rest_ns=_ms(500)),
            90 * SECOND_NS,
        ),
    )
}


def single(options: TaskOptions) -> Preset:
    """One task by options; reading and writing both unless one is named. Sequential 1 MiB, random 4 KiB, depth 1."""
    pattern = options.pattern or SEQ
    block = options.block_bytes or (MIB if pattern is SEQ else 4 * KIB)
    workers = options.worker_count or 1
    shape = (pattern, block, options.depth_count or workers, workers)
    build = _each((shape,), options.operations or BOTH)
    return Preset("single", "one task by options", build, GIB, _ms(2500), Repeat(rest_ns=_ms(500)), 120 * SECOND_NS)
