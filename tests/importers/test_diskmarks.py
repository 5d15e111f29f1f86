"""CrystalDiskMark, AmorphousDiskMark and KDiskMark: texts as they are saved, pasted and damaged."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from importers.diskmark_right_values import RIGHT_VALUES
from importers.samples import OWN, SHARED, stored

from graycard.errors import ImportProblem
from graycard.importers import IMPORTERS, read_all
from graycard.importers.diskmark_text import documents
from graycard.importers.imported import LOCAL_TIME, NOT_MEASURED, UNKNOWN_TIME
from graycard.importers.text import lines
from graycard.model import Aggregate, Cache, Check, Durability, Operation, Result, Verdict

HEADER = "CrystalDiskMark 8.0.4 x64 (C) 2007-2021 hiyohiyo\n"
ROW = "SEQ 1MiB (Q= 8, T= 1): {rate} MB/s [ {ops} IOPS] < {latency} us>\n"


def own(path: str) -> tuple[Result, ...]:
    return read_all((OWN / path).read_bytes())


def pasted(row: str, footer: str = "") -> Result:
    [result] = read_all(f"{HEADER}[Read]\n{row}{footer}".encode())
    return result


def row(rate: str = "1048.576", ops: str = "1000.0", latency: str = "8000.00") -> str:
    return ROW.format(rate=rate, ops=ops, latency=latency)


def check_of(result: Result, name: str) -> Check:
    assert result.summary
    return next(check for check in result.summary.checks if check.name == name)


def rates(results: tuple[Result, ...]) -> dict[str, float | None]:
    return {each.task.label: each.summary and each.summary.rate.value / 1e6 for each in results}


@stored
@pytest.mark.parametrize("file", RIGHT_VALUES)
def test_a_stored_text_gives_its_right_values(file: str) -> None:
    results = read_all((SHARED / file).read_bytes())
    assert [each.task.label for each in results] == [label for label, *_ in RIGHT_VALUES[file]]
    for result, (_, rate, ops, latency_us) in zip(results, RIGHT_VALUES[file], strict=True):
        summary = result.summary
        assert summary
        # The index has two decimals of what KDiskMark's IOPS mean, some rounded and some cut.
        assert summary.rate.value / 1e6 == pytest.approx(rate, abs=0.01 if file.startswith("kdiskmark") else 1e-6)
        assert (summary.ops and summary.ops.value) == (None if ops is None else pytest.approx(ops))
        mean = summary.mean_latency
        assert (mean and mean.value / 1e3) == (None if latency_us is None else pytest.approx(latency_us))


@stored
@pytest.mark.parametrize("file", RIGHT_VALUES)
def test_what_a_stored_text_contradicts_is_flagged(file: str) -> None:
    results = read_all((SHARED / file).read_bytes())
    checks = [check for each in results if each.summary for check in each.summary.checks]
    told = [check.verdict for check in checks if check.name == "figures_agree"]
    if "template" in file or "noversion" in file:
        assert told == [Verdict.FAIL] * len(results)
    elif file.startswith("kdiskmark"):
        assert told == [Verdict.CAVEAT] * len(results)
    else:
        # Texts without IOPS have nothing that could be held against the rate.
        assert set(told) <= {Verdict.PASS, Verdict.UNKNOWN}


@stored
def test_a_paste_without_a_header_is_known_by_its_shape_and_says_so() -> None:
    results = read_all((SHARED / "crystaldiskmark/16-cdm-headless-paste.txt").read_bytes())
    assert {each.origin.tool_version for each in results} == {None}
    assert {each.created_at for each in results} == {UNKNOWN_TIME}
    assert all("span_bytes" in each.task.unstated for each in results)
    assert all("no header" in " ".join(each.summary.caveats) for each in results if each.summary)
    # 60.86 µs × 204,339 operations are 12 in flight, not 32.
    assert check_of(results[2], "littles_law").verdict is Verdict.CAVEAT
    assert check_of(results[3], "littles_law").verdict is Verdict.PASS


def test_crystaldiskmark_8_with_its_settings() -> None:
    results = own("crystaldiskmark/8.0.5-shizuku-nvme-mix.txt")
    first = results[0]
    assert (first.origin.tool_version, first.origin.aggregate) == ("8.0.5", Aggregate.BEST)
    assert first.origin.imported_from == "scratch drive"
    assert first.created_at == datetime(2024, 3, 9, 7, 5, 3, tzinfo=UTC)
    assert first.target.path == "D:"
    assert first.summary
    assert LOCAL_TIME in first.summary.caveats
    assert (first.summary.rate.method, first.summary.rate.n_count) == ("best of 3 runs", 3)
    task = first.task
    assert (task.span_bytes, task.time_ns, task.compressible_ratio) == (512 << 20, 10_000_000_000, 1.0)
    assert (task.cache, task.durability, task.unstated) == (Cache.BYPASS, Durability.NONE, ())
    facts = {fact.name: fact.value for fact in first.facts}
    assert facts["used_ratio"] == 0.41
    assert facts["os_name"] == "Windows 11 Professional [10.0 Build 22631] (x64)"
    assert facts["engine_settings"] == (
        "Shizuku Edition x64; profile Default; 3 runs; [Admin] <0Fill>; measure 10 s; interval 60 s"
    )


def test_zero_is_not_measured_and_a_mix_is_neither_read_nor_write() -> None:
    results = own("crystaldiskmark/8.0.5-shizuku-nvme-mix.txt")
    [zero] = [each for each in results if each.summary is None]
    assert (zero.task.label, zero.trouble) == ("SEQ128K QD32 write", NOT_MEASURED)
    mix = results[-1]
    assert (mix.task.label, mix.task.read_ratio) == ("SEQ1M QD8 mix of 70% reads", 0.7)
    # A latency so wide that no blank is left.
    assert rates(results)["RND4K QD512 T16 write"] == 0.409


def test_crystaldiskmark_7_as_it_is_saved_in_utf_16() -> None:
    results = own("crystaldiskmark/7.0.0-peak-utf16.txt")
    assert rates(results) == {
        "SEQ1M QD8 read": 104.858,
        "RND4K QD512 T16 read": 0.819,
        "SEQ1M QD8 write": 83.886,
        "RND4K QD512 T16 write": 0.655,
    }
    assert all("time_ns" in each.task.unstated for each in results)


def test_several_results_of_one_page_stay_apart() -> None:
    results = own("crystaldiskmark/several-results.md")
    by_version: dict[str | None, list[Result]] = {}
    for result in results:
        by_version.setdefault(result.origin.tool_version, []).append(result)
    assert {version: len(found) for version, found in by_version.items()} == {
        "3.0.4": 4,
        "5.0.2": 4,
        "8.0.1": 4,
        None: 1,
    }
    assert len({each.measurement_id for each in results}) == 4
    assert rates(tuple(by_version["8.0.1"])) == {
        "SEQ1M QD8 read": 1048.576,
        "RND4K QD1 read": 40.96,
        "SEQ1M QD8 write": 524.288,
        "RND4K QD1 write": 81.92,
    }
    facts = {fact.name: fact.value for fact in by_version["8.0.1"][0].facts}
    assert facts["engine_settings"] == "x64 (UWP); profile Default; 5 runs; measure 5 s; interval 5 s"
    # A single run is no best of anything.
    assert by_version["5.0.2"][0].origin.aggregate is None


def test_versions_3_to_6_do_not_print_the_block_of_sequential_tests() -> None:
    results = own("crystaldiskmark/several-results.md")
    blocks = [each.task.block_bytes for each in results if each.origin.tool_version in {"3.0.4", "5.0.2"}]
    assert blocks == [1 << 20, 1 << 20, 512 << 10, 4096, 128 << 10, 128 << 10, 1 << 20, 4096]
    assert results[0].task.span_bytes == 1000 << 20


def test_more_than_a_named_link_carries_is_the_computers_memory() -> None:
    first, second, *_ = own("crystaldiskmark/several-results.md")
    link = check_of(first, "within_link")
    assert (link.verdict, link.expected, link.measured) == (Verdict.CAVEAT, 600e6, 7613e6)
    assert check_of(second, "within_link").verdict is Verdict.PASS
    # Where no link is named none is made up: "[SATA/600 = …]" stands in every text.
    unnamed = pasted(row("7613.000", "7260.3", "1101.00"), "Test: 1 GiB (x5) [C: 3% (1/2GiB)]\n")
    assert unnamed.summary
    assert "within_link" not in {check.name for check in unnamed.summary.checks}


def test_amorphousdiskmark_is_a_median_with_a_flush() -> None:
    results = own("amorphousdiskmark/4.0.2-limit-zeros.txt")
    first = results[0]
    assert (first.origin.tool, first.origin.aggregate) == ("AmorphousDiskMark", Aggregate.MEDIAN)
    assert first.created_at == datetime(2025, 6, 7, 8, 9, 10, tzinfo=UTC)
    assert first.summary
    assert LOCAL_TIME not in first.summary.caveats
    assert any("0.2 s" in caveat for caveat in first.summary.caveats)
    task = first.task
    assert (task.time_ns, task.byte_limit, task.compressible_ratio) == (10_000_000_000, 1 << 30, 1.0)
    assert {each.task.durability for each in results if each.task.operation is Operation.WRITE} == {Durability.AT_END}
    facts = {fact.name: fact.value for fact in first.facts}
    assert facts["device_model"] == "APPLE SSD AP1024Z"
    assert (facts["volume_name"], facts["used_ratio"], facts["cpu_model"]) == ("Work", 0.12, "Apple M3 Pro")
    assert results[3].trouble == NOT_MEASURED
    failed = [
        each.task.label for each in results if each.summary and check_of(each, "figures_agree").verdict is Verdict.FAIL
    ]
    assert failed == ["RND4K QD1 write"]


def test_the_mb_of_kdiskmark_are_1_024_000_bytes() -> None:
    results = own("kdiskmark/3.2.0-mix.txt")
    first = results[0]
    assert first.summary
    assert first.summary.rate.value == 1048.576e6
    agreement = check_of(first, "figures_agree")
    assert (agreement.verdict, agreement.measured, agreement.expected) == (Verdict.CAVEAT, 1024e6, 1048.576e6)
    assert any("1,024,000" in caveat for caveat in first.summary.caveats)
    assert first.target.path == "/mnt/my disk"
    assert first.origin.engine == "fio 3.39 libaio"
    assert {"cache", "compressible_ratio"} <= set(first.task.unstated)
    facts = {fact.name: fact.value for fact in first.facts}
    assert (facts["os_name"], facts["kernel_version"]) == ("debian 12", "6.1.0-18-amd64")


def test_other_contradictions_of_kdiskmark_are_shown_and_not_corrected() -> None:
    good, bad = own("kdiskmark/3.3.0-pasted.txt")
    assert check_of(good, "figures_agree").verdict is Verdict.CAVEAT
    assert check_of(bad, "figures_agree").verdict is Verdict.FAIL
    assert rates((bad,)) == {"RND4K QD1 read": 40.0}


def test_kdiskmark_before_3_3_is_known_to_halve_several_jobs() -> None:
    old, new = own("kdiskmark/3.2.0-mix.txt"), own("kdiskmark/3.3.0-pasted.txt")
    several = [each for each in old if each.task.worker_count > 1]
    assert [check_of(each, "version_counts_all_jobs").verdict for each in several] == [Verdict.FAIL] * 3
    assert check_of(new[0], "version_counts_all_jobs").verdict is Verdict.PASS
    assert old[0].summary
    assert "version_counts_all_jobs" not in {check.name for check in old[0].summary.checks}


def test_kdiskmark_means_its_default_profile_and_takes_the_best_of_others() -> None:
    text = (OWN / "kdiskmark/3.2.0-mix.txt").read_text(encoding="utf-8")
    assert {each.origin.aggregate for each in read_all(text.encode())} == {Aggregate.BEST}
    default = text.replace("Peak Performance", "Default")
    assert {each.origin.aggregate for each in read_all(default.encode())} == {Aggregate.MEAN}
    mixed = read_all(text.encode())[-1]
    assert mixed.task.read_ratio == 0.3
    assert mixed.summary
    assert any("weighted" in caveat for caveat in mixed.summary.caveats)


@pytest.mark.parametrize(
    ("rows", "tool"),
    [
        ("[Read]\n  SEQ    1MiB (Q=  8, T= 1):   100.000 MB/s [     95.4 IOPS] < 1.00 us>", "CrystalDiskMark"),
        ("[Read]\nSequential 1MiB (Q=  8, T= 1):   100.000 MB/s", "CrystalDiskMark"),
        ("Sequential Read (Q= 32,T= 1) :   100.000 MB/s", "CrystalDiskMark"),
        ("Random Read 4KB (QD=1) :    25.206 MB/s [  6153.8 IOPS]", "CrystalDiskMark"),
        ("Sequential Read 1MiB (QD=   8) :    100.00 MB/s [     95.4 IOPS]", "AmorphousDiskMark"),
        ("[Read]\nSequential 1 MiB (Q= 8, T= 1):   100.000 MB/s [     97.7 IOPS]", "KDiskMark"),
    ],
)
def test_rows_without_a_header_are_known_by_their_shape(rows: str, tool: str) -> None:
    [result] = read_all(rows.encode())
    assert result.origin.tool == tool


def test_one_file_may_hold_all_three_tools() -> None:
    whole = (
        b"\n".join(
            (OWN / path).read_bytes()
            for path in (
                "kdiskmark/3.3.0-pasted.txt",
                "amorphousdiskmark/4.0.2-limit-zeros.txt",
                "kdiskmark/3.2.0-mix.txt",
            )
        )
        + (HEADER + "[Write]\n" + row()).encode()
    )
    found = [document.tool for document in documents(lines(whole))]
    assert found == ["KDiskMark", "AmorphousDiskMark", "KDiskMark", "CrystalDiskMark"]
    assert len(read_all(whole)) == 2 + 8 + 6 + 1


def test_a_text_that_is_cut_keeps_its_whole_rows_and_says_where_it_ends() -> None:
    results = read_all((HEADER + "[Read]\n" + row() + "  RND    4KiB (Q=  1, T= 1):    41.").encode())
    assert results[0].summary
    assert results[1].summary is None
    assert results[1].trouble == "Line 4 gives no rate that can be read: the text is damaged or cut short there."


@pytest.mark.parametrize("rate", ["nan", "inf", "1.2.3.4", "1e999"])
def test_what_is_no_number_is_no_rate(rate: str) -> None:
    assert (pasted(row(rate)).trouble or "").startswith("Line 3 gives no rate")


def test_a_negative_rate_is_refused_and_an_absurd_one_flagged() -> None:
    with pytest.raises(ImportProblem, match=r"-5\.0 for SEQ1M QD8 read is no quantity|-5000000"):
        pasted(row("-5.0"))
    absurd = pasted(row("99999999.000", "95367430.7", "1e25"))
    assert check_of(absurd, "plausible").verdict is Verdict.FAIL
    assert absurd.summary
    assert "littles_law" not in {check.name for check in absurd.summary.checks}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (HEADER, "holds no line with a result"),
        ("SEQ 1MiB (Q= 8, T= 1): 100.0 MB/s", "line 1 does not say whether it reads or writes"),
    ],
)
def test_what_holds_no_result_says_so(text: str, problem: str) -> None:
    with pytest.raises(ImportProblem, match=problem):
        read_all(text.encode())


@pytest.mark.parametrize(
    "text",
    [
        "Sequential: 100 MB/s\nRandom: slow",
        "I measured with CrystalDiskMark 8.0.4, AmorphousDiskMark 4 and KDiskMark 3.2.0: about 100 MB/s.",
        "Date: 2024/01/01\nTest: fine",
    ],
)
def test_people_who_only_talk_about_it_are_not_read(text: str) -> None:
    known = [each for each in IMPORTERS if each.recognises(text.encode())]
    assert known == []
