"""A machine, an engine and an application for the tests of the command line."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

from graycard.cli import live
from graycard.cli.app import App
from graycard.cli.main import main
from graycard.cli.stop import stop_on_signals
from graycard.engines.simulated import SimulatedEngine, VirtualClock
from graycard.errors import RunProblem, TargetProblem
from graycard.facts import fact
from graycard.model import Fact, IoTask, Samples, Target, TargetKind
from graycard.protocols import Engine, Host, Look, OnTick, Progress, Volume, unwatched

FACTS: tuple[Fact, ...] = (
    fact("file_system", "ext4", "/proc/self/mountinfo"),
    fact("mount_point", "/mnt/ssd", "/proc/self/mountinfo"),
    fact("free_bytes", 900_000_000_000, "statvfs"),
    fact("size_bytes", 1_000_000_000_000, "statvfs"),
    fact("bus", "usb", "sysfs"),
    fact("link_bits_per_s", 480_000_000, "sysfs"),
    fact("server", None, "/proc/self/mountinfo"),
    fact("device_model", "Fake Drive", "sysfs"),
)
VOLUME = Volume("/mnt/ssd", "/dev/fake1", "ext4", 1_000_000_000_000, 900_000_000_000, False, False, None)
LOCKED = Volume("/mnt/card", "/dev/fake2", "exfat", None, None, True, False, "it is read-only; use --read-only FILE")


@dataclass(frozen=True)
class FakeHost:
    """Real files in the test's own folder, on a machine whose facts are known."""

    known: tuple[Fact, ...] = FACTS
    place: Volume = VOLUME
    name: str = "fake"

    def resolve(self, path: str) -> Target:
        if not os.path.exists(path):
            raise TargetProblem(f"there is no {path}; check the path and that the volume is mounted")
        return Target(os.path.realpath(path), TargetKind.FILE if os.path.isfile(path) else TargetKind.FOLDER)

    def volume(self, target: Target) -> Volume:
        return self.place

    def volumes(self) -> tuple[Volume, ...]:
        return (VOLUME, LOCKED)

    def facts(self, target: Target) -> tuple[Fact, ...]:
        return self.known

    def counters(self, target: Target) -> tuple[Fact, ...]:
        return ()

    def levels(self, target: Target) -> tuple[Fact, ...]:
        return ()

    def file_facts(self, path: str, look: Look = unwatched) -> tuple[Fact, ...]:
        return (fact("file_size_bytes", os.path.getsize(path), "fstat"),)

    def folder_facts(self, folder: str) -> tuple[Fact, ...]:
        return ()

    def open_file(self, path: str, *, write: bool, direct: bool) -> int:
        return os.open(path, os.O_RDWR if write else os.O_RDONLY)

    def create_file(self, path: str, *, direct: bool, nocow: bool) -> int:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL)

    def write_back(self, path: str, look: Look) -> None:
        look()

    def drop_cache(self, path: str) -> None:
        return None


class OtherEngine(SimulatedEngine):
    """A second engine to be compared with."""

    name = "fio"


@dataclass
class Troubled:
    """An engine that works for some runs and then raises what it was given."""

    engine: Engine
    after_count: int
    trouble: BaseException
    name: str = "native"
    done_count: int = field(default=0)

    def refuses(self, task: IoTask, target: Target) -> str | None:
        return None

    def settings(self) -> str:
        return "fake"

    def ceiling(self, task: IoTask) -> tuple[Fact, ...]:
        return self.engine.ceiling(task)

    def run(self, task: IoTask, target: Target, on_tick: OnTick) -> Samples:
        if self.done_count >= self.after_count:
            raise self.trouble
        self.done_count += 1
        return self.engine.run(task, target, on_tick)


DISK_GONE = RunProblem("the drive is gone (ENODEV at 4096)", errno=19, offset_bytes=4096, phase="measure")


def fake_app(folder: Path, *, host: Host | None = None, rate: float = 30e6, trouble: Troubled | None = None) -> App:
    """An application on a simulated device, whose store lies in `folder`."""
    clock = VirtualClock()
    machine: Host = host or FakeHost()
    engines = {"native": SimulatedEngine(clock, rate, 0.01), "fio": OtherEngine(clock, rate * 1.1, 0.01)}
    return App(
        host=lambda: machine,
        engine=lambda name, _: trouble or engines[name],
        clock=clock,
        store_path=str(folder / "results.db"),
    )


def with_facts(*more: Fact) -> FakeHost:
    """The fake machine with some facts replaced or added."""
    names = {each.name for each in more}
    return replace(FakeHost(), known=(*(each for each in FACTS if each.name not in names), *more))


class SlowEngine(SimulatedEngine):
    """Takes real time: `run_s` seconds a run, with a tick every 20 ms; from `stall_after_s` on nothing moves."""

    name = "native"

    def __init__(self, clock: VirtualClock, run_s: float, stall_after_s: float = float("inf")) -> None:
        super().__init__(clock, 30e6)
        self._run_s = run_s
        self._stall_after_s = stall_after_s

    def run(self, task: IoTask, target: Target, on_tick: OnTick) -> Samples:
        started = time.monotonic()
        while (passed := time.monotonic() - started) < self._run_s:
            time.sleep(0.02)
            moved_s = min(passed, self._stall_after_s)
            on_tick(Progress(int(passed * 1e9), 0, int(moved_s * 30e6), int((passed - moved_s) * 1e9)))
        return super().run(task, target, lambda _: None)


def run_slowly(store_folder: str, run_s: str, stall_after_s: str, log_every_s: str, *arguments: str) -> None:
    """A whole program on a slow engine; started in a process of its own by the tests of signals and of the display."""
    live.LOG_EVERY_S = float(log_every_s)
    clock = VirtualClock()
    engine = SlowEngine(clock, float(run_s), float(stall_after_s))
    app = replace(fake_app(Path(store_folder)), engine=lambda *_: engine, clock=clock)
    stop_on_signals()
    sys.exit(main(arguments, app))


if __name__ == "__main__":
    run_slowly(*sys.argv[1:])
