"""`make accuracy`: measure the instrument against known truth and write docs/accuracy.md. Needs root; 15 minutes."""

from __future__ import annotations

import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from graycard.model import Operation, Pattern
from tests.bed.accuracy import FUSE_LOADS, FuseRow, RatedRow, fuse_rows, load, rated_row
from tests.bed.rates import RatedDevice, blkio_rated, nbd_rated
from tests.bed.versus import Versus, lay_out, standard_loads, versus_fio
from tests.native.busy_wait import busy_wait_truth
from tools.accuracy_play import clock_section, frames_section, play_section, stalls_section
from tools.accuracy_sustain import sustain_section

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "accuracy.md"
HEAD = f"""# Accuracy

Written by `make accuracy` from measurements on Linux {platform.release()}, {platform.machine()}, a virtual machine with 2
processors that others share. Every figure is compared with a truth that graycard does not make: a log, a table, the kernel's
counters, another tool. What misses its goal is marked."""
MIB = 1 << 20
SERVICE_NS = 120_000_000
RATED_PAIRS = 6
DISK_PAIRS = 6
RATED_LOADS = ((Pattern.SEQUENTIAL, MIB, 8), (Pattern.SEQUENTIAL, MIB, 1), (Pattern.RANDOM, 4096, 64))


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    heads = list(heads)
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def percent(ratio: float) -> str:
    return f"{ratio * 100:+.2f} %"


def met(rows: Iterable[bool]) -> str:
    rows = list(rows)
    missed = rows.count(False)
    return f"All {len(rows)} rows meet it." if not missed else f"**{missed} of {len(rows)} rows miss it.**"


def fuse_section(tmp: Path) -> str:
    rows = list(fuse_rows(tmp, FUSE_LOADS, seconds=6, service_ns=SERVICE_NS))

    def good(row: FuseRow) -> bool:
        return abs(row.rate_error_ratio) <= 0.005 and abs(row.latency_error_ratio) <= 0.01

    costs = sorted(row.path_cost_ns for row in rows)
    return f"""## A FUSE device of known service time

One file whose requests take {SERVICE_NS / 1e6:.0f} ms in the mean (half to one and a half of that), up to 64 at once, with a log of its own
(`tests/bed/truth.py`). The way through the kernel and back, measured before each row by plain `preadv`, one request at a
time at the row's pace (a processor that slept longer takes longer to wake), costs
{costs[0] / 1000:.0f} to {costs[-1] / 1000:.0f} µs: at most {costs[-1] / SERVICE_NS * 100:.2f} % of the service time. Goal: rate within
0.5 % of the log, mean latency within 1 % of the log plus that cost. {met(good(row) for row in rows)}

""" + table(
        ("load", "depth", "operations", "log /s", "graycard /s", "rate", "log ms", "path µs", "graycard ms", "latency"),
        (
            (
                f"{row.pattern} {row.operation}",
                str(row.depth_count),
                str(row.ops_count),
                f"{row.log_ops_per_s:.2f}",
                f"{row.ops_per_s:.2f}",
                percent(row.rate_error_ratio),
                f"{row.log_latency_ns / 1e6:.3f}",
                f"{row.path_cost_ns / 1e3:.0f}",
                f"{row.latency_ns / 1e6:.3f}",
                percent(row.latency_error_ratio),
            )
            for row in rows
        ),
    )


def busy_section(_: Path) -> str:
    rows = busy_wait_truth()
    heads = tuple(rows[0])
    return """## A busy-wait table, without root

A test build of the core in which each I/O is a busy wait of a length from a table: the same loop, stamps, histogram and
ticks, no device.

""" + table(heads, ([str(value) for value in row.values()] for row in rows))


def rated_rows(tmp: Path) -> list[RatedRow]:
    rows: list[RatedRow] = []
    for rate in (20_000_000, 100_000_000, 200_000_000):
        folder = tmp / f"nbd{rate}"
        folder.mkdir()
        with nbd_rated(folder, rate) as device:
            rows += loads_on("nbdkit rate filter", device)
    for rate in (50_000_000,):
        folder = tmp / f"blkio{rate}"
        folder.mkdir()
        with blkio_rated(folder, rate) as device:
            rows += loads_on("cgroup blkio on a loop", device)
    return rows


def loads_on(name: str, device: RatedDevice) -> list[RatedRow]:
    path = f"{device.folder}/data"
    span = 128 * MIB
    lay_out(path, span)
    return [
        rated_row(name, device, load(operation, pattern, block, depth, 5, span), path)
        for pattern, block, depth in RATED_LOADS
        for operation in Operation
    ]


def rated_section(tmp: Path) -> str:
    rows = rated_rows(tmp)
    return f"""## Devices of a known rate

The second witness is the kernel's own count of the device's bytes (`/proc/diskstats`) over the same time. nbdkit's rate
filter lets a little more through than was set (its token bucket starts full); the kernel's throttle lets the first second
through as a burst and is about 3 % low at depth 1: the counters are the truth, and graycard must agree with them within
1 %. {met(abs(row.error_ratio) <= 0.01 for row in rows)}

""" + table(
        ("device", "load", "set MB/s", "counted MB/s", "graycard MB/s", "graycard ÷ counted"),
        (
            (
                row.device,
                row.load,
                f"{row.set_bytes_per_s / 1e6:.0f}",
                f"{row.counted_bytes_per_s / 1e6:.2f}",
                f"{row.bytes_per_s / 1e6:.2f}",
                percent(row.error_ratio),
            )
            for row in rows
        ),
    )


def fio_rated_section(tmp: Path) -> str:
    """The standard tests by both, where the device alone is the limit."""
    folder = tmp / "versus"
    folder.mkdir()
    with blkio_rated(folder, 200_000_000, 512 * MIB, ops_per_s=2000) as device:
        rows = versus_rows(f"{device.folder}/data", 128 * MIB, RATED_PAIRS, 4.0)
    return f"""## Against fio, on a device of known rate

The four standard tests on ext4, {RATED_PAIRS} interleaved pairs of {fio_version()} (io_uring) and graycard, 4 s each, on the same
file in random ABBA order. The kernel's throttle (blkio, on a loop on memory) lets 200 MB/s and 2000 requests per second through, so
that the device alone is the limit. fio states its time in whole milliseconds, rounded up, and its clock starts 1 to 3 ms
before its first request reaches the device. Goal: the 95 % interval of the ratio, widened by that one millisecond that fio
cannot resolve, contains 1 and lies within ±3 %. {met(agrees(row, 4.0) for row in rows)}

{versus_table(rows, 4.0)}"""


def fio_disk_section(tmp: Path) -> str:
    """The same on the machine's own disk."""
    rows = versus_rows(str(tmp / "data"), 1024 * MIB, DISK_PAIRS, 1.5)
    return f"""## Against fio, on the disk of this machine

The same, {DISK_PAIRS} pairs of 1.5 s each, on a virtual disk that others use too, with requests so short that what each
instrument itself spends on one counts (docs/performance.md). {met(agrees(row, 1.5) for row in rows)}

{versus_table(rows, 1.5)}"""


def fio_version() -> str:
    return subprocess.run(("fio", "--version"), capture_output=True, text=True, check=True).stdout.strip()


def versus_rows(path: str, span: int, pairs: int, seconds: float) -> list[Versus]:
    lay_out(path, span)
    return [versus_fio(path, task, pairs) for task in standard_loads(span, seconds)]


def agrees(row: Versus, seconds: float) -> bool:
    """Whether the interval contains 1 to within what fio's clock of whole milliseconds resolves, and lies within ±3 %."""
    low, high = row.rate.low, row.rate.high
    resolution = 0.001 / seconds
    return low is not None and high is not None and 0.97 <= low <= 1 + resolution and 1 - resolution <= high <= 1.03


def versus_table(rows: list[Versus], seconds: float) -> str:
    return table(
        ("load", "graycard MB/s", "graycard ÷ fio", "95 % interval", "goal"),
        (
            (
                row.label,
                f"{row.core_bytes_per_s.value / 1e6:.1f}",
                f"{row.rate.value:.4f}",
                f"{row.rate.low:.4f} to {row.rate.high:.4f}",
                "met" if agrees(row, seconds) else "missed",
            )
            for row in rows
        ),
    )


SECTIONS = {
    "busy": busy_section,
    "fuse": fuse_section,
    "rated": rated_section,
    "fio": fio_rated_section,
    "disk": fio_disk_section,
    "play": play_section,
    "stalls": stalls_section,
    "clock": clock_section,
    "frames": frames_section,
    "sustain": sustain_section,
}


def kept_sections() -> dict[str, str]:
    """The sections of the page as it stands, by their first lines."""
    page = PAGE.read_text() if PAGE.exists() else ""
    found = (f"## {part}".rstrip() for part in page.split("\n## ")[1:])
    return {section.splitlines()[0]: section for section in found}


def main() -> None:
    """All sections, or those that are named; the others are kept as they stand, each with the day it was measured."""
    wanted = sys.argv[1:] or list(SECTIONS)
    kept = kept_sections()
    (ROOT / "build").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="graycard-accuracy-", dir=ROOT / "build") as folder:
        for name in wanted:
            part = Path(folder) / name
            part.mkdir()
            section = f"{SECTIONS[name](part)}\n\nMeasured on {datetime.now(UTC):%Y-%m-%d}."
            kept[section.splitlines()[0]] = section
    PAGE.write_text("\n\n".join((HEAD, *kept.values())) + "\n")


if __name__ == "__main__":
    main()
