"""hdparm: what is the drive's speed, what memory's, and whose."""

from __future__ import annotations

import pytest
from importers.samples import OWN

from graycard.errors import ImportProblem
from graycard.importers.hdparm import HdparmImporter
from graycard.model import Cache, Result, Verdict

MIB = 1 << 20


def read(text: str) -> tuple[Result, ...]:
    assert HdparmImporter().recognises(text.encode())
    return HdparmImporter().read(text.encode())


def own(name: str) -> tuple[Result, ...]:
    return read((OWN / "hdparm" / name).read_text())


def test_lines_become_results_of_their_device() -> None:
    found = own("9.65-tT-twice.txt")
    rates = [result.summary.rate.value / MIB for result in found if result.summary]
    assert rates == pytest.approx([2078.28, 83.56, 1764.43, 105.57])
    assert {result.target.path for result in found} == {"/dev/loop1"}
    assert [result.task.cache for result in found] == [Cache.WARM, Cache.COLD] * 2
    assert found[1].runs[0].samples.moved_bytes == 64 * MIB


def test_direct_reads_bypass_the_cache_and_cached_ones_say_nothing_of_the_drive() -> None:
    cached, disk = own("9.65-tT-direct.txt")
    assert cached.task.cache is disk.task.cache is Cache.BYPASS
    assert cached.summary
    assert "own cache" in cached.summary.caveats[0]
    assert disk.summary
    assert disk.summary.caveats == ()
    memory = own("9.65-tT-twice.txt")[0]
    assert memory.summary
    assert "nothing about the drive" in memory.summary.caveats[0]


def test_slow_drives_are_told_in_kb() -> None:
    (result,) = read(" Timing buffered disk reads:   2 MB in  4.00 seconds = 512.00 kB/sec")
    assert result.summary
    assert result.summary.rate.value == 512 * 1024


def test_a_contradiction_fails() -> None:
    (result,) = read(" Timing buffered disk reads: 300 MB in  3.00 seconds = 900.00 MB/sec")
    assert result.summary
    assert Verdict.FAIL in {check.verdict for check in result.summary.checks}


def test_what_is_no_figure_is_refused() -> None:
    with pytest.raises(ImportProblem, match="Line 1 of hdparm's output has no number"):
        HdparmImporter().read(b" Timing buffered disk reads: 300 MB in  nan seconds = 900.00 MB/sec")
