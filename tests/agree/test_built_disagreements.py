"""Five disagreements of known cause: the right reason stands first. Two of them are made with the tools themselves."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import replace

import pytest
from bed.loops import MIB, LoopImage

from graycard.agree import agree
from graycard.importers import read_all
from graycard.model import Aggregate, Arm, FigurePair, IoTask, Operation, Origin, Pattern, Result
from tests.compare.made import MB, TASK, measured
from tests.made_results import a_result, a_summary

KDISKMARK = """\
                        KDiskMark (3.3.0): https://github.com/JonMagon/KDiskMark
                    Flexible I/O Tester (fio-3.36): https://github.com/axboe/fio
--------------------------------------------------------------------------------
* MB/s = 1,000,000 bytes/s [SATA/600 = 600,000,000 bytes/s]
* KB = 1000 bytes, KiB = 1024 bytes

[Read]
Sequential   1 MiB (Q=  8, T= 1):   508.897 MB/s [    497.0 IOPS] < 13840.05 us>

Profile: Default
   Test: 1 GiB (x5) [Measure: 5 sec / Interval: 5 sec]
   Date: 2026-08-24 16:10:33
"""


def only_pair(*arms: Arm) -> FigurePair:
    found = agree(arms).agreements
    assert len(found) == 1, [each.task for each in found]
    assert len(found[0].pairs) == 1
    return found[0].pairs[0]


def fio(place: str, *options: str) -> tuple[Result, ...]:
    command = ("fio", "--name=job", f"--filename={place}/fio.dat", f"--size={96 * MIB}", "--output-format=json")
    # fio's file stays, so that the second run reads what the first one laid out.
    done = subprocess.run([*command, *options], capture_output=True, check=True, timeout=120)
    return read_all(done.stdout)


def dd(place: str, source: str) -> tuple[Result, ...]:
    command = ["dd", f"if={source}", f"of={place}/dd.dat", "bs=1M", "count=96", "conv=fsync"]
    done = subprocess.run(command, capture_output=True, check=True, timeout=120, env={**os.environ, "LC_ALL": "C"})
    os.unlink(f"{place}/dd.dat")
    return read_all(f"$ {' '.join(command)}\n".encode() + done.stderr)


@pytest.mark.root
def test_fio_buffered_against_direct_on_one_disk(loop_image: LoopImage) -> None:
    if not shutil.which("fio"):
        pytest.fail("fio is needed here: apt-get install fio")
    place = loop_image(192 * MIB)
    load = ("--rw=read", "--bs=4k")
    fio(place, *load, "--direct=0")
    direct = fio(place, *load, "--direct=1")
    buffered = fio(place, *load, "--direct=0")
    pair = only_pair(Arm("direct", direct), Arm("buffered", buffered))
    assert pair.reasons[0].name == "cached read"
    assert pair.ratio.value > 1
    nearest = agree((Arm("direct", direct), Arm("buffered", buffered))).agreements[0].nearest
    assert nearest.startswith("For what the drive delivers fio (direct) is nearest")


@pytest.mark.root
def test_dd_zeros_against_random_on_compressing_btrfs(loop_image: LoopImage) -> None:
    place = loop_image(256 * MIB, "mkfs.btrfs", "compress-force=zstd")
    random, zeros = dd(place, "/dev/urandom"), dd(place, "/dev/zero")
    pair = only_pair(Arm("random", random), Arm("zeros", zeros))
    assert pair.reasons[0].name == "compressible data"
    assert pair.ratio.value > 1
    assert pair.reasons[0].explains_ratio == 1


def test_the_unit_of_kdiskmark() -> None:
    fio_result = measured(
        "ff11", (520.0, 522.0, 521.0, 521.5, 520.7), measurement_id="f1", origin=Origin("fio", "3.36", "libaio")
    )
    pair = only_pair(Arm("kdm.txt", read_all(KDISKMARK.encode())), Arm("fio.json", (fio_result,)))
    assert pair.reasons[0].name == "unit"
    assert pair.reasons[0].expected_ratio == pytest.approx(1.024, abs=0.0005)
    assert pair.reasons[0].explains_ratio == pytest.approx(1, abs=0.05)
    assert pair.ratio.value == pytest.approx(1, abs=0.001)
    assert pair.printed_ratio == pytest.approx(1.0237, abs=0.001)


def test_the_best_of_five_against_the_mean() -> None:
    mean = measured("aa11", (500.0, 480.0, 515.0, 470.0, 505.0), measurement_id="1a")
    best = single("bb22", 515.0, origin=Origin("CrystalDiskMark", "8.0.4", None, aggregate=Aggregate.BEST), count=5)
    pair = only_pair(Arm("own", (mean,)), Arm("cdm.txt", (best,)))
    assert pair.reasons[0].name == "best against mean"
    # Of five normal values the largest is expected 1.18 deviations above the mean (Blom).
    assert pair.reasons[0].expected_ratio == pytest.approx(1.045, abs=0.003)
    assert pair.ratio.value == pytest.approx(1.042, abs=0.002)


def test_one_request_in_flight_against_64() -> None:
    alone = IoTask(Operation.READ, Pattern.RANDOM, 4096, 1 << 30, depth_count=1)
    many = IoTask(Operation.READ, Pattern.RANDOM, 4096, 1 << 30, depth_count=64)
    first = single("aa11", 45.0, task=alone, origin=Origin("fio", "3.36", "libaio"))
    other = single("bb22", 890.0, task=many, origin=Origin("AmorphousDiskMark", "4.0.2", None))
    pair = only_pair(Arm("fio.json", (first,)), Arm("adm.txt", (other,)))
    assert pair.reasons[0].name == "queue depth"
    assert pair.reasons[0].explains_ratio == 1
    agreement = agree((Arm("fio.json", (first,)), Arm("adm.txt", (other,)))).agreements[0]
    assert "with one request at a time of 4K fio is nearest" in agreement.nearest
    assert agreement.decide.endswith("--read --random --block 4KiB --depth 1 --size 1GiB --cross-check")


SYSBENCH = """\
sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)

Number of threads: 1
Extra file open flags: (none)
4 files, 16MiB each
64MiB total file size
Block size 16KiB
{flush}
Using synchronous I/O mode
Doing random write test

File operations:
    reads/s:                      0.00
    writes/s:                     {writes}

Throughput:
    read, MiB/s:                  0.00
    written, MiB/s:               {rate}
"""


def test_a_flush_at_the_end_against_one_after_each_write() -> None:
    periodic = (
        "Periodic FSYNC enabled, calling fsync() each 100 requests.\nCalling fsync() at the end of test, Enabled."
    )
    default = SYSBENCH.format(flush=periodic, writes="3840.00", rate="60.00")
    each = SYSBENCH.format(flush="Calling fsync() after each write operation.", writes="256.00", rate="4.00")
    pair = only_pair(Arm("default", read_all(default.encode())), Arm("each", read_all(each.encode())))
    assert pair.reasons[0].name == "flush"
    assert "after each write" in pair.reasons[0].says
    assert pair.reasons[0].explains_ratio == 1


def test_a_small_file_of_zeros_through_the_cache_against_direct_writes() -> None:
    """bonnie++ writes zeros and does not tell of the cache; no drive here is known to compress."""
    task = IoTask(Operation.WRITE, Pattern.SEQUENTIAL, 8192, 256 * MIB, compressible_ratio=1.0, unstated=("cache",))
    direct = IoTask(Operation.WRITE, Pattern.SEQUENTIAL, 8192, 64 * MIB)
    zeros = single("aa11", 900.0, task=task, origin=Origin("bonnie++", "2.00a", None))
    other = single("bb22", 250.0, task=direct, origin=Origin("fio", "3.36", "psync"))
    pair = only_pair(Arm("bonnie", (zeros,)), Arm("fio", (other,)))
    assert pair.reasons[0].name == "cached write"


def single(name: str, rate_mb_per_s: float, *, count: int = 1, task: IoTask = TASK, origin: Origin) -> Result:
    """A figure without runs."""
    base = a_result(name, measurement_id=name, task=task, origin=origin, facts=())
    made = a_summary()
    method = origin.aggregate.of(count) if origin.aggregate else "single run"
    rate = replace(made.rate, value=rate_mb_per_s * MB, low=None, high=None, n_count=count, level_ratio=None)
    return replace(base, summary=replace(made, rate=replace(rate, method=method)))
