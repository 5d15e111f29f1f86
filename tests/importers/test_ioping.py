"""ioping: text, columns and JSON, its units and what it does not tell."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from importers.samples import OWN

from graycard.errors import ImportProblem
from graycard.importers.ioping import IopingImporter
from graycard.importers.ioping_task import whole_sectors
from graycard.model import Result, Verdict


def own(name: str) -> Result:
    data = (OWN / "ioping" / name).read_bytes()
    assert IopingImporter().recognises(data)
    (result,) = IopingImporter().read(data)
    return result


@pytest.mark.parametrize(
    ("name", "operation", "block", "rate", "ops", "mean_ns", "max_ns"),
    [
        ("1.3-read.txt", "read", 4096, 11.0 * (1 << 20), 2820, 354_500, 461_400),
        ("1.3-write-quiet.txt", "write", 65536, 15.4 * (1 << 20), 245, 4_070_000, 9_600_000),
        ("1.3-cached.txt", "read", 4096, 5.52 * (1 << 30), 1_450_000, 690, 5_700),
        ("1.3-columns.txt", "read", 4096, 6072424, 1483, 674_525, 4_309_808),
        ("1.3-write.json", "write", 4096, 1198808, 292.677716, 3_416_728, 3_426_775),
    ],
)
def test_figures(name: str, operation: str, block: int, rate: float, ops: float, mean_ns: int, max_ns: int) -> None:
    result = own(name)
    summary = result.summary
    assert summary
    assert (result.task.operation, result.task.block_bytes) == (operation, block)
    assert summary.rate.value == pytest.approx(rate)
    assert summary.ops
    assert summary.ops.value == pytest.approx(ops)
    assert summary.mean_latency
    assert summary.mean_latency.value == pytest.approx(mean_ns)
    assert summary.latency_ns[-1].latency.value == pytest.approx(max_ns)
    assert {check.verdict for check in summary.checks} == {Verdict.PASS}


def test_what_it_does_not_tell_is_unstated() -> None:
    assert {"pattern", "cache"} <= set(own("1.3-read.txt").task.unstated)
    assert "operation" in own("1.3-columns.txt").task.unstated
    assert "operation" not in own("1.3-write.json").task.unstated


def test_place_and_time() -> None:
    result = own("1.3-write.json")
    assert result.created_at == datetime.fromtimestamp(1796062317.119191, UTC)
    assert {fact.name: fact.value for fact in result.facts} == {"file_system": "ext4", "device_name": "vda"}
    assert own("1.3-read.txt").facts == result.facts


def test_a_contradiction_fails() -> None:
    text = (OWN / "ioping" / "1.3-read.txt").read_text().replace("2.82 k iops", "9.99 k iops")
    (result,) = IopingImporter().read(text.encode())
    assert result.summary
    assert Verdict.FAIL in {check.verdict for check in result.summary.checks}


def test_numbers_that_are_not_iopings_are_not_read() -> None:
    assert not IopingImporter().recognises(b"1 2 3 4 5 6 7 8 9 10\n")
    assert not IopingImporter().recognises(b'[{"timestamp": 1, "other": 2}]')


def test_an_error_is_told() -> None:
    with pytest.raises(ImportProblem, match='ioping failed: stat "/nowhere" failed'):
        IopingImporter().read((OWN / "ioping" / "1.3-error.txt").read_bytes())


def test_sizes_of_few_digits_mean_whole_sectors() -> None:
    assert whole_sectors(181.2 * (1 << 20) / 725) == 262144
    assert whole_sectors(3 * 4096) == 3 * 4096
    assert whole_sectors(12) is None
