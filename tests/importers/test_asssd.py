"""AS SSD Benchmark: both views, commas, dates of every order, and what a hard disk leaves out."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from importers.samples import OWN, SHARED, stored

from graycard.errors import ImportProblem
from graycard.importers import read_all
from graycard.importers.imported import LOCAL_TIME, NOT_MEASURED, UNKNOWN_TIME
from graycard.model import Cache, Result, Verdict

MIB = 1 << 20
HEADER = "AS SSD Benchmark 2.0.7316.34247\n"
# The stored texts: MiB/s of sequential, 4K and 4K of 64 threads, read and write each, then access times in µs.
RIGHT_VALUES = {
    "asssd/01-asssd-2.0-mbs.txt": (2468.65, 1077.41, 60.63, 122.14, 445.71, 259.35, 98.0, 49.0),
    "asssd/03-asssd-2.0-yyyy-date.txt": (2863.65, 2127.69, 49.57, 89.19, 790.21, 1066.48, 90.0, 46.0),
    "asssd/04-asssd-2.0-german-comma.txt": (2468.65, 1077.41, 60.63, 122.14, 445.71, 259.35, 98.0, 49.0),
}
SCORES = {
    "asssd/01-asssd-2.0-mbs.txt": "score 753/489/1580",
    "asssd/03-asssd-2.0-yyyy-date.txt": "score 1126/1368/3046",
    "asssd/04-asssd-2.0-german-comma.txt": "score 753/489/1580",
}
LABELS = [
    "SEQ16M QD1 read",
    "SEQ16M QD1 write",
    "RND4K QD1 read",
    "RND4K QD1 write",
    "RND4K QD64 T64 read",
    "RND4K QD64 T64 write",
    "RND512B QD1 read",
    "RND512B QD1 write",
]


def own(path: str) -> tuple[Result, ...]:
    return read_all((OWN / "asssd" / path).read_bytes())


def caveats(result: Result) -> str:
    assert result.summary
    return " ".join(result.summary.caveats)


@stored
@pytest.mark.parametrize("file", RIGHT_VALUES)
def test_the_mb_of_as_ssd_are_mebibytes(file: str) -> None:
    results = read_all((SHARED / file).read_bytes())
    assert [each.task.label for each in results] == LABELS
    found = [each.summary.rate.value / MIB for each in results[:6] if each.summary]
    assert found == pytest.approx(RIGHT_VALUES[file][:6])
    times = [
        each.summary.mean_latency.value / 1e3 for each in results[6:] if each.summary and each.summary.mean_latency
    ]
    assert times == pytest.approx(RIGHT_VALUES[file][6:])
    assert {each.origin.imported_from for each in results} == {SCORES[file]}


@stored
def test_both_views_of_one_run_give_one_rate() -> None:
    megabytes = read_all((SHARED / "asssd/01-asssd-2.0-mbs.txt").read_bytes())
    operations = read_all((SHARED / "asssd/02-asssd-2.0-iops-view.txt").read_bytes())
    for one, other in zip(megabytes[:7], operations[:7], strict=True):
        assert one.summary
        assert other.summary
        assert one.task.label == other.task.label
        assert one.summary.rate.value == pytest.approx(other.summary.rate.value, rel=1e-4)
    assert [round(each.summary.ops.value, 2) for each in operations if each.summary and each.summary.ops] == [
        154.29,
        67.34,
        15521,
        31267,
        114103,
        66393,
        10204,
        20233,
    ]


def test_the_iops_view_in_german_and_latin_1() -> None:
    results = own("iops-german.txt")
    assert [each.task.label for each in results] == LABELS
    rates = [each.summary.rate.value / 1e6 for each in results if each.summary]
    assert rates[:3] == pytest.approx([1048.576, 15.63 * 16 * MIB / 1e6, 26.2144])
    assert {each.created_at for each in results} == {datetime(2017, 2, 13, 23, 44, 21, tzinfo=UTC)}
    assert results[0].task.cache is Cache.BYPASS
    assert {fact.name: fact.value for fact in results[0].facts}["driver"] == "stornvme"


def test_0_00_is_not_measured_and_times_of_another_drive_are_doubted() -> None:
    results = own("two-drives.txt")
    first, second = results[:8], results[8:]
    assert len({each.measurement_id for each in results}) == 2
    assert [each.task.label for each in first if each.summary is None] == ["RND4K QD64 T64 write"]
    assert {each.trouble for each in second[2:6]} == {NOT_MEASURED}
    assert "tested before" in caveats(second[6])
    assert "tested before" not in caveats(first[6])


def test_more_than_sata_carries_is_told_where_the_driver_is_one_of_sata() -> None:
    def link(result: Result) -> Verdict | None:
        checks = result.summary.checks if result.summary else ()
        return next((check.verdict for check in checks if check.name == "within_link"), None)

    assert link(own("two-drives.txt")[0]) is Verdict.CAVEAT
    assert link(own("two-drives.txt")[1]) is Verdict.PASS
    assert link(own("iops-german.txt")[0]) is None


@pytest.mark.parametrize(
    ("date", "moment"),
    [
        ("2/13/2017 11:44:21 PM", datetime(2017, 2, 13, 23, 44, 21, tzinfo=UTC)),
        ("2/13/2017 12:04:21 AM", datetime(2017, 2, 13, 0, 4, 21, tzinfo=UTC)),
        ("23/04/2025 16:05:59", datetime(2025, 4, 23, 16, 5, 59, tzinfo=UTC)),
        ("02.06.2017 23:44:21", datetime(2017, 6, 2, 23, 44, 21, tzinfo=UTC)),
        ("06-02-2017 23:44:21", datetime(2017, 2, 6, 23, 44, 21, tzinfo=UTC)),
        ("2024/11/28 14:18:03", datetime(2024, 11, 28, 14, 18, 3, tzinfo=UTC)),
        ("4/4/2017 1:02:03", datetime(2017, 4, 4, 1, 2, 3, tzinfo=UTC)),
        ("31/31/2017 1:02:03", UNKNOWN_TIME),
        ("1/2/2017 25:00:00", UNKNOWN_TIME),
        ("", UNKNOWN_TIME),
    ],
)
def test_dates_of_every_order(date: str, moment: datetime) -> None:
    [result] = read_all(f"{HEADER}Name: X\nDate: {date}\n4K:\nRead: 10.00 MB/s\n".encode())
    assert result.created_at == moment
    assert (LOCAL_TIME in caveats(result)) == (moment != UNKNOWN_TIME)


def test_a_date_that_can_be_read_twice_is_left_out_and_told() -> None:
    [result] = read_all(f"{HEADER}Date: 2/6/2017 23:44:21\n4K:\nRead: 10.00 MB/s\n".encode())
    assert result.created_at == UNKNOWN_TIME
    assert "2/6/2017 23:44:21" in caveats(result)


def test_what_cannot_be_read_is_told_with_its_line() -> None:
    good, bad = read_all(f"{HEADER}4K:\nRead: 10.00 MB/s\nWrite: 1".encode())
    assert good.summary
    assert bad.trouble == "Line 4 gives no figure that can be read: the text is damaged or cut short there."
    with pytest.raises(ImportProblem, match="no line with a result"):
        read_all(f"{HEADER}Firmware: 1.0\n".encode())


def test_what_another_tool_says_of_reading_is_no_figure() -> None:
    text = HEADER + "Seq:\nRead: 100.00 MB/s\nseqread: (groupid=0)\n   read: IOPS=1103, BW=1103MiB/s\n"
    (result,) = [each for each in read_all(text.encode()) if each.origin.tool == "AS SSD Benchmark"]
    assert result.summary
    assert result.summary.rate.value == pytest.approx(100 * MIB)
