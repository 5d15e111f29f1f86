"""What happens around a measurement: another writer, a taken processor, a stopped process, a link that is too slow."""

from __future__ import annotations

import contextlib
import math
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from graycard.host import this_host
from graycard.host.link import Link, link_facts
from graycard.model import Fact, Target, Verdict
from tests.bed.faults_fuse import wait_until
from tests.bed.loops import MIB, device_of, loop_file_system
from tests.bed.rates import device_bytes
from tests.traps.conftest import NOT_LAZY, Measure, Start, end
from tests.traps.contention import contended
from tests.traps.measured import Measured, caught, clear

pytestmark = [pytest.mark.root, pytest.mark.alone]
ONE_BY_ONE = ("--read", "--random", "--block", "4KiB", "--depth", "1")
STOPPED_S = 3.0
# Ready threads that wait for half of a run fail the check: the trap is sprung where one waited for clearly more.
WAITED_RATIO = 0.6
RIVALRIES_S = (1.5, 3.0, 3.0, 6.0, 6.0, 12.0)


def wait_for_bytes(point: str, *, write: bool, size: int = 4 * MIB) -> None:
    """Until so many bytes more have moved on the device that is mounted at `point`."""
    loop, deadline = device_of(point), time.monotonic() + 30
    first = device_bytes(loop, write=write)
    while device_bytes(loop, write=write) < first + size:
        assert time.monotonic() < deadline, "nothing moves"
        time.sleep(0.02)


@contextlib.contextmanager
def running(*command: str) -> Iterator[subprocess.Popen[bytes]]:
    """A program that runs meanwhile."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        end(process)


def writer(point: str) -> tuple[str, ...]:
    """fio, writing 100 MB/s until it is ended, for a minute at most."""
    file = os.path.join(point, "rival")
    load = ("--name=rival", f"--filename={file}", "--size=64m", "--rw=write", "--bs=1m", "--direct=1", "--thread")
    return ("fio", *load, "--rate=95m", "--time_based", "--runtime=60")


def test_another_process_that_writes_to_the_device(ext4: str, measure: Measure) -> None:
    with running(*writer(ext4)):
        wait_for_bytes(ext4, write=True, size=70 * MIB)
        trap = measure(*ONE_BY_ONE, ext4)
    caught(trap, "alone_on_device", "of its traffic) were not this measurement's")
    control = measure(*ONE_BY_ONE, ext4).checks["alone_on_device"]
    # Other programs may use the processors meanwhile, but nobody else is on this device.
    assert control.verdict is Verdict.PASS or "processor" in control.says


def test_a_process_that_is_stopped_for_three_seconds(ext4: str, program: Start) -> None:
    # The trial of direct I/O reads 1 MiB beforehand; even in a slow moment of the disk 4 MiB are read well before 4 s.
    stopped = program(*ONE_BY_ONE, "--time", "4s", "--runs", "1", ext4)
    wait_for_bytes(ext4, write=False)
    stopped.process.send_signal(signal.SIGSTOP)
    time.sleep(STOPPED_S)
    stopped.process.send_signal(signal.SIGCONT)
    trap = stopped.finish()
    caught(trap, "not_interrupted", "stopped, suspended or starved")
    (run,) = trap.result.runs
    assert run.samples.elapsed_ns > STOPPED_S * 1e9
    assert run.samples.ops_count > 0
    clear(program(*ONE_BY_ONE, "--runs", "1", ext4).finish(), "not_interrupted")


@contextlib.contextmanager
def rival_on(pinned: tuple[str, ...], limit_s: float) -> Iterator[subprocess.Popen[bytes]]:
    """A program that computes for some seconds with 9 times the usual weight; it waits for SIGCONT to begin.

    With more, the thread that watches the run would starve as well, and tell that only.
    """
    computes = f"kill -STOP $$; ulimit -t {math.ceil(limit_s)}; while :; do :; done"
    with running(*pinned, "nice", "-n", "-10", "sh", "-c", computes) as rival:
        wait_until(lambda: psutil.Process(rival.pid).status() == psutil.STATUS_STOPPED, "the rival's start")
        yield rival


def waited_s(starved: subprocess.Popen[str], rival: subprocess.Popen[bytes]) -> float:
    """How long a thread that ended meanwhile, as the one of the run does, was ready and had no processor."""
    seen = [run_delays(starved.pid)]
    while rival.poll() is None and starved.poll() is None:
        time.sleep(0.02)
        seen.append(run_delays(starved.pid))
    ended = {thread: delay for delays in seen for thread, delay in delays.items() if thread not in seen[-1]}
    return max((delay - seen[0].get(thread, 0) for thread, delay in ended.items()), default=0) / 1e9


def run_delays(pid: int) -> dict[str, int]:
    """Nanoseconds that each thread of a process has waited for a processor: the second field of its schedstat."""
    found = {}
    for thread in Path(f"/proc/{pid}/task").glob("*"):
        with contextlib.suppress(OSError):  # it has just ended
            found[thread.name] = int((thread / "schedstat").read_text().split()[1])
    return found


def test_a_processor_that_another_program_takes(tmp_path: Path, mount_at: Callable[..., str], program: Start) -> None:
    """Program and rival on one processor; tried again, for longer, where they did not meet there.

    On a busy machine the rival may not get it either, or the program waits for its data instead, or stands still.
    """
    pinned = ("taskset", "--cpu-list", str(min(os.sched_getaffinity(0))))
    load = ("--read", "--random", "--block", "4KiB", "--depth", "64", "--runs", "1")

    def rivalry(point: str, time_s: float) -> tuple[float, Measured]:
        with rival_on(pinned, time_s + 1) as rival:
            starved = program(*load, "--time", f"{time_s}s", point, before=pinned)
            wait_for_bytes(point, write=False)
            rival.send_signal(signal.SIGCONT)
            ready_s = waited_s(starved.process, rival)
            trap = starved.finish()
        return ready_s * 1e9 / trap.result.runs[0].samples.elapsed_ns, trap

    memory = mount_at("tmpfs", "memory", kind="tmpfs", options="size=300m")
    with loop_file_system(os.path.join(memory, "fast"), 256 * MIB, mkfs_options=NOT_LAZY) as point:
        for time_s in RIVALRIES_S:
            waited_ratio, trap = rivalry(point, time_s)
            if waited_ratio > WAITED_RATIO and "not_interrupted" not in trap.failed:
                break
        control = program(*load, point, before=pinned).finish()
    assert waited_ratio > WAITED_RATIO, "program and rival never met"
    caught(trap, "instrument_not_limit", "waited for a processor")
    caught(trap, "instrument_not_limit", "instrument-limited")
    found = control.checks["instrument_not_limit"]
    assert found.verdict is not Verdict.FAIL or contended(control.result), found


class HostWithLink:
    """The real machine, but its drive hangs on a link of another speed."""

    def __init__(self, link: Link) -> None:
        self._host = this_host()
        self._facts = link_facts(link, "the test")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._host, name)

    def facts(self, target: Target) -> tuple[Fact, ...]:
        return (*self._host.facts(target), *self._facts)


def test_a_rate_above_the_link(ext4: str, measure: Measure) -> None:
    load = ("--read", "--block", "1MiB", "--depth", "8", ext4)
    trap = measure(*load, host=HostWithLink(Link.usb(480_000_000)))
    caught(trap, "physically_possible", "over a link that carries 53.2 MB/s is impossible, so a cache answered")
    clear(measure(*load, host=HostWithLink(Link.pcie(32_000_000_000, 16))), "physically_possible")
