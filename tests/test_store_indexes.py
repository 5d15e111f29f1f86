"""Every question that is asked of a large store is answered through an index: SQLite's own plans say so."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from made_results import START, a_result

from graycard.store import Filter, Store

Question = Callable[[Store], object]
QUESTIONS: dict[str, tuple[Question, set[str]]] = {
    "list": (lambda store: store.rows(20), {"results_by_time"}),
    "list since": (lambda store: store.rows(20, Filter(since=START)), {"results_by_time"}),
    "measurement": (lambda store: store.rows(wanted=Filter(measurement_id="m1")), {"results_by_measurement"}),
    "device": (lambda store: store.rows(wanted=Filter(device_id="d1")), {"results_by_device"}),
    "history": (lambda store: store.rows(wanted=Filter(device_id="d1", task_key="t")), {"results_by_device"}),
    "history of a file system": (
        lambda store: store.rows(wanted=Filter(file_system_id="f1", task_key="t")),
        {"results_by_file_system"},
    ),
    "recent of a place": (lambda store: store.recent(9, ["d1"]), {"results_by_history"}),
    "recent of all": (lambda store: store.recent(9), {"results_by_history"}),
    "experiment": (lambda store: store.rows(wanted=Filter(experiment_id="e1")), {"results_by_experiment"}),
    "configuration": (
        lambda store: store.rows(wanted=Filter(experiment_id="e1", configuration="c")),
        {"results_by_experiment"},
    ),
    "task": (lambda store: store.rows(wanted=Filter(task_key="t")), {"results_by_task"}),
    "tool": (lambda store: store.rows(wanted=Filter(tool="fio")), {"results_by_tool"}),
    "label": (lambda store: store.labelled("before"), {"sqlite_autoindex_results_1", "results_by_measurement"}),
    "tag": (lambda store: store.rows(wanted=Filter(tag="usb")), {"tags_by_tag", "results_by_measurement"}),
    "name": (lambda store: store.named("m"), {"results_by_measurement", "sqlite_autoindex_results_1"}),
    "load": (lambda store: store.load("a"), {"sqlite_autoindex_results_1", "sqlite_autoindex_runs_1"}),
    "annotations": (lambda store: store.annotations(["m1"]), {"sqlite_autoindex_notes_1", "sqlite_autoindex_labels_2"}),
    "diagnoses": (lambda store: store.diagnosis_rows(20), {"diagnoses_by_time"}),
    "diagnoses with a label": (
        lambda store: store.diagnosis_rows(label="before"),
        {"sqlite_autoindex_diagnoses_1"},
    ),
    "a diagnosis": (lambda store: store.diagnosis("d1"), {"sqlite_autoindex_diagnoses_1"}),
    "place in the plan": (lambda store: store.task_index("a"), {"sqlite_autoindex_results_1"}),
}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(str(tmp_path / "results.db")) as opened:
        for number in range(20):
            opened.save(a_result(f"a{number}", measurement_id=f"n{number}", minute=number))
        opened.save(a_result("a", run_count=1))
        opened.annotate("m1", label="before", note="a note", tags=("usb",))
        yield opened


def plan_of(store: Store, question: Question) -> list[str]:
    """What SQLite does for each SELECT of the question."""
    asked: list[str] = []
    store._connection.set_trace_callback(asked.append)
    question(store)
    store._connection.set_trace_callback(None)
    selects = [each for each in asked if each.lstrip().startswith("SELECT")]
    assert selects
    return [row[3] for each in selects for row in store._connection.execute(f"EXPLAIN QUERY PLAN {each}")]


def whole_tables(plan: list[str]) -> set[str]:
    """Tables that are read from end to end, without an index that gives the order."""
    return {match[1] for each in plan if (match := re.fullmatch(r"SCAN (\w+)", each))}


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_uses_its_index_and_reads_no_whole_table(name: str, store: Store) -> None:
    question, indexes = QUESTIONS[name]
    plan = plan_of(store, question)
    used = {match[1] for each in plan if (match := re.search(r"INDEX (\w{2,})", each))}
    assert indexes <= used, plan
    assert not whole_tables(plan), plan


@pytest.mark.parametrize("name", ["list", "history", "experiment", "label", "tag"])
def test_rows_are_had_without_documents_and_runs(name: str, store: Store) -> None:
    plan = plan_of(store, QUESTIONS[name][0])
    assert not any("documents" in each or "runs" in each for each in plan), plan


def test_a_search_reads_the_texts_and_nothing_else_from_end_to_end(store: Store) -> None:
    plan = plan_of(store, lambda opened: opened.search(["usb", "card"]))
    assert whole_tables(plan) == {"texts"}, plan
    assert any(each.startswith("SEARCH results USING INTEGER PRIMARY KEY") for each in plan), plan


def test_the_test_itself_sees_a_whole_table(store: Store) -> None:
    plan = plan_of(store, lambda opened: opened._connection.execute("SELECT * FROM results WHERE verdict = 'x'"))
    assert whole_tables(plan) == {"results"}
