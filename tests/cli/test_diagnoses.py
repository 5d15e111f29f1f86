"""Diagnoses of `graycard why` after they were made: listed, shown, annotated, exported, removed, merged, reported."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import jsonschema
import pytest

from graycard.codec import Document, decode, encode, pretty
from graycard.model import Annotations
from graycard.model.diagnosis import Case
from graycard.store import Store
from tests.cli.conftest import Run
from tests.report.examples import BAD, GOOD
from tests.why.cases import a_case
from tools.make_schema import PLACE

CASE = replace(a_case("d1d1d1d1"), created_at=GOOD.created_at + timedelta(days=1))
EARLY = replace(a_case("e1e1e1e1", "5 ms", is_whole=False), created_at=GOOD.created_at - timedelta(days=1))


@pytest.fixture(autouse=True)
def stored(tmp_path: Path) -> None:
    with Store(str(tmp_path / "results.db")) as store:
        store.add((GOOD, BAD))
        store.save_diagnosis(CASE)
        store.save_diagnosis(EARLY)


def document(run: Run, *arguments: str) -> Document:
    return decode(run("results", *arguments, "--json").out.encode(), Document)


def test_the_list_has_both_by_their_time_and_tells_them_apart(run: Run) -> None:
    _head, _line, *rows = run("results", "list", "--markdown").out.splitlines()
    assert [row.split(" | ")[1] for row in rows] == ["why", GOOD.id[:8], BAD.id[:8], "why"]
    assert "| cp: server disk |" in rows[0]
    assert "33.2 MB/s (3 runs)" in rows[0]
    assert "| ended early |" in rows[3]
    assert len(run("results", "list", "--limit", "1", "--markdown").out.splitlines()) == 3


def test_the_lists_json_leaves_timelines_out(run: Run) -> None:
    found = document(run, "list")
    assert [each.id for each in found.results] == [GOOD.id, BAD.id]
    assert [each.id for each in found.diagnoses] == [CASE.id, EARLY.id]
    assert found.diagnoses[0] == replace(CASE, evidence=replace(CASE.evidence, timelines=()))


@pytest.mark.parametrize("words", [("DISK", "mnt"), ("why", "31.3"), ("d1d1",)])
def test_a_search_finds_it_by_its_answer_place_and_id(run: Run, words: tuple[str, ...]) -> None:
    assert [each.id for each in document(run, "search", *words).diagnoses] == [CASE.id]


def test_show_prints_the_page_again(run: Run) -> None:
    page = run("results", "show", "d1d1").out
    assert CASE.diagnosis.says in page
    assert f"graycard why of /mnt/nas, {CASE.created_at:%Y-%m-%d %H:%M} UTC: {CASE.id}" in page
    assert "It ended early" in run("results", "show", "e1e1").out
    assert document(run, "show", "d1d1").diagnoses == (CASE,)
    assert CASE.diagnosis.findings[0].advice in run("results", "show", "d1d1", "--markdown").out


def test_without_ids_it_is_what_was_made_last(run: Run, tmp_path: Path) -> None:
    assert document(run, "show").diagnoses == (CASE,)
    assert document(run, "show").results == ()
    assert run("report", "-o", str(tmp_path / "last.json")).code == 0
    assert decode((tmp_path / "last.json").read_bytes(), Case) == CASE
    run("results", "remove", "d1d1", "--yes")
    assert document(run, "show").results == (GOOD, BAD)


def test_labels_notes_and_tags_are_used_shown_and_gone_with_it(run: Run) -> None:
    assert run("results", "label", "d1d1", "slow nas").err == f"“slow nas” is {CASE.id} now.\n"
    run("results", "note", "slow nas", "with the old switch")
    run("results", "tag", "slow nas", "studio")
    assert document(run, "list", "--tag", "studio").annotations == {
        CASE.id: Annotations("slow nas", ("with the old switch",), ("studio",))
    }
    assert [each.id for each in document(run, "search", "SWITCH").diagnoses] == [CASE.id]
    shown = " ".join(run("results", "show", "slow nas").out.split())
    assert "label slow nas tags studio note with the old switch" in shown
    assert run("results", "remove", "slow nas", "--yes").err == "Removed 1 diagnosis.\n"
    assert run("results", "show", "slow nas").code == 40


def test_results_and_diagnoses_are_exported_and_removed_together(run: Run, tmp_path: Path) -> None:
    place = tmp_path / "both.json"
    assert run("results", "export", "m1", "d1d1", "-o", str(place)).err == (
        f"Wrote 2 results and 1 diagnosis to {place}.\n"
    )
    found = decode(place.read_bytes(), Document)
    assert (found.results, found.diagnoses) == ((GOOD, BAD), (CASE,))
    assert run("results", "remove", "m1", "d1d1", "e1e1", "--yes").err == "Removed 2 results and 2 diagnoses.\n"
    assert run("results", "list").out.startswith("Nothing is stored yet")


@pytest.mark.parametrize("command", ["compare d1d1 m1", "agree d1d1 m1", "results attach d1d1 --facts {facts}"])
def test_what_needs_results_refuses_it_in_a_sentence(run: Run, tmp_path: Path, command: str) -> None:
    facts = tmp_path / "facts.json"
    facts.write_text('{"smartctl": {"version": [7, 3]}, "device": {"name": "/dev/sda"}, "model_name": "x"}')
    done = run(*command.format(facts=facts).split())
    assert done.code == 40
    assert "“d1d1” is a diagnosis, not a result of a measurement" in done.err
    assert len(done.err.splitlines()) == 1


def test_history_ignores_it(run: Run) -> None:
    assert "cp" not in run("history").out


def test_those_of_another_store_are_added(run: Run, tmp_path: Path) -> None:
    with Store(str(tmp_path / "other.db")) as other:
        other.save_diagnosis(a_case("f1f1f1f1"))
    assert run("results", "merge", str(tmp_path / "other.db")).err == "Added 0 results.\nAdded 1 diagnosis.\n"
    assert run("results", "show", "f1f1").code == 0


@pytest.mark.parametrize("form", ["html", "pdf", "md", "txt", "json"])
def test_it_is_reported_from_the_store_and_from_files_alike(run: Run, tmp_path: Path, form: str) -> None:
    (tmp_path / "why.json").write_bytes(pretty(CASE))
    run("results", "export", "d1d1", "-o", str(tmp_path / "export.json"))
    made = []
    for number, name in enumerate(("d1d1", str(tmp_path / "why.json"), str(tmp_path / "export.json"))):
        place = tmp_path / f"{number}.{form}"
        done = run("report", name, "-o", str(place))
        assert (done.code, done.err) == (0, f"Wrote a diagnosis to {place}.\n")
        made.append(place.read_bytes())
    assert made[0] == made[1] == made[2]
    if form == "json":
        assert run("report", str(tmp_path / "0.json"), "-o", str(tmp_path / "again.json")).code == 0
        assert (tmp_path / "again.json").read_bytes() == made[0]


def test_a_file_needs_no_store(run: Run, tmp_path: Path) -> None:
    (tmp_path / "why.json").write_bytes(encode(CASE))
    absent = str(tmp_path / "absent.db")
    done = run(
        "report", str(tmp_path / "why.json"), "-o", str(tmp_path / "x.md"), "--store", absent, "--title", "My NAS"
    )
    assert done.code == 0
    assert (tmp_path / "x.md").read_text(encoding="utf-8").startswith("# My NAS")
    assert not (tmp_path / "absent.db").exists()


@pytest.mark.parametrize("names", [("d1d1", "m1"), ("m1", "{why}"), ("d1d1", "e1e1"), ("{why}", "d1d1")])
def test_a_report_is_of_one_diagnosis_or_of_results(run: Run, tmp_path: Path, names: tuple[str, ...]) -> None:
    (tmp_path / "why.json").write_bytes(encode(EARLY))
    done = run("report", *(name.format(why=tmp_path / "why.json") for name in names), "-o", str(tmp_path / "x.md"))
    assert done.code == 40
    assert "a report is of results, or of one diagnosis: name the diagnosis alone" in done.err
    assert len(done.err.splitlines()) == 1
    assert not (tmp_path / "x.md").exists()


def test_it_has_no_rows_for_csv(run: Run, tmp_path: Path) -> None:
    done = run("report", "d1d1", "-o", str(tmp_path / "x.csv"))
    assert done.code == 2
    assert "a diagnosis has no rows for CSV; take html, pdf, md, txt or json" in done.err


@pytest.mark.parametrize("form", ["why", "export"])
def test_a_file_of_one_is_imported_once(run: Run, tmp_path: Path, form: str) -> None:
    place, other = str(tmp_path / "file.json"), str(tmp_path / "other.db")
    Path(place).write_bytes(pretty(CASE if form == "why" else Document(diagnoses=(CASE,), results=(GOOD,))))
    results = "" if form == "why" else "Found 1 result; nothing was stored.\n"
    assert run("import", place, "--store", other, "--dry-run").err == f"{results}Found 1 diagnosis.\n"
    for _ in range(2):
        done = run("import", place, "--store", other)
        assert (done.code, done.err.splitlines()[-1]) == (0, "Found 1 diagnosis, stored each once.")
    with Store(other) as store:
        assert store.diagnosis(CASE.id) == CASE
        assert [row.id for row in store.rows()] == ([] if form == "why" else [GOOD.id])
    Path(place).write_bytes(encode(CASE)[:-50])
    assert run("import", place, "--store", other).code == 30


def damaged(data: bytes) -> dict[str, bytes]:
    whole = json.loads(data)
    return {
        "cut": data[:-100],
        "another schema": data.replace(b"graycard/1", b"graycard/9", 1),
        "no evidence": json.dumps({**whole, "evidence": None}).encode(),
        "a text for a number": json.dumps({**whole, "seed": "seven"}).encode(),
        "no text": data[:200] + b"\xff\xfe" + data[200:],
        "deep": data[:-1] + b',"x":' + b"[" * 100_000,
    }


@pytest.mark.parametrize("name", damaged(encode(CASE)))
def test_a_damaged_file_is_told_in_a_sentence(run: Run, tmp_path: Path, name: str) -> None:
    (tmp_path / "why.json").write_bytes(damaged(encode(CASE))[name])
    done = run("report", str(tmp_path / "why.json"), "-o", str(tmp_path / "x.md"))
    assert done.code == 30, done.err
    assert len(done.err.splitlines()) == 1
    assert not (tmp_path / "x.md").exists()


def test_its_json_is_in_the_published_schema(run: Run) -> None:
    validator = jsonschema.Draft202012Validator(json.loads(PLACE.read_text(encoding="utf-8")))
    for arguments in (("list",), ("show", "d1d1"), ("search", "disk")):
        assert list(validator.iter_errors(json.loads(run("results", *arguments, "--json").out))) == []
    own = validator.evolve(schema={**validator.schema, "anyOf": [{"$ref": "#/$defs/Case"}]})
    found = json.loads(encode(CASE))
    assert own.is_valid(found)
    found["diagnosis"]["layer"] = "moon"
    assert not own.is_valid(found)
