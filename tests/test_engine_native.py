"""The native engine: what it counts, how it stops, what it refuses, how it fails."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from graycard import facts
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
from tests.native.build import need_io_uring
from tests.native.engine_loads import ENGINES, KIB, LONG, READ, SPAN, WRITE, forced_engine, ignore, written_file
from tests.native.host_double import FileHost


@pytest.fixture
def target(tmp_path: Path) -> Target:
    """A file of SPAN written bytes."""
    return written_file(tmp_path)


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> NativeEngine:
    """Both engines, forced."""
    return forced_engine(request.param)


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
    for time_s in (0.45, 2, 8):  # whoever watches may get no processor for a while
        told: list[Progress] = []
        samples = engine.run(replace(LONG, time_ns=int(time_s * 1e9)), target, told.append)
        if len(told) >= 2:
            break
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
        import os, signal
        from graycard.engines.native import NativeEngine
        from graycard.model import *
        from tests.native.host_double import FileHost
        task = IoTask(Operation.READ, Pattern.SEQUENTIAL, 4096, {SPAN}, time_ns=2 * 10**9, cache=Cache.WARM)
        said = []
        def tell(progress):
            if not said: os.kill(os.getpid(), signal.SIGSTOP)
            said.append(progress)
        samples = NativeEngine(FileHost().as_host()).run(task, Target({target.path!r}, TargetKind.FILE), tell)
        print(samples.gap_ns, sum(tick.moved_bytes for tick in samples.ticks) == samples.moved_bytes)
        """
    )
    root = Path(__file__).parent.parent
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, cwd=root) as process:
        assert process.stdout is not None
        while psutil.Process(process.pid).status() != psutil.STATUS_STOPPED:
            time.sleep(0.01)
        time.sleep(1.0)
        process.send_signal(signal.SIGCONT)
        gap_ns, sound = process.stdout.read().split()
    assert int(gap_ns) > 800_000_000
    assert sound == "True"


# ---- the instrument ----


def test_too_little_memory_for_the_ceiling_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**config: int) -> object:
        raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))

    monkeypatch.setattr(core, "prepare", refuse)
    with pytest.raises(RunProblem, match=r"memory is short .* while measuring the ceiling of this computer"):
        NativeEngine(FileHost().as_host()).ceiling(READ)


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
