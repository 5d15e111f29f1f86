"""Write the fixture database of this version of the store: tests/fixtures/store-N.db, and what it must give as JSON.

Run once for each new migration, and never again: the files of older versions stay as they were written.
"""

from __future__ import annotations

import sqlite3
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from graycard.codec import Document, pretty
from graycard.facts import fact
from graycard.model import (
    SCHEMA,
    Action,
    Bucket,
    Cache,
    Check,
    Durability,
    Estimate,
    Histogram,
    IoTask,
    Operation,
    Origin,
    Pace,
    Pattern,
    Percentile,
    Phase,
    Point,
    Result,
    Run,
    Samples,
    Series,
    Stalls,
    Steadiness,
    Steady,
    Summary,
    Target,
    TargetKind,
    Tick,
    Trial,
    Undulation,
    Verdict,
)
from graycard.model.diagnosis import (
    Case,
    Ceilings,
    Certainty,
    Change,
    Diagnosis,
    Evidence,
    Experiment,
    Finding,
    Layer,
    MonitorCost,
    NameTrack,
    Outcome,
    Severity,
    Slices,
    Step,
    Swing,
    Timeline,
    ToolCeiling,
    Track,
    Waiting,
)
from graycard.store import Store
from graycard.store.database import migrations

START = datetime(2026, 11, 30, 12, 0, 0, 250_000, tzinfo=UTC)
FOLDER = Path(__file__).parent.parent / "tests" / "fixtures"


def estimate(value: float, unit: str) -> Estimate:
    return Estimate(value, value * 0.9, value * 1.1, unit, 2, 0.95, "t interval of the mean")


def run(number: int) -> Run:
    ticks = tuple(Tick(index * 10_000_000, index % 3, index % 3 * 1_048_576) for index in range(50))
    ops = sum(tick.ops_count for tick in ticks)
    latency = Histogram(
        1 / 256, (Bucket(1_000_000, ops - 1), Bucket(9_000_000, 1)), ops * 1_200_000, 1_000_001, 9_100_000
    )
    samples = Samples(
        engine="io_uring",
        elapsed_ns=500_000_000 + number,
        ops_count=ops,
        moved_bytes=ops * 1_048_576,
        ticks=ticks,
        tick_ns=10_000_000,
        latency=latency,
        submit_ns=1_000_000,
        drain_ns=2_000_000,
        flush_ns=3_000_000,
        close_ns=4_000,
        cpu_ns=5_000_000,
        late_count=0,
        gap_ns=100_500_000,
        reap_gap_ns=9_000_000,
        flush_latency=Histogram(1 / 256, (Bucket(3_000_000, 1),), 3_000_000, 3_000_000, 3_000_000),
    )
    dirty = Series("dirty_bytes", "bytes", "/proc/meminfo", (Point(0, 4096.0), Point(100_000_000, 8192.0)))
    before, after = fact("device_ops_count", 100, "/proc/diskstats"), fact("device_ops_count", 150, "/proc/diskstats")
    return Run(0, number, START + timedelta(seconds=number), samples, (before,), (after,), (dirty,))


def summary() -> Summary:
    rate, ops = estimate(1.0e8, "bytes/s"), estimate(95.5, "ops/s")
    phases = (Phase(0, 0, 400_000_000, 0, rate), Phase(0, 400_000_000, 500_000_000, 4 << 20, rate))
    steadiness = Steadiness(Steady.CLIFF, "fell to half", 0.02, phases, Undulation(1.0, 2.0, 0.9, None), rate)
    checks = (
        Check("bytes are conserved", 51_380_224.0, 51_380_224.0, "bytes", 0.0, Verdict.PASS, "all bytes counted"),
        Check("the clock is sound", None, None, None, None, Verdict.UNKNOWN, "not looked at"),
    )
    percentiles = (
        Percentile(50.0, estimate(1.1e6, "ns")),
        Percentile(100.0, Estimate(9.1e6, None, None, "ns", 1, None, "largest")),
    )
    stalls = Stalls(1, estimate(0.5, "1/min"), 400_000_000, 0.1)
    return Summary(rate, ops, percentiles, stalls, steadiness, checks, ("one caveat",))


def results() -> tuple[Result, ...]:
    task = IoTask(
        operation=Operation.WRITE,
        pattern=Pattern.SEQUENTIAL,
        block_bytes=1_048_576,
        span_bytes=1 << 30,
        depth_count=8,
        time_ns=500_000_000,
        cache=Cache.BYPASS,
        durability=Durability.AT_END,
        seed=7,
        pace=Pace(23.976, 12_746_752),
    )
    facts = (
        fact("file_system", "exfat", "/proc/self/mountinfo"),
        fact("free_bytes", None, "statvfs"),
        fact("used_ratio", 0.25, "statvfs"),
        fact("rotational", value=False, source="/sys/block"),
        fact("device_id", "0f", "udev"),
        fact("file_system_id", "1234-ABCD", "udev"),
        fact("device_model", "Samsung T7", "udev"),
        fact("link_bits_per_s", 5_000_000_000, "sysfs"),
        fact("allocation_unit_bytes", 131_072, "statvfs"),
        fact("mount_options", "rw,noatime", "/proc/self/mountinfo"),
        fact("os_name", "Debian 12", "/etc/os-release"),
        fact("kernel_version", "6.1.0", "uname"),
    )
    origin = Origin("graycard", "0.1.0", "io_uring")
    full = Result(
        "0a1b2c3d4e5f",
        "m0a1b2c3d4e5",
        SCHEMA,
        START,
        origin,
        Target("/media/card é 🎬", TargetKind.FOLDER),
        task,
        facts,
        (run(0), run(1)),
        summary(),
        Trial("e0a1b2c3d4e5", "file systems", "exFAT, 128 KiB", randomised=True),
    )
    bare = Result(
        "0a1b2c3d4e60",
        "m0a1b2c3d4e5",
        SCHEMA,
        START,
        origin,
        Target("/media/card", TargetKind.SHARE),
        IoTask(Operation.READ, Pattern.RANDOM, 4096, 1 << 30),
        (),
        (),
        None,
    )
    return full, bare


def evidence() -> Evidence:
    moved = Track("copy.moved_bytes", "bytes", "the copy's own progress", (2.5e7, None, 2.4e7))
    service = NameTrack("far.service", "the agent on nas", ("smbd", None, "smbd"))
    return Evidence(
        tool="cp",
        action=Action.SEND,
        file_count=1,
        total_bytes=1 << 30,
        ceilings=Ceilings(network=estimate(1.1e8, "bytes/s"), tools=(ToolCeiling("cp", estimate(3e7, "bytes/s")),)),
        timelines=(Timeline("cp", 250_000_000, (moved,), (service,)),),
        near=(fact("memory_bytes", 8_000_000_000, "/proc/meminfo"),),
        path=(fact("share_protocol", "smb", "the type of the mount"),),
        outcomes=(Outcome(Change.MORE_STREAMS, estimate(1.0, "ratio"), "Tried: the same."),),
    )


def case() -> Case:
    """A diagnosis with something in every field."""
    finding = Finding(
        rule="server disk",
        layer=Layer.SERVER_DISK,
        severity=Severity.LIMIT,
        claim="The server's disk is slow.",
        because=("It writes 30 MB/s.",),
        cost="Two thirds are lost.",
        cost_ratio=0.66,
        advice="Put another disk in.",
        source="docs/diagnosis.md",
        certainty=Certainty.LIKELY,
        experiments=(Experiment(Change.MEMORY_FOLDER, "it is faster in memory", 1.5),),
    )
    kinds = (Waiting.SERVER, Waiting.UNKNOWN, Waiting.SERVER)
    diagnosis = Diagnosis(
        tool="cp",
        action=Action.SEND,
        layer=Layer.SERVER_DISK,
        says=finding.claim,
        findings=(finding,),
        slices=Slices(250_000_000, kinds),
        swing=Swing(1e6, 1e8, 6_750_000_000, Waiting.SERVER, 0.4, "The disk was busy meanwhile."),
        steps=(Step(Layer.NETWORK, "raw network", estimate(1.1e8, "bytes/s"), None),),
        unknowns=("Not known: the round trip.",),
    )
    return Case(
        schema=SCHEMA,
        command="why",
        id="d0a1b2c3d4e5f",
        created_at=START,
        tool_version="0.1.0",
        place="/mnt/nas é",
        server="nas",
        repeat="graycard why /mnt/nas --seed 7",
        seed=7,
        is_whole=False,
        diagnosis=diagnosis,
        evidence=evidence(),
        cost=MonitorCost(0.005, None),
        says=("The copy was cut off.",),
    )


def annotate(store: Store) -> None:
    """Something of everything that people and experiments keep beside results."""
    store.annotate("m0a1b2c3d4e5", label="exfat-2026 é", note="short cable", tags=("usb", "studio b"))
    store.annotate("0a1b2c3d4e60", note="two\nlines")
    store.save_diagnosis(case())
    store.annotate("d0a1b2c3d4e5f", label="slow nas", note="with the new switch", tags=("usb",))
    store.save_experiment("e0a1b2c3d4e5", "file systems", START, b'{"any": "bytes"}')


def main() -> None:
    path = FOLDER / f"store-{len(migrations())}.db"
    if path.exists():
        sys.exit(f"{path} exists: fixtures of written versions are never changed")
    with Store(str(path)) as store:
        for result in results():
            store.save(result)
        annotate(store)
        beside = store.annotations(("m0a1b2c3d4e5", "0a1b2c3d4e5f", "0a1b2c3d4e60", "d0a1b2c3d4e5f"))
    # One file, without a log beside it.
    with sqlite3.connect(path) as raw:
        raw.execute("PRAGMA journal_mode = DELETE")
    raw.close()
    path.with_suffix(".json").write_bytes(pretty(Document(results=results(), diagnoses=(case(),), annotations=beside)))


if __name__ == "__main__":
    main()
