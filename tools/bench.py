"""`make bench`: measure the instrument itself and write docs/performance.md.

Needs root, fio, 5 GB and what tools/bench_copy.py needs; about half an hour.
"""

from __future__ import annotations

import contextlib
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from graycard.model import Estimate
from tests.bed.rates import call
from tests.bed.versus import Versus, lay_out, standard_loads, versus_fio
from tests.native.accounting import accounting_cost
from tools.accuracy import table
from tools.bench_copy import copy_sections
from tools.bench_flush import flush_section
from tools.bench_offload import offload_section
from tools.bench_report import report_section
from tools.bench_standard import standard_section
from tools.bench_store import store_section

ROOT = Path(__file__).parent.parent
MIB = 1 << 20
ZRAM = Path("/sys/block/zram0")


@contextlib.contextmanager
def memory_backed(tmp: Path, size_bytes: int) -> Iterator[tuple[str, str]]:
    """ext4 on zram where that is free, else on a loop over tmpfs; its name and folder."""
    files = tmp / "memory"
    files.mkdir()
    if ZRAM.exists() and (ZRAM / "disksize").read_text().strip() == "0":
        with zram(size_bytes) as device, mounted(device, files):
            yield "zram", str(files)
        return
    shared = tmp / "tmpfs"
    shared.mkdir()
    call("mount", "-t", "tmpfs", "-o", f"size={size_bytes + 64 * MIB}", "tmpfs", str(shared))
    try:
        call("truncate", "-s", str(size_bytes), str(shared / "image"))
        loop = call("losetup", "--direct-io=on", "-f", "--show", str(shared / "image"))
        try:
            with mounted(loop, files):
                yield "loop on tmpfs", str(files)
        finally:
            call("losetup", "-d", loop)
    finally:
        call("umount", str(shared))


@contextlib.contextmanager
def zram(size_bytes: int) -> Iterator[str]:
    (ZRAM / "disksize").write_text(str(size_bytes))
    try:
        yield "/dev/zram0"
    finally:
        (ZRAM / "reset").write_text("1")


@contextlib.contextmanager
def mounted(device: str, where: Path) -> Iterator[None]:
    call("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0,nodiscard", device)
    call("mount", device, str(where))
    try:
        yield
    finally:
        call("umount", str(where))


def versus_section(name: str, folder: str, span: int, pairs: int) -> str:
    path = f"{folder}/data"
    lay_out(path, span)
    rows = [versus_fio(path, task, pairs) for task in standard_loads(span, 1.0)]
    Path(path).unlink()
    return f"### {name}\n\n" + table(
        (
            "load",
            "graycard",
            "fio",
            "rate, graycard ÷ fio",
            "CPU per I/O, graycard",
            "fio",
            "CPU, graycard ÷ fio",
            "goal",
        ),
        (versus_cells(row) for row in rows),
    )


def versus_cells(row: Versus) -> tuple[str, ...]:
    cpu_ok = row.cpu is not None and row.cpu.low is not None and row.cpu.low <= 1
    rate_ok = row.rate.high is not None and row.rate.high >= 1
    return (
        row.label,
        f"{row.core_ops_per_s.value:,.0f} /s",
        f"{row.fio_ops_per_s.value:,.0f} /s",
        interval(row.rate),
        f"{row.core_cpu_ns.value / 1000:.2f} µs" if row.core_cpu_ns else "",
        f"{row.fio_cpu_ns.value / 1000:.2f} µs" if row.fio_cpu_ns else "",
        interval(row.cpu) if row.cpu else "",
        "met" if cpu_ok and rate_ok else "missed",
    )


def interval(estimate: Estimate) -> str:
    return f"{estimate.value:.3f} ({estimate.low:.3f} to {estimate.high:.3f})"


# The whole table of formats is the most that a command reads and shows without asking a volume or the store.
STARTS = ("graycard --version", "graycard formats", "graycard formats --all")
FORMATS_LIMIT_MS = 1000.0


def start_section(count: int = 15) -> str:
    """Interleaved starts of bare Python and of commands that only start, compute and print."""
    folder = Path(sys.executable).parent
    commands = {"python": (sys.executable, "-c", "pass")}
    commands |= {words: (str(folder / "graycard"), *words.split()[1:]) for words in STARTS}
    times: dict[str, list[float]] = {words: [] for words in commands}
    for _ in range(count):
        for words, command in commands.items():
            start = time.perf_counter()
            subprocess.run(command, check=True, capture_output=True)
            times[words].append(time.perf_counter() - start)
    python, *ours = (statistics.median(each) * 1000 for each in times.values())
    limits = (3 * python + 100, FORMATS_LIMIT_MS, FORMATS_LIMIT_MS)
    rows = (
        (
            f"`{words}`",
            f"{took:.0f} ms",
            f"{took / python:.1f}",
            f"{limit:.0f} ms",
            "met" if took <= limit else "missed",
        )
        for words, took, limit in zip(STARTS, ours, limits, strict=True)
    )
    told = table(("command", "median", "÷ bare Python", "limit", "goal"), rows)
    return f"""## Start

Medians of {count} interleaved starts; bare Python (`python -c pass`) takes {python:.0f} ms. Goals: `--version` within 3 × bare Python
plus 100 ms, the whole table of formats (some 5,200) within 1 s.

{told}"""


def main() -> None:
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 12
    version = subprocess.run(("fio", "--version"), capture_output=True, text=True, check=True).stdout.strip()
    (ROOT / "build").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="graycard-bench-", dir=ROOT / "build") as folder:
        tmp = Path(folder)
        with memory_backed(tmp, 1 << 30) as (name, files):
            memory = versus_section(f"On a memory-backed device ({name})", files, 512 * MIB, pairs)
        disk = versus_section("On the disk", str(tmp), 1024 * MIB, pairs)
        cost = accounting_cost()
        standard = standard_section(tmp)
        flush = flush_section(tmp)
        store = store_section(folder)
        report = report_section(folder)
        offload = offload_section(folder)
    copies = copy_sections()
    head = f"""# Performance

Written by `make bench` on {datetime.now(UTC):%Y-%m-%d} from measurements on Linux {platform.release()}, {platform.machine()},
a virtual machine with 2 processors that others share: ratios within one run count, absolute figures do not.

## Against fio

{pairs} interleaved pairs of 1 s for each load, {version} with io_uring against graycard's core, on the same file of ext4, in
random ABBA order; geometric means of the pairs' ratios with 95 % intervals. CPU is the processor time of the I/O threads.
Goal: at least fio's rate at no more CPU; met where the interval does not exclude it."""
    accounting = f"""## What the accounting costs

Stamps, histogram and ticks of each I/O, by null operations through the same loop with and without them, interleaved:
{cost.value:.1f} ns per I/O ({cost.low:.1f} to {cost.high:.1f}; goal: at most 50 ns: {"met" if cost.value <= 50 else "missed"})."""
    text = "\n\n".join(
        (head, memory, disk, accounting, start_section(), standard, flush, store, report, offload, copies)
    )
    page = ROOT / "docs" / "performance.md"
    kept = kept_sections(page.read_text(encoding="utf-8"), text)
    page.write_text("\n\n".join((text, *kept)).rstrip() + "\n", encoding="utf-8")


def kept_sections(before: str, written: str) -> tuple[str, ...]:
    """The sections of the page that programs of their own write, and that are not written anew here."""
    sections = re.findall(r"^## .*?(?=^## |\Z)", before, re.MULTILINE | re.DOTALL)
    return tuple(each.rstrip() for each in sections if f"\n{each.splitlines()[0]}\n" not in f"\n{written}\n")


if __name__ == "__main__":
    main()
