"""Compiles the core with its driver, and runs the driver."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest

from graycard.engines.native import NativeEngine
from tests.native.host_double import FileHost

HERE = Path(__file__).parent
CORE = HERE.parent.parent / "src" / "graycard" / "native"
FLAGS = (
    "-std=c11",
    "-O2",
    "-Wall",
    "-Wextra",
    "-Wconversion",
    "-Wshadow",
    "-Werror",
    "-pthread",
    "-DGRAYCARD_TEST_OPS",
)


@dataclass(frozen=True)
class Outcome:
    """What a run of the driver printed."""

    numbers: dict[str, int]
    ticks: list[tuple[int, int]]
    latency: list[tuple[int, int]]
    flush: list[tuple[int, int]]

    def __getitem__(self, name: str) -> int:
        return self.numbers[name]


@dataclass(frozen=True)
class Driver:
    """A compiled driver."""

    program: Path

    def run(self, **options: int | str | Path) -> Outcome:
        """One run of the core; `refused` is among the numbers when gc_prepare did not want it."""
        lines = self.text("run", *(f"{name}={value}" for name, value in options.items())).splitlines()
        pairs = dict(line.split("=", 1) for line in lines)
        lists = {name: _pairs(pairs.pop(name, "")) for name in ("ticks", "latency", "flush")}
        return Outcome({name: int(value) for name, value in pairs.items()}, **lists)

    def text(self, *arguments: str | int) -> str:
        """What the driver prints."""
        return self.data(*arguments).decode()

    def data(self, *arguments: str | int) -> bytes:
        """The bytes that the driver prints."""
        command = (str(self.program), *(str(each) for each in arguments))
        return subprocess.run(command, check=True, capture_output=True, timeout=120).stdout


def _pairs(text: str) -> list[tuple[int, int]]:
    parts = (part.split(":") for part in text.split(",") if part)
    return [(int(first), int(second)) for first, second in parts]


def sources() -> list[str]:
    """The core without its Python module, and the driver."""
    return [*(str(path) for path in sorted(CORE.glob("*.c")) if path.name != "module.c"), str(HERE / "driver.c")]


def compiler() -> str:
    """A C compiler; the tests of the core skip where there is none, but never where CI=true."""
    found = next((name for name in ("cc", "gcc", "clang") if shutil.which(name)), None)
    if found is None and os.environ.get("CI") != "true":
        pytest.skip("needs a C compiler")
    return found or "cc"


def need_io_uring() -> None:
    """Skip where the kernel refuses io_uring (a container's filter, an old kernel), but never where CI=true."""
    if graycard_engine().startswith("io_uring") or os.environ.get("CI") == "true":
        return
    pytest.skip("this kernel refuses io_uring; CI=true makes this a failure")


def graycard_engine() -> str:
    """The engine that the compiled core takes here by itself."""
    return NativeEngine(FileHost().as_host()).settings()


def build(folder: Path, cc: str, flags: Iterable[str] = FLAGS) -> Driver:
    """Compile into `folder`; CalledProcessError shows what the compiler said."""
    program = folder / f"driver-{cc}"
    subprocess.run((cc, *flags, f"-I{CORE}", *sources(), "-o", str(program)), check=True, timeout=120)
    return Driver(program)
