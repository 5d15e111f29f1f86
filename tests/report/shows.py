"""Reports as real ones are: runs with known cliffs, stalls and swings, two file systems side by side, a history."""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from graycard.compare import compare
from graycard.facts import fact
from graycard.model import (
    SCHEMA,
    Arm,
    Bucket,
    Check,
    Difference,
    Entry,
    Era,
    Estimate,
    Fact,
    Histogram,
    History,
    IoTask,
    Operation,
    Origin,
    Pattern,
    Report,
    Result,
    Run,
    Samples,
    Standing,
    Target,
    TargetKind,
    Tick,
    Trial,
    Verdict,
)
from graycard.summary import summarise

START = datetime(2026, 11, 30, 13, 40, 7, tzinfo=UTC)
TICK_NS = 10_000_000
Shape = Callable[[float], float]  # second of the run -> share of the usual rate

SEQ_READ = IoTask(Operation.READ, Pattern.SEQUENTIAL, 1 << 20, 64 << 30, 8, time_ns=5_000_000_000, seed=81)
SEQ_WRITE = IoTask(Operation.WRITE, Pattern.SEQUENTIAL, 1 << 20, 64 << 30, 8, time_ns=60_000_000_000, seed=82)
RND_READ = IoTask(Operation.READ, Pattern.RANDOM, 4096, 4 << 30, 64, time_ns=5_000_000_000, seed=83)
RND_WRITE = IoTask(Operation.WRITE, Pattern.RANDOM, 4096, 4 << 30, 1, time_ns=5_000_000_000, seed=84)
FACTS: tuple[Fact, ...] = (
    fact("file_system", "ext4", "mountinfo"),
    fact("allocation_unit_bytes", 4096, "statvfs"),
    fact("mount_options", "rw,relatime", "mountinfo"),
    fact("graycard_version", "0.1.0", "package"),
    fact("engine_settings", "io_uring", "native"),
    fact("device_model", "Samsung 990 PRO 2TB", "/sys/block/nvme0n1/device/model"),
    fact("bus", "nvme", "/sys/block/nvme0n1"),
    fact("link_bits_per_s", 63e9, "/sys/block/nvme0n1"),
    fact("size_bytes", 1_999_000_000_000, "statvfs"),
    fact("used_ratio", 0.43, "statvfs"),
    fact("os_name", "Debian GNU/Linux 12", "/etc/os-release"),
    fact("kernel_version", "6.1.0-25-amd64", "uname"),
    fact("cpu_model", "AMD Ryzen 9 7950X", "/proc/cpuinfo"),
    fact("load_average", 0.21, "/proc/loadavg"),
    fact("temperature_celsius", 41, "smartctl"),
)
CHECKS = (
    Check("bytes_conserved", 1.0, 1.0, "ratio", 0.0, Verdict.PASS, "All bytes were counted."),
    Check("from_device", 1.0, 1.0, "ratio", 0.02, Verdict.PASS, "All bytes came from the device."),
)


def even(_second: float) -> float:
    return 1.0


def cliff(at_s: float, to: float) -> Shape:
    return lambda second: 1.0 if second < at_s else to


def swings(period_s: float, low: float) -> Shape:
    return lambda second: 1.0 if second % period_s < period_s / 2 else low


def stalling(*stalls_s: tuple[float, float]) -> Shape:
    return lambda second: 0.0 if any(at <= second < at + long for at, long in stalls_s) else 1.0


def a_run(task: IoTask, index: int, rate: float, shape: Shape, scatter: float, arm: int) -> Run:
    """A run whose ticks follow `shape`, with a log-normal latency around Little's law; arms take turns."""
    rng = random.Random(f"{task.seed} {index} {arm}")
    level = rate * math.exp(rng.gauss(0, scatter))
    count = (task.time_ns or 10**9) // TICK_NS
    owed, ticks = 0.0, []
    for slot in range(count):
        owed += level * shape(slot / 100) * (1 + rng.gauss(0, 0.05)) / 100 / task.block_bytes
        ops = max(0, int(owed))
        owed -= ops
        ticks.append(Tick(slot * TICK_NS, ops, ops * task.block_bytes))
    ops_count = sum(tick.ops_count for tick in ticks)
    elapsed_ns = count * TICK_NS
    samples = Samples(
        "io_uring",
        elapsed_ns,
        ops_count,
        ops_count * task.block_bytes,
        tuple(ticks),
        TICK_NS,
        latency(elapsed_ns * task.depth_count / max(1, ops_count), ops_count, rng),
    )
    started_at = START + timedelta(seconds=200 * index + (arm if index % 2 else -arm) * 20)
    return Run(0, index, started_at, samples, (), ())


def latency(mean_ns: float, ops_count: int, rng: random.Random) -> Histogram:
    """Log-normal buckets of 1/128, with a tail of its own."""
    counts: dict[int, int] = {}
    for part, factor, sigma in ((0.985, 1.0, 0.22), (0.015, 4.5, 0.6)):
        draws = 600
        for _ in range(draws):
            value = max(128, int(mean_ns * factor * math.exp(rng.gauss(0, sigma))))
            low = value >> (value.bit_length() - 8) << (value.bit_length() - 8)
            counts[low] = counts.get(low, 0) + max(1, round(ops_count * part / draws))
    buckets = tuple(Bucket(low, count) for low, count in sorted(counts.items()))
    total = sum(bucket.low_ns * bucket.count for bucket in buckets)
    return Histogram(1 / 256, buckets, total, buckets[0].low_ns, buckets[-1].low_ns + 100)


def measured(
    task: IoTask,
    rate: float,
    *,
    shape: Shape = even,
    runs: int = 5,
    scatter: float = 0.02,
    checks: tuple[Check, ...] = CHECKS,
    minute: int = 0,
    measurement: str = "m1",
    path: str = "/mnt/ssd",
    facts: tuple[Fact, ...] = FACTS,
    trial: Trial | None = None,
    arm: int = 0,
) -> Result:
    made = tuple(a_run(task, index, rate, shape, scatter, arm) for index in range(runs))
    return Result(
        id=f"{measurement}-{task.label.replace(' ', '-')}",
        measurement_id=measurement,
        schema=SCHEMA,
        created_at=START + timedelta(minutes=minute),
        origin=Origin("graycard", "0.1.0", "native"),
        target=Target(path, TargetKind.FOLDER),
        task=task,
        facts=facts,
        runs=made,
        summary=summarise(task, made, checks) if made else None,
        trial=trial,
    )


@functools.cache
def one_drive() -> Report:
    """One measurement of four tasks: an even one, a cliff after 38 GB, a swing, stalls; one figure fails a check."""
    cached = Check(
        "from_device",
        1.0,
        0.31,
        "ratio",
        0.02,
        Verdict.FAIL,
        "Only 31 % of the bytes came from the device: the page cache served the rest.",
    )
    virtual = Check("provenance", None, None, None, None, Verdict.CAVEAT, "The drive was 62 °C at the end.")
    long_read = replace(RND_READ, time_ns=12_000_000_000)
    return Report(
        "",
        (
            measured(SEQ_READ, 2.1e9, runs=7),
            measured(SEQ_WRITE, 1.4e9, shape=cliff(27.2, 0.214), runs=3, checks=(*CHECKS, virtual)),
            measured(long_read, 620e6, shape=swings(2.0, 0.35), runs=3),
            measured(
                replace(RND_WRITE, time_ns=20_000_000_000),
                88e6,
                shape=stalling((3.3, 0.9), (11.6, 0.5), (15.0, 0.4)),
                runs=5,
                checks=(CHECKS[0], cached),
            ),
        ),
    )


def estimate(value: float, half: float, unit: str = "ratio", n_count: int = 6) -> Estimate:
    return Estimate(value, value * (1 - half), value * (1 + half), unit, n_count, 0.95, "crossover, paired t")


@functools.cache
def two_formats() -> Report:
    """An experiment: ext4, exFAT and btrfs on one drive, six blocks, four tasks."""
    rates = {
        "ext4": (2.10e9, 1.45e9, 610e6, 190e6),
        "exFAT (FUSE)": (1.62e9, 0.71e9, 240e6, 61e6),
        "btrfs": (2.08e9, 1.31e9, 585e6, 151e6),
    }
    tasks = (SEQ_READ, replace(SEQ_WRITE, time_ns=5_000_000_000), RND_READ, RND_WRITE)
    results: dict[str, list[Result]] = {}
    for number, (name, levels) in enumerate(rates.items()):
        system = {"ext4": "ext4", "exFAT (FUSE)": "exfat", "btrfs": "btrfs"}[name]
        own = {"file_system": system, "allocation_unit_bytes": 131072 if system == "exfat" else 4096}
        facts = tuple(replace(each, value=own.get(each.name, each.value)) for each in FACTS)
        trial = Trial("e1", "filesystems", name, randomised=True)
        results[name] = [
            measured(
                task,
                level,
                runs=6,
                measurement=f"e1-{number}",
                path=f"/run/graycard/{system}",
                facts=facts,
                trial=trial,
                arm=number,
            )
            for task, level in zip(tasks, levels, strict=True)
        ]
    arms = [Arm(name, tuple(own)) for name, own in results.items()]
    flat = tuple(each for arm in arms for each in arm.results)
    return Report("exFAT, btrfs and ext4 on one drive", flat, compare(arms[0], arms[1:]))


@functools.cache
def over_time() -> Report:
    """A history of 40 results in two eras, the last two of them regressions."""
    rng = random.Random(5)

    def entry(number: int, level: float, expected: Estimate | None, standing: Standing) -> Entry:
        rate = level * math.exp(rng.gauss(0, 0.012))
        at = START + timedelta(days=7 * number)
        return Entry(f"r{number}", f"m{number}", at, rate, rate * 0.985, rate * 1.015, expected, standing)

    first = [entry(n, 940e6, estimate(940e6, 0.03) if n > 4 else None, Standing.USUAL) for n in range(22)]
    first[13] = replace(first[13], rate_bytes_per_s=861e6, rate_low_bytes_per_s=845e6, rate_high_bytes_per_s=878e6)
    first[13] = replace(first[13], standing=Standing.UNUSUAL)
    second = [entry(n, 1120e6, estimate(1120e6, 0.03) if n > 26 else None, Standing.USUAL) for n in range(22, 38)]
    second += [entry(n, 1035e6, estimate(1120e6, 0.03), Standing.REGRESSION) for n in (38, 39)]
    change = Difference(
        "system", "kernel_version", None, "6.1.0-25", "6.12.9", "The kernel is 6.12.9 instead of 6.1.0-25."
    )
    says = "The last two results are 7.6 % slower than those before: a regression."
    eras = (Era(tuple(first)), Era(tuple(second), (change,)))
    return Report("", (), (), (History("SEQ1M QD8 read", "Samsung 990 PRO 2TB, ext4", eras, says),))


@functools.cache
def many(count: int) -> Report:
    """`count` results in measurements of four tasks, with the ticks of 5 runs of 5 s."""
    template = [
        measured(SEQ_READ, 2.1e9),
        measured(replace(SEQ_WRITE, time_ns=5_000_000_000), 1.4e9),
        measured(RND_READ, 620e6),
        measured(RND_WRITE, 88e6),
    ]
    results = []
    for number in range(count):
        base = template[number % 4]
        group = number // 4
        results.append(
            replace(
                base, id=f"r{number}", measurement_id=f"m{group}", created_at=base.created_at + timedelta(hours=group)
            )
        )
    return Report("", tuple(results))
