"""The same test against an iperf3 server, where one runs: its own program, its own counting, read by the importer."""

from __future__ import annotations

import hashlib
import random
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace

from graycard.errors import ImportProblem, RunProblem, TargetProblem
from graycard.importers.iperf3 import Iperf3Importer
from graycard.link.testing import LinkOptions
from graycard.measurement import Event, OnEvent
from graycard.model import Action, Result, Run, Target, TargetKind
from graycard.protocols import Clock
from graycard.summary import summarise

DEFAULT_PORT = 5201
# iperf3 connects, tests and sums up; a server that hangs is not waited for.
PATIENCE_S = 20.0
LOOK_EVERY_S = 0.1


def against_iperf3(
    host: str, port: int, options: LinkOptions, clock: Clock, keep: Callable[[Result], None], on_event: OnEvent
) -> tuple[Result, ...]:
    """Test each direction with each number of streams; TargetProblem without iperf3, RunProblem where it fails."""
    runs: dict[int, list[Result]] = {}
    results: dict[int, Result] = {}
    whole = hashlib.sha256(f"{host}\0{clock.utc_now()}".encode()).hexdigest()[:12]
    for repeat, index in _order(options):
        action, streams = options.arms[index]
        on_event(Event("run", f"iperf3 with {host}", clock.monotonic_ns(), f"TCP {action.value}", repeat))
        text = _run(_command(host, port, action, streams, options.time_ns), clock, on_event)
        runs.setdefault(index, []).append(_read(text, action))
        results[index] = _joined(runs[index], host, whole, index)
        keep(results[index])
    return tuple(results[index] for index in sorted(results))


def _order(options: LinkOptions) -> Iterator[tuple[int, int]]:
    count = len(options.arms)
    for repeat in range(options.run_count):
        for index in random.Random(f"{options.seed}/{repeat}").sample(range(count), count):
            yield repeat, index


def _command(host: str, port: int, action: Action, streams: int, time_ns: int) -> tuple[str, ...]:
    seconds = max(1, round(time_ns / 1e9))
    back = ("--reverse",) if action is Action.RECEIVE else ()
    return (
        "iperf3",
        f"--client={host}",
        f"--port={port}",
        "--json",
        f"--time={seconds}",
        f"--parallel={streams}",
        *back,
    )


def _run(command: tuple[str, ...], clock: Clock, on_event: OnEvent) -> bytes:
    """What it prints. It is ended when `on_event` raises, and when it hangs."""
    try:
        program = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    except OSError as error:
        raise TargetProblem(f"iperf3 cannot be started ({error.strerror}); install it, or leave --iperf3 out") from None
    seconds = next(float(word.partition("=")[2]) for word in command if word.startswith("--time="))
    try:
        until = clock.monotonic_ns() + (seconds + PATIENCE_S) * 1e9
        while clock.monotonic_ns() < until:
            try:
                return program.communicate(timeout=LOOK_EVERY_S)[0]
            except subprocess.TimeoutExpired:
                on_event(Event("run", "iperf3 is testing", clock.monotonic_ns()))
        raise RunProblem("iperf3 does not end; is the server there?", errno=None, offset_bytes=None, phase="measure")
    finally:
        program.kill()
        program.wait()


def _read(text: bytes, action: Action) -> Result:
    try:
        found = Iperf3Importer().read(text)
    except ImportProblem as problem:
        raise RunProblem(str(problem), errno=None, offset_bytes=None, phase="measure") from None
    same = (result for result in found if result.task.transfer and result.task.transfer.action is action)
    return next(same, found[0])


def _joined(results: list[Result], host: str, whole: str, index: int) -> Result:
    """One result of all runs of an arm."""
    runs = tuple(_numbered(run, index, repeat) for repeat, result in enumerate(results) for run in result.runs)
    first = results[0]
    return replace(
        first,
        id=f"{whole}{index:04x}",
        measurement_id=whole,
        target=Target(host, TargetKind.SHARE),
        runs=runs,
        summary=replace(summarise(first.task, runs, first.summary.checks if first.summary else ()), ops=None),
    )


def _numbered(run: Run, index: int, repeat: int) -> Run:
    return replace(run, task_index=index, repeat_index=repeat)
