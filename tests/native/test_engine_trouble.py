"""The native engine: what it refuses, and how it fails."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from graycard.engines import native
from graycard.engines.native import NativeEngine
from graycard.errors import PlanProblem, RunProblem
from graycard.model import Cache, IoTask, Operation, Pace, Pattern, Target, TargetKind
from graycard.native import _core as core
from tests.bed.loops import LoopImage
from tests.native.engine_loads import ENGINES, KIB, MIB, READ, SPAN, WRITE, forced_engine, ignore, written_file
from tests.native.host_double import FileHost


@pytest.fixture
def target(tmp_path: Path) -> Target:
    """A file of SPAN written bytes."""
    return written_file(tmp_path)


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> NativeEngine:
    """Both engines, forced."""
    return forced_engine(request.param)


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
