"""Tools that people have at hand give the figures that the index of the stored samples says are right."""

from __future__ import annotations

import pytest
from importers.everyday_right_values import ERRORS, RIGHT_VALUES
from importers.samples import SHARED, index, stored

from graycard.errors import ImportProblem
from graycard.importers import HEAD_BYTES, IMPORTERS, read_all
from graycard.model import Result

TOOLS = {"dd", "hdparm", "ioping", "iperf3", "rclone", "rsync", "sysbench", "tframetest", "vframetest"}
MIXED = "mixed/01-pibenchmarks-log-ansi-comma.txt"


def results_of(name: str) -> tuple[Result, ...]:
    return read_all((SHARED / name).read_bytes(), name)


def mb_per_s(result: Result) -> float | None:
    return result.summary.rate.value / 1e6 if result.summary else None


@stored
def test_every_stored_sample_is_in_the_table() -> None:
    assert {sample.file for sample in index() if sample.tool in TOOLS} == {*RIGHT_VALUES, *ERRORS}


@stored
@pytest.mark.parametrize("name", RIGHT_VALUES)
def test_results_have_the_right_values(name: str) -> None:
    found, right = results_of(name), RIGHT_VALUES[name]
    assert [result.task.label for result in found] == [label for label, _ in right]
    for result, (_, rate) in zip(found, right, strict=True):
        assert mb_per_s(result) == (None if rate is None else pytest.approx(rate, rel=2e-5, abs=0.0006))
        assert result.origin.tool == name.partition("/")[0]


@stored
@pytest.mark.parametrize("name", ERRORS)
def test_files_without_a_result_say_why(name: str) -> None:
    with pytest.raises(ImportProblem, match=ERRORS[name]):
        results_of(name)


@stored
def test_a_log_of_several_tools_gives_those_of_each() -> None:
    data = (SHARED / MIXED).read_bytes()
    known = {each.name for each in IMPORTERS if each.recognises(data[:HEAD_BYTES])}
    assert {"dd", "hdparm"} <= known
    found = {(result.origin.tool, result.origin.imported_from): mb_per_s(result) for result in results_of(MIXED)}
    assert found[("dd", "01-pibenchmarks-log-ansi-comma.txt")] == pytest.approx(335.544320 / 17.3846)
    disk = found[("hdparm", "01-pibenchmarks-log-ansi-comma.txt: O_DIRECT disk reads")]
    assert disk == pytest.approx(41.90 * 1.048576)


@stored
def test_free_texts_and_facts_are_none_of_theirs() -> None:
    others = [sample for sample in index() if sample.tool not in TOOLS and sample.file != MIXED]
    assert others
    for sample in others:
        head = (SHARED / sample.file).read_bytes()[:HEAD_BYTES]
        assert not [each.name for each in IMPORTERS if each.name in TOOLS and each.recognises(head)], sample.file
