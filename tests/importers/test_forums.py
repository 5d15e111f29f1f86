"""What forums and scripts make of other tools' figures: YABS, PiBenchmarks, tables by block size."""

from __future__ import annotations

import pytest
from importers.samples import OWN, SHARED, stored

from graycard.errors import ImportProblem
from graycard.importers import read_all
from graycard.model import Aggregate, Cache, Durability, Operation, Pattern, Result, Verdict


def own(name: str) -> tuple[Result, ...]:
    return read_all((OWN / name).read_bytes(), name)


def rates(results: tuple[Result, ...]) -> list[float]:
    return [result.summary.rate.value / 1e6 for result in results if result.summary]


def test_yabs_mb_are_of_1_024_000_bytes_and_its_totals_are_left_out() -> None:
    found = own("yabs/mixed-invented.txt")
    assert rates(found) == pytest.approx(
        [409.6, 2560.0, 410.829, 2570.24, 819.712, 835.318, 863.263, 890.952], rel=1e-5
    )
    assert {result.origin.tool_version for result in found} == {"v2023-04-23"}
    assert {fact.value for result in found for fact in result.facts} == {"vda1"}
    first = found[0]
    assert first.task.label == "RND4K QD128 T2 read"
    assert first.task.cache is Cache.BYPASS
    assert first.summary
    assert any("1,024,000" in caveat for caveat in first.summary.caveats)
    assert [check.verdict for check in first.summary.checks if check.name == "figures_agree"] == [Verdict.CAVEAT]


def test_yabs_json_has_the_same_unit() -> None:
    found = own("yabs/invented.json")
    assert rates(found) == pytest.approx([169.564, 170.012, 244.015, 260.266], rel=1e-5)
    assert [result.task.operation for result in found] == [Operation.READ, Operation.WRITE] * 2


@pytest.mark.parametrize("damage", ["", "Read | 397.81 MB/s (nonsense)", "Block Size | 4k (IOPS)"])
def test_a_title_alone_is_no_result(damage: str) -> None:
    with pytest.raises(ImportProblem, match="copy the whole table"):
        read_all(f"fio Disk Speed Tests (Partition /dev/sda1):\n{damage}".encode())


def test_a_kin_of_the_script_whose_unit_is_right_keeps_its_figure() -> None:
    text = b"fio Disk Speed Tests:\nBlock Size | 4k (IOPS)\nRandread | 409.60 MB/s (100000)\n"
    (result,) = read_all(text)
    assert rates((result,)) == [409.6]
    assert result.summary
    assert result.summary.caveats == ()


@stored
def test_sequential_and_random_rows_of_the_stored_table() -> None:
    found = read_all((SHARED / "freetext/02-yabs-style-table.txt").read_bytes())
    first, last = found[0], found[-1]
    assert (first.task.pattern, first.task.block_bytes) == (Pattern.SEQUENTIAL, 4096)
    assert rates((first, last)) == pytest.approx([407.357, 412.692], rel=1e-5)
    # 24 IOPS of 16 MiB are 402.7 MB/s: whole operations are coarser than the rate.
    assert last.task.block_bytes == 16 << 20
    assert len(found) == 24


def test_pibenchmarks_kb_are_kib() -> None:
    write, read = own("pibenchmarks/invented.txt")
    assert rates((write, read)) == pytest.approx([4803 * 1.024e-3, 10001 * 1.024e-3])
    assert (write.task.label, read.task.label) == ("RND4K QD64 write", "RND4K QD64 read")
    assert write.summary
    assert all(check.verdict is Verdict.PASS for check in write.summary.checks)


def test_a_failed_fio_of_pibenchmarks_is_told() -> None:
    text = b"FIO results - 4k RandWrite:  IOPS ( KB/s) - 4k RandRead:  IOPS ( KB/s)\n"
    with pytest.raises(ImportProblem, match="fio failed there"):
        read_all(text)


def test_a_table_by_block_size_gives_a_result_for_each_cell() -> None:
    found = own("table/invented.md")
    assert rates(found) == pytest.approx([24.5, 13.5, 17.25, 10.48576, 160.5, 161.25, 102.23616])
    assert [result.task.label for result in found[:4]] == ["SEQ4K read", "SEQ4K write", "RND4K read", "RND4K write"]
    decimal, binary = found[0].summary, found[3].summary
    assert decimal
    assert "neither its tool" in decimal.caveats[0]
    assert binary
    assert binary.caveats == ()


def test_a_table_of_something_else_is_not_recognised() -> None:
    with pytest.raises(ImportProblem, match="holds no results"):
        read_all(b"| Block Size (KB) | Price |\n|---|---|\n| 4 | 10 |\n")


@pytest.mark.parametrize("name", ["yabs/mixed-invented.txt", "pibenchmarks/invented.txt", "table/invented.md"])
def test_what_is_too_long_for_a_copy_is_refused(name: str) -> None:
    data = (OWN / name).read_bytes()
    with pytest.raises(ImportProblem, match="too long to be"):
        read_all(data + b"\n" * (5 << 20))


def test_yabs_without_fio_gives_the_mean_of_dds_three_tests() -> None:
    write, read = own("yabs/dd-fallback.txt")
    assert [write.task.label, read.task.label] == ["SEQ64K QD1 write", "SEQ8K QD1 read"]
    assert write.summary
    assert read.summary
    assert write.summary.rate.value == pytest.approx((420 + 395 + 454) / 3 * 1e6)
    assert read.summary.rate.value == pytest.approx((402 + 642 + 569) / 3 * 1e6)
    assert (write.origin.aggregate, write.summary.rate.n_count) == (Aggregate.MEAN, 3)
    assert (write.task.cache, read.task.cache) == (Cache.BYPASS, Cache.WARM)
    assert (write.task.compressible_ratio, write.task.durability) == (1.0, Durability.NONE)


def test_yabs_average_is_not_taken_where_it_mixes_units() -> None:
    text = (OWN / "yabs/dd-fallback.txt").read_text(encoding="utf-8")
    slow = text.replace("420 MB/s ", "900 kB/s ").replace("402 MB/s ", "         ").replace("642 MB/s", "1.2 GB/s")
    write, read = read_all(slow.encode())
    assert write.summary
    assert write.summary.rate.value == pytest.approx((0.9 + 395 + 454) / 3 * 1e6)
    assert read.summary
    assert read.summary.rate.value == pytest.approx((1200 + 569) / 2 * 1e6)
    assert any("Only 2 of the 3 tests" in each for each in read.summary.caveats)
