"""Diagnoses in the store: whole, beside the results and never taken for one, and gone with their annotations."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from made_results import START, a_result, a_summary

from graycard.errors import StoreProblem
from graycard.model import Annotations
from graycard.store import Merged, Store
from tests.why.cases import a_case


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(str(tmp_path / "results.db")) as opened:
        yield opened


def test_a_diagnosis_comes_back_as_it_was(store: Store) -> None:
    case = a_case("d1")
    store.save_diagnosis(case)
    assert store.diagnosis("d1") == case
    assert store.diagnosis("d") is None
    assert store.diagnosis_id("d") == "d1"
    (row,) = store.diagnosis_rows()
    diagnosis = case.diagnosis
    assert (row.layer, row.says, row.tool) == (diagnosis.layer, diagnosis.says, diagnosis.tool)
    assert (row.place, row.created_at, row.command, row.is_whole) == (case.place, case.created_at, "why", True)
    assert case.rate is not None
    assert row.rate_bytes_per_s == case.rate.value


def test_saving_again_replaces_it(store: Store) -> None:
    store.save_diagnosis(a_case("d1", is_whole=False))
    store.save_diagnosis(a_case("d1", place="/mnt/other"))
    (row,) = store.diagnosis_rows()
    assert (row.is_whole, row.place) == (True, "/mnt/other")
    assert store.diagnosis_rows(words=["mnt", "OTHER"]) == (row,)


def test_results_and_diagnoses_are_told_apart(store: Store) -> None:
    store.save(a_result("r1", run_count=1, summary=a_summary()))
    store.save_diagnosis(a_case("d1"))
    assert [row.id for row in store.rows()] == ["r1"]
    assert [row.like.id for row in store.recent(5)] == ["r1"], "no history is made of a diagnosis"
    assert store.search(["why"]) == ()
    assert store.diagnosis_id("m1") is None
    with pytest.raises(StoreProblem, match="“d” is a diagnosis, not a result"):
        store.named("d")
    with pytest.raises(StoreProblem, match="“x” or is labelled so, and no diagnosis"):
        store.diagnosis_id("x")


def test_an_id_that_begins_both_is_said_to_be_several(store: Store) -> None:
    store.save(a_result("a1", measurement_id="a0"))
    store.save_diagnosis(a_case("a2"))
    with pytest.raises(StoreProblem, match="several ids"):
        store.diagnosis_id("a")


def test_the_newest_come_first_and_filters_choose(store: Store) -> None:
    for number in range(4):
        store.save_diagnosis(replace(a_case(f"d{number}"), created_at=START + timedelta(minutes=number)))
    store.annotate("d1", label="slow nas", note="New switch", tags=("studio",))
    store.annotate("d2", tags=("studio",))
    assert [row.id for row in store.diagnosis_rows(2)] == ["d3", "d2"]
    assert [row.id for row in store.diagnosis_rows(label="slow nas")] == ["d1"]
    assert [row.id for row in store.diagnosis_rows(tag="studio")] == ["d2", "d1"]
    assert [row.id for row in store.diagnosis_rows(words=["SWITCH", "cp"])] == ["d1"]
    assert store.diagnosis_id("slow nas") == "d1"


def test_what_is_written_beside_goes_with_it(store: Store) -> None:
    store.save_diagnosis(a_case("d1"))
    store.annotate("d1", label="nas", note="n", tags=("t",))
    assert store.annotations(["d1"]) == {"d1": Annotations("nas", ("n",), ("t",))}
    assert store.remove(["d1"]) == 1
    assert store.annotations(["d1"]) == {}
    assert store.diagnosis("d1") is None


def test_a_damaged_one_is_told_and_can_be_removed(store: Store, tmp_path: Path) -> None:
    store.save_diagnosis(a_case("d1"))
    with sqlite3.connect(tmp_path / "results.db") as raw:
        raw.execute("UPDATE diagnoses SET body = x'00'")
    raw.close()
    with pytest.raises(StoreProblem, match=r"Diagnosis d1 in .* cannot be read"):
        store.diagnosis("d1")
    assert store.diagnosis_id("d1") == "d1"
    assert store.remove(["d1"]) == 1


def test_bytes_that_are_no_text_are_kept_as_escapes(store: Store) -> None:
    store.save_diagnosis(a_case("d1", place="/mnt/\udcff"))
    (row,) = store.diagnosis_rows()
    assert row.place == "/mnt/\\xff"
    found = store.diagnosis("d1")
    assert found is not None
    assert found.place == row.place


def test_those_of_another_store_are_added_once(store: Store, tmp_path: Path) -> None:
    other = str(tmp_path / "other.db")
    with Store(other) as there:
        there.save_diagnosis(a_case("d1"))
        there.save_diagnosis(a_case("d2", place="/mnt/theirs"))
        there.annotate("d1", label="nas", tags=("studio",))
    store.save_diagnosis(a_case("d2", place="/mnt/mine"))
    assert store.merge(other) == Merged(0, 0, 0, 0, 0, (), 1)
    assert store.merge(other).diagnosis_count == 0
    assert store.diagnosis("d1") == a_case("d1")
    assert {row.place for row in store.diagnosis_rows()} == {a_case("d1").place, "/mnt/mine"}
    assert [row.id for row in store.diagnosis_rows(words=["studio"])] == ["d1"]
    assert store.diagnosis_id("nas") == "d1"
