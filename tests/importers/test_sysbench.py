"""sysbench: every version's layout, its settings as a task, and what its figures mean."""

from __future__ import annotations

import pytest
from importers.samples import OWN

from graycard.errors import ImportProblem
from graycard.importers.sysbench import SysbenchImporter
from graycard.model import Cache, Durability, Pattern, Result, Verdict

MIB = 1 << 20


def own(name: str) -> tuple[Result, ...]:
    data = (OWN / "sysbench" / name).read_bytes()
    assert SysbenchImporter().recognises(data)
    return SysbenchImporter().read(data)


@pytest.mark.parametrize(
    ("name", "version", "right"),
    [
        ("0.5-seqwr-invented.txt", "0.5", [("SEQ16K QD4 T4 write", 204.8, 13107.2)]),
        ("1.0.20-prepare.txt", "1.0.20", [("SEQ QD1 write (prepare)", 363.85, None)]),
        ("1.0.20-seqwr.txt", "1.0.20", [("SEQ16K QD1 write", 90.55, 5795.23)]),
        ("1.0.20-async.txt", "1.0.20", [("RND16K read", 1930.53, 123554.24)]),
        (
            "1.0.20-rndrw-direct.txt",
            "1.0.20",
            [("RND16K QD2 T2 read", 43.85, 2806.52), ("RND16K QD2 T2 write", 29.26, 1872.68)],
        ),
        (
            "1.1-rndrw-invented.txt",
            "1.1.0-2ca9e3f",
            [("RND16K QD1 read", 50.0, 3200.0), ("RND16K QD1 write", 33.33, 2133.33)],
        ),
    ],
)
def test_figures(name: str, version: str, right: list[tuple[str, float, float | None]]) -> None:
    found = own(name)
    assert [result.task.label for result in found] == [label for label, _, _ in right]
    for result, (_, mib_per_s, ops) in zip(found, right, strict=True):
        assert result.origin.tool_version == version
        assert result.summary
        assert result.summary.rate.value / MIB == pytest.approx(mib_per_s)
        assert (result.summary.ops and result.summary.ops.value) == ops
        assert Verdict.FAIL not in {check.verdict for check in result.summary.checks}


def test_settings_become_the_task() -> None:
    read, write = own("1.0.20-rndrw-direct.txt")
    assert (read.task.cache, read.task.pattern, read.task.span_bytes) == (Cache.BYPASS, Pattern.RANDOM, 16 * MIB)
    assert (read.task.durability, write.task.durability) == (Durability.NONE, Durability.AT_END)
    assert own("1.0.20-seqwr.txt")[0].task.cache is Cache.WARM
    assert own("1.0.20-fsyncall.txt")[0].task.durability is Durability.EACH_WRITE
    assert own("0.5-seqwr-invented.txt")[0].task.cache is Cache.BYPASS
    assert "depth_count" in own("1.0.20-async.txt")[0].task.unstated


def test_latencies_that_are_printed_as_0_are_not_measured() -> None:
    (result,) = own("1.0.20-async.txt")
    assert result.summary
    assert [each.percentile for each in result.summary.latency_ns] == [99.0, 100.0]
    read, _ = own("1.0.20-noperc.txt")
    assert read.summary
    assert [each.percentile for each in read.summary.latency_ns] == [100.0]


def test_caveats_tell_of_fsync_cache_and_mixes() -> None:
    read, write = own("1.0.20-noperc.txt")
    assert read.summary
    assert write.summary
    assert any("page cache" in each for each in read.summary.caveats)
    assert any("after each 100 requests" in each for each in write.summary.caveats)
    assert any("ran at once" in each for each in read.summary.caveats)


def test_other_tests_of_sysbench_are_told() -> None:
    with pytest.raises(ImportProblem, match="no figures of files"):
        SysbenchImporter().read(b"sysbench 1.0.20 (using system LuaJIT)\n\nCPU speed:\n    events per second: 300\n")
