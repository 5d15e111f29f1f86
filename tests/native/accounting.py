"""What stamps, histogram and ticks cost, by null operations through the same loop with and without them."""

from __future__ import annotations

import math
import statistics

from scipy.stats import t as student

from graycard.model import Estimate
from graycard.native import _core as core

ROUNDS = 31
OPS = 300_000


def cpu_ns_per_op(*, account: bool, depth_count: int) -> float:
    """Processor time of one null operation through the loop of the engine that `auto` takes here."""
    run = core.prepare(
        version=core.VERSION,
        fd=-1,
        operation=0,
        pattern=0,
        engine=0,
        durability=0,
        may_write=0,
        null_device=1,
        account=int(account),
        depth_count=depth_count,
        worker_count=1,
        zero_bytes=0,
        block_bytes=4096,
        span_bytes=1 << 30,
        time_ns=0,
        op_limit=OPS,
        seed=0,
        run_number=0,
        tick_ns=10_000_000,
        period_ns=0,
        frame_ops=0,
        late_ns=0,
    )
    core.execute(run)
    return core.outcome(run)["cpu_ns"] / OPS


def accounting_cost(depth_count: int = 1) -> Estimate:
    """Cost in ns of one I/O, with Student's 95 % interval; it is greatest at depth 1, where no batch shares a stamp."""
    costs = []
    for _ in range(ROUNDS):
        without = cpu_ns_per_op(account=False, depth_count=depth_count)
        costs.append(cpu_ns_per_op(account=True, depth_count=depth_count) - without)
    mean = statistics.fmean(costs)
    half = float(student.ppf(0.975, ROUNDS - 1)) * statistics.stdev(costs) / math.sqrt(ROUNDS)
    return Estimate(mean, mean - half, mean + half, "ns", ROUNDS, 0.95, "paired differences, Student's t")
