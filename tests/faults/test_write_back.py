"""Cached pages on their way to a medium: its errors are told, whoever asks first, and a stop need not wait for all."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from graycard.engines.native import NativeEngine
from graycard.errors import RunProblem
from graycard.host.linux.machine import LinuxHost
from graycard.model import Cache, Durability, IoTask, Operation, Pattern, Target, TargetKind
from graycard.protocols import Progress
from tests.bed.loops import MIB, LoopImage, run
from tests.bed.rates import blkio_rated
from tests.faults.test_space import MountAt, fill

pytestmark = pytest.mark.root
HOST = LinuxHost()
SPAN = 64 * MIB
TASK = IoTask(
    Operation.WRITE, Pattern.SEQUENTIAL, MIB, SPAN, byte_limit=SPAN, cache=Cache.WARM, durability=Durability.AT_END
)


@pytest.fixture
def broken(loop_image: LoopImage, mount_at: MountAt) -> str:
    """A file of SPAN bytes that its file system holds, on a thin volume that has no room for them."""
    below = loop_image(80 * MIB)
    image = f"{below}/thin"
    with open(image, "xb") as file:
        file.truncate(256 * MIB)
    run("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0,nodiscard", image)
    path = f"{mount_at(image, 'thin', options='loop')}/data"
    with open(path, "xb") as data:
        os.posix_fallocate(data.fileno(), 0, SPAN)
    run("sync")
    fill(below)
    return path


def test_what_the_medium_refuses_is_told_by_writing_back(broken: str) -> None:
    with open(broken, "r+b") as file:
        file.write(bytes(8 * MIB))
    with pytest.raises(RunProblem) as caught:
        HOST.write_back(broken, lambda: None)
    assert caught.value.errno in (errno.ENOSPC, errno.EIO)


def test_what_the_medium_refuses_is_told_by_the_flush_of_a_run(broken: str) -> None:
    with pytest.raises(RunProblem) as caught:
        NativeEngine(HOST).run(TASK, Target(broken, TargetKind.FILE), lambda _: None)
    assert caught.value.errno in (errno.ENOSPC, errno.EIO)


def test_a_stop_in_a_long_flush_leaves_no_request_behind(tmp_path: Path) -> None:
    """Two seconds of writing wait in the cache; an engine whose thread hung would take no further task."""
    engine = NativeEngine(HOST)
    with blkio_rated(tmp_path, 32 * MIB, 128 * MIB) as device:
        target = Target(f"{device.folder}/data", TargetKind.FILE)
        Path(target.path).touch()

        def stop(progress: Progress) -> None:
            if progress.moved_bytes == SPAN:
                raise KeyboardInterrupt

        engine.run(TASK, target, lambda _: None)  # the throttle lets the first second through
        silent_ns: list[int] = []
        flush_ns = engine.run(TASK, target, lambda told: silent_ns.append(told.since_progress_ns)).flush_ns
        assert flush_ns is not None
        assert flush_ns > 10**9 > max(silent_ns)  # what is written back counts as progress
        with pytest.raises(KeyboardInterrupt):
            engine.run(TASK, target, stop)
        assert engine.refuses(TASK, target) is None
