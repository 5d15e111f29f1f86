"""Results of one drive over some days, saved in a real store."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from graycard.facts import fact
from graycard.model import Estimate, FactValue, IoTask, Operation, Origin, Pattern, Result, Trial, Verdict
from graycard.store import PastRow, Store
from tests.made_results import START, a_result, a_summary

READ = IoTask(Operation.READ, Pattern.SEQUENTIAL, 1 << 20, 1 << 30, depth_count=8, time_ns=2_500_000_000)
QUICK = replace(READ, span_bytes=256 << 20, time_ns=500_000_000)
TRIAL = Trial("e1", "file systems", "ext4", randomised=True)
SETUP: dict[str, FactValue] = {
    "device_id": "d1a2b3c4d5e6",
    "device_name": "sda",
    "device_model": "Fast SSD",
    "file_system_id": "f1a2b3c4d5e6",
    "file_system": "exfat",
    "link_bits_per_s": 5_000_000_000,
    "os_name": "Test OS 1",
    "kernel_version": "6.1",
    "mount_options": "rw,noatime,discard",
}
USUAL = (500.0, 505.0, 495.0, 502.0, 498.0, 501.0, 499.0, 507.0)


def a_day(
    day: float,
    rate: float,
    *,
    task: IoTask = READ,
    engine: str = "native",
    version: str = "0.1.0",
    measurement: str | None = None,
    path: str = "/mnt/ssd",
    verdict: Verdict = Verdict.PASS,
    trial: Trial | None = None,
    **setup: FactValue,
) -> Result:
    """One result of `rate` MB/s, so many days after the start; a fact that is given as None is not known."""
    name = f"{engine}-{task.label}-{task.span_bytes}-{day}-{rate}-{path}".replace(" ", "-")
    summary = a_summary(verdict)
    found = Estimate(rate * 1e6, rate * 0.98e6, rate * 1.02e6, "bytes/s", 5, 0.95, "test")
    known = {**SETUP, **setup}
    base = a_result(name)
    return replace(
        base,
        measurement_id=measurement or f"m{day}",
        created_at=START + timedelta(days=day),
        origin=Origin("graycard", version, engine),
        target=replace(base.target, path=path),
        task=task,
        facts=tuple(fact(name, value, "test") for name, value in known.items()),
        summary=replace(summary, rate=found),
        trial=trial,
    )


def days(rates: Sequence[float], first: float = 0, **changes: Any) -> list[Result]:
    """A result a day."""
    return [a_day(first + index, rate, **changes) for index, rate in enumerate(rates)]


def rows_of(folder: Path, results: Iterable[Result]) -> tuple[PastRow, ...]:
    """The rows of a store with these results, as a history reads them."""
    with Store(str(folder / "results.db")) as store:
        for result in results:
            store.save(result)
        return store.recent(600)
