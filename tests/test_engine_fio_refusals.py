"""How the fio engine is set up: what it refuses, what it falls back to, and the options it gives."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from graycard.engines.fio import FioEngine
from graycard.engines.fio_command import arguments
from graycard.errors import RunProblem
from graycard.model import Cache, Durability, IoTask, Operation, Pace, Pattern, Target, TargetKind
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


@needs_fio
@pytest.mark.parametrize(
    ("task", "says"),
    [
        (replace(TIMED, pace=Pace(25.0, 4096)), "no pace"),
        (replace(TIMED, depth_count=10, worker_count=4), "multiple"),
        (replace(TIMED, span_bytes=8192, worker_count=4), "larger file"),
        (replace(TIMED, byte_limit=100), "no whole block"),
        (replace(TIMED, time_ns=None), "neither"),
    ],
)
def test_what_fio_cannot_do_is_refused(task: IoTask, says: str, engine: FioEngine, file: Path) -> None:
    assert says in str(engine.refuses(task, target(file)))
    with pytest.raises(RunProblem, match=says):
        engine.run(task, target(file), ignore)


@needs_fio
def test_what_fio_can_do_is_not_refused(engine: FioEngine, file: Path, tmp_path: Path) -> None:
    for place in (file, tmp_path, "", tmp_path / "absent"):
        assert engine.refuses(TIMED, target(place)) is None
    assert engine.ceiling(TIMED) == ()


@needs_fio
@pytest.mark.skipif(sys.platform == "win32", reason="/dev/null")
def test_a_device_is_refused(engine: FioEngine) -> None:
    assert "no ordinary file" in str(engine.refuses(TIMED, target("/dev/null")))


def script(folder: Path, text: str) -> str:
    path = folder / "fio"
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_no_fio_an_old_fio_and_a_poor_fio_are_refused(tmp_path: Path) -> None:
    absent = FioEngine(str(tmp_path / "absent"))
    assert "not installed" in str(absent.refuses(TIMED, target("")))
    old = FioEngine(script(tmp_path, "echo fio-3.7"))
    assert "3.7 is too old" in str(old.refuses(TIMED, target("")))
    poor = FioEngine(script(tmp_path, "[ $1 = --version ] && echo fio-3.33; [ $1 = --enghelp ] && echo psync; exit 0"))
    assert "several requests" in str(poor.refuses(TIMED, target("")))


@needs_fio
def test_without_io_uring_it_falls_back_and_says_so(tmp_path: Path, file: Path) -> None:
    blocked = (
        'case "$*" in *=io_uring*) echo "fio: err=38/file:engines/io_uring.c, func=io_queue_init" >&2; exit 1;; esac'
    )
    engine = FioEngine(script(tmp_path, f'{blocked}\nexec {shutil.which("fio")} "$@"\n'))
    assert engine.settings().endswith(" libaio, for want of io_uring")
    samples = engine.run(ONCE, target(file), ignore)
    assert (samples.engine, samples.moved_bytes) == (engine.settings(), SPAN)


@pytest.mark.parametrize(
    ("changes", "present", "absent"),
    [
        ({"cache": Cache.BYPASS}, {"--direct=1", "--invalidate=1"}, set()),
        ({"cache": Cache.COLD}, {"--direct=0", "--invalidate=1"}, set()),
        ({"cache": Cache.WARM}, {"--direct=0", "--invalidate=0"}, set()),
        ({}, {"--time_based", "--runtime=200000us"}, {"--refill_buffers", "--end_fsync=1", "--io_size=4096"}),
        ({"byte_limit": 8 * MIB, "worker_count": 4}, {f"--io_size={2 * MIB}", f"--size={4 * MIB}"}, {"--time_based"}),
        ({"worker_count": 4}, {"--numjobs=4", "--iodepth=4", f"--offset_increment={4 * MIB}"}, set()),
        ({"seed": 41}, {"--randseed=42", "--randrepeat=0", "--norandommap=0"}, set()),
        ({"operation": Operation.WRITE}, {"--end_fsync=1", "--refill_buffers"}, {"--fdatasync=1"}),
        ({"operation": Operation.WRITE, "durability": Durability.NONE}, set(), {"--end_fsync=1", "--fdatasync=1"}),
        (
            {"operation": Operation.WRITE, "durability": Durability.EACH_WRITE},
            {"--end_fsync=1", "--fdatasync=1"},
            set(),
        ),
        ({}, {"--allow_file_create=0", "--overwrite=1", "--fallocate=none", "--unlink=0"}, set()),
    ],
)
def test_the_task_becomes_options(changes: dict[str, object], present: set[str], absent: set[str]) -> None:
    options = set(arguments(replace(TIMED, **changes), "file", "io_uring"))
    assert present <= options
    assert not absent & options
