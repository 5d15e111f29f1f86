"""What it costs to write cached pages back in pieces: `python -m tools.bench_flush`, about 4 minutes and 1 GB.

It writes its section of docs/performance.md alone.
"""

from __future__ import annotations

import os
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from graycard.engines.native import NativeEngine
from graycard.host import this_host
from graycard.model import Cache, Durability, IoTask, Operation, Pattern, Target, TargetKind
from tests.bed.rates import blkio_rated
from tests.bed.versus import lay_out
from tools.accuracy import table
from tools.bench_pairs import MIB, in_pairs, ratio_of, shown
from tools.page import write_section

ROOT = Path(__file__).parent.parent
PAIRS_COUNT = 12
DEVICE_BYTES_PER_S = 32_000_000


def task_of(pattern: Pattern, size_bytes: int) -> IoTask:
    """All of the file in blocks of 1 MiB, or an eighth of its 4 KiB blocks here and there."""
    block, moved = (MIB, size_bytes) if pattern is Pattern.SEQUENTIAL else (4096, size_bytes // 8)
    return IoTask(
        Operation.WRITE,
        pattern,
        block,
        size_bytes,
        byte_limit=moved,
        cache=Cache.WARM,
        durability=Durability.AT_END,
    )


def flush_times(folder: Path, pattern: Pattern, size_bytes: int) -> tuple[list[float], list[float]]:
    """Seconds of the core's flush and of fsync alone after the same writes, in interleaved pairs."""
    engine, path, task = NativeEngine(this_host()), str(folder / "data"), task_of(pattern, size_bytes)
    target = Target(path, TargetKind.FILE)
    lay_out(path, size_bytes)

    def in_pieces() -> float:
        return (engine.run(task, target, lambda _: None).flush_ns or 0) / 1e9

    def at_once() -> float:
        engine.run(replace(task, durability=Durability.NONE), target, lambda _: None)
        handle = os.open(path, os.O_WRONLY)
        begin = time.monotonic()
        os.fsync(handle)
        took = time.monotonic() - begin
        os.close(handle)
        return took

    in_pieces()
    times = in_pairs(PAIRS_COUNT, in_pieces, at_once)
    os.unlink(path)
    return times


def row(place: str, folder: Path, pattern: Pattern, size_bytes: int) -> tuple[str, ...]:
    ours, plain = flush_times(folder, pattern, size_bytes)
    ratio = ratio_of(ours, plain)
    holds = ratio.low is not None and ratio.high is not None and ratio.low <= 1 <= ratio.high
    mean_s = sum(plain) / len(plain)
    return (
        place,
        pattern.value,
        f"{size_bytes // MIB} MiB",
        f"{mean_s * 1000:.0f} ms",
        shown(ratio),
        "yes" if holds else "no",
    )


def flush_section(tmp: Path) -> str:
    disk, device = tmp / "flushed", tmp / "throttled"
    disk.mkdir()
    device.mkdir()
    rows = [row("this disk", disk, pattern, 512 * MIB) for pattern in Pattern]
    with blkio_rated(device, DEVICE_BYTES_PER_S, 256 * MIB) as rated:
        rows.append(row("throttled to 32 MB/s", Path(rated.folder), Pattern.SEQUENTIAL, 64 * MIB))
    head = ("place", "order", "file", "fsync alone, mean", "pieces and fsync ÷ fsync alone", "1 within")
    return f"""## A flush in pieces

The flush that ends a timed run through the page cache goes in pieces, so that a stop is heard in the middle of it. Its time beside
that of one fsync after the same writes (sequential, or an eighth of the 4 KiB blocks in random order): {PAIRS_COUNT} interleaved pairs.

{table(head, rows)}"""


def main() -> None:
    (ROOT / "build").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="graycard-bench-", dir=ROOT / "build") as folder:
        section = flush_section(Path(folder))
    write_section("performance.md", section)
    print(section)


if __name__ == "__main__":
    main()
