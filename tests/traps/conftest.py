"""Measuring by the command line: in this process, or in one of its own that can be stopped and pinned."""

from __future__ import annotations

import contextlib
import mmap
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from graycard.cli.app import SystemClock, system_app
from graycard.cli.main import main
from graycard.codec import Document, decode
from graycard.errors import AccuracyProblem
from graycard.host import this_host
from graycard.protocols import Host
from tests.bed.loops import MIB, LoopImage
from tests.traps.measured import Measured

# Without these a new ext4 goes on writing its tables for minutes after it was made.
NOT_LAZY = ("-E", "lazy_itable_init=0,lazy_journal_init=0")
# As short as the checks allow; what a test says later on its command line goes before.
SHORT = ("--size", "64MiB", "--time", "0.3s", "--runs", "2", "--json")

Command = Callable[..., tuple[int, str]]
Measure = Callable[..., Measured]
Start = Callable[..., "Program"]


class HurriedClock(SystemClock):
    """The machine's time, without rests."""

    def sleep_ns(self, duration_ns: int) -> None:
        """Go on at once."""


@pytest.fixture
def command(tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """`command(host, "measure", …)`: carry out a command line in this process; its exit code and output."""
    monkeypatch.setenv("GRAYCARD_STORE", str(tmp_path / "own.db"))
    monkeypatch.setenv("COLUMNS", "120")

    def carry_out(host: Host, *arguments: str) -> tuple[int, str]:
        capfd.readouterr()
        code = main(arguments, replace(system_app(), clock=HurriedClock(), host=lambda: host))
        printed = capfd.readouterr()
        assert code in {0, AccuracyProblem.exit_code}, printed.err
        return code, printed.out

    return carry_out


def measured(command: Command, code: int, document: str) -> Measured:
    """What the JSON document says, with the page that shows what was stored."""
    (result,) = decode(document.encode(), Document).results
    return Measured(code, result, command(this_host(), "results", "show", result.id)[1])


@pytest.fixture
def measure(command: Command) -> Measure:
    """`measure("--write", …, place)`: carry out `graycard measure` and read what it says."""

    def carry_out(*arguments: str, host: Host | None = None) -> Measured:
        return measured(command, *command(host or this_host(), "measure", *SHORT, *arguments))

    return carry_out


@dataclass(frozen=True)
class Program:
    """`graycard measure` in a process of its own."""

    process: subprocess.Popen[str]
    command: Command

    def finish(self) -> Measured:
        """Wait for its end and read what it says."""
        document, notes = self.process.communicate(timeout=60)
        assert self.process.returncode in {0, AccuracyProblem.exit_code}, notes
        return measured(self.command, self.process.returncode, document)


@pytest.fixture
def program(command: Command) -> Iterator[Start]:
    """`program("--read", …, place, before=("taskset", "-c", "0"))`: start it; it is killed when the test ends."""
    with contextlib.ExitStack() as stack:

        def start(*arguments: str, before: Sequence[str] = ()) -> Program:
            python = (sys.executable, "-c", "from graycard.cli.main import run; run()")
            process = subprocess.Popen(
                [*before, *python, "measure", *SHORT, *arguments],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            stack.callback(end, process)
            return Program(process, command)

        yield start


def end(process: subprocess.Popen[Any]) -> None:
    """Kill what still runs, stopped or not."""
    if process.poll() is None:
        process.kill()
        process.wait()


@contextlib.contextmanager
def kept_in_memory(path: str) -> Iterator[None]:
    """The whole file is mapped, so that its pages cannot be dropped from the page cache."""
    with open(path, "r+b") as file:
        os.fsync(file.fileno())
        with mmap.mmap(file.fileno(), 0, mmap.MAP_SHARED | mmap.MAP_POPULATE, mmap.PROT_READ):
            yield


@pytest.fixture
def ext4(loop_image: LoopImage) -> str:
    """A clean ext4 of 256 MiB on a loop device with direct I/O."""
    return loop_image(256 * MIB, mkfs_options=NOT_LAZY)
