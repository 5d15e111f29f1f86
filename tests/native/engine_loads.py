"""Loads for the tests of the native engine, and what they run on."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from graycard.engines.native import NativeEngine
from graycard.model import Cache, IoTask, Operation, Pattern, Target, TargetKind
from graycard.protocols import Progress
from tests.native.build import need_io_uring
from tests.native.host_double import FileHost

KIB, MIB = 1 << 10, 1 << 20
SPAN = 2 * MIB
READ = IoTask(Operation.READ, Pattern.SEQUENTIAL, 4 * KIB, SPAN, byte_limit=SPAN, cache=Cache.WARM)
WRITE = replace(READ, operation=Operation.WRITE)
LONG = replace(READ, byte_limit=None, time_ns=60 * 10**9, depth_count=2)
ENGINES = ("io_uring", "thread pool")


def ignore(progress: Progress) -> None:
    """Listen to nothing."""


def written_file(folder: Path) -> Target:
    """A file of SPAN written bytes."""
    path = folder / "data"
    path.write_bytes(os.urandom(SPAN))
    return Target(str(path), TargetKind.FILE)


def forced_engine(io: str) -> NativeEngine:
    """The native engine with one way of I/O; skips where the kernel refuses io_uring."""
    if io == "io_uring":
        need_io_uring()
    return NativeEngine(FileHost().as_host(), io=io)
