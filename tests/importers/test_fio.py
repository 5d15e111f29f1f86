"""fio's JSON of every version gives the figures that its index says are right."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from importers.fio_right_values import RIGHT_VALUES
from importers.samples import OWN, SHARED, stored

from graycard.codec import Document, decode, encode
from graycard.errors import ImportProblem
from graycard.importers import HEAD_BYTES, IMPORTERS
from graycard.importers.fio import FioImporter, FioJob, parse
from graycard.importers.fio_bins import ERROR_RATIO, low_of_middle, low_of_number
from graycard.importers.fio_job import FioHalf
from graycard.importers.fio_options import time_ns
from graycard.model import Cache, Durability, Operation, Pattern, Result, Verdict

OWN_FIO = OWN / "fio"
SAMPLES = SHARED / "fio"
# A group of 11 rows of which the index lists six, and eight of which it lists six.
ROW_COUNTS = {"11-client-server-3.7-eta-before.txt": 10, "12-client-server-3.19-8jobs.json": 16}


def sample(name: str) -> bytes:
    return (SAMPLES / name).read_bytes()


def results_of(name: str) -> tuple[Result, ...]:
    return FioImporter().read(sample(name))


def halves(jobs: tuple[FioJob, ...]) -> list[tuple[FioJob, str, FioHalf]]:
    pairs = [(job, name, getattr(job, name)) for job in jobs for name in ("read", "write")]
    return [(job, name, half) for job, name, half in pairs if half]


@stored
@pytest.mark.parametrize("name", RIGHT_VALUES)
def test_jobs_have_the_right_values(name: str) -> None:
    found, right = halves(parse(sample(name))), RIGHT_VALUES[name]
    assert len(found) == ROW_COUNTS.get(name, len(right))
    for (job, direction, half), (job_name, side, _, ops_per_s, mean_us, moved, runtime_ms) in zip(
        found, right, strict=False
    ):
        assert (job.name + (f"@{job.host}" if job.host else ""), direction) == (job_name, side)
        assert (half.moved_bytes, half.runtime_ns) == (moved, runtime_ms * 10**6)
        assert half.stated_ops_per_s == pytest.approx(ops_per_s, abs=0.0501)
        assert half.total
        assert half.total.mean_ns / 1000 == pytest.approx(mean_us, abs=0.0051)
        if job.options is None:
            assert half.moved_bytes % half.ops_count == 0, "operations were worked out from bytes and IOPS"


@stored
@pytest.mark.parametrize("name", RIGHT_VALUES)
def test_results_publish_the_right_rate_of_one_run(name: str) -> None:
    for result, (job_name, side, mb_per_s, *_) in zip(results_of(name), RIGHT_VALUES[name], strict=False):
        assert result.summary
        rate = result.summary.rate
        # The index has fio's `bw`, cut to KiB/s, where there is no `bw_bytes`.
        assert rate.value / 1e6 == pytest.approx(mb_per_s, abs=0.0005 + 1024 / 1e6)
        assert (rate.low, rate.high, rate.n_count, rate.method) == (None, None, 1, "single run")
        assert result.task.operation.value == side
        assert result.origin.imported_from == "job " + job_name.partition("@")[0]
        assert result.origin.tool == "fio"
        assert len(result.runs) == 1


@stored
def test_every_result_survives_the_codec() -> None:
    for name in RIGHT_VALUES:
        results = results_of(name)
        assert decode(encode(Document(results=results)), Document).results == results
        assert len({result.id for result in results}) == len(results)
        assert results == results_of(name)


@stored
@pytest.mark.parametrize("name", RIGHT_VALUES)
def test_fio_is_recognised_by_its_head_and_by_no_one_else(name: str) -> None:
    head = sample(name)[:HEAD_BYTES]
    assert [importer.name for importer in IMPORTERS if importer.recognises(head)] == ["fio"]


@stored
def test_other_tools_are_not_taken_for_fio() -> None:
    others = [file for file in SAMPLES.parent.glob("*/*") if file.parent.name not in {"fio", "mixed"}]
    assert len(others) > 100
    taken = [
        str(file) for file in others if file.is_file() and FioImporter().recognises(file.read_bytes()[:HEAD_BYTES])
    ]
    assert taken == []


@stored
@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("09-error-only-1.txt", "fio failed: .*err=84"),
        ("10-verify-errors-bom.txt", "fio failed: .*bad header"),
        ("59-3.33-json-odirect-einval-ramfs.txt", "“od” failed with error 22 and moved nothing.*Invalid argument"),
        ("90-3.33-normal-enospc-layout.txt", "fio failed: .*ENOSPC"),
    ],
)
def test_a_file_without_a_figure_is_a_problem_that_says_why(name: str, says: str) -> None:
    assert FioImporter().recognises(sample(name)[:HEAD_BYTES])
    with pytest.raises(ImportProblem, match=says) as problem:
        FioImporter().read(sample(name))
    assert "\n" not in str(problem.value)


def failed(result: Result) -> dict[str, Verdict]:
    assert result.summary
    return {check.name: check.verdict for check in result.summary.checks if check.verdict is not Verdict.PASS}


@stored
def test_contradictions_errors_and_interruptions_are_marked() -> None:
    read, write = results_of("06-json-3.26-bw-disagrees.json")
    assert (failed(read), failed(write)) == ({"figures_agree": Verdict.FAIL}, {})
    (broken,) = results_of("60-3.33-json-eio-midrun.txt")
    assert failed(broken) == {"no_errors": Verdict.FAIL}
    assert broken.runs[0].samples.error_count == 1
    for name in ("04-json-3.33-terminated-on-signal.txt", "63-3.33-json-sigint.txt"):
        assert failed(results_of(name)[0]) == {"ran_to_its_end": Verdict.CAVEAT}
    unmarked = [name for name in RIGHT_VALUES if name[:2] not in {"04", "06", "60", "63"}]
    assert [result.id for name in unmarked for result in results_of(name) if failed(result)] == []


@stored
def test_the_task_comes_from_the_options() -> None:
    (task,) = (result.task for result in results_of("88-3.33-jsonplus-randread.json"))
    assert (task.operation, task.pattern, task.block_bytes, task.depth_count) == (
        Operation.READ,
        Pattern.RANDOM,
        4096,
        16,
    )
    assert (task.span_bytes, task.time_ns, task.cache) == (32 << 20, 2 * 10**9, Cache.BYPASS)
    group = results_of("68-3.33-json-randrw-group.json")[0]
    assert (group.task.depth_count, group.task.worker_count) == (16, 4)
    apart = results_of("69-3.33-json-nogroup-3jobs-same-name.json")
    assert [(result.task.depth_count, result.task.worker_count) for result in apart] == [(2, 1)] * 3
    each = results_of("77-3.33-json-fdatasync.json")[0].task
    assert (each.durability, each.cache) == (Durability.EACH_WRITE, Cache.COLD)
    assert results_of("21-json-3.16-randread-1-32.json")[0].task.span_bytes == 50_000_000_000
    assert results_of("78-3.33-json-dup-filename-keys.json")[0].target.path == "/t/w/m1:/t/w/m2"
    assert results_of("18-json-3.1-randread-1-1.json")[0].target.path == "/mnt/ssd/test.bin"


@stored
def test_what_must_be_known_to_compare_is_said() -> None:
    def caveats(name: str) -> str:
        return " ".join(caveat for result in results_of(name) if result.summary for caveat in result.summary.caveats)

    assert "psync works one request at a time" in caveats("57-3.33-json-note-before.txt")
    assert "wrote down no options" in caveats("24-json-2.0.15-write-then-mix.json")
    assert "Reads and writes ran at once (70 % reads)" in caveats("68-3.33-json-randrw-group.json")
    assert "same time as 2 other jobs" in caveats("69-3.33-json-nogroup-3jobs-same-name.json")
    assert "Measured on host84" in caveats("11-client-server-3.7-eta-before.txt")
    assert caveats("70-3.33-json-stonewall-2jobs.json") == ""


@stored
@pytest.mark.parametrize("name", [name for name in RIGHT_VALUES if "jsonplus" in name])
def test_bins_become_a_histogram_that_agrees_with_the_percentiles(name: str) -> None:
    (half,) = (half for _, _, half in halves(parse(sample(name))))
    latency = half.latency
    assert latency
    histogram = latency.histogram
    assert histogram
    assert histogram.error_ratio == ERROR_RATIO
    assert histogram.ops_count == half.ops_count
    assert histogram.sum_ns == pytest.approx(latency.mean_ns * half.ops_count, abs=1)
    lows = [bucket.low_ns for bucket in histogram.counts]
    assert lows == sorted(set(lows))
    assert lows[0] <= latency.min_ns
    assert lows[-1] <= latency.max_ns < lows[-1] * (1 + 2 * ERROR_RATIO) + 1000
    for percentile, value_ns in latency.percentiles:
        reached, rank = 0, percentile / 100 * half.ops_count
        low = next(b.low_ns for b in histogram.counts if (reached := reached + b.count) >= rank)
        # fio gives the middle of the bin, at most 1/128 above its low edge.
        assert 0 <= value_ns - low <= low * ERROR_RATIO


def test_edges_of_bins_follow_fios_formula() -> None:
    for number in range(29 * 64):
        shift = max(0, (number >> 6) - 1)
        base = 1 << (shift + 6) if number >= 128 else 0
        middle = int(base + (number % 64 + 0.5) * (1 << shift)) if number >= 128 else number
        assert low_of_middle(middle) == low_of_number(number)
        assert middle - low_of_number(number) <= low_of_number(number) * ERROR_RATIO


# Own samples, and what files go through on their way

READ = (OWN_FIO / "3.33-randread-json+.json").read_bytes()
MIX = (OWN_FIO / "3.33-randrw-fdatasync-json+.json").read_bytes()


def test_own_samples_have_total_latencies_and_flushes() -> None:
    (job,) = parse(READ)
    assert job.read
    assert job.read.latency is job.read.total
    assert job.read.latency
    assert job.read.latency.histogram
    assert job.read.latency.histogram.ops_count == job.read.ops_count
    assert job.cpu_ns
    assert 0 < job.cpu_ns < job.read.runtime_ns
    read, write = FioImporter().read(MIX)
    assert read.runs[0].samples.flush_latency is None
    flushes = write.runs[0].samples.flush_latency
    assert flushes
    both = read.runs[0].samples.ops_count + write.runs[0].samples.ops_count
    assert flushes.ops_count == both - 1, "fio flushes after each operation but the last"


def test_times_are_fios() -> None:
    (result,) = FioImporter().read(READ)
    stamp = re.search(rb'"timestamp_ms" : (\d+)', READ)
    assert stamp
    assert result.created_at == datetime.fromtimestamp(int(stamp[1]) / 1000, UTC)
    assert [time_ns(text) for text in ("15", "5m", "500ms", "2500000us", "0", "x", "")] == [
        15 * 10**9,
        300 * 10**9,
        5 * 10**8,
        25 * 10**8,
        None,
        None,
        None,
    ]


@pytest.mark.parametrize(
    "changed",
    [
        b"note: both iodepth >= 1\nJobs: 1 (f=1): [r(1)][50%]\r" + READ + b"\nfio: done {\n",
        READ + b"\n",
        b"\xef\xbb\xbf" + READ,
        b"\xff\xfe" + READ.decode().encode("utf-16-le"),
        READ.replace(b"\n", b"\r\n"),
        MIX + READ,
    ],
)
def test_surroundings_do_not_matter(changed: bytes) -> None:
    assert FioImporter().recognises(changed[:HEAD_BYTES])
    assert [replace(job, notes=()) for job in parse(changed)] == list(parse(READ))


def test_sorted_keys_are_read_too() -> None:
    import json

    (job,) = parse(json.dumps(json.loads(READ), sort_keys=True).encode())
    assert job == parse(READ)[0]


def test_a_cut_file_gives_the_last_whole_document_or_a_problem() -> None:
    (result,) = FioImporter().read(READ + READ[: len(READ) // 2])
    assert failed(result) == {"ran_to_its_end": Verdict.CAVEAT}
    with pytest.raises(ImportProblem, match=r"cut short at line \d+"):
        parse(READ[: len(READ) // 2])


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b'{"fio version" : 3}',
        b'{"fio version" : "fio-3.33", "jobs" : [1]}',
        b'{"fio version" : "fio-3.33", "jobs" : [{"read" : {"io_bytes" : 5}}]}',
        b'{"fio version" : "fio-3.33", "jobs" : []}',
        b'["fio version"]',
        b"\xff\xfe\x00",
    ],
)
def test_nonsense_is_a_problem(data: bytes) -> None:
    with pytest.raises(ImportProblem):
        FioImporter().read(data)
