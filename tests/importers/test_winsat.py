"""winsat's rates of a drive, in English and Chinese, and its latencies."""

from __future__ import annotations

import pytest
from importers.samples import OWN, SHARED, stored

from graycard.errors import ImportProblem
from graycard.importers import IMPORTERS, read_all
from graycard.importers.imported import NOT_MEASURED
from graycard.model import Result

LINE = "> Disk  Sequential 64.0 Read                   {} MB/s          9.1\n"


def rates(results: tuple[Result, ...]) -> dict[str, float | None]:
    return {each.task.label: each.summary and each.summary.rate.value / 1e6 for each in results}


@stored
def test_the_stored_text_gives_its_right_values() -> None:
    results = read_all((SHARED / "winsat/01-winsat-disk.txt").read_bytes())
    assert rates(results) == {"RND16K read": 267.71, "SEQ64K read": 2081.69, "SEQ64K write": 1789.79}
    random = results[0].summary
    assert random
    assert {each.percentile: each.latency.value / 1e6 for each in random.latency_ns} == pytest.approx(
        {95.0: 0.240, 100.0: 22.437}
    )
    told = " ".join(random.caveats)
    assert "The test lasted 0.95 s" in told
    assert (
        "not of this test: Average Read Time with Sequential Writes 0.072 ms; Latency: 95th Percentile 0.24 ms" in told
    )
    assert results[0].target.path == "X:"


def test_latencies_in_chinese_and_two_drives() -> None:
    results = read_all((OWN / "winsat/two-drives-chinese.txt").read_bytes())
    assert rates(results) == {
        "RND16K read": 500.0,
        "SEQ64K read": 1900.5,
        "SEQ64K write": 1600.25,
        "RND16K write": None,
    }
    assert results[0].summary
    assert [each.latency.value for each in results[0].summary.latency_ns] == [189_000.0, 5_695_000.0]
    assert [each.target.path for each in results] == ["C:", "C:", "C:", "D:"]
    assert results[3].trouble == NOT_MEASURED
    assert len({each.measurement_id for each in results}) == 2


def test_what_winsat_does_not_say_is_unstated() -> None:
    [result] = read_all(LINE.format("500,25").encode())
    assert rates((result,)) == {"SEQ64K read": 500.25}
    assert {"span_bytes", "depth_count", "cache", "compressible_ratio"} <= set(result.task.unstated)
    assert result.summary
    assert any("1,048,576" in caveat for caveat in result.summary.caveats)


def test_a_drive_measured_twice_is_two_measurements() -> None:
    results = read_all((LINE.format("500.00") + LINE.format("510.00")).encode())
    assert len({each.measurement_id for each in results}) == 2


def test_what_is_no_rate_is_told_and_what_is_not_of_a_drive_passed_over() -> None:
    [result] = read_all(LINE.format("nan").encode())
    assert result.trouble == "Line 1 gives no rate that can be read: the text is damaged there."
    with pytest.raises(ImportProblem, match="no line with a rate"):
        read_all(b"> Disk  Sequential 64.0 Read    n/a")
    memory = b"> Memory Performance                           17768.52 MB/s"
    assert not [each for each in IMPORTERS if each.recognises(memory)]
