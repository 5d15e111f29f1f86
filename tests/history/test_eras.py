"""Which results make a history, and where a new era of the set-up begins."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from graycard.history import histories
from graycard.model import FactValue, History, Result, Standing, Verdict
from tests.history.made import QUICK, READ, TRIAL, USUAL, a_day, days, rows_of

Told = Callable[..., tuple[History, ...]]


@pytest.fixture
def told(tmp_path: Path) -> Told:
    def tell(results: Iterable[Result], **options: Any) -> tuple[History, ...]:
        return histories(rows_of(tmp_path, results), **options)

    return tell


def rates(history: History) -> list[list[float]]:
    return [[entry.rate_bytes_per_s / 1e6 for entry in era.entries] for era in history.eras]


def standings(history: History) -> list[Standing]:
    return [entry.standing for era in history.eras for entry in era.entries]


def changed(history: History) -> list[list[str]]:
    return [[change.name for change in era.changes] for era in history.eras]


def test_results_of_one_set_up_are_one_era_the_oldest_first(told: Told) -> None:
    (history,) = told(days(USUAL))
    assert rates(history) == [list(USUAL)]
    assert changed(history) == [[]]
    assert history.task_label == "SEQ1M QD8 read"
    assert history.device == "Fast SSD · exfat · device d1a2b3c4 · volume f1a2b3c4"
    assert standings(history) == [
        Standing.FIRST,
        *[Standing.TOO_SHORT] * 4,
        *[Standing.USUAL] * 3,
    ]
    *_, newest = history.eras[0].entries
    assert newest.expected is not None
    assert newest.expected.low is not None
    assert newest.rate_low_bytes_per_s == pytest.approx(507e6 * 0.98)
    assert newest.expected.low < 507e6


@pytest.mark.parametrize(
    ("name", "other", "says"),
    [
        ("os_name", "Test OS 2", "os name: Test OS 1 against Test OS 2"),
        ("kernel_version", "6.5", "kernel version: 6.1 against 6.5"),
        ("link_bits_per_s", 480_000_000, "link: 5.00 Gbit/s against 480 Mbit/s"),
        ("file_system", "ext4", "file system: exfat against ext4"),
        ("file_system_id", "f9", "another volume, or one formatted anew"),
        ("mount_options", "rw,noatime", "mount options: discard against none"),
        ("encryption", "dm-crypt", None),
        ("cpu_model", "Other", None),
    ],
)
def test_a_change_of_the_set_up_begins_an_era_and_is_told(
    told: Told, name: str, other: FactValue, says: str | None
) -> None:
    (history,) = told([*days(USUAL), *days(USUAL, 20, **{name: other})])
    if says is None:
        # Not known before: nobody can say that it changed.
        assert changed(history) == [[]]
    else:
        assert changed(history) == [[], [name]]
        assert [change.says for change in history.eras[1].changes] == [says]


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"engine": "fio"}, "measured_by"),
        ({"version": "0.2.0"}, "graycard_version"),
        ({"task": replace(READ, span_bytes=4 << 30)}, "span_bytes"),
        ({"task": replace(READ, time_ns=10**9)}, "time_ns"),
    ],
)
def test_a_change_of_the_measuring_begins_an_era(told: Told, changes: dict[str, Any], name: str) -> None:
    (history,) = told([*days(USUAL), *days(USUAL, 20, **changes)])
    assert changed(history) == [[], [name]]


def test_the_place_and_its_name_are_no_change(told: Told) -> None:
    results = [
        *days(USUAL),
        *days(USUAL, 20, path="/media/other name", device_name="sdc", mount_options="discard,rw,noatime"),
    ]
    (history,) = told(results)
    assert changed(history) == [[]]
    assert len(history.eras[0].entries) == 16


def test_a_reformatted_drive_is_a_new_era_of_the_same_drive(told: Told) -> None:
    results = [*days(USUAL), *days(USUAL, 20, file_system_id="f9", file_system="ext4")]
    (history,) = told(results)
    assert changed(history) == [[], ["file_system", "file_system_id"]]
    (after_looking_at_the_new_one,) = told([], file_system_id="f9")
    assert len(after_looking_at_the_new_one.eras) == 2


def test_a_volume_made_anew_and_not_yet_measured_has_the_history_of_its_drive(told: Told) -> None:
    (history,) = told(days(USUAL), file_system_id="f9")
    assert rates(history) == [list(USUAL)]


def test_two_volumes_of_one_drive_have_a_history_each(told: Told) -> None:
    one = days(USUAL)
    other = days([rate / 2 for rate in USUAL], 0.5, file_system_id="f2", path="/mnt/other")
    found = told([*one, *other])
    assert [changed(history) for history in found] == [[[]], [[]]]
    assert {history.device.rpartition(" ")[2] for history in found} == {"f1a2b3c4", "f2"}
    (history,) = told([], file_system_id="f2")
    assert rates(history) == [[rate / 2 for rate in USUAL]]


def test_engines_that_are_cross_checked_have_a_history_each(told: Told) -> None:
    results = [a_day(day, rate, engine=engine) for day, rate in enumerate(USUAL) for engine in ("native", "fio")]
    found = told(results)
    assert [history.task_label for history in found] == ["SEQ1M QD8 read (fio)", "SEQ1M QD8 read (native)"]
    assert [changed(history) for history in found] == [[[]], [[]]]


def test_presets_in_turn_have_a_history_each(told: Told) -> None:
    results = [*days(USUAL), *days(USUAL, 0.5, task=QUICK)]
    assert sorted(history.task_label for history in told(results)) == [
        "SEQ1M QD8 read (file of 1G, runs of 2.50 s)",
        "SEQ1M QD8 read (file of 256M, runs of 500 ms)",
    ]


def test_files_of_several_sizes_in_one_measurement_have_a_history_each(told: Told) -> None:
    results = [
        a_day(day + place / 100, rate, task=replace(READ, span_bytes=size << 20), measurement=f"m{day}")
        for day, rate in enumerate(USUAL[:3])
        for place, size in enumerate((64, 128))
    ]
    found = told(results)
    assert [history.task_label for history in found] == [
        "SEQ1M QD8 read (file of 128M)",
        "SEQ1M QD8 read (file of 64M)",
    ]
    assert all(len(history.eras) == 1 for history in found)


def test_a_set_up_that_comes_back_is_judged_by_its_own_results(told: Told) -> None:
    slower = [rate * 0.7 for rate in USUAL]
    results = [*days(USUAL), *days(slower, 20, kernel_version="6.5"), *days([500.0, 350.0], 40)]
    (history,) = told(results)
    assert changed(history) == [[], ["kernel_version"], ["kernel_version"]]
    assert standings(history)[-2:] == [Standing.USUAL, Standing.UNUSUAL]
    # Each era on its own is quiet: the kernel made the difference, and no result of one kernel stands out in it.
    assert Standing.REGRESSION not in standings(history)


def test_what_is_not_known_for_a_while_changes_nothing(told: Told) -> None:
    results = [*days(USUAL), *days(USUAL, 20, os_name=None, link_bits_per_s=None), *days(USUAL, 40)]
    (history,) = told(results)
    assert changed(history) == [[]]


def test_what_is_not_known_for_a_while_hides_no_change(told: Told) -> None:
    results = [*days(USUAL), *days(USUAL, 20, os_name=None), *days(USUAL, 40, os_name="Test OS 2")]
    (history,) = told(results)
    assert changed(history) == [[], ["os_name"]]


def test_a_failed_result_is_shown_and_does_not_enter_the_expectation(told: Told) -> None:
    failed = [a_day(20 + day, 2000.0, verdict=Verdict.FAIL) for day in range(6)]
    (history,) = told([*days(USUAL), *failed, *days([500.0], 30)])
    assert standings(history)[-7:] == [*[Standing.NOT_COUNTED] * 6, Standing.USUAL]
    (era,) = history.eras
    assert era.entries[-1].expected == era.entries[-2].expected


def test_a_caveat_is_counted(told: Told) -> None:
    (history,) = told(days(USUAL, verdict=Verdict.CAVEAT))
    assert standings(history)[-1] is Standing.USUAL


def test_results_of_an_experiment_are_left_out(told: Told) -> None:
    (history,) = told([*days(USUAL), *days([50.0] * 3, 20, trial=TRIAL)])
    assert rates(history) == [list(USUAL)]


def test_shares_go_by_their_file_system_and_what_has_no_id_has_no_history(told: Told) -> None:
    share = days(USUAL, device_id=None, device_name=None, device_model=None, file_system="nfs4", path="/mnt/nas")
    nameless = days(USUAL, 0.5, device_id=None, file_system_id=None)
    (history,) = told([*share, *nameless])
    assert history.device == "/mnt/nas · nfs4 · volume f1a2b3c4"


def test_only_the_newest_become_entries_and_all_are_judged(told: Told) -> None:
    (whole,) = told(days([*USUAL, *USUAL, 400.0]))
    (part,) = told([], limit=3)
    assert [entry for era in part.eras for entry in era.entries] == list(whole.eras[0].entries[-3:])
    assert part.says == whole.says


def test_an_era_that_begins_before_the_newest_still_tells_what_changed(told: Told) -> None:
    (history,) = told([*days(USUAL), *days(USUAL, 20, kernel_version="6.5")], limit=3)
    assert changed(history) == [["kernel_version"]]


def test_the_drive_measured_last_comes_first_and_sequential_tasks_before_random(told: Told) -> None:
    random = replace(READ, pattern=type(READ.pattern).RANDOM, block_bytes=4096)
    old = [*days(USUAL, task=random), *days(USUAL)]
    new = days(USUAL, 20, device_id="d2", file_system_id="f2")
    found = told([*old, *new])
    assert ["d2" in history.device for history in found] == [True, False, False]
    assert [history.task_label for history in found[1:]] == ["SEQ1M QD8 read", "RND4K QD8 read"]
