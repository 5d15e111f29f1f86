"""Whether the figures of a run prove that the processors were taken, whatever the checks made of them.

A verdict that is due to a busy computer is a true one, so a test cannot ask that there be none. It asks instead that
each such verdict has its proof in what the kernel counted: time that our threads were ready and waited (schedstat),
time that the hypervisor took, processors without idle time that others used, a watching thread that did not run.
"""

from __future__ import annotations

from graycard.checks.alone import IDLE_RATIO, OTHERS_CPU_RATIO, STEAL_RATIO
from graycard.checks.clock import GAP_NS
from graycard.checks.instrument import WAIT_CAVEAT_RATIO
from graycard.facts import change
from graycard.model import Result, Run

# The checks on which a busy computer tells; of all others it is no excuse.
DUE_TO_CONTENTION = frozenset({"littles_law", "depth_was_real", "instrument_not_limit", "not_interrupted"})


def contended(result: Result) -> bool:
    """Whether one of its runs had to wait for a processor."""
    return any(any(proofs(result, run).values()) for run in result.runs)


def proofs(result: Result, run: Run) -> dict[str, bool]:
    """Each proof, by name."""
    total = change(run.before, run.after, "cpu_total_ns") or float("inf")
    shares = {
        name: (change(run.before, run.after, name) or 0.0) / total
        for name in ("cpu_steal_ns", "cpu_idle_ns", "cpu_own_ns")
    }
    taken = shares["cpu_idle_ns"] < IDLE_RATIO and 1 - shares["cpu_idle_ns"] - shares["cpu_own_ns"] > OTHERS_CPU_RATIO
    return {
        "waited": waited_share(result, run) > WAIT_CAVEAT_RATIO,
        "stolen": shares["cpu_steal_ns"] > STEAL_RATIO,
        "taken": taken,
        "stood still": (run.samples.gap_ns or 0) > GAP_NS,
    }


def waited_share(result: Result, run: Run) -> float:
    """Time that ready threads waited, over the time watched and the number of I/O threads."""
    series = next((each for each in run.monitor if each.name == "cpu_wait_ns"), None)
    if series is None or len(series.points) < 2:
        return 0.0
    first, last = series.points[0], series.points[-1]
    threads = result.task.worker_count if run.samples.submit_ns is not None else result.task.depth_count
    return (last.value - first.value) / (last.at_ns - first.at_ns) / threads
