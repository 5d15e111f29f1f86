"""`graycard import`: files, folders and pipes of other tools' results, stored once, told of one by one."""

from __future__ import annotations

import json
import os
import re
import shutil
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import jsonschema
import pytest

from graycard.cli import import_files, import_taking
from graycard.cli.app import App
from graycard.cli.import_documents import ImportDocument
from graycard.codec import Document, decode, pretty
from graycard.importers import Part
from graycard.model import FactValue, Result
from graycard.store import Store
from tests.bed.tiers import examples
from tests.cli.conftest import Run
from tests.report.examples import BAD, GOOD
from tools.make_schema import PLACE

OWN = Path(__file__).parent.parent / "fixtures"
RANDREAD = OWN / "fio" / "3.33-randread-json+.json"
RANDRW = OWN / "fio" / "3.33-randrw-fdatasync-json+.json"
# How many files a folder has.
FILE_COUNT = examples(1_500, 10_000)
DD = """204800+0 records in
204800+0 records out
209715200 bytes (210 MB, 200 MiB) copied, 1.{:05} s, 133 MB/s
"""
CHANGED_AT = datetime(2021, 6, 23, 12, 0, tzinfo=UTC)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two files of fio's, one of them below, one that is damaged, one that is foreign and one that is hidden."""
    found = tmp_path / "results"
    (found / "older").mkdir(parents=True)
    shutil.copy(RANDREAD, found / "a.json")
    shutil.copy(RANDRW, found / "older" / "b.json")
    (found / "cut.json").write_bytes(RANDREAD.read_bytes()[:900])
    (found / "photo.jpg").write_bytes(b"\xff\xd8\xff\xe0" + bytes(64))
    (found / ".hidden.json").write_bytes(RANDREAD.read_bytes())
    return found


def stored_ids(tmp_path: Path) -> list[str]:
    with Store(str(tmp_path / "results.db")) as store:
        return [row.id for row in store.rows()]


def document(run: Run, *arguments: str) -> ImportDocument:
    return decode(run("import", *arguments, "--json").out.encode(), ImportDocument)


def test_a_file_is_shown_and_stored(run: Run, tmp_path: Path) -> None:
    outcome = run("import", str(RANDRW))
    assert (outcome.code, outcome.err) == (0, "Stored 2 results.\n")
    lines = outcome.out.splitlines()
    assert lines[:2] == [str(RANDRW), "fio: 2 results"]
    assert sum("MB/s single run" in line for line in lines) == 2
    assert len(stored_ids(tmp_path)) == 2
    listed = decode(run("results", "list", "--json").out.encode(), Document).results
    assert {each.origin.tool for each in listed} == {"fio"}
    assert all((each.origin.imported_from or "").startswith(f"{RANDRW.name}: job ") for each in listed)


def test_a_file_is_stored_once_under_any_name(run: Run, tmp_path: Path) -> None:
    copy = tmp_path / "copy.json"
    shutil.copy(RANDRW, copy)
    first = run("import", str(RANDRW))
    ids = stored_ids(tmp_path)
    again, renamed = run("import", str(RANDRW)), run("import", str(copy))
    assert [each.code for each in (first, again, renamed)] == [0, 0, 0]
    assert again.err == renamed.err == "Found 2 results, all of them stored before; nothing was added.\n"
    assert "fio: 2 results, 2 stored before" in again.out
    assert stored_ids(tmp_path) == ids


def test_what_is_stored_stays_as_it_is(run: Run, tmp_path: Path) -> None:
    run("import", str(RANDREAD))
    (id_,) = stored_ids(tmp_path)
    with Store(str(tmp_path / "results.db")) as store:
        store.save(replace(store.load(id_), trouble="told by hand"))
    run("import", str(RANDREAD))
    with Store(str(tmp_path / "results.db")) as store:
        assert store.load(id_).trouble == "told by hand"


def test_two_equal_files_at_once_are_stored_once(run: Run, tmp_path: Path) -> None:
    copy = tmp_path / "copy.json"
    shutil.copy(RANDREAD, copy)
    assert [file.known_count for file in document(run, str(RANDREAD), str(copy)).files] == [0, 1]
    assert len(stored_ids(tmp_path)) == 1


def test_a_dry_run_stores_nothing_and_makes_no_store(run: Run, tmp_path: Path) -> None:
    outcome = run("import", "--dry-run", str(RANDRW))
    assert (outcome.code, outcome.err) == (0, "Found 2 results; nothing was stored.\n")
    assert not (tmp_path / "results.db").exists()
    run("import", str(RANDRW))
    assert (
        run("import", "--dry-run", str(RANDRW)).err == "Found 2 results, 2 of them stored before; nothing was stored.\n"
    )


def test_a_folder_is_read_to_its_end_whatever_is_in_it(run: Run, folder: Path, tmp_path: Path) -> None:
    outcome = run("import", str(folder))
    assert outcome.code == 30
    assert outcome.err.splitlines() == [
        "Stored 3 results.",
        "1 other file holds no results.",
        "graycard: 1 of 4 files gave no result; why is said beside it",
    ]
    assert [line for line in outcome.out.splitlines() if line.startswith(str(folder))] == [
        str(folder / "a.json"),
        str(folder / "cut.json"),
        str(folder / "older" / "b.json"),
    ]
    assert "not read fio's JSON is damaged or cut short at line" in outcome.out
    assert len(stored_ids(tmp_path)) == 3


def test_a_named_file_that_no_tool_wrote_is_a_failure(run: Run, folder: Path) -> None:
    outcome = run("import", str(folder / "photo.jpg"))
    assert outcome.code == 30
    assert outcome.err == (
        f"graycard: {folder / 'photo.jpg'}: it is a picture, which graycard cannot read; "
        "type in the figures that it shows by graycard note aja|blackmagic|atto|other\n"
    )
    missing = run("import", str(folder / "none"), str(RANDREAD))
    assert missing.code == 30
    assert "not read it cannot be read (No such file or directory); check the file" in missing.out
    assert missing.err.startswith("Stored 1 result.\n")


def test_many_files_have_a_line_each(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graycard.cli.import_.FEW_FILES_COUNT", 2)
    monkeypatch.setattr("graycard.cli.import_page.FEW_FILES_COUNT", 2)
    lines = run("import", str(folder)).out.splitlines()
    assert lines[0].split() == ["File", "Tool", "Results", "New"]
    assert [line.split()[-3:] for line in lines[1:3]] == [["fio", "1", "1"], ["fio", "2", "2"]]
    # Lines are broken at the screen's width, a long path also within.
    assert "".join("".join(lines[4:]).split()).startswith(f"notread{folder / 'cut.json'}:fio'sJSONisdamaged")


def test_the_json_says_where_each_result_came_from(run: Run, folder: Path) -> None:
    found = document(run, str(folder))
    named = {Path(file.file).name: file for file in found.files}
    assert set(named) == {"a.json", "b.json", "cut.json", "photo.jpg"}
    assert [len(named[name].result_ids) for name in ("a.json", "b.json", "cut.json", "photo.jpg")] == [1, 2, 0, 0]
    assert [id_ for file in found.files for id_ in file.result_ids] == [result.id for result in found.results]
    assert all(result.runs for result in found.results)
    assert (named["photo.jpg"].is_foreign, named["photo.jpg"].problems) == (True, ())
    assert found.stored
    again = document(run, str(folder), "--dry-run")
    assert sum(file.known_count for file in again.files) == 3
    assert not again.stored


def test_the_json_is_of_the_published_schema(run: Run, folder: Path) -> None:
    validator = jsonschema.Draft202012Validator(json.loads(PLACE.read_text(encoding="utf-8")))
    found = json.loads(run("import", str(folder), "--json").out)
    assert list(validator.iter_errors(found)) == []
    found["files"][0]["known_count"] = "two"
    assert not validator.is_valid(found)


def test_a_pipe_is_read(program: Run, tmp_path: Path) -> None:
    text = RANDREAD.read_text(encoding="utf-8")
    outcome = program("import", "-", text=text)
    assert (outcome.code, outcome.err) == (0, "Stored 1 result.\n")
    assert outcome.out.startswith("what came through the pipe\nfio: 1 result\n")
    # The same text from a file is the same result.
    assert program("import", str(RANDREAD)).err.startswith("Found 1 result, all of them stored before")
    empty = program("import", "-", text="")
    assert (empty.code, "what came through the pipe: it holds no results" in empty.err) == (30, True)


def test_the_date_of_the_file_stands_for_a_date_that_is_not_given(run: Run, tmp_path: Path) -> None:
    document_ = json.loads(RANDREAD.read_bytes())
    for name in ("timestamp", "timestamp_ms", "time"):
        document_.pop(name, None)
    for job in document_["jobs"]:
        job.pop("job_start", None)
    undated = tmp_path / "undated.json"
    undated.write_text(json.dumps(document_))
    os.utime(undated, (CHANGED_AT.timestamp(),) * 2)
    (result,) = document(run, str(undated)).results
    assert result.created_at == CHANGED_AT
    assert result.summary
    assert "The tool gives no date: that of the file's last change" in result.summary.caveats[-1]
    (dated,) = document(run, str(RANDREAD)).results
    assert dated.created_at.year == 2026
    assert dated.summary
    assert not any("gives no date" in caveat for caveat in dated.summary.caveats)


def test_our_own_export_comes_back_as_it_was(run: Run, tmp_path: Path) -> None:
    exported = tmp_path / "export.json"
    exported.write_bytes(pretty(Document(results=(GOOD, BAD))))
    assert run("import", str(exported)).err == "Stored 2 results.\n"
    with Store(str(tmp_path / "results.db")) as store:
        assert (store.load(GOOD.id), store.load(BAD.id)) == (GOOD, BAD)


def test_quiet_says_nothing_but_the_data(run: Run) -> None:
    outcome = run("import", "--quiet", str(RANDREAD))
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out


def test_names_of_files_cannot_break_the_screen(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "red\x1b[31m\n.json"
    shutil.copy(RANDREAD, path)
    outcome = run("import", str(path))
    assert outcome.code == 0
    assert "\x1b" not in outcome.out
    assert r"red\x1b[31m\n.json" in outcome.out


def test_progress_is_shown_to_a_person_only(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Reading" not in run("import", str(folder)).err
    monkeypatch.setattr(import_files, "is_terminal", lambda _: True)
    assert "Reading" in run("import", str(folder)).err
    assert "Reading" not in run("import", "--quiet", str(folder)).err


def test_a_stop_keeps_what_was_read_and_tells_how_far_it_came(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = tmp_path / "many"
    many.mkdir()
    for number in range(50):
        (many / f"{number:05}.txt").write_text(DD.format(number))
    reading = import_taking.read

    def stopped(app: App, path: str) -> tuple[Part, ...]:
        if path.endswith("00045.txt"):
            raise KeyboardInterrupt
        return reading(app, path)

    monkeypatch.setattr(import_taking, "read", stopped)
    outcome = run("import", str(many))
    assert outcome.code == 130
    says = "stopped after 40 of 50 files, whose results are stored; the same command goes on"
    assert outcome.err.splitlines() == [f"graycard: {says}"]
    assert len(stored_ids(tmp_path)) == 40
    monkeypatch.undo()
    assert "Stored 10 results; 40 more were stored before." in run("import", str(many)).err


@pytest.mark.timeout(900)
def test_many_files_are_imported_and_told_of_one_by_one(run: Run, tmp_path: Path) -> None:
    """1,500 files; 10,000 in the long tier."""
    many, bad_count = tmp_path / "many", FILE_COUNT // 100
    many.mkdir()
    for number in range(FILE_COUNT):
        text = DD.format(number) if number % 100 else '{"fio version" : "fio-3.33", "jobs" : ['
        (many / f"{number:05}.txt").write_text(text)
    outcome = run("import", str(many))
    assert outcome.code == 30
    assert outcome.err.splitlines()[:1] == [f"Stored {FILE_COUNT - bad_count} results."]
    assert f"{bad_count} of {FILE_COUNT} files gave no result; why is said beside each" in outcome.err
    assert outcome.out.count(".txt  dd ") == FILE_COUNT - bad_count
    assert outcome.out.count("not read ") == bad_count
    assert len(stored_ids(tmp_path)) == FILE_COUNT - bad_count


READINGS = OWN / "readings"
LSBLK = str(READINGS / "lsblk.json")
SMART = str(READINGS / "smartctl-nvme.json")


def facts_of(result: Result) -> dict[str, FactValue]:
    return {each.name: each.value for each in result.facts if each.source.startswith("attached from ")}


def test_facts_are_attached_with_their_source(run: Run) -> None:
    outcome = run("import", str(RANDREAD), "--facts", SMART, "--facts", LSBLK, "--device", "nvme0n1", "--json")
    (result,) = decode(outcome.out.encode(), ImportDocument).results
    told = facts_of(result)
    assert (told["temperature_celsius"], told["partition_scheme"]) == (71, "gpt")
    assert told["device_model"] == "Example NVMe 1TB", "the first document that knows it is taken"
    sources = {each.name: each.source for each in result.facts}
    assert sources["partition_scheme"] == "attached from lsblk.json: lsblk pttype"
    assert outcome.err.endswith(f"They have the facts of {SMART} (smartctl -j) and {LSBLK} (lsblk -J).\n")
    assert all(each.source for each in result.facts)


def test_facts_reach_results_that_are_stored_already_and_no_run_is_touched(run: Run, tmp_path: Path) -> None:
    run("import", str(RANDREAD))
    (id_,) = stored_ids(tmp_path)
    with Store(str(tmp_path / "results.db")) as store:
        before = store.load(id_)
    assert run("import", str(RANDREAD), "--facts", SMART, "--dry-run").code == 0
    with Store(str(tmp_path / "results.db")) as store:
        assert store.load(id_) == before
    assert run("import", str(RANDREAD), "--facts", SMART).code == 0
    with Store(str(tmp_path / "results.db")) as store:
        after = store.load(id_)
    assert facts_of(after)["health"] == "passed"
    assert (after.runs, after.summary) == (before.runs, before.summary)


def test_what_is_meant_is_asked_for_and_nothing_is_stored(run: Run, tmp_path: Path) -> None:
    outcome = run("import", str(RANDREAD), "--facts", LSBLK)
    assert outcome.code == 30
    assert f"{LSBLK} tells of 5 things" in outcome.err
    assert "sda1 (/media/anna/MEDIA)" in outcome.err
    assert stored_ids(tmp_path) == []
    assert "no “sdx”" in run("import", str(RANDREAD), "--facts", LSBLK, "--device", "sdx").err


def test_bad_facts_are_told_before_anything_is_read(run: Run, tmp_path: Path) -> None:
    for file, says in (
        (str(READINGS / "smartctl-unknown.json"), "smartctl could not ask the drive"),
        (str(RANDREAD), "it holds no facts that graycard can read"),
        (str(tmp_path / "none"), "cannot be read (No such file or directory)"),
        (str(tmp_path), "cannot be read (Is a directory)"),
    ):
        outcome = run("import", str(RANDREAD), "--facts", file)
        assert (outcome.code, outcome.out, outcome.err.count("\n")) == (30, "", 1)
        assert says in outcome.err
    assert not (tmp_path / "results.db").exists()
    assert run("import", str(RANDREAD), "--device", "sda").code == 2
    assert run("import", "-", "--facts", "-").code == 2


def test_facts_are_attached_to_stored_results_and_taken_away(run: Run, tmp_path: Path) -> None:
    run("import", str(RANDRW))
    ids = stored_ids(tmp_path)
    given = run("results", "attach", *ids, "--facts", SMART)
    assert (given.code, given.err) == (0, f"Attached what {SMART} (smartctl -j) says to 2 results.\n")
    assert "Example NVMe 1TB [attached from smartctl-nvme.json: smartctl model_name]" in given.out
    assert given.out.count("device model") == 1, "what both got is shown once"
    again = run("results", "attach", ids[0], "--facts", SMART)
    assert again.err == f"{SMART} (smartctl -j) says nothing that the results do not know; nothing was changed.\n"
    shown = decode(run("results", "show", *ids, "--json").out.encode(), Document).results
    assert [facts_of(each)["wear_ratio"] for each in shown] == [0.12, 0.12]
    assert all(each.runs for each in shown)
    away = run("results", "attach", *ids, "--remove")
    assert (away.code, away.err) == (0, "Took what was attached away from 2 results.\n")
    shown = decode(run("results", "show", *ids, "--json").out.encode(), Document).results
    assert [facts_of(each) for each in shown] == [{}, {}]
    assert run("results", "attach", ids[0]).code == 2
    assert run("results", "attach", ids[0], "--facts", SMART, "--remove").code == 2
    assert run("results", "attach", "zzzz", "--facts", SMART).code == 40


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("report.pdf", b"%PDF-1.4\n%abc", "it is a PDF, .* by graycard note aja"),
        ("shot.png", b"\x89PNG\r\n\x1a\n" + bytes(32), "it is a picture, .* by graycard note aja"),
        ("clip.mov", b"\x00\x00\x00\x14ftypqt  " + bytes(32), "it is a video, .* by graycard note aja"),
        ("clip.mkv", b"\x1aE\xdf\xa3" + bytes(32), "it is a video"),
        ("run.bmk", bytes(64), "type in its figures by graycard note atto"),
        ("aja.txt", b"AJA System Test 4K: 2,166 MB/s read", "type in its figures by graycard note aja"),
        ("bm.txt", b"Blackmagic Disk Speed Test", "type in its figures by graycard note blackmagic"),
        ("BM.txt", b"BMW and other cars", "graycard note takes what stands only on a screen"),
        ("smart.json", (READINGS / "smartctl-nvme.json").read_bytes(), "attach it to some by --facts"),
    ],
)
def test_what_is_known_but_holds_no_results_names_the_next_step(
    run: Run, tmp_path: Path, name: str, content: bytes, says: str
) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    outcome = run("import", str(file))
    assert outcome.code == 30
    assert re.search(says, outcome.err)
    folder = run("import", str(tmp_path))
    assert "other file" in folder.err
