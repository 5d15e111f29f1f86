"""What all results of other tools keep to."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from graycard.errors import ImportProblem
from graycard.importers import Part, read_all, read_parts, results_of
from graycard.importers.imported import (
    NOT_MEASURED,
    UNKNOWN_TIME,
    Figures,
    imported,
    measurement_id,
    result_id,
    sane,
    stated_time,
)
from graycard.model import Aggregate, Check, IoTask, Operation, Origin, Pattern, Result, Verdict

TASK = IoTask(Operation.READ, Pattern.SEQUENTIAL, 1 << 20, 1 << 30)
ORIGIN = Origin("speedy", "1.2", None, "row 1")
DAY = datetime(2021, 6, 23, tzinfo=UTC)


def made(figures: Figures, task: IoTask = TASK, origin: Origin = ORIGIN) -> Result:
    return imported("r1", origin, task, figures, measurement="m1")


def checks(result: Result) -> dict[str, Check]:
    assert result.summary
    return {check.name: check for check in result.summary.checks}


class Speedy:
    """Recognises its own word, and gives a result or fails."""

    def __init__(self, name: str, word: bytes, problem: Exception | None = None) -> None:
        self.name, self._word, self._problem = name, word, problem

    def recognises(self, head: bytes) -> bool:
        return self._word in head

    def read(self, data: bytes) -> tuple[Result, ...]:
        if self._problem:
            raise self._problem
        whole = measurement_id(data, self.name)
        return (replace(made(Figures(rate_bytes_per_s=1e8)), id=result_id(whole, 1), measurement_id=whole),)


def test_figures_become_a_summary_without_intervals() -> None:
    result = made(Figures(rate_bytes_per_s=500e6, latency_ns={100.0: 9e6, 50.0: 2e6}, mean_latency_ns=3e6))
    assert result.summary
    rate, mean = result.summary.rate, result.summary.mean_latency
    assert (rate.value, rate.low, rate.high, rate.n_count, rate.method) == (500e6, None, None, 1, "single run")
    assert result.summary.ops is None
    assert mean
    assert mean.value == 3e6
    assert [each.percentile for each in result.summary.latency_ns] == [50.0, 100.0]
    assert (result.trouble, result.created_at, list(checks(result))) == (None, UNKNOWN_TIME, ["plausible"])


@pytest.mark.parametrize(
    ("aggregate", "count", "words"),
    [
        (Aggregate.BEST, 5, "best of 5 runs"),
        (Aggregate.MEDIAN, 3, "median of 3 runs"),
        (Aggregate.MEAN, 0, "mean of its runs"),
        (Aggregate.BEST, 1, "single run"),
        (None, 1, "single run"),
    ],
)
def test_the_aggregate_is_named(aggregate: Aggregate | None, count: int, words: str) -> None:
    result = made(Figures(rate_bytes_per_s=1e8, run_count=count), origin=replace(ORIGIN, aggregate=aggregate))
    assert result.summary
    assert (result.summary.rate.method, result.summary.rate.n_count) == (words, count)


@pytest.mark.parametrize("rate", [None, 0.0])
def test_what_was_not_measured_is_no_zero(rate: float | None) -> None:
    result = made(Figures(rate_bytes_per_s=rate))
    assert (result.summary, result.trouble) == (None, NOT_MEASURED)
    told = imported("r1", ORIGIN, TASK, Figures(rate_bytes_per_s=rate), measurement="m1", trouble="It failed.")
    assert told.trouble == "It failed."


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf"), -1.0])
@pytest.mark.parametrize("field", ["rate_bytes_per_s", "ops_per_s", "mean_latency_ns", "stated_bytes_per_s"])
def test_what_is_no_quantity_is_refused(field: str, value: float) -> None:
    figures = replace(Figures(rate_bytes_per_s=1e8), **{field: value})
    with pytest.raises(ImportProblem, match=r"speedy's figure .* for SEQ1M QD1 read is no quantity"):
        made(figures)
    with pytest.raises(ImportProblem, match="is no quantity"):
        made(Figures(rate_bytes_per_s=1e8, latency_ns={50.0: value}))


@pytest.mark.parametrize(
    ("figures", "says"),
    [
        (Figures(rate_bytes_per_s=2e12), "a rate of 2e+12 bytes/s"),
        (Figures(rate_bytes_per_s=1e8, ops_per_s=2e9), "reaches operations of 2e+09 ops/s"),
        (Figures(rate_bytes_per_s=1e8, mean_latency_ns=1e15), "a latency of 1e+15 ns"),
        (Figures(rate_bytes_per_s=1e8, latency_ns={99.0: 1e15}), "a latency of 1e+15 ns"),
    ],
)
def test_what_no_storage_reaches_fails_a_check(figures: Figures, says: str) -> None:
    check = checks(made(figures))["plausible"]
    assert check.verdict is Verdict.FAIL
    assert says in check.says


def test_sane_is_finite_positive_and_below_the_limit() -> None:
    assert sane(1e12, "bytes/s")
    assert not any(sane(value, "bytes/s") for value in (1.1e12, -1.0, float("nan"), float("inf")))
    assert sane(1e30, "unknown unit")


@pytest.mark.parametrize(
    ("rate", "ops", "block"),
    [
        (531.458e6, 506.8, 1 << 20),
        (41.375e6, 10101.3, 4096),
        (0.183e6, 44.7, 4096),
        (2468.65 * 2**20, 154.29, 16 << 20),
        (1.3e6, 317, 4096),
    ],
)
def test_figures_that_agree_but_for_their_rounding_pass(rate: float, ops: float, block: int) -> None:
    result = made(Figures(rate_bytes_per_s=rate, ops_per_s=ops), replace(TASK, block_bytes=block))
    assert checks(result)["figures_agree"].verdict is Verdict.PASS


def test_a_contradiction_fails() -> None:
    check = checks(made(Figures(rate_bytes_per_s=508.897e6, ops_per_s=497.0)))["figures_agree"]
    assert (check.verdict, check.measured, check.expected) == (Verdict.FAIL, 508.897e6, 497.0 * 2**20)
    assert "it states 509 MB/s, but its 497 operations a second × block are 521 MB/s; do not use" in check.says


def test_a_contradiction_that_is_put_right_is_a_caveat() -> None:
    figures = Figures(rate_bytes_per_s=497.0 * 2**20, ops_per_s=497.0, stated_bytes_per_s=508.897e6)
    check = checks(made(figures))["figures_agree"]
    assert (check.verdict, check.measured) == (Verdict.CAVEAT, 508.897e6)
    assert check.says.endswith("are 521 MB/s; 521 MB/s is published here.")


def test_figures_cannot_contradict_a_block_that_is_not_stated() -> None:
    task = replace(TASK, unstated=("block_bytes",))
    assert "figures_agree" not in checks(made(Figures(rate_bytes_per_s=1e8, ops_per_s=5.0), task))


def test_ids_are_those_of_the_content() -> None:
    assert measurement_id(b"a", "fio") == measurement_id(b"a", "fio")
    ids = {
        measurement_id(b"a", "fio"),
        measurement_id(b"b", "fio"),
        measurement_id(b"a", "dd"),
        measurement_id(b"a", "dd", 2),
    }
    assert len(ids) == 4
    # Lists show the first eight characters.
    assert len({result_id("m1", number)[:8] for number in range(100)}) == 100


@pytest.mark.parametrize(
    ("text", "time", "local"),
    [
        ("Date: 2021/06/23 0:05:57", datetime(2021, 6, 23, 0, 5, 57, tzinfo=UTC), True),
        ("2019-10-15T04:09:09Z", datetime(2019, 10, 15, 4, 9, 9, tzinfo=UTC), False),
        ("2022-08-24 16:10:33 UTC", datetime(2022, 8, 24, 16, 10, 33, tzinfo=UTC), False),
        ("2022-08-24T16:10:33.125+09:00", datetime(2022, 8, 24, 7, 10, 33, tzinfo=UTC), False),
        ("2022-08-24T16:10:33-0330", datetime(2022, 8, 24, 19, 40, 33, tzinfo=UTC), False),
        ("on 2013/05/06", datetime(2013, 5, 6, tzinfo=UTC), True),
    ],
)
def test_times_are_read(text: str, time: datetime, local: bool) -> None:
    assert stated_time(text) == (time, local)


@pytest.mark.parametrize("text", ["", "2022-13-01 10:00", "0000-01-01", "9999-12-31T23:59:59-23:59", "12.5.2022"])
def test_what_is_no_time_is_none(text: str) -> None:
    assert stated_time(text) is None


def test_a_text_of_several_tools_gives_the_results_of_all() -> None:
    tools = [Speedy("alpha", b"ALPHA"), Speedy("beta", b"BETA"), Speedy("gamma", b"GAMMA")]
    parts = read_parts(io.BytesIO(b"ALPHA\nBETA"), "log.txt", importers=tools)
    assert [(part.importer, len(part.results), part.problem) for part in parts] == [
        ("alpha", 1, None),
        ("beta", 1, None),
    ]
    assert len({result.id for part in parts for result in part.results}) == 2


def test_what_one_tool_cannot_read_does_not_hide_the_other() -> None:
    tools = [Speedy("alpha", b"ALPHA", ImportProblem("it is cut short")), Speedy("beta", b"BETA")]
    parts = read_parts(io.BytesIO(b"ALPHA\nBETA"), importers=tools)
    assert [part.problem for part in parts] == ["it is cut short", None]
    assert len(results_of(parts)) == 1
    with pytest.raises(ImportProblem, match="it is cut short"):
        read_all(b"ALPHA", importers=tools)
    with pytest.raises(ImportProblem, match="no results of any tool"):
        read_all(b"nothing", importers=tools)


def test_a_reader_that_is_led_too_deep_is_a_problem() -> None:
    (part,) = read_parts(io.BytesIO(b"ALPHA"), importers=[Speedy("alpha", b"ALPHA", RecursionError())])
    assert part == Part("alpha", (), "The file is nested too deeply to be a result; get the tool's own output")


def test_the_file_tells_its_name_and_its_date() -> None:
    speedy = Speedy("alpha", b"ALPHA")
    (part,) = read_parts(io.BytesIO(b"ALPHA"), "log.txt", DAY, importers=[speedy])
    (result,) = part.results
    assert (result.origin.imported_from, result.created_at) == ("log.txt: row 1", DAY)
    assert result.summary
    assert result.summary.caveats[-1].startswith("The tool gives no date")
    (bare,) = read_all(b"ALPHA", importers=[speedy])
    assert (bare.origin.imported_from, bare.created_at) == ("row 1", UNKNOWN_TIME)
    assert bare.id == result.id
