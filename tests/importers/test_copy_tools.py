"""rsync and rclone: which of their rates counts, in which unit, and what was no copy at all."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from importers.samples import OWN, SHARED, stored

from graycard.importers.rclone import RcloneImporter
from graycard.importers.rsync import RsyncImporter
from graycard.model import Action, Result

MIB = 1 << 20


def rsync(name: str) -> Result:
    data = (OWN / "rsync" / name).read_bytes()
    assert RsyncImporter().recognises(data)
    (result,) = RsyncImporter().read(data)
    return result


def rclone(name: str) -> Result:
    data = (OWN / "rclone" / name).read_bytes()
    assert RcloneImporter().recognises(data)
    (result,) = RcloneImporter().read(data)
    return result


def rate(result: Result) -> float | None:
    return result.summary.rate.value if result.summary else None


def test_the_progress_of_the_whole_counts_in_units_of_1024() -> None:
    result = rsync("3.5.0-progress2-stats.txt")
    assert rate(result) == pytest.approx(272.59 * MIB)
    assert result.task.transfer
    assert (result.task.transfer.action, result.task.transfer.file_count) == (Action.COPY, 4)
    assert result.task.byte_limit == 66060288
    assert result.runs[0].samples.moved_bytes == 66060288


def test_the_closing_rate_counts_where_rsyncs_clock_is_fine_enough() -> None:
    result = rsync("3.5.0-bwlimit.txt")
    assert rate(result) == pytest.approx(18879096.29)
    assert result.summary
    # 66076837 bytes in 3 whole seconds: somewhere from 2 to 4.
    assert "rsync's clock has whole seconds: the rate is between 16.5 MB/s and 33.0 MB/s." in result.summary.caveats


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("3.5.0-progress.txt", "too short"),
        ("3.5.0-dry-run.txt", "dry run"),
        ("3.5.0-nothing.txt", "nothing to transfer"),
        ("3.5.0-missing.txt", "No such file or directory (2)"),
    ],
)
def test_what_rsync_did_not_measure_has_no_rate(name: str, says: str) -> None:
    result = rsync(name)
    assert result.summary is None
    assert result.trouble
    assert says in result.trouble


@stored
@pytest.mark.parametrize(
    ("name", "moved"),
    [("02-human-h.txt", 131070000), ("03-progress-per-file-hh.txt", 131072000), ("04-locale-de.txt", 131072000)],
)
def test_sizes_with_letters_and_in_german(name: str, moved: int) -> None:
    (result,) = RsyncImporter().read((SHARED / "rsync" / name).read_bytes())
    assert result.task.byte_limit == moved


@pytest.mark.parametrize(
    ("name", "bytes_per_s", "moved", "file_count"),
    [
        ("1.60.1-v.txt", 60.805 * MIB, 63 * MIB, 4),
        ("1.60.1-one-line.txt", 40.840 * MIB, 63 * MIB, None),
        ("1.60.1-bwlimit.jsonl", 42450621.26, 66060288, 4),
        ("1.39-invented.txt", 10.125 * MIB, round(1.221 * (1 << 30)), 3),
    ],
)
def test_rclones_last_statistics_count(name: str, bytes_per_s: float, moved: int, file_count: int | None) -> None:
    result = rclone(name)
    assert rate(result) == pytest.approx(bytes_per_s)
    assert result.task.byte_limit == moved
    assert result.task.transfer
    assert result.task.transfer.file_count == file_count


def test_rclones_time_and_its_other_speed_are_told() -> None:
    result = rclone("1.39-invented.txt")
    assert result.created_at == datetime(2018, 2, 3, 4, 5, 6, tzinfo=UTC)
    log = rclone("1.60.1-bwlimit.jsonl")
    assert log.summary
    # 66060288 bytes in 1.836 s.
    assert any("over the whole 1.8 s it was 36.0 MB/s" in each for each in log.summary.caveats)


def test_a_failed_copy_has_no_rate() -> None:
    result = rclone("1.60.1-failed.txt")
    assert result.summary is None
    assert result.trouble == "rclone failed after 0 B: mkdir /proc/nowhere: no such file or directory."


def test_two_copies_in_one_log_stay_apart() -> None:
    one = (OWN / "rclone" / "1.60.1-v.txt").read_text()
    less = one.replace("63 MiB / 63 MiB", "10 MiB / 10 MiB").replace("60.805", "11.000")
    found = RcloneImporter().read((one + less).encode())
    assert [rate(result) for result in found] == pytest.approx([60.805 * MIB, 11 * MIB])


def test_an_unfinished_copy_is_told() -> None:
    text = (OWN / "rclone" / "1.60.1-v.txt").read_text().replace("63 MiB / 63 MiB, 100%", "20 MiB / 63 MiB, 31%")
    (result,) = RcloneImporter().read(text.encode())
    assert rate(result) == pytest.approx(60.805 * MIB)
    assert result.trouble
    assert "not finished" in result.trouble


def test_the_progress_of_several_files_together_needs_no_statistics() -> None:
    told = (
        "      3,000,000   6%  282.98MB/s    0:00:00 (xfr#1, to-chk=5/7)\r"
        "     15,000,000  33%  303.70MB/s    0:00:00 (xfr#5, to-chk=1/7)\r"
        "     45,000,000 100%  332.43MB/s    0:00:00 (xfr#6, to-chk=0/7)\n"
    )
    (result,) = RsyncImporter().read(told.encode())
    assert rate(result) == pytest.approx(332.43 * MIB)


def test_the_progress_of_each_file_is_no_rate_of_the_whole() -> None:
    told = (
        "a\n      3,000,000 100%  282.98MB/s    0:00:00 (xfr#1, to-chk=1/3)\n"
        "b\n      3,000,000 100%  303.70MB/s    0:00:00 (xfr#2, to-chk=0/3)\n"
    )
    (result,) = RsyncImporter().read(told.encode())
    assert rate(result) is None


def test_states_of_rclone_in_one_line_follow_each_other() -> None:
    told = (
        b"7.641 MiB / 42.915 MiB, 18%, 0 B/s, ETA -30.082 MiB / 42.915 MiB, 70%, 15.152 MiB/s, ETA 1m3s"
        b"42.915 MiB / 42.915 MiB, 100%, 15.040 MiB/s, ETA 0s\n"
    )
    assert RcloneImporter().recognises(told)
    (result,) = RcloneImporter().read(told)
    assert rate(result) == pytest.approx(15.04 * MIB)


def log(name: str) -> tuple[Result, ...]:
    data = (OWN / "rsync" / name).read_bytes()
    assert RsyncImporter().recognises(data)
    return RsyncImporter().read(data)


def test_the_times_of_a_log_give_the_rate_of_its_bytes() -> None:
    copied, again, failed = log("3.5.0-log.txt")
    # 18,004,627 + 81 bytes from 00:11:09 to 00:11:13.
    assert rate(copied) == pytest.approx(18_004_708 / 4)
    assert copied.created_at == datetime(2026, 12, 1, 0, 11, 9, tzinfo=UTC)
    assert copied.summary
    assert "rsync's clock has whole seconds: the rate is between 3.60 MB/s and 6.00 MB/s." in copied.summary.caveats
    assert copied.task.transfer
    assert copied.task.transfer.file_count == 3
    assert (again.trouble or "").startswith("rsync had nothing to transfer")
    assert "No such file or directory (2)" in (failed.trouble or "")


def test_a_log_with_statistics_gives_rsyncs_own_rate() -> None:
    (copied,) = log("3.5.0-log-stats.txt")
    assert copied.summary
    words = (OWN / "rsync" / "3.5.0-log-stats.txt").read_text(encoding="utf-8")
    printed = words.partition(" bytes/sec")[0].split()[-1].replace(",", "")
    assert rate(copied) == pytest.approx(float(printed))
    assert copied.task.byte_limit == 18_000_000


def test_a_daemon_logs_transfers_both_ways() -> None:
    received, sent = log("3.5.0-daemon-log.txt")
    assert rate(received) == pytest.approx(18_004_711 / 5)
    assert rate(sent) == pytest.approx(18_004_733 / 3)


def test_transfers_that_ran_at_once_are_told_apart_by_their_process() -> None:
    lines = (OWN / "rsync" / "3.5.0-log.txt").read_text(encoding="utf-8").splitlines(keepends=True)[:6]
    other = [line.replace("[4915]", "[77]").replace("18004627", "9004627") for line in lines]
    mixed = "".join(line for pair in zip(lines, other, strict=True) for line in pair)
    assert [rate(each) for each in RsyncImporter().read(mixed.encode())] == pytest.approx([4501177, 2251177])
