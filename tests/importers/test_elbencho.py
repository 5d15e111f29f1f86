"""elbencho: CSV, JSON and text; mixes, interruptions, cut numbers, damaged lines."""

from __future__ import annotations

import pytest
from importers.samples import OWN

from graycard.errors import ImportProblem
from graycard.importers.elbencho import ElbenchoImporter
from graycard.model import Cache, Durability, Operation, Pattern, Result, Verdict

FOLDER = OWN / "elbencho"
CSV = (FOLDER / "2.3-mix-and-interrupted.csv").read_text(encoding="utf-8")
JSON = (FOLDER / "3.1.json").read_text(encoding="utf-8")
TEXT = (FOLDER / "3.0-interrupted.txt").read_text(encoding="utf-8")
MIB = 1 << 20


def results_of(text: str) -> tuple[Result, ...]:
    return ElbenchoImporter().read(text.encode())


def rate(result: Result) -> float:
    assert result.summary
    return result.summary.rate.value


def test_the_columns_of_the_csv() -> None:
    write = results_of(CSV)[0]
    assert (write.task.block_bytes, write.task.depth_count, write.task.worker_count) == (MIB, 32, 4)
    assert (write.task.cache, write.task.durability, write.task.compressible_ratio) == (
        Cache.BYPASS,
        Durability.NONE,
        0.0,
    )
    assert write.task.span_bytes == 2 << 30, "two files of 1 GiB"
    assert rate(write) == pytest.approx(2048 * MIB / 10.24, rel=0.001)
    assert write.created_at.isoformat() == "2025-03-04T04:06:07+00:00"
    assert write.summary
    assert write.summary.mean_latency
    assert write.summary.mean_latency.value == 31e6


def test_a_mix_gives_both_halves_and_phases_without_bytes_none() -> None:
    _, write, read, _ = results_of(CSV)
    assert (write.task.operation, read.task.operation) == (Operation.WRITE, Operation.READ)
    assert (read.task.pattern, read.task.block_bytes) == (Pattern.RANDOM, 65536)
    assert 256 * 65536 <= rate(read) <= 257 * 65536, "operations are finer than whole MiB/s"
    assert read.summary
    assert read.summary.caveats == ("Reads and writes ran at once: this is the read half alone.",)


def test_an_interrupted_phase_is_a_trouble_with_a_figure() -> None:
    read = results_of(CSV)[3]
    assert read.trouble
    assert "300 of 4096 MiB" in read.trouble
    assert rate(read) == pytest.approx(150 * MIB, rel=0.01)
    limited = results_of(CSV.replace('"--direct" "/mnt/nas/big"', '"--direct" "--timelimit" "2" "/mnt/nas/big"'))[3]
    assert limited.trouble is None


def test_json_is_exact_and_its_numbers_are_strings() -> None:
    (write,) = results_of(JSON)
    assert rate(write) == 268435456
    assert (write.task.depth_count, write.task.span_bytes, write.origin.tool_version) == (8, 512 * MIB, "3.1-1")
    (run,) = write.runs
    assert (run.samples.moved_bytes, run.samples.elapsed_ns) == (512 * MIB, 2 * 10**9)


def test_json_without_a_config_is_told_by_its_command() -> None:
    start, end = JSON.index('"config"'), JSON.index('"first_done"')
    command = JSON[JSON.index('"command"') : JSON.index('},"first_done"')]
    (write,) = results_of(JSON[:start] + '"version":"3.0-33",' + command + "," + JSON[end:])
    assert (write.task.block_bytes, write.task.depth_count, write.task.span_bytes) == (MIB, 8, 512 * MIB)
    assert (write.task.cache, write.target.path) == (Cache.BYPASS, "/mnt/nas/a")


def test_text_tells_of_the_interruption_and_of_latencies() -> None:
    write, read = results_of(TEXT)
    assert write.trouble is None
    assert read.trouble
    assert "interrupted" in read.trouble
    assert rate(write) == pytest.approx(4096 * MIB / 60, rel=0.01)
    assert write.summary
    assert {each.percentile: each.latency.value for each in write.summary.latency_ns}[99.9] == 77936e3
    assert write.summary.mean_latency
    assert write.summary.mean_latency.value == 29.3e6


def test_text_in_decimal_units() -> None:
    write = results_of(
        TEXT.replace("Throughput MiB/s :          70          68", "Throughput MB/s  :          74          71")
    )[0]
    assert 71e6 <= rate(write) <= 72e6


def test_a_rate_that_is_not_bytes_over_time_fails() -> None:
    summary = results_of(CSV.replace(",230,200,230,200,", ",230,200,230,300,"))[0].summary
    assert summary
    verdicts = {check.name: check.verdict for check in summary.checks}
    assert (verdicts["bytes_over_time"], verdicts["figures_agree"]) == (Verdict.FAIL, Verdict.FAIL)


def test_a_line_that_is_cut_short_is_told_with_its_number() -> None:
    with pytest.raises(ImportProblem, match=r"Line 5 .* fields: it is cut short"):
        results_of(CSV[: CSV.rindex("2.3-1")])


@pytest.mark.parametrize("figure", ["nan", "-3", "9" * 30])
def test_what_is_no_figure_is_refused(figure: str) -> None:
    with pytest.raises(ImportProblem, match=r"figure|quantity"):
        results_of(CSV.replace(",230,200,230,200,", f",230,200,230,{figure},"))


def test_csv_and_json_and_text_of_others_around_it_do_no_harm() -> None:
    assert len(results_of("{\n" + JSON + "}\n")) == 1
    assert len(results_of("$ elbencho\n" + TEXT + "{ other }\n")) == 2


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (CSV[: CSV.index("\n") + 1], "no phase that read or wrote"),
        (JSON[: JSON.index("}}")], "Line 1 of .* damaged or cut short"),
        (TEXT[: TEXT.index("WRITE ")] + "ERROR: File write failed. SysErr: No space left\n", "failed .*No space left"),
        ('{"phase_type":"WRITE","config":' + "[" * 100_000, "nested too deeply"),
    ],
)
def test_a_file_without_a_result_says_why(text: str, says: str) -> None:
    assert ElbenchoImporter().recognises(text.encode())
    with pytest.raises(ImportProblem, match=says):
        results_of(text)
