"""fio, if it is installed, as the second opinion: the same task on the same file, read by the importer's own parser.

What differs from the native engine, and is told by the facts or here:
- Time is fio's runtime, rounded up to whole ms: a run of 1 s comes out at most 0.1 % low. The JSON has nothing finer.
  A flush at the end is inside, closing the file is not.
- Latencies are fio's `lat`, in its bins of 1/64 (error 1/128); over 17.2 s all are in one bin. Of flushes only those
  between writes are listed; how long the one at the end took is not.
- There is no series over time: fio's own leaves out intervals without I/O.
- `ceiling` is empty: fio's null engine leaves out the very system calls that limit it, so it would promise too much.

fio 3.33 removes and lays out a file again that is shorter than it expects, even one that it only reads. It is therefore
given a symbolic link in a folder of the run's own, whose name no option parser can misread: fio cuts names at "#" and
";", and so could write to another file than the one named.
"""

from __future__ import annotations

import os
import re
import stat
import subprocess
import tempfile
from functools import cached_property

from graycard.engines.fio_command import arguments, refusal
from graycard.engines.fio_process import Outcome, carry_out
from graycard.engines.fio_trouble import problem
from graycard.errors import ImportProblem, RunProblem
from graycard.importers.fio import FioJob, parse
from graycard.model import Cache, Durability, Fact, IoTask, Operation, Samples, Target
from graycard.protocols import OnTick, Progress

# RHEL 8 has it; the oldest whose JSON is as that of 3.33, with which all this is tested.
OLDEST = (3, 19)
_VERSION = re.compile(r"fio-(\d+)\.(\d+)(\S*)")
# The first that this fio has, io_uring only if the kernel lets it.
_ENGINES = ("io_uring", "libaio", "windowsaio", "posixaio")
_QUESTION_S = 10.0
_LINK = "file"


class FioEngine:
    """Runs `program`, which is asked for its version and engines once, when first needed."""

    name = "fio"

    def __init__(self, program: str = "fio") -> None:
        self._program = program

    def refuses(self, task: IoTask, target: Target) -> str | None:
        """Why not: fio is missing or too old, the target is a raw device, or fio cannot do the task."""
        return self._not_usable() or _no_file(target) or refusal(task)

    def settings(self) -> str:
        """Such as "fio 3.33 io_uring", or "fio 3.33 libaio, for want of io_uring"."""
        want = "" if self._io_engine in ("io_uring", None) else ", for want of io_uring"
        return f"fio {self._version_text} {self._io_engine or 'without an asynchronous engine'}{want}"

    def ceiling(self, task: IoTask) -> tuple[Fact, ...]:
        """Unknown, for the reason given above; the check of the instrument then says so."""
        del task
        return ()

    def run(self, task: IoTask, target: Target, on_tick: OnTick) -> Samples:
        """Let fio carry out the task; RunProblem with its own words when it cannot."""
        reason = self.refuses(task, target)
        if reason:
            raise _unprepared(f"fio cannot do {task.label} on {target.shown}: {reason}")
        _give_length(task, target)
        watched = task.block_bytes if task.cache is Cache.BYPASS else None
        with tempfile.TemporaryDirectory(prefix="graycard-fio-") as folder:
            options = arguments(task, _link(target, folder), str(self._io_engine))
            outcome = carry_out(self._program, options, folder, watched, on_tick)
        job = _job(outcome)
        trouble = problem(outcome, job, target, task.operation)
        if trouble or job is None:
            raise trouble or _unprepared(f"fio gave no result for {target.shown}; try --engine native")
        return _samples(job, task, self.settings())

    @cached_property
    def _version(self) -> tuple[int, int] | None:
        match = _VERSION.match(self._ask("--version"))
        return (int(match[1]), int(match[2])) if match else None

    @cached_property
    def _version_text(self) -> str:
        return self._ask("--version").strip().removeprefix("fio-")

    @cached_property
    def _io_engine(self) -> str | None:
        offered = set(self._ask("--enghelp").split())
        usable = (name for name in _ENGINES if name in offered and (name != "io_uring" or self._may_use_io_uring()))
        return next(usable, None)

    def _may_use_io_uring(self) -> bool:
        """One read from a file of 4 KiB: containers often forbid io_uring, or the kernel has it switched off."""
        with tempfile.TemporaryDirectory(prefix="graycard-fio-") as folder:
            with open(os.path.join(folder, _LINK), "wb") as file:
                file.write(bytes(4096))
            options = ["--name=probe", f"--filename={_LINK}", "--rw=read", "--bs=4096", "--size=4096", "--thread"]
            options += ["--ioengine=io_uring", "--allow_file_create=0"]
            outcome = carry_out(self._program, options, folder, None, _ignore)
        job = _job(outcome)
        return outcome.code == 0 and job is not None and not job.error

    def _ask(self, option: str) -> str:
        """What fio prints for the option; nothing where it cannot be run."""
        try:
            answer = subprocess.run([self._program, option], capture_output=True, timeout=_QUESTION_S, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return ""
        return answer.stdout.decode("utf-8", "replace")

    def _not_usable(self) -> str | None:
        if self._version is None:
            return f"fio is not installed or not found as {self._program}; install it or use --engine native"
        if self._version < OLDEST:
            return f"fio {self._version_text} is too old; install 3.19 or later, or use --engine native"
        if self._io_engine is None:
            return "this fio has no engine that keeps several requests in flight; use --engine native"
        return None


def _no_file(target: Target) -> str | None:
    try:
        mode = os.stat(target.path).st_mode
    except OSError:
        return None
    ordinary = stat.S_ISREG(mode) or stat.S_ISDIR(mode)
    return None if ordinary else f"{target.shown} is no ordinary file; raw devices are not measured"


def _give_length(task: IoTask, target: Target) -> None:
    """A new file that is to be written whole gets its length first, or fio would want to make it anew."""
    try:
        found = os.stat(target.path)
        writes_all = task.operation is Operation.WRITE and task.byte_limit == task.span_bytes
        if stat.S_ISREG(found.st_mode) and found.st_size == 0 and writes_all:
            os.truncate(target.path, task.span_bytes)
            found = os.stat(target.path)
    except OSError as error:
        says = f"{target.shown} cannot be measured by fio ({error.strerror}): check the path"
        raise _unprepared(says, error.errno) from error
    if not stat.S_ISREG(found.st_mode) or found.st_size < task.span_bytes:
        says = f"{target.shown} is no file of at least {task.span_bytes} bytes: name one that is, or a smaller size"
        raise _unprepared(says)


def _link(target: Target, folder: str) -> str:
    """The name fio gets: a link in its own folder; where links cannot be made (Windows), the escaped path."""
    try:
        os.symlink(os.path.abspath(target.path), os.path.join(folder, _LINK))
    except OSError:
        if target.path != target.path.strip() or set("#;") & set(target.path):
            raise _unprepared(
                f"fio cannot be given the path {target.shown} with # or ; or a blank at an end: use --engine native"
            ) from None
        return target.path.replace(":", "\\:")
    return _LINK


def _job(outcome: Outcome) -> FioJob | None:
    try:
        return next(iter(parse(outcome.output)), None)
    except ImportProblem:
        return None


def _samples(job: FioJob, task: IoTask, engine: str) -> Samples:
    half = job.read if task.operation is Operation.READ else job.write
    if half is None:
        raise _unprepared(f"fio moved nothing in this run of {task.label}; measure longer")
    each = task.operation is Operation.WRITE and task.durability is Durability.EACH_WRITE
    return Samples(
        engine=engine,
        elapsed_ns=half.runtime_ns,
        ops_count=half.ops_count,
        moved_bytes=half.moved_bytes,
        ticks=(),
        tick_ns=half.runtime_ns,
        latency=half.latency.histogram if half.latency else None,
        cpu_ns=job.cpu_ns,
        flush_latency=job.sync.histogram if each and job.sync else None,
    )


def _unprepared(says: str, number: int | None = None) -> RunProblem:
    return RunProblem(says, errno=number, offset_bytes=None, phase="prepare")


def _ignore(progress: Progress) -> None:
    del progress
