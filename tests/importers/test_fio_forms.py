"""fio's text for people and its terse lines give the figures of its JSON, of every version."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from importers.samples import OWN, SHARED, stored

from graycard.errors import ImportProblem
from graycard.importers import read_all
from graycard.importers.fio import FioImporter
from graycard.importers.imported import LOCAL_TIME, UNKNOWN_TIME
from graycard.model import Operation, Pattern, Result, Verdict

OWN_FIO = OWN / "fio"
SAMPLES = SHARED / "fio"
# file: (job, label, MB/s, IOPS, mean latency in µs), of the index where it tells them, else read off the file.
RIGHT_VALUES: dict[str, list[tuple[str, str, float, float, float]]] = {
    "22-normal-2.2.10-8jobs-grouped.txt": [
        ("run 1, job randread", "RND4K QD128 T8 read", 251.330, 61359, 1992.61),
        ("run 2, job randread", "RND4K QD128 T8 read", 259.139, 63266, 2004.19),
        ("run 3, job randread", "RND4K QD128 T8 read", 256.523, 62627, 2024.26),
    ],
    "23-normal-2.2.10-jobs-log.txt": [
        ("run 1, job randwrite", "RND4K QD128 T8 write", 53966 * 1.024e-3, 13491, 9388.19),
        ("run 2, job randwrite", "RND4K QD128 T8 write", 28675 * 1.024e-3, 7168, 17816.73),
        ("run 3, job randwrite", "RND4K QD128 T8 write", 33358 * 1.024e-3, 8339, 15335.12),
        ("run 4, job randwrite", "RND4K QD128 T8 write", 33127 * 1.024e-3, 8281, 15442.21),
        ("run 5, job randwrite", "RND4K QD128 T8 write", 27459 * 1.024e-3, 6864, 18632.09),
    ],
    "52-normal-2.16.txt": [("job seqread", "SEQ1M QD4 read", 442811 * 1.024e-3, 432, 8870)],
    "53-normal-3.1.txt": [("job seqread", "SEQ1M QD4 read", 1157.05, 1103, 3091.64)],
    "54-normal-3.36.txt": [("job seqread", "SEQ1M QD4 read", 419.43, 400, 9743.54)],
    "56-terse-v3-3.36.txt": [("job rr", "4K read", 34.099, 8325, 478.010136)],
    "91-3.33-normal-bytes-per-second.txt": [("job slow", "RND512B QD1 write", 852e-6, 1.66, 38.8922)],
    "93-3.33-normal-client-server.txt": [
        ("job csread", "SEQ64K QD4 read", 214.776, 3277, 1218.40),
        ("job cswrite", "SEQ64K QD4 write", 202.759, 3093, 1290.96),
    ],
    "94-3.33-terse-v2.txt": [
        ("job terse", "4K read", 26474 * 1.024e-3, 6618, 221.629792),
        ("job terse", "4K write", 26617 * 1.024e-3, 6654, 378.186534),
    ],
}


def own(name: str) -> tuple[Result, ...]:
    return FioImporter().read((OWN_FIO / name).read_bytes())


def figures(result: Result) -> tuple[str, Operation, float, float, float, int, int]:
    assert result.summary
    assert result.summary.ops
    assert result.summary.mean_latency
    samples = result.runs[0].samples
    return (
        (result.origin.imported_from or "").rpartition("job ")[2],
        result.task.operation,
        result.summary.rate.value,
        result.summary.ops.value,
        result.summary.mean_latency.value,
        samples.moved_bytes,
        samples.elapsed_ns,
    )


@stored
@pytest.mark.parametrize("name", RIGHT_VALUES)
def test_texts_and_terse_lines_have_the_right_values(name: str) -> None:
    results = FioImporter().read((SAMPLES / name).read_bytes())
    assert len(results) == len(RIGHT_VALUES[name])
    for result, (job, label, mb_per_s, ops_per_s, mean_us) in zip(results, RIGHT_VALUES[name], strict=True):
        _, _, rate, ops, mean_ns, *_ = figures(result)
        assert (result.origin.imported_from, result.task.label) == (job, label)
        # What is printed in KiB/s is cut to whole ones.
        assert rate / 1e6 == pytest.approx(mb_per_s, rel=5e-4, abs=1.03e-3 if mb_per_s > 1 else 1e-6)
        assert ops == pytest.approx(ops_per_s, abs=1)
        assert mean_ns / 1000 == pytest.approx(mean_us, abs=1e-6)
        assert result.summary
        assert [check.name for check in result.summary.checks if check.verdict is Verdict.FAIL] == []


# One run in several forms


def halves(name: str) -> tuple[bytes, bytes]:
    """The JSON of an own sample, and everything else of it."""
    whole = (OWN_FIO / name).read_bytes()
    start, end = whole.index(b"{\n"), whole.rindex(b"\n}") + 3
    return whole[start:end], whole[:start] + whole[end:]


@pytest.mark.parametrize(
    "name", ["3.33-normal-json.txt", *(f"3.33-terse{version}-json.txt" for version in range(2, 6))]
)
def test_the_other_form_agrees_with_the_json_of_the_same_run(name: str) -> None:
    json, other = halves(name)
    right, found = FioImporter().read(json), FioImporter().read(other)
    assert len(found) == len(right) == 2
    for result, model in zip(found, right, strict=True):
        (job, operation, rate, ops, mean, moved, elapsed), exact = figures(result), figures(model)
        assert (job, operation, elapsed) == (exact[0], exact[1], exact[6])
        assert moved == exact[5], "operations × block are finer than what is printed"
        assert rate == pytest.approx(exact[2], rel=1e-9)
        assert ops == pytest.approx(exact[3], abs=1)
        assert mean == pytest.approx(exact[4], abs=10)
        assert result.task.block_bytes == model.task.block_bytes
        assert result.summary
        assert model.summary
        theirs = {each.percentile: each.latency.value for each in model.summary.latency_ns}
        for each in result.summary.latency_ns:
            # The text and terse lines cut to whole µs.
            assert each.latency.value == pytest.approx(theirs[each.percentile], rel=0.01, abs=1000)


@pytest.mark.parametrize("name", ["3.33-normal-json.txt", "3.33-terse3-json.txt"])
def test_a_run_that_is_there_twice_is_one_run(name: str) -> None:
    json, _ = halves(name)
    assert [result.task for result in own(name)] == [result.task for result in FioImporter().read(json)]


def test_what_a_form_does_not_tell_is_unstated() -> None:
    text = FioImporter().read(halves("3.33-normal-json.txt")[1])[0]
    assert text.task.unstated == ("cache", "durability", "compressible_ratio", "span_bytes")
    assert (text.task.pattern, text.task.depth_count, text.task.worker_count) == (Pattern.RANDOM, 8, 2)
    assert text.origin.tool_version == "3.33"
    assert text.origin.engine == "libaio"
    terse = FioImporter().read(halves("3.33-terse3-json.txt")[1])[0]
    assert {"pattern", "depth_count", "worker_count", "cache", "span_bytes"} <= set(terse.task.unstated)
    assert "block_bytes" not in terse.task.unstated
    assert (terse.task.label, terse.created_at) == ("8K read", UNKNOWN_TIME)


# Units


def test_kb_of_two_meanings_and_bits() -> None:
    (thousand,) = own("3.33-normal-kb_base-1000.txt")
    assert (thousand.task.block_bytes, thousand.runs[0].samples.moved_bytes) == (65536, 16 << 20)
    (bits,) = own("3.33-normal-bits.txt")
    assert bits.summary
    assert bits.summary.rate.value == pytest.approx((16 << 20) / 0.028)
    assert [check.verdict for check in bits.summary.checks if check.name == "figures_agree"] == [Verdict.PASS]
    (old,) = own("2.x-normal-invented.txt")
    assert figures(old)[2:] == (40000 * 1024, 5000, 800_000, 80000 * 1024, 2 * 10**9)
    assert old.task.label == "RND8K QD8 T2 read"


def test_kb_of_1000_in_version_2_is_seen_by_the_operations() -> None:
    text = (OWN_FIO / "2.x-normal-invented.txt").read_bytes()
    thousand = text.replace(b"bs=8K-8K/8K-8K/8K-8K", b"bs=8192B-8192B/8192B-8192B/8192B-8192B")
    thousand = thousand.replace(b"io=80000KB, bw=40000KB/s, iops", b"io=81920KB, bw=40960KB/s, iops")
    (result,) = FioImporter().read(thousand)
    assert figures(result)[2] == 40_960_000


def test_a_text_that_contradicts_itself_is_marked() -> None:
    text = (OWN_FIO / "2.x-normal-invented.txt").read_bytes().replace(b"bw=40000KB/s", b"bw=41000KB/s")
    (result,) = FioImporter().read(text)
    assert result.summary
    (check,) = (check for check in result.summary.checks if check.name == "figures_agree")
    assert (check.verdict, result.summary.rate.value) == (Verdict.FAIL, 41000 * 1024)


# Runs


@pytest.mark.parametrize("name", ["3.33-normal-status-interval.txt", "3.33-terse-status-interval.txt"])
def test_of_a_run_that_tells_its_state_the_last_counts(name: str) -> None:
    (result,) = own(name)
    assert result.runs[0].samples.elapsed_ns == pytest.approx(3e9, abs=2e6)


def test_many_runs_in_one_file_are_measurements_of_their_own() -> None:
    json = (OWN_FIO / "3.33-randread-json+.json").read_bytes()
    text = (OWN_FIO / "2.x-normal-invented.txt").read_bytes()
    terse = halves("3.33-terse4-json.txt")[1]
    results = FioImporter().read(json + text + terse + text.replace(b"pid=4001", b"pid=4002"))
    assert len({result.id for result in results}) == len(results) == 5
    assert [result.origin.imported_from for result in results[1:3]] == ["run 2, job invented", "run 3, job invented"]
    assert len({result.measurement_id for result in results}) == 4


def test_equal_jobs_in_terse_lines_are_not_states_of_one() -> None:
    line = halves("3.33-terse3-json.txt")[1]
    results = FioImporter().read(line + line)
    assert len(results) == 4
    assert all("Other jobs of this file" in " ".join(r.summary.caveats) for r in results if r.summary)


def test_the_sum_of_clients_is_no_result() -> None:
    for name in ("3.33-normal-client-server.txt", "3.33-client-server-json.txt"):
        results = own(name)
        assert [result.task.label for result in results] == ["SEQ64K QD1 read", "SEQ64K QD1 write"]
        assert all("Measured on" in " ".join(r.summary.caveats) for r in results if r.summary)
        # The second began when the first had ended.
        assert not any("same time" in " ".join(r.summary.caveats) for r in results if r.summary)


def test_local_times_are_taken_as_utc_and_told() -> None:
    (result,) = own("2.x-normal-invented.txt")
    assert result.created_at == datetime(2017, 1, 7, 10, 11, 12, tzinfo=UTC)
    assert result.summary
    assert LOCAL_TIME in result.summary.caveats


# What went wrong


def test_an_interruption_and_a_failed_job_are_told() -> None:
    (stopped,) = own("3.33-normal-interrupted.txt")
    assert "interrupted" in (stopped.trouble or "")
    assert stopped.summary
    good, bad = own("3.33-one-job-failed.json")
    assert good.trouble is None
    assert (bad.summary, bad.runs, bad.task.operation) == (None, (), Operation.WRITE)
    assert re.fullmatch(r"fio's job “bad” failed with error 22: it moved nothing\.", bad.trouble or "")


def test_reads_and_writes_in_one_figure_are_a_mix() -> None:
    (result,) = own("3.33-unified-mixed.json")
    assert (result.task.read_ratio, result.task.label) == (0.7, "RND16K QD4 mix of 70% reads")


def test_a_terse_line_that_is_cut_is_a_problem_with_its_number() -> None:
    line = halves("3.33-terse3-json.txt")[1]
    with pytest.raises(ImportProblem, match="cut short at line 2"):
        FioImporter().read(b"note: both iodepth >= 1\n" + line[:200])


# Copies


@pytest.mark.parametrize("name", ["2.x-normal-invented.txt", "3.33-normal-client-server.txt", "3.33-normal-json.txt"])
def test_copies_of_all_kinds_are_read_alike(name: str) -> None:
    text = (OWN_FIO / name).read_text(encoding="utf-8")
    right = [figures(result) for result in read_all(text.encode())]
    for changed in (
        text.replace("\n", "\r\n").encode(),
        "\n".join("> " + line for line in text.split("\n")).encode(),
        "\n".join("    " + line for line in text.split("\n")).encode(),
        b"\xff\xfe" + text.encode("utf-16-le"),
        b"\xef\xbb\xbf" + text.encode(),
    ):
        assert [figures(result) for result in read_all(changed)] == right
