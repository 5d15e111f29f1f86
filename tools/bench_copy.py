"""How the own TCP test and copies do beside other programs, and what sampling both ends costs a copy.

    python -m tools.bench_copy [link] [copy] [monitors] [--small] [--write]

Needs root, iperf3, rsync, rclone, smbd, smbclient and sshd, 5 GB of disk and 2 GB of memory. --write puts the sections
into docs/performance.md; --small is a quick trial of all of it. `make bench` measures them with the rest.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from graycard.copying.course import files_of
from graycard.copying.data import Data, make_data
from graycard.host import this_host
from graycard.model.copying import CopyTask, Place, Scheme
from graycard.transfer.flushing import flush
from graycard.units import format_size
from tools.accuracy import table
from tools.bench_bed import link_section, method_named, monitors_section
from tools.bench_pairs import SEED, SMALL, USUAL, Extent, ratio_of, reached, shown, typical
from tools.page import write_section

ROOT = Path(__file__).parent.parent
COPY_HEADING = "## Own copies beside cp, rsync and rclone"
COPY_GOAL = 0.98
# The goal is for the first: within one file system the kernel moves the bytes itself, once where a block moves twice.
OWN_COPIES = ("copy_file_range", "graycard 1 MiB")
RIVALS = ("cp", "rsync", "rclone")


@dataclass(frozen=True, slots=True)
class Took:
    """Seconds of a copy without its flush, and of the flush."""

    copy_s: float
    flush_s: float


def commands(task: CopyTask) -> dict[str, tuple[str, ...]]:
    """How the others copy it, bare: what watches them in `graycard copy` would be counted against them."""
    source, to = task.source.path, task.destination.path
    end = "/" if task.is_folder else ""
    return {
        "cp": ("cp", "-R", "--", source, to),
        "rsync": ("rsync", "--recursive", "--whole-file", "--", source + end, to + end),
        "rclone": ("rclone", "copy" if task.is_folder else "copyto", "--ignore-checksum", "--", source, to),
    }


def copied(name: str, task: CopyTask) -> Took:
    """One copy, from a source that is in no cache, with nothing left to be written by those before."""
    host = this_host()
    os.sync()
    for path in files_of(task.source.path):
        host.drop_cache(path)
    command, begun = commands(task).get(name), time.perf_counter()
    if command is None:
        flush_ns = method_named(name).run(task, lambda _: None).flush_ns
    else:
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        flush_ns = flush(task.destination)
    whole_s, flush_s = time.perf_counter() - begun, (flush_ns or 0) / 1e9
    arrived = sum(os.path.getsize(path) for path in files_of(task.destination.path))
    if arrived != task.total_bytes:
        raise RuntimeError(f"{name} copied {arrived} of {task.total_bytes} bytes")
    return Took(whole_s - flush_s, flush_s)


def rounds_of(data: Data, folder: str, count: int) -> dict[str, list[Took]]:
    """What each took in each round; the order is drawn, and each second round mirrors the one before.

    Copies of folders are kept until all are done: ext4 without a journal looks at every inode that was freed within
    the last minute before it gives a new one, so the one after a removal would pay for it.
    """
    names, chance = [*OWN_COPIES, *RIVALS], random.Random(SEED)
    took: dict[str, list[Took]] = {name: [] for name in names}
    for number in range(count):
        names.reverse() if number % 2 else chance.shuffle(names)
        for name in names:
            here, there = Place(Scheme.PATH, data.path), Place(Scheme.PATH, f"{folder}/{name} {number}")
            task = CopyTask(here, there, data.is_folder, data.file_count, data.total_bytes, is_upload=True)
            took[name].append(copied(name, task))
            if not data.is_folder:
                os.unlink(there.path)
    return took


def copy_rows(data: Data, took: dict[str, list[Took]]) -> Iterator[list[str]]:
    whole = {name: [each.copy_s + each.flush_s for each in every] for name, every in took.items()}
    fastest = min(RIVALS, key=lambda name: statistics.median(whole[name]))
    what = f"{data.file_count:,} file{'s' if data.is_folder else ''}, {format_size(data.total_bytes)}"
    for name, every in took.items():
        ratio = ratio_of(whole[fastest], whole[name])
        yield [
            what, name, f"{statistics.median(each.copy_s for each in every):.2f} s",
            f"{statistics.median(each.flush_s for each in every):.2f} s",
            typical([data.total_bytes / each for each in whole[name]]),
            "the fastest of the three" if name == fastest else shown(ratio),
            reached(ratio, COPY_GOAL) if name == OWN_COPIES[0] else "",
        ]  # fmt: skip


def copy_section(extent: Extent = USUAL) -> str:
    rows: list[list[str]] = []
    (ROOT / "build").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="graycard-bench-", dir=ROOT / "build") as folder:
        for kind, size in (("large", extent.large_bytes), ("small", extent.small_bytes)):
            source, copies = (os.path.join(folder, kind, each) for each in ("source", "copies"))
            os.makedirs(source)
            os.mkdir(copies)
            data = make_data(kind, source, size, SEED, lambda _: None)
            rows += copy_rows(data, rounds_of(data, copies, extent.rounds))
            shutil.rmtree(os.path.join(folder, kind))
    heads = (
        "data",
        "method",
        "copy",
        "flush",
        "rate, flush included",
        "rate ÷ the fastest of cp, rsync and rclone",
        "goal",
    )
    return f"""{COPY_HEADING}

On the disk of this machine, {extent.rounds} rounds, the order drawn and mirrored with each second one. Before each copy everything is written
back and the source leaves the page cache; after each, every file is flushed, in the same way for all, and that is in the
rate. Medians; geometric means of the rounds' ratios with 95 % intervals. The programs run bare, as nobody watches them.
The first two are graycard's own. Goal, for `{OWN_COPIES[0]}`, which within one file system moves each byte once where blocks move it
twice: at least {COPY_GOAL}.

{table(heads, rows)}
"""


SECTIONS: dict[str, Callable[[Extent], str]] = {
    "link": link_section,
    "copy": copy_section,
    "monitors": monitors_section,
}


def copy_sections() -> str:
    """All three, for `make bench`."""
    return "\n\n".join(make(USUAL).rstrip() for make in SECTIONS.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"{', '.join(SECTIONS)}; all without")
    parser.add_argument("--small", action="store_true", help="a quick trial, which is not published")
    parser.add_argument("--write", action="store_true", help="into docs/performance.md")
    given = parser.parse_args()
    unknown = [name for name in given.sections if name not in SECTIONS]
    if unknown or (given.small and given.write):
        parser.error(f"there is no section {unknown[0]}" if unknown else "only the full extent is published")
    # So that what was set up is taken down.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    for name in given.sections or SECTIONS:
        begun = time.monotonic()
        section = SECTIONS[name](SMALL if given.small else USUAL)
        print(section, f"({name}: {time.monotonic() - begun:.0f} s)\n", sep="\n", flush=True)
        if given.write:
            write_section("performance.md", section)


if __name__ == "__main__":
    main()
