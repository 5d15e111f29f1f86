"""How fast an offload copies beside cp and rclone. `make bench` writes it into docs/performance.md with the rest.

`python -m tools.bench_offload [SIZE]` measures and writes its section alone: 5GB unless told, about 5 minutes and twice
the size of disk. Interleaved in random order; nothing is verified by any of them; the source is out of the page cache
before each copy, and the flush of the destination is inside the time of each.
"""

from __future__ import annotations

import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from graycard.host import this_host
from graycard.model import Estimate
from graycard.offload import census_of
from graycard.offload.making import make_card
from graycard.stats.between import runs_estimate
from graycard.units import format_rate, format_size, parse_size
from tools.accuracy import table
from tools.page import write_section

ROOT = Path(__file__).parent.parent
HEADING = "## An offload beside cp and rclone"
USUAL_BYTES = 5_000_000_000
ROUNDS_COUNT = 6
GOAL_RATIO = 0.95
# What the mixed source is made of: large clips, clips with sidecars, a file a frame.
PARTS = {"arri": 0.4, "sony": 0.2, "red": 0.1, "dng": 0.3}
SIDECARS_COUNT = 2000
GRAYCARD = str(Path(sys.executable).parent / "graycard")


def lay_out(root: Path, size_bytes: int) -> None:
    """The source: four cards and a folder of small files."""
    host = this_host()
    for card, share in PARTS.items():
        (root / card).mkdir(parents=True)
        make_card(host, str(root / card), card, int(size_bytes * share), lambda _: None)
    (root / "sidecars").mkdir()
    for number in range(SIDECARS_COUNT):
        (root / "sidecars" / f"S{number:05}.XML").write_bytes(os.urandom(4096 + number * 8))


def commands(source: Path, to: Path, folder: Path) -> dict[str, list[str]]:
    """Each tool's way to copy the source to the folder `to`, which is empty."""
    store = str(folder / "results.db")
    return {
        "cp": ["cp", "-r", "--preserve=timestamps", str(source), str(to)],
        "rclone": ["rclone", "copy", "--config", str(folder / "none"), str(source), str(to / source.name)],
        "graycard": [GRAYCARD, "offload", str(source), str(to), "--verify", "none", "--quiet", "--store", store],
    }


def copied_s(command: list[str], source: Path, to: Path) -> float:
    """Seconds of one copy with its flush, from a source that is in no cache."""
    host = this_host()
    to.mkdir()
    for path in source.rglob("*"):
        if path.is_file():
            host.drop_cache(str(path))
    os.sync()
    began = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subprocess.run(["sync", "-f", str(to)], check=True)
    took = time.perf_counter() - began
    shutil.rmtree(to)
    return took


def measured(folder: Path, size_bytes: int) -> tuple[dict[str, list[float]], int, int]:
    """Seconds of each tool, round by round; files and bytes of the source."""
    source, to = folder / "source", folder / "to"
    lay_out(source, size_bytes)
    census, times = census_of(str(source), lambda _: None), {}
    for _ in range(ROUNDS_COUNT):
        named = list(commands(source, to, folder).items())
        random.shuffle(named)
        for name, command in named:
            times.setdefault(name, []).append(copied_s(command, source, to))
    return times, census.files_count, census.total_bytes


def ratio_of(times: dict[str, list[float]]) -> Estimate:
    """Graycard's rate over that of the faster of the others, which is one tool for all rounds."""
    faster = min(("cp", "rclone"), key=lambda name: statistics.median(times[name]))
    return runs_estimate([other / own for other, own in zip(times[faster], times["graycard"], strict=True)], "ratio")


def offload_section(folder: str, size_bytes: int = USUAL_BYTES) -> str:
    """The section of docs/performance.md."""
    times, files_count, total_bytes = measured(Path(folder), size_bytes)
    ratio = ratio_of(times)
    low, high = ratio.low or ratio.value, ratio.high or ratio.value
    verdict = "met" if high >= GOAL_RATIO else "missed"
    rows = [
        [name, f"{statistics.median(taken):.1f} s", format_rate(total_bytes / statistics.median(taken))]
        for name, taken in times.items()
    ]
    return f"""{HEADING}

{files_count:,} files, {format_size(total_bytes)} (large clips, clips with sidecars, a file a frame, small files), copied on the disk of this
machine: {ROUNDS_COUNT} rounds in random order, the source in no cache, nothing verified, the flush inside the time of each; medians. graycard
flushes each file before it has its name, reads and hashes nothing twice, and its start is inside its time.

{table(["tool", "time", "rate"], rows)}

graycard's rate over that of the faster of the two: {ratio.value:.3f} ({low:.3f} to {high:.3f}); goal: at least {GOAL_RATIO}, met where the interval does
not exclude it: {verdict}.
"""


def main() -> None:
    size_bytes = parse_size(sys.argv[1]) if len(sys.argv) > 1 else USUAL_BYTES
    (ROOT / "build").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="graycard-bench-", dir=ROOT / "build") as folder:
        section = offload_section(folder, size_bytes)
    print(section)
    if size_bytes != USUAL_BYTES:
        return  # only the full size is published
    write_section("performance.md", section)


if __name__ == "__main__":
    main()
