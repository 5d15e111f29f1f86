"""fio's logs give the rate that fio itself tells of the same run, over time; what holds no bytes says so."""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, cast

import pytest
from importers.samples import OWN, SHARED, stored

from graycard import importers
from graycard.codec import Document, decode, encode
from graycard.errors import ImportProblem
from graycard.importers import read_parts
from graycard.importers.fio import FioImporter
from graycard.importers.fio_bins import low_of_number
from graycard.importers.fio_log_rows import kind_in, rows
from graycard.importers.fio_log_slots import Slots
from graycard.importers.fio_log_sums import low_edge
from graycard.model import Operation, Result

OWN_FIO = OWN / "fio"
SAMPLES = SHARED / "fio"


def read(data: bytes, name: str = "x_bw.1.log") -> tuple[Result, ...]:
    return FioImporter().read_stream(io.BytesIO(data), name)


def own(name: str) -> tuple[Result, ...]:
    return read((OWN_FIO / name).read_bytes(), name)


def theirs(name: str) -> tuple[Result, ...]:
    return read((SAMPLES / name).read_bytes(), name)


def rate(result: Result) -> float:
    assert result.summary
    return result.summary.rate.value


def moved_in_slots(result: Result) -> list[int]:
    samples = result.runs[0].samples
    assert sum(tick.moved_bytes for tick in samples.ticks) == samples.moved_bytes
    assert sum(tick.ops_count for tick in samples.ticks) == samples.ops_count
    assert [tick.start_ns for tick in samples.ticks] == [i * samples.tick_ns for i in range(len(samples.ticks))]
    return [tick.moved_bytes for tick in samples.ticks]


# The stored samples


@stored
def test_bw_logs_have_the_right_values() -> None:
    (result,) = theirs("13-log-bw-3.7.log")
    column = [int(line.split(b",")[1]) for line in (SAMPLES / "13-log-bw-3.7.log").read_bytes().splitlines() if line]
    assert rate(result) == pytest.approx(sum(column) / len(column) * 1024)
    assert moved_in_slots(result) == [pytest.approx(each * 1024, abs=1) for each in column]
    reads, writes = theirs("97-3.33-lg_bw.1.log")
    assert (reads.task.operation, writes.task.operation) == (Operation.READ, Operation.WRITE)
    assert rate(reads) == pytest.approx(46856 * 1024, rel=0.001)


@stored
def test_a_histogram_log_is_counted_and_not_taken_for_rates() -> None:
    (result,) = theirs("03-log-clat_hist.log")
    counts = [
        sum(map(int, line.split(b",")[3:])) for line in (SAMPLES / "03-log-clat_hist.log").read_bytes().splitlines()
    ]
    samples = result.runs[0].samples
    assert (samples.ops_count, samples.moved_bytes) == (sum(counts), sum(counts) * 16384)
    assert samples.latency
    # 1216 bins are those of 2.x, in µs.
    assert 50_000 < samples.latency.counts[len(samples.latency.counts) // 2].low_ns < 10**7
    assert result.task.block_bytes == 16384


@stored
def test_averaged_logs_of_operations_and_latencies_hold_no_rate() -> None:
    (iops,) = theirs("15-log-iops-3.7.log")
    assert (iops.summary, iops.runs) == (None, ())
    assert "7954 a second on average over 15.0 s" in (iops.trouble or "")
    (latencies,) = theirs("14-log-lat-3.7.log")
    assert latencies.summary is None
    assert "5.24 ms if fio was 3.x" in (latencies.trouble or "")


@stored
def test_a_log_with_offsets_and_priorities_counts_each_operation() -> None:
    (result,) = theirs("99-3.33-lgo_lat.1.log")
    assert result.runs[0].samples.moved_bytes == 8 << 20
    assert result.summary
    assert result.summary.mean_latency
    assert result.summary.mean_latency.value == pytest.approx(3350460, abs=1)
    assert result.task.block_bytes == 1 << 20


# Logs beside the JSON of the same run


def test_a_log_of_each_operation_is_as_exact_as_the_json() -> None:
    (right,) = FioImporter().read((OWN_FIO / "3.33-each.json").read_bytes())
    (result,) = own("3.33-each_lat.1.log")
    assert right.summary
    assert result.summary
    assert result.runs[0].samples.moved_bytes == right.runs[0].samples.moved_bytes
    assert rate(result) == pytest.approx(rate(right), rel=1e-9)
    assert result.summary.mean_latency
    assert right.summary.mean_latency
    assert result.summary.mean_latency.value == pytest.approx(right.summary.mean_latency.value, rel=1e-9)
    largest = {each.percentile: each.latency.value for each in result.summary.latency_ns}[100.0]
    stated = {each.percentile: each.latency.value for each in right.summary.latency_ns}[100.0]
    # The JSON lists clat, which leaves out the submission.
    assert largest >= stated
    moved_in_slots(result)
    (other,) = own("3.33-each_bw.1.log")
    assert rate(other) == rate(result)
    assert other.id != result.id


def test_averaged_logs_come_near_the_json() -> None:
    right = FioImporter().read((OWN_FIO / "3.33-logs.json").read_bytes())
    for name in ("3.33-log_bw.1.log", "3.33-log_clat_hist.1.log"):
        results = own(name)
        assert len(results) == 2
        for result, model in zip(results, right, strict=True):
            assert result.task.operation is model.task.operation
            # The last row ends before the run does, or is of a part of an interval.
            assert rate(result) == pytest.approx(rate(model), rel=0.02)
            assert len(moved_in_slots(result)) in (10, 11)


def test_coarse_histograms_are_read_with_their_error() -> None:
    right = FioImporter().read((OWN_FIO / "3.33-logs.json").read_bytes())
    for result, model in zip(own("3.33-log_clat_hist.1.log"), right, strict=True):
        histogram = result.runs[0].samples.latency
        assert histogram
        assert histogram.error_ratio == 16 / 128
        assert model.summary
        assert result.summary
        stated = {each.percentile: each.latency.value for each in model.summary.latency_ns}
        found = {each.percentile: each.latency.value for each in result.summary.latency_ns}
        for level in (50.0, 90.0, 99.0):
            assert found[level] == pytest.approx(stated[level], rel=0.25)


def test_results_survive_the_codec_and_have_the_same_id_each_time() -> None:
    for path in OWN_FIO.glob("*.log"):
        results = own(path.name)
        assert decode(encode(Document(results=results)), Document).results == results
        assert [result.id for result in own(path.name)] == [result.id for result in results]


# What fio leaves out


def test_time_without_rows_is_time_without_io() -> None:
    data = b"".join(b"%d, 1000, 0, 0, 0\n" % time for time in (500, 1000, 1500, 4000, 4500))
    (result,) = read(data)
    half = 1000 * 1024 // 2
    assert moved_in_slots(result) == [half, half, half, 0, 0, 0, 0, half, half]
    assert rate(result) == pytest.approx(5 * half / 4.5)


def test_a_ramp_is_not_counted_and_told() -> None:
    data = b"".join(b"%d, 1000, 1, 0, 0\n" % time for time in (6000, 6500, 7000))
    (result,) = read(data)
    assert rate(result) == pytest.approx(1000 * 1024)
    assert result.summary
    assert any("begins after 5.50 s" in caveat for caveat in result.summary.caveats)


def test_times_since_1970_are_dates() -> None:
    data = b"".join(b"%d, 1000, 0, 0, 0\n" % (1_700_000_000_000 + time) for time in (500, 1000))
    (result,) = read(data)
    assert result.created_at == datetime(2023, 11, 14, 22, 13, 21, tzinfo=UTC)
    assert rate(result) == pytest.approx(1000 * 1024)


def test_jobs_that_share_a_log_are_not_added_up() -> None:
    one = b"".join(b"%d, 1000, 0, 0, 0\n" % time for time in (500, 1000, 1500))
    results = read(one + one.replace(b"1000, 0", b"3000, 0"))
    assert [round(rate(result) / 1024) for result in results] == [1000, 3000]
    assert [result.origin.imported_from for result in results] == ["job 1 in the bw log", "job 2 in the bw log"]


def test_old_latencies_are_told_from_new_ones_by_what_is_in_flight() -> None:
    # Four columns: 1 ms each, one after another.
    new = b"".join(b"%d, 1000000, 0, 4096\n" % time for time in range(1, 100))
    old = b"".join(b"%d, 1000, 0, 4096\n" % time for time in range(1, 100))
    for data in (new, old):
        (result,) = read(data, "x_lat.1.log")
        assert result.summary
        assert result.summary.mean_latency
        assert result.summary.mean_latency.value == 1_000_000
        assert any("unit of its latencies" in caveat for caveat in result.summary.caveats)


def test_trims_are_left_out() -> None:
    with pytest.raises(ImportProblem, match="no reads and no writes"):
        read(b"500, 1000, 2, 0, 0\n1000, 1000, 2, 0, 0\n")


# Names and damage


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("lg_bw.1.log", "bw"),
        ("13-log-bw-3.7.log", "bw"),
        ("bw_lat.log", "lat"),
        ("a_clat_hist.2.log", "hist"),
        ("x_slat.log", "slat"),
        ("job_iops.1.log", "iops"),
        ("platter.log", None),
        ("", None),
    ],
)
def test_the_kind_is_in_the_name(name: str, kind: str | None) -> None:
    assert kind_in(name) == kind


def test_without_a_name_only_logs_of_each_operation_are_read() -> None:
    with pytest.raises(ImportProblem, match=r"name back that fio gave it, as x_bw\.1\.log"):
        read((OWN_FIO / "3.33-log_bw.1.log").read_bytes(), "")
    (result,) = read((OWN_FIO / "3.33-each_lat.1.log").read_bytes(), "")
    assert result.runs[0].samples.latency is None
    assert rate(result) == rate(own("3.33-each_lat.1.log")[0])


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"500, 10, 0, 0, 0\n" * 30 + b"1000, x, 0, 0, 0\n", "damaged at line 31"),
        (b"500, 10, 0, 0, 0\n" * 30 + b"1000\n", "damaged at line 31"),
        (b"500, 10, 0, 0, 0\n" * 30 + b"9" * 5000 + b", 1, 0, 0\n", "damaged at line 31"),
        (b"500, 10, 0, 0, 0\n" * 30 + b"9" * 20 + b", 1, 0, 0\n", "damaged at line 31"),
        (b"500, 10, 0, 0, 0\n" * 30 + b"1" * (1 << 22), "too long"),
        (b"500, 9999999999999999999, 0, 0, 0\n" * 30, "no storage reaches"),
        (b"1001, 0, 4096" + b", 1" * 40 + b"\n", "40 bins"),
        (b"".join(b"%d, 1, 0, 0, 0\n" % time for _ in range(300) for time in (1, 5, 9)), "too many jobs"),
    ],
)
def test_damage_is_a_problem_with_its_line(data: bytes, says: str) -> None:
    with pytest.raises(ImportProblem, match=says):
        read(data)


def test_a_last_row_that_is_cut_is_left_out() -> None:
    whole = (OWN_FIO / "3.33-log_bw.1.log").read_bytes()
    cut = whole[: whole.rindex(b", 0, 0")]
    assert (
        read(cut, "x_bw.1.log")[0].runs[0].samples.moved_bytes
        <= own("3.33-log_bw.1.log")[0].runs[0].samples.moved_bytes
    )
    assert len(list(rows(io.BytesIO(cut).read))) == whole.count(b"\n") - 1


@pytest.mark.parametrize("name", ["3.33-log_bw.1.log", "3.33-log_clat_hist.1.log"])
def test_copies_are_read_alike(name: str) -> None:
    data = (OWN_FIO / name).read_bytes()
    right = [rate(result) for result in own(name)]
    for changed in (
        data.replace(b"\n", b"\r\n"),
        b"\xff\xfe" + data.decode().encode("utf-16-le"),
        b"\n".join(b"> " + line for line in data.splitlines()),
        b"\n" + data,
    ):
        assert FioImporter().recognises(changed)
        assert [rate(result) for result in read(changed, name)] == right


def test_csv_of_others_is_no_log() -> None:
    for data in (b"1,2,0,4\n1,2,0,4\n", b"a, 1, 0, 4\n", b"1, 2, 7, 4\n", b"1, 2, 0\n", b"", b"\n"):
        assert not FioImporter().recognises(data)


# Large logs


class Endless(io.RawIOBase):
    """A log that is made as it is read, with the largest piece that was asked for."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size, self.place, self.largest = size, 0, 0
        self.rows = self._rows()
        self.rest = b""

    def _rows(self) -> Iterator[bytes]:
        time = 0
        while True:
            yield b"".join(b"%d, 51200, %d, 0, 0\n" % (time + 500 * i, i & 1) for i in range(1, 2001))
            time += 1_000_000

    def seek(self, offset: int, whence: int = 0) -> int:
        assert (offset, whence) == (0, 0)
        self.place, self.rows, self.rest = 0, self._rows(), b""
        return 0

    def read(self, size: int = -1) -> bytes:
        assert size >= 0, "asked for the whole"
        self.largest = max(self.largest, size)
        while len(self.rest) < size and self.place < self.size:
            self.rest += next(self.rows)
            self.place = self.place + 40_000
        found, self.rest = self.rest[:size], self.rest[size:]
        return found


def test_a_log_is_never_held_whole() -> None:
    log = Endless(4_000_000)
    reads, writes = FioImporter().read_stream(cast("BinaryIO", log), "x_bw.1.log")
    assert log.largest <= 1 << 20
    for result in (reads, writes):
        assert len(result.runs[0].samples.ticks) <= 20_000
        moved_in_slots(result)
        assert rate(result) == pytest.approx(51200 * 1024, rel=0.01)


def test_large_logs_are_streamed_by_the_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importers, "MEMORY_LIMIT_BYTES", 1 << 20)
    path = tmp_path / "x_bw.1.log"
    path.write_bytes(b"".join(b"%d, 51200, 0, 0, 0\n" % (100 * row) for row in range(1, 80_001)))
    assert path.stat().st_size > 1 << 20
    with path.open("rb") as file:
        (part,) = read_parts(file, path.name)
    assert part.problem is None
    assert rate(part.results[0]) == pytest.approx(51200 * 1024, rel=1e-6)


# Slots and bins


def test_slots_grow_wider_and_lose_nothing() -> None:
    slots = Slots(10)
    for time in range(0, 1_000_000, 7):
        slots.add_at(time, 4096, 1)
    assert slots.width_ms == 80
    assert len(slots) <= 20_000
    count = len(range(0, 1_000_000, 7))
    ticks = slots.ticks(4096 * count, count)
    assert sum(tick.moved_bytes for tick in ticks) == 4096 * count
    # 80 ms hold 11 or 12 times of every seventh ms.
    assert {tick.ops_count for tick in ticks[:-1]} == {11, 12}


def test_what_lasts_longer_than_a_slot_is_shared_by_time() -> None:
    slots = Slots(100)
    slots.add_over(50, 250, 1000, 10)
    assert [(tick.moved_bytes, tick.ops_count) for tick in slots.ticks(1000, 10)] == [(250, 2), (500, 6), (250, 2)]


def test_edges_are_those_of_fios_bins() -> None:
    lows = {low_of_number(number) for number in range(29 * 64)}
    for value in (0, 1, 127, 128, 129, 1000, 123_456, 10**9, 2**33):
        assert low_edge(value) in lows
        assert low_edge(value) <= value < low_edge(value) * (1 + 1 / 64) + 1
