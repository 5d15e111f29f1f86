"""The sentences on the newest result, and those at the end of a measurement."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from graycard.history import Standings, histories, standings
from graycard.model import Result, Verdict
from tests.history.made import QUICK, USUAL, a_day, days, rows_of

MANY = [*USUAL, *USUAL, *USUAL]
BAND = "490 to 512 MB/s from the last 20 results"


def beyond(numeral: str) -> str:
    return f"the {numeral} result in a row beyond what is expected"


def says(folder: Path, results: Iterable[Result]) -> str:
    (history,) = histories(rows_of(folder, results))
    return history.says


@pytest.mark.parametrize(
    ("rates", "sentence"),
    [
        ([500.0], "This is the first result of this set-up."),
        (USUAL[:3], "This is result 3 of this set-up; one is judged from 5 earlier ones on."),
        ([*MANY, 501.0], f"501 MB/s is as usual: {BAND}."),
        (
            [*MANY, 450.0],
            f"450 MB/s is unusual, 10 % below the middle of what is expected ({BAND}): repeat the measurement.",
        ),
        (
            [*MANY, 450.0, 451.0, 448.0],
            f"448 MB/s is slower than before: {beyond('third')}, 11 % below its middle ({BAND}).",
        ),
        (
            [*MANY, 600.0, 604.0],
            f"604 MB/s is faster than before: {beyond('second')}, 21 % above its middle ({BAND}).",
        ),
    ],
)
def test_a_sentence_on_the_newest(tmp_path: Path, rates: list[float], sentence: str) -> None:
    assert says(tmp_path, days(rates)) == sentence


def test_the_first_after_a_change_is_told_beside_the_level_before(tmp_path: Path) -> None:
    assert says(tmp_path, [*days(MANY), a_day(50, 400.0, kernel_version="6.5")]) == (
        "This is the first result since the set-up changed (kernel version: 6.1 against 6.5); it is 20 % below the "
        "level before, and graycard compare tells how sure."
    )


def test_the_first_after_a_change_of_a_short_history(tmp_path: Path) -> None:
    results = [a_day(0, 500.0), a_day(1, 400.0, kernel_version="6.5")]
    changed = "This is the first result since the set-up changed (kernel version: 6.1 against 6.5)."
    assert says(tmp_path, results) == changed


def test_a_failed_result(tmp_path: Path) -> None:
    sentence = "A check of this result failed, or it moved nothing: it is not counted."
    assert says(tmp_path, [*days(MANY), a_day(50, 900.0, verdict=Verdict.FAIL)]) == sentence


def at_the_end(folder: Path, earlier: Iterable[Result], new: list[Result]) -> Standings:
    found = histories(rows_of(folder, [*earlier, *new]), limit=1)
    return standings(found, {result.id for result in new})


def test_the_end_is_one_quiet_line_where_all_is_usual(tmp_path: Path) -> None:
    earlier = [*days(MANY), *days(MANY[:12], task=QUICK)]
    new = [a_day(50, 500.0), a_day(50, 500.0, task=QUICK)]
    assert at_the_end(tmp_path, earlier, new) == Standings(quiet=("As usual (12 to 20 earlier results).",))


def test_the_end_has_a_sentence_for_each_task_that_stands_out(tmp_path: Path) -> None:
    earlier = [*days(MANY), *days(MANY, task=QUICK)]
    found = at_the_end(tmp_path, earlier, [a_day(50, 400.0), a_day(50, 500.0, task=QUICK)])
    (sentence,) = found.loud
    assert sentence.startswith("SEQ1M QD8 read (file of 1G, runs of 2.50 s): 400 MB/s is unusual, 20 % below")
    assert found.quiet == ("1 of 2 tasks are as usual (20 earlier results).",)


def test_the_end_is_silent_on_a_short_history_and_on_failed_results(tmp_path: Path) -> None:
    assert at_the_end(tmp_path, days(USUAL[:3]), [a_day(50, 100.0)]) == Standings()
    failed = [a_day(60, 100.0, verdict=Verdict.FAIL)]
    assert at_the_end(tmp_path, days(MANY), failed) == Standings()


def test_the_end_is_silent_on_results_that_are_not_the_newest(tmp_path: Path) -> None:
    found = histories(rows_of(tmp_path, days(MANY)), limit=1)
    assert standings(found, {"another"}) == Standings()


def test_the_end_tells_a_change_of_the_set_up_once(tmp_path: Path) -> None:
    earlier = [*days(MANY), *days(MANY, task=QUICK)]
    new = [a_day(50, 400.0, kernel_version="6.5"), a_day(50, 400.0, task=QUICK, kernel_version="6.5")]
    says = (
        "First results since the set-up changed (kernel version: 6.1 against 6.5); graycard history shows those before."
    )
    assert at_the_end(tmp_path, earlier, new) == Standings(quiet=(says,))
