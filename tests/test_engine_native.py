"""The native engine: what it counts, how it stops, what it refuses, how it fails."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from graycard import facts
from graycard.engines import native
from graycard.engines.native import NativeEngine
from graycard.engines.native_samples import ticks_of
from graycard.errors import PlanProblem, RunProblem
from graycard.model import (
    Cache,
    Durability,
    IoTask,
    Operation,
    Pace,
    Pattern,
    Samples,
    Target,
    TargetKind,
    Tick,
)
from graycard.native import _core as core
from graycard.protocols import Progress
from tests.bed.loops import LoopImage
from tests.native.build import need_io_uring
from tests.native.host_double import FileHost

KIB, MIB = 1 << 10, 1 << 20
SPAN = 2 * MIB
READ = IoTask(Operation.READ, Pattern.SEQUENTIAL, 4 * KIB, SPAN, byte_limit=SPAN, cache=Cache.WARM)
WRITE = replace(READ, operation=Operation.WRITE)
LONG = replace(READ, byte_limit=None, time_ns=60 * 10**9, depth_count=2)


def ignore(progress: Progress) -> None:
    """Listen to nothing."""


@pytest.fixture
def target(tmp_path: Path) -> Target:
    """A file of SPAN written bytes."""
    path = tmp_path / "data"
    path.write_bytes(os.urandom(SPAN))
    return Target(str(path), TargetKind.FILE)


@pytest.fixture(params=["io_uring", "thread pool"])
def engine(request: pytest.FixtureRequest) -> NativeEngine:
    """Both engines, forced."""
    if request.param == "io_uring":
        need_io_uring()
    return NativeEngine(FileHost().as_host(), io=request.param)


def conserved(task: IoTask, samples: Samples) -> None:
    assert samples.moved_bytes == samples.ops_count * task.block_bytes
    assert sum(tick.moved_bytes for tick in samples.ticks) == samples.moved_bytes
    assert sum(tick.ops_count for tick in samples.ticks) == samples.ops_count
    assert samples.latency is not None
    assert samples.latency.ops_count == samples.ops_count
    assert samples.error_count == 0
    assert len(samples.ticks) * samples.tick_ns >= samples.elapsed_ns


@pytest.mark.parametrize("operation", list(Operation))
@pytest.mark.parametrize("pattern", list(Pattern))
@pytest.mark.parametrize(("depth", "workers"), [(1, 1), (8, 1), (9, 4)])
@pytest.mark.parametrize("cache", [Cache.BYPASS, Cache.WARM])
def test_every_load_is_conserved(
    engine: NativeEngine,
    target: Target,
    operation: Operation,
    pattern: Pattern,
    depth: int,
    workers: int,
    cache: Cache,
) -> None:
    task = IoTask(operation, pattern, 4 * KIB, SPAN, depth, workers, byte_limit=SPAN, cache=cache)
    samples = engine.run(task, target, ignore)
    conserved(task, samples)
    assert samples.moved_bytes == SPAN
    assert samples.engine in engine.settings()


def test_times_of_the_phases_lie_within_the_run(engine: NativeEngine, target: Target) -> None:
    samples = engine.run(WRITE, target, ignore)
    assert samples.flush_ns is not None
    assert samples.flush_ns > 0
    assert samples.close_ns is not None
    assert samples.drain_ns is not None
    assert 0 < samples.flush_ns + samples.close_ns + samples.drain_ns < samples.elapsed_ns
    assert samples.cpu_ns is not None
    assert samples.cpu_ns > 0


def test_a_read_has_no_flush_and_an_unpaced_run_no_late_frames(engine: NativeEngine, target: Target) -> None:
    samples = engine.run(READ, target, ignore)
    assert samples.flush_ns is None
    assert samples.late_count is None
    assert samples.flush_latency is None


def test_only_the_ring_knows_submit_and_reap_times(target: Target) -> None:
    need_io_uring()
    ring = NativeEngine(FileHost().as_host(), io="io_uring").run(READ, target, ignore)
    pool = NativeEngine(FileHost().as_host(), io="thread pool").run(READ, target, ignore)
    assert ring.submit_ns is not None
    assert 0 < ring.submit_ns < ring.elapsed_ns
    assert ring.reap_gap_ns is not None
    assert (pool.submit_ns, pool.reap_gap_ns) == (None, None)


def test_a_flush_after_each_write_has_its_own_histogram(target: Target) -> None:
    task = replace(WRITE, durability=Durability.EACH_WRITE, byte_limit=64 * KIB)
    samples = NativeEngine(FileHost().as_host()).run(task, target, ignore)
    assert samples.engine == "thread pool"
    assert samples.flush_latency is not None
    assert samples.flush_latency.ops_count == samples.ops_count == 16


def test_a_layout_fills_an_empty_file(engine: NativeEngine, tmp_path: Path) -> None:
    path = tmp_path / "new"
    path.touch()
    engine.run(WRITE, Target(str(path), TargetKind.FILE), ignore)
    data = path.read_bytes()
    assert len(data) == SPAN
    assert len({data[at : at + KIB] for at in range(0, SPAN, KIB)}) == SPAN // KIB


def test_two_runs_of_one_seed_write_different_data(engine: NativeEngine, target: Target) -> None:
    engine.run(WRITE, target, ignore)
    first = Path(target.path).read_bytes()
    engine.run(WRITE, target, ignore)
    second = Path(target.path).read_bytes()
    assert not {first[at : at + KIB] for at in range(0, SPAN, KIB)} & {
        second[at : at + KIB] for at in range(0, SPAN, KIB)
    }


def test_paced_frames_leave_empty_slots(engine: NativeEngine, target: Target) -> None:
    task = replace(READ, time_ns=200_000_000, byte_limit=None, depth_count=2, pace=Pace(10.0, 8 * KIB))
    samples = engine.run(task, target, ignore)
    conserved(task, samples)
    assert samples.ops_count == 4
    assert samples.late_count is not None
    assert sum(tick.ops_count == 0 for tick in samples.ticks) >= len(samples.ticks) - 4 > 0


def test_the_host_opens_the_file_and_drops_its_pages() -> None:
    host = FileHost()
    engine = NativeEngine(host.as_host())
    target = Target("/nowhere/at/all", TargetKind.FILE)
    for task in (replace(READ, cache=Cache.COLD), replace(WRITE, cache=Cache.BYPASS)):
        with pytest.raises(FileNotFoundError):
            engine.run(task, target, ignore)
    assert host.opened == [(target.path, False, False), (target.path, True, True)]
    assert host.dropped == [target.path]


def test_the_descriptor_is_closed(engine: NativeEngine, target: Target) -> None:
    before = set(os.listdir("/proc/self/fd"))
    engine.run(READ, target, ignore)
    with pytest.raises(RunProblem):
        engine.run(replace(READ, span_bytes=2 * SPAN, byte_limit=2 * SPAN), target, ignore)
    assert set(os.listdir("/proc/self/fd")) == before


# ---- progress and stopping ----


def test_progress_is_told_while_it_runs(engine: NativeEngine, target: Target) -> None:
    told: list[Progress] = []
    samples = engine.run(replace(LONG, time_ns=450_000_000), target, told.append)
    assert len(told) >= 2
    assert [each.moved_bytes for each in told] == sorted(each.moved_bytes for each in told)
    assert told[-1].elapsed_ns <= samples.elapsed_ns
    assert told[-1].ops_count <= samples.ops_count


class StopError(Exception):
    """Raised by a listener."""


@pytest.mark.parametrize("kind", [StopError, KeyboardInterrupt])
def test_what_the_listener_raises_stops_the_run(
    engine: NativeEngine, target: Target, kind: type[BaseException]
) -> None:
    def refuse(progress: Progress) -> None:
        raise kind

    with pytest.raises(kind):
        engine.run(LONG, target, refuse)
    assert not [thread for thread in threading.enumerate() if thread.name == "graycard I/O"]
    assert engine.refuses(READ, target) is None


def test_a_run_that_hangs_is_abandoned_and_refused_afterwards(
    engine: NativeEngine, target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = threading.Event()
    monkeypatch.setattr(core, "execute", lambda run: release.wait(60))

    def refuse(progress: Progress) -> None:
        raise StopError

    begin_s = time.monotonic()
    with pytest.raises(StopError):
        engine.run(LONG, target, refuse)
    assert time.monotonic() - begin_s < 30, "it did not wait for the end of the request"
    assert "still hangs" in str(engine.refuses(READ, target))
    with pytest.raises(PlanProblem, match="still hangs"):
        engine.run(READ, target, ignore)
    release.set()
    while engine.refuses(READ, target) is not None:
        time.sleep(0.01)


def test_a_stopped_process_shows_as_a_gap(target: Target) -> None:
    program = textwrap.dedent(
        f"""
        from graycard.engines.native import NativeEngine
        from graycard.model import *
        from tests.native.host_double import FileHost
        task = IoTask(Operation.READ, Pattern.SEQUENTIAL, 4096, {SPAN}, time_ns=3 * 10**9, cache=Cache.WARM)
        said = []
        def tell(progress):
            if not said: print("running", flush=True)
            said.append(progress)
        samples = NativeEngine(FileHost().as_host()).run(task, Target({target.path!r}, TargetKind.FILE), tell)
        print(samples.gap_ns, sum(tick.moved_bytes for tick in samples.ticks) == samples.moved_bytes)
        """
    )
    root = Path(__file__).parent.parent
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, cwd=root) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "running\n"
        process.send_signal(signal.SIGSTOP)
        time.sleep(1.0)
        process.send_signal(signal.SIGCONT)
        gap_ns, sound = process.stdout.read().split()
    assert int(gap_ns) > 800_000_000
    assert sound == "True"


# ---- refusals ----


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"byte_limit": None}, "time limit or a byte limit"),
        ({"worker_count": 2}, "at least the number of workers"),
        ({"worker_count": 0}, "at least the number of workers"),
        ({"depth_count": 5000}, "at most 4096"),
        ({"span_bytes": 4095}, "at least one block"),
        ({"byte_limit": 4095}, "at least one block"),
        ({"block_bytes": 0}, "at least one byte"),
        ({"block_bytes": 1000, "cache": Cache.BYPASS}, "512-byte sectors"),
        ({"pace": Pace(25.0, 5000)}, "whole blocks"),
        ({"block_bytes": 1 << 30, "span_bytes": 1 << 40, "byte_limit": 1 << 40, "depth_count": 8}, "4 GiB of memory"),
    ],
)
def test_what_cannot_be_done_is_refused(target: Target, changes: dict[str, Any], says: str) -> None:
    engine = NativeEngine(FileHost().as_host())
    task = replace(READ, **changes)
    assert says in str(engine.refuses(task, target))
    with pytest.raises(PlanProblem):
        engine.run(task, target, ignore)


def test_without_the_compiled_core_it_says_what_to_do(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "MISSING", "No module named 'graycard.native._core'")
    assert "install a C compiler, then install graycard again" in str(
        NativeEngine(FileHost().as_host()).refuses(READ, target)
    )


def test_a_core_of_another_version_is_refused(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "CONFIG_VERSION", native.CONFIG_VERSION + 1)
    assert "another version" in str(NativeEngine(FileHost().as_host()).refuses(READ, target))


# ---- failures ----


def test_a_file_that_ends_early_fails_the_run(engine: NativeEngine, target: Target) -> None:
    task = replace(READ, span_bytes=2 * SPAN, byte_limit=2 * SPAN)
    with pytest.raises(RunProblem, match="the file ended early") as raised:
        engine.run(task, target, ignore)
    assert (raised.value.errno, raised.value.offset_bytes, raised.value.phase) == (None, SPAN, "measure")


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """The process's own limit of a file's size."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_file_that_may_not_grow_fails_the_run(engine: NativeEngine, tmp_path: Path) -> None:
    path = tmp_path / "new"
    path.touch()
    with largest_file(MIB + 2048), pytest.raises(RunProblem, match="EFBIG") as raised:
        engine.run(WRITE, Target(str(path), TargetKind.FILE), ignore)
    assert raised.value.offset_bytes == MIB
    assert "ulimit -f" in str(raised.value)


@pytest.mark.root
@pytest.mark.parametrize("cache", [Cache.BYPASS, Cache.WARM])
@pytest.mark.parametrize("depth", [1, 8])
def test_a_volume_that_fills_up_fails_the_run(
    engine: NativeEngine, loop_image: LoopImage, cache: Cache, depth: int
) -> None:
    path = os.path.join(loop_image(16 * MIB), "data")
    Path(path).touch()
    task = IoTask(
        Operation.WRITE, Pattern.SEQUENTIAL, 300 * KIB, 32 * MIB, depth_count=depth, byte_limit=32 * MIB, cache=cache
    )
    with pytest.raises(RunProblem, match="the volume is full") as raised:
        engine.run(task, Target(path, TargetKind.FILE), ignore)
    assert raised.value.phase == "measure"
    assert raised.value.offset_bytes is not None
    assert 0 < raised.value.offset_bytes < 16 * MIB


def test_memory_that_cannot_be_had_fails_in_preparation(
    engine: NativeEngine, target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    def short(**config: int) -> object:
        raise OSError(12, "Cannot allocate memory")

    monkeypatch.setattr(core, "prepare", short)
    before = set(os.listdir("/proc/self/fd"))
    with pytest.raises(RunProblem, match="memory is short") as raised:
        engine.run(READ, target, ignore)
    assert raised.value.phase == "prepare"
    assert set(os.listdir("/proc/self/fd")) == before


# ---- the instrument ----


@pytest.mark.parametrize("operation", list(Operation))
def test_the_ceiling_is_measured_once(operation: Operation, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = NativeEngine(FileHost().as_host())
    task = IoTask(operation, Pattern.RANDOM, 4 * KIB, SPAN, depth_count=8, worker_count=2, time_ns=10**9)
    found = engine.ceiling(task)
    names = ["ceiling_ops_per_s", "clock_step_ns", "clock_cost_ns"]
    names += ["generator_bytes_per_s"] if operation is Operation.WRITE else []
    assert sorted(each.name for each in found) == sorted(names)
    for name in names:
        number = facts.number(found, name)
        assert number is not None
        assert number > 0

    def never(**config: int) -> object:
        raise AssertionError

    monkeypatch.setattr(core, "prepare", never)
    assert engine.ceiling(replace(task, seed=5)) == found


def test_settings_name_the_engine_before_any_run() -> None:
    assert NativeEngine(FileHost().as_host()).settings().startswith(("io_uring", "thread pool"))
    assert NativeEngine(FileHost().as_host(), io="thread pool").settings() == "thread pool"


# ---- slots of time ----


def raw(*pairs: tuple[int, int]) -> bytes:
    return b"".join(number.to_bytes(8, sys.byteorder) for pair in pairs for number in pair)


@pytest.mark.parametrize(
    ("pairs", "elapsed_ns", "overflow", "expected"),
    [
        (((1, 10), (2, 20)), 20, (0, 0), [(1, 10), (2, 20)]),
        (((1, 10), (0, 0)), 45, (0, 0), [(1, 10), (0, 0), (0, 0), (0, 0), (0, 0)]),
        (((1, 10), (2, 20)), 95, (3, 30), [(1, 10), (5, 50)]),
    ],
)
def test_ticks_keep_empty_slots_and_fold_what_overflows(
    pairs: tuple[tuple[int, int], ...], elapsed_ns: int, overflow: tuple[int, int], expected: list[tuple[int, int]]
) -> None:
    assert ticks_of(raw(*pairs), 10, elapsed_ns, overflow) == tuple(
        Tick(index * 10, *pair) for index, pair in enumerate(expected)
    )
