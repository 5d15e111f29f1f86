"""The native engine: the C core does the I/O, this file opens the file, watches, and names the numbers.

run   open → prepare (memory, descriptor handed over) → a thread carries the run out without the GIL
                                                      ↘ this thread polls every 100 ms and tells `on_tick`
"""

from __future__ import annotations

import os
from threading import Thread
from time import monotonic_ns
from typing import Any

from graycard.engines.native_samples import histogram_of, problem_of, ticks_of
from graycard.errors import PlanProblem, io_problem
from graycard.facts import fact
from graycard.model import Cache, Durability, Fact, IoTask, Operation, Pattern, Samples, Target, short_size
from graycard.protocols import EnoughError, Host, OnTick, Progress

try:
    from graycard.native import _core as core
except ImportError as error:
    MISSING: str | None = str(error)
else:
    MISSING = None

# The version of gc_config (core.h) that this file fills in.
CONFIG_VERSION = 1
AUTO, URING, POOL = 0, 1, 2
NAMES = {URING: "io_uring", POOL: "thread pool"}
SETUPS = {1: "deferred task work", 2: "cooperative task work", 4: "registered file", 8: "registered buffers"}
DURABILITIES = {Durability.NONE: 0, Durability.AT_END: 1, Durability.EACH_WRITE: 2}

TICK_NS = 10_000_000
POLL_NS = 100_000_000
# A stopped run gets so long to drain; one that hangs longer is left to its thread.
DRAIN_S = 0.5
CEILING_NS = 100_000_000
# Above the error of any timer, below any frame: a frame that starts later than this was held up.
LATE_NS = 1_000_000
SECTOR_BYTES = 512
# What the core takes (prepare.c).
MOST_DEPTH_COUNT = 4096
MOST_BUFFER_BYTES = 4 << 30


def unfit(task: IoTask) -> str | None:
    """Why no run of this core can carry the task out (one sentence), or None."""
    workers, block = task.worker_count, task.block_bytes
    if block < 1:
        return "a block must have at least one byte"
    frame_bytes = task.pace.frame_bytes if task.pace else block
    rules = (
        (task.time_ns is None and task.byte_limit is None, "a run needs a time limit or a byte limit"),
        (not 1 <= workers <= task.depth_count, "the depth must be at least the number of workers"),
        (task.depth_count > MOST_DEPTH_COUNT, f"the depth must be at most {MOST_DEPTH_COUNT}"),
        (task.depth_count * block > MOST_BUFFER_BYTES, "depth times block must be at most 4 GiB of memory"),
        (task.span_bytes // block < workers, "the file must hold at least one block for each worker"),
        (task.byte_limit is not None and task.byte_limit < block, "the byte limit must be at least one block"),
        (
            task.cache is Cache.BYPASS and block % SECTOR_BYTES != 0,
            "direct I/O needs a block of whole 512-byte sectors",
        ),
        (frame_bytes % block != 0, "a frame must be made of whole blocks"),
    )
    return next((says for broken, says in rules if broken), None)


class NativeEngine:
    """Runs tasks in the C core. `io` forces "io_uring" or "thread pool"; "auto" takes what is honest for the file."""

    name = "native"

    def __init__(self, host: Host, *, io: str = "auto") -> None:
        self._host = host
        self._forced = {"auto": AUTO, "io_uring": URING, "thread pool": POOL}[io]
        self._run_count = 0
        self._hung: Thread | None = None
        self._last: tuple[int, int] | None = None  # engine and set-up of the last run
        self._ceilings: dict[tuple[int, int, int, Operation, int], tuple[Fact, ...]] = {}

    def refuses(self, task: IoTask, target: Target) -> str | None:
        """Why this engine cannot do the task, or None."""
        if MISSING is not None:
            return (
                f"the compiled core is missing ({MISSING}): install a C compiler, then install graycard again, "
                "or measure with --engine fio"
            )
        if core.VERSION != CONFIG_VERSION:
            return "the compiled core is of another version: install graycard again"
        if self._hung is not None and self._hung.is_alive():
            return f"an earlier request on this computer still hangs: check the device or server of {target.shown}"
        return unfit(task)

    def run(self, task: IoTask, target: Target, on_tick: OnTick) -> Samples:
        """Measure `task` on the existing file `target.path`; a write task with an empty file lays the file out.

        Only whole blocks of `span_bytes` and of `byte_limit` are touched.
        """
        refusal = self.refuses(task, target)
        if refusal is not None:
            raise PlanProblem(refusal)
        if task.cache is Cache.COLD:
            self._host.drop_cache(target.path)
        writes = task.operation is Operation.WRITE
        fd = self._host.open_file(target.path, write=writes, direct=task.cache is Cache.BYPASS)
        handle = self._prepare(task, fd, target)
        gap_ns = self._watch(handle, on_tick)
        return self._samples(task, target, core.outcome(handle), gap_ns)

    def settings(self) -> str:
        """How the last run was carried out, or how a run would be."""
        engine, setup = self._last or self._try_out()
        return ", ".join([NAMES[engine], *(says for bit, says in SETUPS.items() if setup & bit)])

    def ceiling(self, task: IoTask) -> tuple[Fact, ...]:
        """Null operations through the same loop, the data generator (writes) and the clock; about 0.2 s, then kept."""
        engine = self._expected(task)
        key = (task.block_bytes, task.depth_count, task.worker_count, task.operation, engine)
        if key not in self._ceilings:
            self._ceilings[key] = self._measure_ceiling(task, engine)
        return self._ceilings[key]

    # ---- a run ----

    def _prepare(self, task: IoTask, fd: int, target: Target) -> core.Run:
        self._run_count += 1
        try:
            return core.prepare(**self._config(task, fd, self._forced))
        except OSError as error:
            os.close(fd)
            raise io_problem(error.errno, operation="preparing", place=target.shown, phase="prepare") from None

    def _config(self, task: IoTask, fd: int, engine: int) -> dict[str, Any]:
        writes = task.operation is Operation.WRITE
        block = task.block_bytes
        return {
            "version": CONFIG_VERSION,
            "fd": fd,
            "operation": int(writes),
            "pattern": int(task.pattern is Pattern.RANDOM),
            "engine": engine,
            "durability": DURABILITIES[task.durability],
            "may_write": int(writes),
            "null_device": int(fd < 0),
            "account": 1,
            "depth_count": task.depth_count,
            "worker_count": task.worker_count,
            "zero_bytes": int(task.compressible_ratio * block),
            "block_bytes": block,
            "span_bytes": task.span_bytes,
            "time_ns": task.time_ns or 0,
            "op_limit": 0 if task.byte_limit is None else task.byte_limit // block,
            "seed": task.seed % 2**64,
            "run_number": self._run_count,
            "tick_ns": TICK_NS,
            "period_ns": round(1e9 / task.pace.frames_per_s) if task.pace else 0,
            "frame_ops": task.pace.frame_bytes // block if task.pace else 0,
            "late_ns": LATE_NS,
        }

    def _watch(self, handle: core.Run, on_tick: OnTick) -> int:
        """Wait for the run's end and tell how far it is; the longest time (ns) this thread itself did not run."""
        thread = Thread(target=core.execute, args=(handle,), name="graycard I/O", daemon=True)
        gap_ns = 0
        try:
            thread.start()
            polled_ns = monotonic_ns()
            while thread.is_alive():
                thread.join(POLL_NS / 1e9)
                now_ns = monotonic_ns()
                gap_ns = max(gap_ns, now_ns - polled_ns - POLL_NS)
                polled_ns = now_ns
                if thread.is_alive():
                    try:
                        on_tick(Progress(*core.peek(handle)))
                    except EnoughError:
                        core.stop(handle)
        finally:
            self._end(thread, handle)
        return gap_ns

    def _end(self, thread: Thread, handle: core.Run) -> None:
        """Stop what still runs. A request that hangs in the kernel cannot be called back: its thread is left alone."""
        if not thread.is_alive():
            return
        core.abandon(handle)
        thread.join(DRAIN_S)
        if thread.is_alive():
            self._hung = thread

    def _samples(self, task: IoTask, target: Target, outcome: core.Outcome, gap_ns: int) -> Samples:
        if outcome["error_count"]:
            raise problem_of(
                outcome["error"],
                phase=outcome["phase"],
                operation=outcome["operation"],
                offset_bytes=outcome["error_offset"],
                place=target.shown,
            )
        self._last = (outcome["engine"], outcome["setup"])
        uring = outcome["engine"] == URING
        flushed = task.operation is Operation.WRITE and task.durability is not Durability.NONE
        lows = core.bucket_lows()
        return Samples(
            engine=NAMES[outcome["engine"]],
            elapsed_ns=outcome["elapsed_ns"],
            ops_count=outcome["ops_count"],
            moved_bytes=outcome["moved_bytes"],
            ticks=ticks_of(
                outcome["ticks"],
                outcome["tick_ns"],
                outcome["elapsed_ns"],
                (outcome["overflow_ops"], outcome["overflow_bytes"]),
            ),
            tick_ns=outcome["tick_ns"],
            latency=histogram_of(outcome["latency"], lows, core.ERROR_RATIO),
            submit_ns=outcome["submit_ns"] if uring else None,
            drain_ns=outcome["drain_ns"],
            flush_ns=outcome["flush_ns"] if flushed else None,
            close_ns=outcome["close_ns"],
            cpu_ns=outcome["cpu_ns"],
            late_count=outcome["late_count"] if task.pace else None,
            error_count=outcome["error_count"],
            gap_ns=gap_ns,
            reap_gap_ns=outcome["reap_gap_ns"] if uring else None,
            flush_latency=histogram_of(outcome["flush_latency"], lows, core.ERROR_RATIO),
        )

    # ---- the instrument itself ----

    def _expected(self, task: IoTask) -> int:
        """The engine that the task will run with, as far as that is known before its file was opened."""
        flushes = task.operation is Operation.WRITE and task.durability is Durability.EACH_WRITE
        if self._forced != AUTO:
            return self._forced
        if task.cache is not Cache.BYPASS or flushes:
            return POOL
        return self._last[0] if self._last else AUTO

    def _null_run(self, task: IoTask, engine: int, **changes: int) -> core.Outcome:
        config = self._config(task, -1, engine) | {"period_ns": 0, "durability": 0} | changes
        try:
            handle = core.prepare(**config)
        except OSError as error:
            doing = "measuring the ceiling of"
            raise io_problem(error.errno, operation=doing, place="this computer", phase="calibrate") from None
        core.execute(handle)
        return core.outcome(handle)

    def _try_out(self) -> tuple[int, int]:
        task = IoTask(Operation.READ, Pattern.SEQUENTIAL, 4096, 4096, byte_limit=4096)
        outcome = self._null_run(task, self._forced)
        return outcome["engine"], outcome["setup"]

    def _measure_ceiling(self, task: IoTask, engine: int) -> tuple[Fact, ...]:
        outcome = self._null_run(task, engine, time_ns=CEILING_NS, op_limit=0)
        step_ns, cost_ns = core.measure_clock()
        ops_per_s = outcome["ops_count"] * 1e9 / outcome["elapsed_ns"] if outcome["elapsed_ns"] else None
        facts = [
            fact("ceiling_ops_per_s", ops_per_s, f"null operations, {NAMES[outcome['engine']]}"),
            fact("clock_step_ns", step_ns, "the clock that times everything, read in a loop"),
            fact("clock_cost_ns", cost_ns, "the clock that times everything, read in a loop"),
        ]
        if task.operation is Operation.WRITE:
            rate = core.measure_generator(task.block_bytes, CEILING_NS // 2) or None
            facts.append(
                fact("generator_bytes_per_s", rate, f"the data generator, blocks of {short_size(task.block_bytes)}")
            )
        return tuple(facts)
