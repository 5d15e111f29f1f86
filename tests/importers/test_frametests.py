"""tframetest and vframetest: text, CSV, JSON, single frames, and the faults of their versions."""

from __future__ import annotations

import pytest
from importers.samples import OWN

from graycard.errors import ImportProblem
from graycard.importers.tframetest import TframetestImporter
from graycard.importers.vframetest import VframetestImporter
from graycard.model import Cache, Durability, Result, Verdict


def tframetest(name: str) -> tuple[Result, ...]:
    data = (OWN / "tframetest" / name).read_bytes()
    assert TframetestImporter().recognises(data)
    assert not VframetestImporter().recognises(data)
    return TframetestImporter().read(data)


def vframetest(name: str) -> tuple[Result, ...]:
    data = (OWN / "vframetest" / name).read_bytes()
    assert VframetestImporter().recognises(data)
    assert not TframetestImporter().recognises(data)
    return VframetestImporter().read(data)


def rates(results: tuple[Result, ...]) -> list[float]:
    return [result.summary.rate.value for result in results if result.summary]


def latencies(result: Result) -> dict[float, float]:
    assert result.summary
    return {each.percentile: each.latency.value / 1e6 for each in result.summary.latency_ns}


def test_single_frames_behind_the_text_give_percentiles() -> None:
    write, read = tframetest("both-and-frames.txt")
    assert rates((write, read)) == [125747200, 251494400]
    # 40, 45, 50 and 60 ms: half of the frames took at most 45.
    assert latencies(write) == {0.0: 40, 50.0: 45, 100.0: 60}
    assert latencies(read) == {0.0: 20, 100.0: 30}
    assert write.task.block_bytes == 6287360
    assert {"cache", "depth_count"} <= set(write.task.unstated)
    assert (write.task.compressible_ratio, write.task.durability) == (1.0, Durability.NONE)


def test_rows_without_a_header_and_with_an_empty_field_at_their_end() -> None:
    found = tframetest("no-header.csv")
    assert rates(found) == [128122880, 256245760]
    assert [result.task.label for result in found] == ["SEQ12512K QD4 T4 write", "SEQ12512K QD4 T4 read"]
    assert latencies(found[1]) == {0.0: 40, 100.0: 70}


def test_a_contradiction_fails() -> None:
    text = (OWN / "tframetest" / "no-header.csv").read_text().replace("128122880.000000", "999000000.000000")
    write, read = TframetestImporter().read(text.encode())
    assert write.summary
    assert read.summary
    assert Verdict.FAIL in {check.verdict for check in write.summary.checks}
    assert Verdict.FAIL not in {check.verdict for check in read.summary.checks}


def test_frames_that_went_through_the_cache_are_told() -> None:
    (result,) = vframetest("buffered.csv")
    assert result.task.cache is Cache.WARM
    assert "cache" not in result.task.unstated
    assert result.summary
    assert "100 of 100 frames went through the cache, because direct I/O was refused." in result.summary.caveats
    (direct,) = vframetest("text.txt")
    assert direct.task.cache is Cache.BYPASS
    assert latencies(direct) == {0.0: 9, 100.0: 15}


def test_json_without_commas_is_read_and_impossible_times_are_left_out() -> None:
    write, read = vframetest("times-underflow.json")
    assert rates((write, read)) == [628736000, 1257472000]
    assert write.trouble == "2 frames failed."
    assert latencies(write) == {}
    assert write.summary
    assert any("longer than the whole test" in each for each in write.summary.caveats)
    assert latencies(read) == {0.0: pytest.approx(4.1), 100.0: 9}


@pytest.mark.parametrize("text", ["Results write:\n frames: 60\n", "case,profile,threads,frames,bytes,time,fps\n"])
def test_an_unfinished_text_is_told(text: str) -> None:
    with pytest.raises(ImportProblem, match="no finished test"):
        TframetestImporter().read(text.encode())
