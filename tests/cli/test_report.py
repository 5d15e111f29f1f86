"""`graycard report`: which results, which form, where to, and what it refuses."""

from __future__ import annotations

import csv
import errno
import io
import json
import os
import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from graycard.cli import report as report_module
from graycard.cli import writing
from graycard.codec import Document, ReportDocument, decode, pretty
from graycard.facts import fact
from graycard.media import KNOWN
from graycard.model import Report, Result
from graycard.report.forms import FORMS
from graycard.store import Store
from tests.cli.conftest import Run
from tests.report.papers import page_count
from tests.report.shows import one_drive, two_formats

EXTENSIONS = [each.name for each in FORMS]


@pytest.fixture
def stored(tmp_path: Path) -> tuple[Result, ...]:
    """One measurement of four tasks in the store."""
    results = tuple(replace(each, runs=each.runs[:2]) for each in one_drive().results)
    with Store(str(tmp_path / "results.db")) as store:
        for result in results:
            store.save(result)
    return results


def arm_file(folder: Path, configuration: str, name: str) -> str:
    found = [each for each in two_formats().results if each.trial and each.trial.configuration == configuration]
    place = folder / name
    place.write_bytes(pretty(Document(results=tuple(found))))
    return str(place)


@pytest.mark.parametrize("extension", EXTENSIONS)
@pytest.mark.usefixtures("stored")
def test_the_extension_tells_the_form(run: Run, tmp_path: Path, extension: str) -> None:
    place = tmp_path / f"x.{extension}"
    outcome = run("report", "-o", str(place))
    assert (outcome.code, outcome.out) == (0, "")
    assert outcome.err == f"Wrote 4 results to {place}.\n"
    begins = {"pdf": b"%PDF-", "html": b"<!", "json": b"{", "csv": b"\xef\xbb\xbfresult_id,", "md": b"# "}
    assert place.read_bytes().startswith(begins.get(extension, b""))
    assert [each.name for each in tmp_path.iterdir() if each.name.endswith(".part")] == []


def test_json_has_every_run(run: Run, stored: tuple[Result, ...]) -> None:
    document = decode(run("report", "-o", "-", "--form", "json").out.encode(), ReportDocument)
    assert {each.id: each for each in document.results} == {each.id: each for each in stored}


@pytest.mark.usefixtures("stored")
def test_stdout_takes_the_form_by_option(run: Run) -> None:
    outcome = run("report", "-o", "-", "--form", "csv")
    rows = list(csv.DictReader(io.StringIO(outcome.out.removeprefix("\ufeff"))))
    assert len(rows) == 8
    assert outcome.err == ""
    refused = run("report", "-o", "-")
    assert refused.code == 2
    assert "add --form" in refused.err


def test_the_history_of_the_set_up_is_there_once_more_is_stored(run: Run, tmp_path: Path) -> None:
    base = replace(
        one_drive().results[0], facts=(fact("device_id", "d1", "test"), fact("file_system_id", "f1", "test"))
    )
    with Store(str(tmp_path / "results.db")) as store:
        for day in range(4):
            at = base.created_at + timedelta(days=day)
            store.save(replace(base, id=f"r{day}", measurement_id=f"m{day}", created_at=at, runs=base.runs[:2]))
            told = json.loads(run("report", "-o", "-", "--form", "json").out)["histories"]
            assert len(told) == (1 if day else 0)
    assert [entry["result_id"] for entry in told[0]["eras"][0]["entries"]] == ["r0", "r1", "r2", "r3"]


@pytest.mark.usefixtures("stored")
def test_the_title_stands_in_each_form(run: Run) -> None:
    for form in ("md", "txt", "html", "json"):
        assert "Our drive" in run("report", "-o", "-", "--form", form, "--title", "Our drive").out, form


def test_several_sides_are_compared_with_the_first(run: Run, tmp_path: Path) -> None:
    files = [arm_file(tmp_path, "ext4", "a.json"), arm_file(tmp_path, "btrfs", "b.json")]
    outcome = run("report", *files, "-o", "-", "--form", "json")
    document = json.loads(outcome.out)
    assert len(document["comparisons"]) == 4
    assert {each["base"] for each in document["comparisons"]} == {"a"}
    assert len(document["results"]) == 8
    assert document["title"] == "filesystems"  # both sides are of one experiment
    assert {each["threshold_ratio"] for each in document["comparisons"]} == {0.03}
    wider = json.loads(run("report", *files, "-o", "-", "--form", "json", "--threshold", "30%").out)
    assert {each["threshold_ratio"] for each in wider["comparisons"]} == {0.3}
    alone = json.loads(run("report", *files, "-o", "-", "--form", "json", "--apart").out)
    assert (alone["comparisons"], len(alone["results"])) == ([], 8)


def test_the_sides_make_the_title(run: Run, tmp_path: Path) -> None:
    files = []
    for name in ("old kernel", "new kernel"):
        place = tmp_path / f"{name}.json"
        place.write_bytes(pretty(Document(results=(replace(one_drive().results[0], id=name, measurement_id=name),))))
        files.append(str(place))
    assert run("report", *files, "-o", "-", "--form", "md").out.startswith("# old kernel and new kernel\n")
    assert run("report", *files, "-o", "-", "--form", "md", "--title", "Mine").out.startswith("# Mine\n")


def test_a_file_of_an_experiment_has_all_its_configurations(run: Run, tmp_path: Path) -> None:
    place = tmp_path / "all.json"
    place.write_bytes(pretty(Document(results=two_formats().results)))
    outcome = run("report", str(place), "-o", str(tmp_path / "x.pdf"))
    assert outcome.err == f"Wrote 12 results and 8 comparisons to {tmp_path / 'x.pdf'}.\n"
    assert page_count((tmp_path / "x.pdf").read_bytes()) > 2


def test_a_report_can_be_reported_again(run: Run, tmp_path: Path) -> None:
    file = arm_file(tmp_path, "ext4", "a.json")
    assert run("report", file, "-o", str(tmp_path / "b.json")).code == 0
    again = run("report", str(tmp_path / "b.json"), "-o", "-", "--form", "json")
    assert again.out == (tmp_path / "b.json").read_text(encoding="utf-8")


@pytest.mark.usefixtures("stored")
def test_a_file_is_kept_unless_forced_and_nothing_is_made_before(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "x.md"
    place.write_text("mine")
    with monkeypatch.context() as patch:
        patch.setattr(report_module, "sides_to_report", lambda *_: pytest.fail("looked for results"))
        refused = run("report", "-o", str(place))
    assert refused.code == 2
    assert "add --force" in refused.err
    assert place.read_text() == "mine"
    assert run("report", "-o", str(place), "--force").code == 0
    assert place.read_text(encoding="utf-8") != "mine"


@pytest.mark.parametrize("name", ["x", "x.doc", "x.pdf.zip", "."])
def test_another_extension_is_a_clear_sentence(run: Run, tmp_path: Path, name: str) -> None:
    refused = run("report", "-o", str(tmp_path / name))
    assert refused.code == 2
    assert len(refused.err.splitlines()) == 1
    assert "html, pdf, md, csv, json, txt" in refused.err


def test_what_is_not_stored_is_a_clear_sentence(run: Run, tmp_path: Path, stored: tuple[Result, ...]) -> None:
    unknown = run("report", "nothing-such", "-o", str(tmp_path / "x.md"))
    assert unknown.code == 40
    assert len(unknown.err.splitlines()) == 1
    empty = run("--store", str(tmp_path / "none.db"), "report", "-o", str(tmp_path / "x.md"))
    assert (empty.code, "graycard measure makes the first" in empty.err) == (40, True)
    assert not (tmp_path / "none.db").exists()
    assert not (tmp_path / "x.md").exists()


@pytest.mark.parametrize("trouble", [OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), KeyboardInterrupt()], ids=repr)
@pytest.mark.usefixtures("stored")
def test_a_full_disk_and_ctrl_c_leave_nothing(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trouble: BaseException
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()

    def fail(_descriptor: int) -> None:
        raise trouble

    monkeypatch.setattr(writing.os, "fsync", fail)
    outcome = run("report", "-o", str(folder / "x.pdf"))
    monkeypatch.undo()
    assert os.listdir(folder) == []
    assert outcome.code == (1 if isinstance(trouble, OSError) else 130)
    if isinstance(trouble, OSError):
        assert re.search(r"x\.pdf cannot be written \(No space left on device\); name a file elsewhere", outcome.err)


@pytest.mark.usefixtures("stored")
def test_no_permission_is_a_clear_sentence(run: Run) -> None:
    outcome = run("report", "-o", "/proc/x.md")
    assert outcome.code == 1
    assert "/proc/x.md cannot be written (" in outcome.err


def test_quiet_says_nothing(run: Run, tmp_path: Path, stored: tuple[Result, ...]) -> None:
    assert run("report", "-q", "-o", str(tmp_path / "x.csv")).err == ""


def test_every_form_renders_a_report_of_nothing() -> None:
    for form in FORMS:
        assert form.render(Report("", ())), form.name


@pytest.mark.parametrize("extension", EXTENSIONS)
def test_a_report_of_stored_results_is_that_of_whole_ones(run: Run, tmp_path: Path, extension: str) -> None:
    """What is not read from the store, because the form does not show it, changes nothing."""
    results = tuple(replace(each, runs=each.runs[:2]) for each in two_formats().results if each.trial)
    names = list(dict.fromkeys(result.measurement_id for result in results))
    with Store(str(tmp_path / "results.db")) as store:
        store.add(results)
    place = tmp_path / f"x.{extension}"
    assert run("report", *names, "--apart", "--title", "x", "-o", str(place)).code == 0
    renderer = next(each for each in FORMS if each.name == extension)
    assert place.read_bytes() == renderer.render(Report("x", results))


@pytest.mark.usefixtures("stored")
def test_formats_are_decided_on_where_they_are_asked_for(run: Run) -> None:
    asked = run("report", "-o", "-", "--form", "md", "--format", "ProRes 422 HQ UHD 25p", "--streams", "3").out
    assert "## What it is enough for" in asked
    assert "| prores-422-hq/uhd/25 |" in asked
    assert "3 streams of each format at once." in asked
    streams = run("report", "-o", "-", "--form", "md", "--streams", "2").out
    assert streams.count("| prores-") == sum(key.startswith("prores-") for key in KNOWN)
    wrong = run("report", "-o", "-", "--form", "md", "--format", "prorez-422")
    assert (wrong.code, "did you mean prores-422" in wrong.err) == (10, True)
    refused = run("report", "-o", "-", "--form", "csv", "--streams", "2")
    assert (refused.code, "graycard fits --json" in refused.err) == (2, True)
