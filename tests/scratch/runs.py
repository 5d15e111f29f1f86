"""Runs for tests: in this process, and in one that can be killed."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from graycard.errors import Problem, RunProblem
from graycard.scratch import Scratch
from graycard.scratch.names import MARKER

NOBODY = 65534
SOME_ID = "0123456789abcdef"
CHILD = """
import sys, time
from graycard.scratch import Scratch
folder, registry, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
for _ in range(rounds):
    with Scratch(folder, registry) as scratch:
        for word in ("read", "write"):
            with open(scratch.file_path(word), "xb") as file:
                file.write(bytes(1000))
        print(scratch.path.encode("utf-8", "surrogateescape").hex(), flush=True)
        time.sleep(60 if rounds == 1 else 0.001)
"""


@contextlib.contextmanager
def child(target: str, registry: str, rounds: int = 1) -> Iterator[subprocess.Popen[str]]:
    """A process that measures in `target`, started; killed at the end if it still runs."""
    command = [sys.executable, "-c", CHILD, target, registry, str(rounds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def path_of(process: subprocess.Popen[str]) -> str:
    """The folder that the child has just made."""
    assert process.stdout
    return bytes.fromhex(process.stdout.readline()).decode("utf-8", "surrogateescape")


def measured(target: str, registry: str, then: Callable[[Scratch], object]) -> None:
    """A run that makes a test file and then does something."""
    with Scratch(target, registry) as scratch:
        Path(scratch.file_path("read")).write_bytes(b"data")
        then(scratch)


def failing(target: str, registry: str, then: Callable[[Scratch], object]) -> RunProblem:
    """The problem of a run whose folder could not be removed."""
    with pytest.raises(RunProblem, match="could not be removed") as caught:
        measured(target, registry, then)
    assert caught.value.phase == "cleanup"
    return caught.value


def killed(target: str, registry: str) -> str:
    """A folder left behind by a process that kill -9 ended."""
    with child(target, registry) as process:
        path = path_of(process)
        process.kill()
        process.wait()
    assert sorted(os.listdir(path)) == [MARKER, "read.graycard", "write.graycard"]
    return path


def tree(folder: str) -> dict[str, bytes | None]:
    """All names below a folder with the content of regular files."""
    found: dict[str, bytes | None] = {}
    for path in sorted(Path(folder).rglob("*")):
        found[str(path.relative_to(folder))] = path.read_bytes() if path.is_file() and not path.is_symlink() else None
    return found


def entering(folder: str, registry: str) -> Problem:
    with pytest.raises(Problem) as caught, Scratch(folder, registry):
        pass
    return caught.value


def edit_marker(path: str, **changes: Any) -> None:
    marker = Path(path, MARKER)
    marker.write_text(json.dumps({**json.loads(marker.read_text()), **changes}))
