"""Whole runs on real files: what must be written is written, what must be counted is counted."""

from __future__ import annotations

import errno
import os
import zlib
from pathlib import Path

import pytest

from tests.native.build import FLAGS, Driver, Outcome, build, compiler, need_io_uring

URING, POOL = 1, 2
READ, WRITE = 0, 1
RANDOM = 1
EACH_WRITE = 2
KIB, MIB = 1024, 1024 * 1024
both_engines = pytest.mark.parametrize("engine", [URING, POOL], ids=["io_uring", "pool"])


@pytest.fixture(autouse=True)
def skip_what_the_kernel_refuses(request: pytest.FixtureRequest) -> None:
    """Tests that force io_uring need it."""
    if "engine" in request.fixturenames and request.getfixturevalue("engine") == URING:
        need_io_uring()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """An empty file."""
    (tmp_path / "data").touch()
    return tmp_path / "data"


def conserved(outcome: Outcome, block: int) -> None:
    assert outcome["error_count"] == 0
    assert outcome["moved_bytes"] == outcome["ops_count"] * block
    assert sum(moved for _, moved in outcome.ticks) + outcome["overflow_bytes"] == outcome["moved_bytes"]
    assert sum(count for _, count in outcome.latency) + outcome["latency_overflow"] == outcome["ops_count"]


@both_engines
@pytest.mark.parametrize("pattern", [0, RANDOM], ids=["sequential", "random"])
@pytest.mark.parametrize(("depth", "workers"), [(1, 1), (8, 1), (7, 3)])
def test_one_pass_writes_every_block_with_data_of_its_own(
    driver: Driver, path: Path, engine: int, depth: int, workers: int, pattern: int
) -> None:
    span = 3 * MIB + 256 * KIB
    outcome = driver.run(
        path=path,
        operation=WRITE,
        may_write=1,
        engine=engine,
        pattern=pattern,
        depth_count=depth,
        worker_count=workers,
        block_bytes=64 * KIB,
        span_bytes=span,
        op_limit=span // (64 * KIB),
    )
    conserved(outcome, 64 * KIB)
    data = path.read_bytes()
    blocks = {data[at : at + 4096] for at in range(0, len(data), 4096)}
    assert len(data) == span == outcome["moved_bytes"]
    assert len(blocks) == span // 4096
    assert len(zlib.compress(data)) > span
    assert outcome["flush_ns"] > 0


@both_engines
def test_the_compressible_part_is_zeros(driver: Driver, path: Path, engine: int) -> None:
    driver.run(
        path=path,
        operation=WRITE,
        may_write=1,
        engine=engine,
        depth_count=4,
        zero_bytes=3072,
        span_bytes=256 * KIB,
        op_limit=128,
    )
    data = path.read_bytes()
    for at in range(0, len(data), 4096):
        assert data[at : at + 3072] == bytes(3072)
        assert data[at + 3072 : at + 4096].count(0) < 32


@both_engines
@pytest.mark.parametrize("direct", [0, 1])
def test_a_read_past_the_end_fails_the_run(driver: Driver, path: Path, engine: int, direct: int) -> None:
    path.write_bytes(bytes(10 * 4096 + 100))
    outcome = driver.run(path=path, engine=engine, direct=direct, span_bytes=MIB, op_limit=256)
    assert outcome["error_count"] >= 1
    assert (outcome["error"], outcome["error_offset"], outcome["phase"]) == (0, 10 * 4096, 2)
    assert outcome["ops_count"] == 10


@both_engines
def test_an_error_is_kept_with_its_errno(driver: Driver, tmp_path: Path, engine: int) -> None:
    outcome = driver.run(path=tmp_path, engine=engine, op_limit=1)
    assert (outcome["error"], outcome["operation"], outcome["ops_count"]) == (errno.EISDIR, READ, 0)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"operation": WRITE}, errno.EPERM),
        ({"version": 0}, errno.EINVAL),
        ({"block_bytes": 0}, errno.EINVAL),
        ({"worker_count": 2}, errno.EINVAL),
        ({"span_bytes": 4095}, errno.EINVAL),
        ({"op_limit": 0}, errno.EINVAL),
        ({"null_device": 0}, errno.EBADF),
    ],
)
def test_an_unsound_configuration_is_refused(driver: Driver, options: dict[str, int], code: int) -> None:
    outcome = driver.run(**{"null_device": 1, "op_limit": 1} | options)
    assert outcome.numbers == {"refused": code}


@both_engines
def test_a_time_limit_ends_the_run(driver: Driver, path: Path, engine: int) -> None:
    path.write_bytes(bytes(MIB))
    outcome = driver.run(path=path, engine=engine, pattern=RANDOM, depth_count=4, time_ns=200_000_000)
    conserved(outcome, 4096)
    assert outcome["elapsed_ns"] >= 200_000_000
    assert outcome["ops_count"] > 256, "the file was read more than once"


@both_engines
def test_stop_ends_a_run_early(driver: Driver, path: Path, engine: int) -> None:
    path.write_bytes(bytes(MIB))
    outcome = driver.run(path=path, engine=engine, depth_count=4, time_ns=100_000_000_000, stop_ms=50)
    conserved(outcome, 4096)
    assert outcome["elapsed_ns"] < 50_000_000_000


@both_engines
def test_frames_are_issued_at_their_deadlines(driver: Driver, path: Path, engine: int) -> None:
    path.write_bytes(bytes(MIB))
    outcome = driver.run(
        path=path,
        engine=engine,
        depth_count=4,
        block_bytes=16 * KIB,
        op_limit=15 * 4,
        period_ns=20_000_000,
        frame_ops=4,
        late_ns=10**9,
    )
    conserved(outcome, 16 * KIB)
    assert outcome["ops_count"] == 15 * 4, "a frame at 0, 20, …, 280 ms"
    assert outcome["late_count"] == 0, "none later than a second"
    assert outcome["elapsed_ns"] >= 280_000_000
    # nothing is issued before it is due, so no frame completes in an earlier slot of 10 ms
    done = 0
    for slot, (ops, _) in enumerate(outcome.ticks):
        done += ops
        assert done <= 4 * (1 + (slot + 1) * 10 // 20)


@both_engines
def test_frames_that_cannot_start_in_time_are_counted_and_wait_from_their_deadline(driver: Driver, engine: int) -> None:
    # Each operation takes 4 ms and a frame is due every 2 ms: the k-th is done no earlier than 4·k ms.
    outcome = driver.run(
        null_device=1, engine=engine, busy=4_000_000, op_limit=50, period_ns=2_000_000, late_ns=1_000_000
    )
    assert outcome["late_count"] >= 49, "all but the first, which a busy machine may start late too"
    expected_ns = sum(4_000_000 * (k + 1) - 2_000_000 * k for k in range(50))
    assert outcome["latency_sum_ns"] >= expected_ns
    assert outcome["latency_max_ns"] >= 100_000_000


def test_a_flush_after_each_write_is_timed_alone_and_within(driver: Driver, path: Path) -> None:
    outcome = driver.run(path=path, operation=WRITE, may_write=1, durability=EACH_WRITE, op_limit=20)
    conserved(outcome, 4096)
    assert outcome["engine"] == POOL
    assert outcome["flush_ops"] == 20 == sum(count for _, count in outcome.flush)
    assert 0 < outcome["flush_sum_ns"] < outcome["latency_sum_ns"]


def test_ticks_grow_wider_for_a_long_run_and_lose_nothing(driver: Driver, path: Path) -> None:
    path.write_bytes(bytes(MIB))
    outcome = driver.run(path=path, op_limit=10, time_ns=100 * 3600 * 10**9)
    conserved(outcome, 4096)
    assert outcome["tick_ns"] == 10_000_000 * 2**7
    assert outcome["tick_ns"] * 2**19 > 100 * 3600 * 10**9


def test_what_completes_after_the_last_slot_is_counted_apart(tmp_path: Path) -> None:
    short = build(tmp_path, compiler(), (*FLAGS, "-DSLACK_NS=UINT64_C(20000000)"))
    # Far apart, so that no loss of the processor lets the first come late or the second in time.
    outcome = short.run(null_device=1, busy="10000000,1000000000", time_ns=500_000_000)
    assert (outcome["overflow_ops"], outcome["overflow_bytes"]) == (1, 4096)
    assert sum(ops for ops, _ in outcome.ticks) == outcome["ops_count"] - 1 == 1


def test_direct_io_on_this_file_system_uses_io_uring(driver: Driver, path: Path) -> None:
    path.write_bytes(bytes(MIB))
    fd = os.open(path, os.O_RDONLY)
    try:
        os.preadv(fd, [bytearray(1)], 2**40, os.RWF_NOWAIT)
    except OSError:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip("this file system does not know RWF_NOWAIT")
    finally:
        os.close(fd)
    need_io_uring()
    assert driver.run(path=path, direct=1, depth_count=8, op_limit=256)["engine"] == URING
    assert driver.run(path=path, direct=0, depth_count=8, op_limit=256)["engine"] == POOL
