"""Part (b) of docs/accuracy.md: the core against busy-waits of known length, in a test build, without root.

The wait itself is a witness: it adds up how long it really took. A process that loses its processor within a wait sees
a longer wait, and so does the witness; what the core says beyond that is its own error.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.native.build import Driver, Outcome, build, compiler

ENGINES = {1: "io_uring", 2: "thread pool"}
US = 1000
TABLES_NS = ((50 * US,), (1000 * US,), (100 * US, 400 * US, 1600 * US))
LOADS = ((1, 1), (2, 1), (2, 2))
TIME_NS = 200_000_000
REPEATS = 5


@dataclass(frozen=True)
class BusyRow:
    """One run beside its truth; latencies in ns."""

    engine: str
    depth_count: int
    lengths_ns: tuple[int, ...]
    outcome: Outcome

    @property
    def ops_count(self) -> int:
        return self.outcome["ops_count"]

    @property
    def asked_ns(self) -> float:
        """Mean length that the table asks for, over the operations done: a lower bound of any true latency."""
        if self.depth_count > 1:
            return sum(self.lengths_ns) / len(self.lengths_ns)
        rounds, rest = divmod(self.ops_count, len(self.lengths_ns))
        return (rounds * sum(self.lengths_ns) + sum(self.lengths_ns[:rest])) / self.ops_count

    @property
    def witness_ns(self) -> float:
        """Mean length that the waits really had."""
        return self.outcome["busy_total_ns"] / self.ops_count

    @property
    def latency_ns(self) -> float:
        """Mean latency that the core recorded."""
        return self.outcome["latency_sum_ns"] / self.ops_count

    @property
    def latency_error_ratio(self) -> float:
        return self.latency_ns / self.witness_ns - 1

    @property
    def rate_error_ratio(self) -> float:
        """Rate of the core over that of a device with the witness's service time, less 1."""
        return self.ops_count / self.outcome["elapsed_ns"] * self.witness_ns / self.depth_count - 1


def busy_runs(driver: Driver, engine: int, depth: int, table: tuple[int, ...]) -> list[BusyRow]:
    """Some short runs of one load; the engine is forced, so that a kernel without io_uring fails, not silently."""
    busy = ",".join(str(length) for length in table)
    runs = [
        driver.run(null_device=1, engine=engine, depth_count=depth, time_ns=TIME_NS, busy=busy) for _ in range(REPEATS)
    ]
    return [BusyRow(ENGINES[run["engine"]], depth, table, run) for run in runs]


def least_disturbed(rows: list[BusyRow]) -> BusyRow:
    """The run whose waits were the shortest by their own witness: the one that the machine left most alone."""
    return min(rows, key=lambda row: row.witness_ns / row.asked_ns)


def busy_wait_truth() -> list[dict[str, str]]:
    """The rows of the table in docs/accuracy.md, by column: of five runs of each load the least disturbed one."""
    with tempfile.TemporaryDirectory() as folder:
        driver = build(Path(folder), compiler())
        rows = [least_disturbed(busy_runs(driver, *load, table)) for load in LOADS for table in TABLES_NS]
    return [
        {
            "engine": row.engine,
            "depth": str(row.depth_count),
            "waits of µs": ", ".join(f"{length / US:g}" for length in row.lengths_ns),
            "operations": str(row.ops_count),
            "asked µs": f"{row.asked_ns / US:.2f}",
            "waits took µs": f"{row.witness_ns / US:.2f}",
            "graycard µs": f"{row.latency_ns / US:.2f}",
            "latency": f"{row.latency_error_ratio:+.2%}",
            "rate": f"{row.rate_error_ratio:+.2%}",
        }
        for row in rows
    ]
