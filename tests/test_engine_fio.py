"""The fio engine against real fio on real small files."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from graycard.engines.fio import FioEngine
from graycard.engines.fio_process import Watch
from graycard.errors import RunProblem
from graycard.model import Cache, Durability, IoTask, Operation, Pattern, Target, TargetKind
from graycard.protocols import Progress

MIB = 1 << 20
SPAN = 16 * MIB
TIMED = IoTask(Operation.READ, Pattern.RANDOM, 4096, SPAN, depth_count=16, time_ns=200_000_000)
ONCE = replace(TIMED, time_ns=None, byte_limit=SPAN)
needs_fio = pytest.mark.skipif(not shutil.which("fio") and os.environ.get("CI") != "true", reason="fio is not here")


def ignore(progress: Progress) -> None:
    del progress


def target(path: Path | str) -> Target:
    return Target(str(path), TargetKind.FILE)


@pytest.fixture(scope="module")
def engine() -> FioEngine:
    return FioEngine()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "measured"
    path.write_bytes(os.urandom(SPAN))
    return path


def blocks(data: bytes, size: int = 4096) -> list[bytes]:
    return [data[start : start + size] for start in range(0, len(data), size)]


# Runs


@needs_fio
@pytest.mark.parametrize("workers", [1, 4])
@pytest.mark.parametrize("pattern", list(Pattern))
@pytest.mark.parametrize("operation", list(Operation))
def test_every_byte_is_moved_once_and_counted(
    operation: Operation, pattern: Pattern, workers: int, engine: FioEngine, file: Path
) -> None:
    before = file.read_bytes()
    task = replace(ONCE, operation=operation, pattern=pattern, worker_count=workers, seed=workers)
    samples = engine.run(task, target(file), ignore)
    after = file.read_bytes()
    assert samples.moved_bytes == SPAN
    assert samples.ops_count == SPAN // 4096
    assert samples.latency
    assert samples.latency.ops_count == samples.ops_count
    assert samples.elapsed_ns % 1_000_000 == 0
    assert samples.elapsed_ns > 0
    assert samples.cpu_ns is not None
    assert len(after) == SPAN
    touched = sum(old != new for old, new in zip(blocks(before), blocks(after), strict=True))
    assert touched == (SPAN // 4096 if operation is Operation.WRITE else 0)


@needs_fio
def test_a_time_ends_the_run_and_the_file_is_gone_over_again(engine: FioEngine, file: Path) -> None:
    small = replace(TIMED, span_bytes=MIB, time_ns=300_000_000)
    samples = engine.run(small, target(file), ignore)
    assert samples.elapsed_ns >= 300_000_000
    assert samples.moved_bytes == samples.ops_count * 4096
    assert samples.moved_bytes > MIB


@needs_fio
def test_bytes_and_a_time_end_with_whichever_comes_first(engine: FioEngine, file: Path) -> None:
    samples = engine.run(replace(ONCE, time_ns=60 * 10**9, byte_limit=3 * SPAN), target(file), ignore)
    assert samples.moved_bytes == 3 * SPAN
    slow = replace(ONCE, pattern=Pattern.SEQUENTIAL, depth_count=1, time_ns=100_000_000, byte_limit=10**12)
    samples = engine.run(slow, target(file), ignore)
    assert samples.elapsed_ns >= 100_000_000
    assert samples.moved_bytes < 10**12


@needs_fio
def test_a_flush_after_each_write_is_listed(engine: FioEngine, file: Path) -> None:
    task = replace(ONCE, operation=Operation.WRITE, depth_count=1, byte_limit=64 * 4096)
    samples = engine.run(replace(task, durability=Durability.EACH_WRITE), target(file), ignore)
    assert samples.flush_latency
    assert samples.flush_latency.ops_count == 63
    assert engine.run(task, target(file), ignore).flush_latency is None


@needs_fio
@pytest.mark.parametrize(("zeros", "least", "most"), [(0.0, 0.98, 1.02), (0.5, 0.48, 0.56)])
def test_written_data_are_as_compressible_as_asked(
    zeros: float, least: float, most: float, engine: FioEngine, file: Path
) -> None:
    task = replace(ONCE, operation=Operation.WRITE, pattern=Pattern.SEQUENTIAL, compressible_ratio=zeros)
    engine.run(task, target(file), ignore)
    data = file.read_bytes()
    assert least <= len(zlib.compress(data)) / len(data) <= most
    assert len(set(blocks(data))) == SPAN // 4096


@needs_fio
def test_a_new_empty_file_is_laid_out_whole(engine: FioEngine, tmp_path: Path) -> None:
    path = tmp_path / "new"
    path.touch()
    task = replace(ONCE, operation=Operation.WRITE, pattern=Pattern.SEQUENTIAL, block_bytes=MIB, depth_count=8)
    inode = path.stat().st_ino
    engine.run(task, target(path), ignore)
    assert (path.stat().st_size, path.stat().st_ino) == (SPAN, inode)
    assert bytes(4096) not in blocks(path.read_bytes())


NAMES = [
    b"a:b",
    b"a blank",
    b" lead and trail ",
    b"x#y",
    b"x;y",
    b"back\\slash\\",
    b"$HOME ${HOME} $ncpus",
    "Füße 日本 🎬".encode(),
    b"not \xff\xfe utf-8",
    b"line\nbreak",
    b"-dash",
    b'quo"te',
]


@needs_fio
@pytest.mark.skipif(sys.platform == "win32", reason="names of POSIX")
@pytest.mark.parametrize("name", NAMES)
def test_any_name_is_measured_and_no_neighbour_is_touched(name: bytes, engine: FioEngine, tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path)
    neighbours = {b"a", b"x", b"back", b"line", b" lead and trail", b"lead and trail", b"not "}
    for each in (*neighbours, name):
        with open(os.path.join(folder, each), "wb") as written:
            written.write(bytes(64 * 1024))
    task = replace(ONCE, operation=Operation.WRITE, span_bytes=64 * 1024, byte_limit=64 * 1024)
    path = os.path.join(folder, name)
    assert engine.run(task, target(os.fsdecode(path)), ignore).moved_bytes == 64 * 1024
    assert set(os.listdir(folder)) == {*neighbours, name}
    for each in (*neighbours, name):
        with open(os.path.join(folder, each), "rb") as read:
            assert (bytes(4096) in blocks(read.read())) == (each != name)


# Progress and stopping


@needs_fio
def test_progress_grows_and_never_passes_the_end(engine: FioEngine, file: Path) -> None:
    seen: list[Progress] = []
    samples = engine.run(replace(TIMED, time_ns=500_000_000), target(file), seen.append)
    assert len(seen) > 2
    assert [each.moved_bytes for each in seen] == sorted(each.moved_bytes for each in seen)
    assert [each.elapsed_ns for each in seen] == sorted({each.elapsed_ns for each in seen})
    # The system also charges what fio itself reads from disk when it starts.
    assert seen[-1].moved_bytes <= samples.moved_bytes + 8 * MIB


@needs_fio
def test_through_the_page_cache_only_time_is_told(engine: FioEngine, file: Path) -> None:
    seen: list[Progress] = []
    engine.run(replace(TIMED, cache=Cache.WARM), target(file), seen.append)
    assert {(each.ops_count, each.moved_bytes, each.since_progress_ns) for each in seen} == {(0, 0, 0)}


def test_a_process_that_moves_nothing_more_is_seen() -> None:
    watch = Watch(os.getpid(), 4096)
    watch._charged_bytes = lambda: 8192
    first, second = watch.progress(), watch.progress()
    assert (first.ops_count, first.since_progress_ns) == (2, 0)
    assert second.since_progress_ns > 0


@needs_fio
def test_what_a_listener_raises_stops_fio_and_passes_through(engine: FioEngine, file: Path) -> None:
    def stop(progress: Progress) -> None:
        raise KeyboardInterrupt

    mine = psutil.Process()
    before = set(mine.children(recursive=True))
    with pytest.raises(KeyboardInterrupt):
        engine.run(replace(TIMED, time_ns=60 * 10**9), target(file), stop)
    assert set(mine.children(recursive=True)) <= before
    assert file.stat().st_size == SPAN


@needs_fio
@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize(("number", "says"), [(signal.SIGKILL, "killed by signal 9"), (signal.SIGTERM, "signal 15")])
def test_a_fio_that_is_stopped_by_others_gives_no_figure(
    number: signal.Signals, says: str, engine: FioEngine, file: Path
) -> None:
    mine = psutil.Process()
    before = set(mine.children())

    def kill(progress: Progress) -> None:
        if progress.elapsed_ns > 500_000_000:
            for child in set(mine.children()) - before:
                child.send_signal(number)

    with pytest.raises(RunProblem, match=says):
        engine.run(replace(TIMED, time_ns=60 * 10**9), target(file), kill)


# Faults


@needs_fio
def test_a_missing_file_is_told(engine: FioEngine, tmp_path: Path) -> None:
    with pytest.raises(RunProblem, match="No such file") as problem:
        engine.run(ONCE, target(tmp_path / "absent"), ignore)
    assert (problem.value.errno, problem.value.phase) == (errno.ENOENT, "prepare")
    assert os.listdir(tmp_path) == []


@needs_fio
@pytest.mark.parametrize("operation", list(Operation))
def test_a_file_that_is_too_short_stays_as_it_was(operation: Operation, engine: FioEngine, file: Path) -> None:
    before = file.read_bytes()
    task = replace(ONCE, operation=operation, span_bytes=2 * SPAN, byte_limit=2 * SPAN)
    with pytest.raises(RunProblem, match="no file of at least"):
        engine.run(task, target(file), ignore)
    assert file.read_bytes() == before


@pytest.fixture
def memory_disk(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    mount = tmp_path / "memory"
    mount.mkdir()
    kind, *options = request.param
    subprocess.run(["mount", "-t", kind, *options, "graycard-test", str(mount)], check=True)
    try:
        yield mount
    finally:
        subprocess.run(["umount", str(mount)], check=True)


@needs_fio
@pytest.mark.root
@pytest.mark.parametrize("memory_disk", [("tmpfs", "-o", "size=8m")], indirect=True)
def test_a_disk_that_fills_is_told_with_the_place(engine: FioEngine, memory_disk: Path) -> None:
    path = memory_disk / "measured"
    path.touch()
    task = replace(ONCE, operation=Operation.WRITE, pattern=Pattern.SEQUENTIAL, block_bytes=MIB, depth_count=1)
    with pytest.raises(
        RunProblem, match=r"could not write .*measured at byte \d+: No space left.*make room"
    ) as problem:
        engine.run(task, target(path), ignore)
    assert (problem.value.errno, problem.value.phase) == (errno.ENOSPC, "measure")
    assert problem.value.offset_bytes
    assert problem.value.offset_bytes % MIB == 0


@needs_fio
@pytest.mark.root
@pytest.mark.parametrize("memory_disk", [("ramfs",)], indirect=True)
def test_no_direct_io_is_told(engine: FioEngine, memory_disk: Path) -> None:
    path = memory_disk / "measured"
    path.write_bytes(bytes(SPAN))
    with pytest.raises(RunProblem, match=r"Invalid argument.*--cache cold") as problem:
        engine.run(ONCE, target(path), ignore)
    assert (problem.value.errno, problem.value.phase) == (errno.EINVAL, "prepare")
