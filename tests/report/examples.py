"""Results with known figures for the tests of the renderers."""

from __future__ import annotations

from datetime import UTC, datetime

from graycard.facts import fact
from graycard.model import (
    SCHEMA,
    Check,
    Estimate,
    Fact,
    IoTask,
    Operation,
    Origin,
    Pattern,
    Percentile,
    Result,
    Steadiness,
    Steady,
    Summary,
    Target,
    TargetKind,
    Verdict,
)

CREATED_AT = datetime(2026, 11, 30, 13, 40, 7, tzinfo=UTC)
FACTS: tuple[Fact, ...] = (
    fact("file_system", "ext4", "mountinfo"),
    fact("device_model", "Samsung 990", "/sys/block/nvme0n1/device/model"),
    fact("bus", "nvme", "/sys/block/nvme0n1"),
)
SEQUENTIAL = IoTask(Operation.READ, Pattern.SEQUENTIAL, 1 << 20, 1 << 30, depth_count=8, time_ns=5_000_000_000)
RANDOM = IoTask(Operation.WRITE, Pattern.RANDOM, 4096, 1 << 30, depth_count=64, time_ns=5_000_000_000)


def estimate(value: float, low: float | None, high: float | None, unit: str, n_count: int = 7) -> Estimate:
    level = 0.95 if low is not None else None
    return Estimate(value, low, high, unit, n_count, level, "t interval of the logs of the run means")


def check(verdict: Verdict, says: str, name: str = "from_device") -> Check:
    return Check(name, 1.0, 0.0, "ratio", 0.02, verdict, says)


def summary(
    rate: Estimate, *checks: Check, caveats: tuple[str, ...] = (), steady: Steady = Steady.STEADY, says: str = "even"
) -> Summary:
    latencies = ((50, 1_230_000.0), (99, 3_400_000.0), (100, 12_300_000.0))
    return Summary(
        rate=rate,
        ops=estimate(rate.value / (1 << 20), None, None, "ops/s"),
        latency_ns=tuple(Percentile(p, estimate(ns, None, None, "ns")) for p, ns in latencies),
        stalls=None,
        steadiness=Steadiness(steady, says, 0.02),
        checks=checks,
        caveats=caveats,
    )


def result(
    task: IoTask = SEQUENTIAL, found: Summary | None = None, path: str = "/mnt/ssd", measurement_id: str = "m1"
) -> Result:
    return Result(
        id=f"id-{task.label}",
        measurement_id=measurement_id,
        schema=SCHEMA,
        created_at=CREATED_AT,
        origin=Origin("graycard", "0.1.0", "native"),
        target=Target(path, TargetKind.FOLDER),
        task=task,
        facts=FACTS,
        runs=(),
        summary=found,
    )


RATE = estimate(512e6, 497e6, 528e6, "bytes/s")
SLOW_RATE = estimate(48.3e6, 44.1e6, 52.9e6, "bytes/s")
GOOD = result(SEQUENTIAL, summary(RATE, check(Verdict.PASS, "All bytes came from the device.")))
BAD = result(
    RANDOM,
    summary(
        SLOW_RATE,
        check(Verdict.FAIL, "Only 3 % of the bytes came from the device: the page cache served the rest."),
        check(Verdict.CAVEAT, "This is a virtual machine: the host may cache."),
        check(Verdict.UNKNOWN, "The device has no counters here."),
        caveats=("target of ±5.0% not reached after 20 runs: ±9.1%.",),
        steady=Steady.FIRST_RUN_DIFFERS,
        says="The first run was 41 % faster than the others; it is not in the figure.",
    ),
)
