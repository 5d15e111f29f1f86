"""The sections of docs/accuracy.md about streams of frames: `python -m tools.accuracy play stalls clock frames`, about 35 min.

With GRAYCARD_ACCURACY_SHORT=1 the confirming runs are short and the combinations few: to see that it works.
"""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from graycard.play import Played
from graycard.play.streams import Kind
from graycard.units import format_duration
from tests.bed.playing import (
    SECOND_NS,
    Stalling,
    clock_lateness_ns,
    computed_drops,
    computed_streams,
    drops,
    found_streams,
    is_certain,
    kind_named,
    on_a_quiet_machine,
    on_stalling,
    played,
    playing,
)
from tests.bed.playing_fio import ratio_to_fio
from tests.bed.rates import blkio_rated

SHORT = os.environ.get("GRAYCARD_ACCURACY_SHORT") == "1"
MIB = 1 << 20
# Formats with the rates of devices, MB/s: the computed number is never nearer to a whole one than a tenth of a stream.
COMBINATIONS = (
    ("dnxhr-lb/hd/25", (12, 21.5, 31)),
    ("dnxhr-lb/hd/29.97", (15, 25)),
    ("dnxhr-lb/hd/50", (24, 33)),
    ("prores-422-proxy/hd/25", (17, 26)),
    ("prores-422-lt/hd/25", (27, 38)),
    ("dnxhr-sq/hd/25", (23, 38)),
    ("prores-422/hd/23.976", (22, 37)),
)
STALLS = (("dnxhr-lb/hd/25", 200), ("dnxhr-lb/hd/25", 320), ("dnxhr-lb/hd/23.976", 200), ("dnxhr-lb/hd/29.97", 320),
          ("dnxhr-lb/hd/50", 100))  # fmt: skip
LATENESS_STREAMS = (1, 4, 16)
FIO_FORMATS = ("prores-422-hq/uhd/25", "8MB/24")
FIO_PAIRS, FIO_DISK_PAIRS = 6, 16  # a disk that others use scatters


@dataclass(frozen=True)
class Row:
    """Cells of a table and whether they meet the goal."""

    cells: tuple[str, ...]
    good: bool


def folder_in(tmp: Path) -> Path:
    return Path(tempfile.mkdtemp(dir=tmp))


def table(heads: tuple[str, ...], rows: list[Row]) -> str:
    lines = ["| " + " | ".join((*heads, "goal")) + " |", "|" + "---|" * (len(heads) + 1)]
    lines += ["| " + " | ".join((*row.cells, "met" if row.good else "**missed**")) + " |" for row in rows]
    missed = sum(not row.good for row in rows)
    told = f"All {len(rows)} rows meet it." if not missed else f"**{missed} of {len(rows)} rows miss it.**"
    return f"{told}\n\n" + "\n".join(lines)


def stream_rows(tmp: Path) -> Iterator[Row]:
    combinations = [(name, rate) for name, rates in COMBINATIONS for rate in rates]
    for name, rate in combinations[:3] if SHORT else combinations:
        kind = kind_named(name)
        exact = rate * 1e6 / kind.needed_bytes_per_s
        done = on_a_quiet_machine(lambda kind=kind, rate=rate: searched(tmp, kind, rate * 1e6))
        wanted, found = computed_streams(kind, rate * 1e6), done.stream_count
        cells = (name, f"{rate:g}", f"{kind.needed_bytes_per_s / 1e6:.2f}", f"{exact:.2f}", str(wanted), str(found))
        yield Row((*cells, str(len(done.tried)), late(done)), wanted == found)


def searched(tmp: Path, kind: Kind, bytes_per_s: float) -> Played:
    return found_streams(folder_in(tmp), kind, bytes_per_s, play_s=12 if SHORT else 60, short_s=4, ahead_s=0.4)


def late(done: Played) -> str:
    return format_duration(clock_lateness_ns(done))


def stall_case(name: str, ahead_ms: int) -> Stalling:
    """Three tenths of a frame's time for each frame; 0.5 s without service every 10 s."""
    kind = kind_named(name)
    service_ns = int(SECOND_NS / kind.rate * Fraction(3, 10))
    return Stalling(
        kind, service_ns, SECOND_NS // 2, 10 * SECOND_NS, ahead_ms * 10**6, (22 if SHORT else 62) * SECOND_NS
    )


def stall_rows(tmp: Path) -> Iterator[Row]:
    for name, ahead_ms in STALLS[:1] if SHORT else STALLS:
        case = stall_case(name, ahead_ms)
        wanted = computed_drops(case)
        done = on_a_quiet_machine(lambda case=case: on_stalling(folder_in(tmp), case))
        found = drops(done)
        frames = done.streams[0].frame_count
        cells = (name, f"{ahead_ms} ms", f"{case.service_ns / 1e6:.1f} ms", f"{frames:,}", str(wanted), str(found))
        yield Row((*cells, "yes" if is_certain(case) else "no", late(done)), wanted == found)


def sleepers_late_ns(count: int, seconds: float) -> list[int]:
    """How late the kernel wakes as many threads that do nothing but sleep until the times of 50 frames a second."""
    late: list[int] = []

    def sleep() -> None:
        due = time.monotonic_ns() + SECOND_NS // 50
        for _ in range(int(seconds * 50)):
            time.sleep(max(0, due - time.monotonic_ns()) / SECOND_NS)
            late.append(time.monotonic_ns() - due)
            due += SECOND_NS // 50

    threads = [threading.Thread(target=sleep) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return late


def lateness_rows() -> Iterator[Row]:
    """On tmpfs, which takes no time: what is left is the clock. Beside it threads that only sleep, before and after."""
    half_s = 5 if SHORT else 30
    for count in LATENESS_STREAMS:
        plain = sleepers_late_ns(count, half_s)
        with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
            kind = kind_named("dnxhr-lb/hd/50", count)
            asked = playing(folder, kind, play_ns=(10 if SHORT else 60) * SECOND_NS, spread=count > 1)
            done = played(asked)
        frames = sum(report.frame_count for report in done.streams)
        late_ns = clock_lateness_ns(done)
        plain = sorted(plain + sleepers_late_ns(count, half_s))
        cells = (str(count), f"{frames:,}", format_duration(plain[int(len(plain) * 0.999)]), format_duration(late_ns))
        yield Row((*cells, str(sum(report.dropped_count for report in done.streams))), late_ns < 1_000_000)


def fio_row(place: str, folder: Path, kind: Kind, frames: int, pairs: int) -> Row:
    ratio, rate = ratio_to_fio(folder, kind, frames, 2 if SHORT else pairs)
    interval = "" if ratio.low is None or ratio.high is None else f"{ratio.low:.3f} to {ratio.high:.3f}"
    size = f"{kind.stride_bytes / 1e6:.2f}"
    cells = (place, kind.key, size, f"{rate.value / 1e6:.1f}", f"{ratio.value:.4f}", interval)
    return Row(cells, abs(ratio.value - 1) <= 0.05)


def fio_rows(tmp: Path) -> Iterator[Row]:
    for name in FIO_FORMATS:
        kind = replace(kind_named(name, 1), file_per_frame=True)
        frames = (200_000_000 if SHORT else 800_000_000) // kind.stride_bytes
        with blkio_rated(folder_in(tmp), 200_000_000) as device:
            yield fio_row("throttled to 200 MB/s", Path(device.folder), kind, frames, FIO_PAIRS)
        yield fio_row("this disk", folder_in(tmp), kind, frames, FIO_DISK_PAIRS)


def play_section(tmp: Path) -> str:
    """The number of streams found."""
    rows = table(
        ("format", "device MB/s", "needed MB/s", "exact", "computed", "found", "runs", "clock late"),
        list(stream_rows(tmp)),
    )
    seconds = 12 if SHORT else 60
    return f"""## Streams of frames

`graycard play` on a FUSE file system whose reads are served one after the other, each for its bytes ÷ a known rate
(`tests/bed/paced_fuse.py`). The computed number of streams is the rate ÷ what one stream moves, rounded down. Searched with
runs of 4 s, confirmed for {seconds} s, 0.4 s of read-ahead. A row is measured again, up to twice, while the frame clock was
5 ms late or more (“clock late”), which tells a machine that was busy with other things, whatever was found. Goal: the number
found is the computed one. {rows}"""


def stalls_section(tmp: Path) -> str:
    """Frames dropped where the device stalls."""
    rows = table(
        ("format", "ahead", "service", "frames", "computed", "found", "certain", "clock late"), list(stall_rows(tmp))
    )
    return f"""## Frames dropped in stalls

`graycard play` on the FUSE file system of the streams, which serves nothing for the last 0.5 s of every 10 s. The dropped frames
are computed from the definitions alone, in fractions ([method.md](method.md#frames-at-exact-times)); “certain” says that answers
up to 5 ms later would give the same count. A row is measured again as above. Goal: exactly the computed frames. {rows}"""


def clock_section(_: Path) -> str:
    """The clock of the frames."""
    rows = table(("streams", "frames", "plain sleep, p99.9 late", "p99.9 late", "dropped"), list(lateness_rows()))
    return f"""## The frame clock

Lateness of the frame clock itself: from the moment a waiting stream is to ask for a frame to the call that does it, on
files in memory; beside it, before and after, as many threads that only sleep until such times: what the kernel and the machine
allow. Goal: p99.9 below 1 ms. {rows}"""


def frames_section(tmp: Path) -> str:
    """Frame files beside fio's."""
    rows = table(
        ("place", "format", "frame MB", "graycard MB/s", "graycard ÷ fio", "95 % interval"), list(fio_rows(tmp))
    )
    return f"""## Frame files beside fio

Frame files, each opened, read with one call and closed, by one stream of graycard and by fio, the same files in interleaved
pairs (order AB BA; {FIO_PAIRS}, on this disk {FIO_DISK_PAIRS}). Goal: the ratio lies within 5 % of 1. {rows}"""
