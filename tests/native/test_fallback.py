"""Where the kernel gives less: no io_uring, no memory to lock. The run goes on with what there is, and says so."""

from __future__ import annotations

import ctypes
import os
import resource
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.native.build import need_io_uring

ROOT = Path(__file__).parent.parent.parent
PROGRAM = """
import sys
from graycard.engines.native import NativeEngine
from graycard.model import IoTask, Operation, Pattern, Target, TargetKind
from tests.native.host_double import FileHost
engine = NativeEngine(FileHost().as_host())
task = IoTask(Operation.READ, Pattern.RANDOM, 4096, 1 << 20, depth_count=8, byte_limit=1 << 20)
samples = engine.run(task, Target(sys.argv[1], TargetKind.FILE), lambda progress: None)
print(samples.engine, samples.ops_count, engine.settings(), sep="|")
"""
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, FILTER_MODE = 22, 38, 2
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, ERRNO = 0x7FFF0000, 0x00050000
SETUP_CALL = 425
PR_CAPBSET_DROP, CAP_IPC_LOCK = 24, 14
ENOUGH_FOR_A_RING = 16 << 10


def refuse_io_uring(code: int) -> None:
    """A filter such as containers have: io_uring_setup gives `code`, all else is allowed."""
    filters = b"".join(
        struct.pack("HBBI", *each)
        for each in (
            (LOAD, 0, 0, 0),
            (JUMP_IF_EQUAL, 0, 1, SETUP_CALL),
            (RETURN, 0, 0, ERRNO | code),
            (RETURN, 0, 0, ALLOW),
        )
    )
    memory = ctypes.create_string_buffer(filters)
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", 4, ctypes.addressof(memory)))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(PR_SET_SECCOMP, FILTER_MODE, program):
        raise OSError(ctypes.get_errno(), "the filter was not taken")


def run_program(path: Path, before: Callable[[], None]) -> tuple[str, int, str]:
    """Engine, operations and settings of one run in a process of its own, prepared by `before`."""
    command = (sys.executable, "-c", PROGRAM, str(path))
    done = subprocess.run(command, preexec_fn=before, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    engine, ops, settings = done.stdout.strip().split("|")
    return engine, int(ops), settings


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A written file."""
    (tmp_path / "data").write_bytes(os.urandom(1 << 20))
    return tmp_path / "data"


@pytest.mark.parametrize("code", [1, 38], ids=["EPERM", "ENOSYS"])
def test_without_io_uring_the_pool_runs_and_is_named(path: Path, code: int) -> None:
    assert run_program(path, lambda: refuse_io_uring(code)) == ("thread pool", 256, "thread pool")


@pytest.mark.root
def test_without_lockable_memory_the_buffers_stay_unregistered(path: Path) -> None:
    def lock_little() -> None:
        resource.setrlimit(resource.RLIMIT_MEMLOCK, (ENOUGH_FOR_A_RING, ENOUGH_FOR_A_RING))
        if ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_IPC_LOCK, 0, 0, 0):
            raise OSError

    need_io_uring()
    engine, ops, settings = run_program(path, lock_little)
    assert (engine, ops) == ("io_uring", 256)
    assert "registered file" in settings
    assert "registered buffers" not in settings
