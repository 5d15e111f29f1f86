"""`graycard results`: labels, notes, tags, the search, and another store's results."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import jsonschema
import pytest

from graycard.cli.exporting import meant_by, page_pieces
from graycard.codec import Document, decode, pretty
from graycard.errors import StoreProblem
from graycard.importers.graycard import GraycardImporter
from graycard.model import Annotations, Result
from graycard.report.markdown import page_markdown
from graycard.report.page import Page
from graycard.report.renderers import page_text
from graycard.report.results import results_page
from graycard.store import Store
from tests.cli.conftest import Run
from tests.report.examples import BAD, GOOD
from tools.make_schema import PLACE


@pytest.fixture
def stored(tmp_path: Path) -> tuple[Result, Result]:
    with Store(str(tmp_path / "results.db")) as store:
        store.save(GOOD)
        store.save(BAD)
    return GOOD, BAD


def document(run: Run, *arguments: str) -> Document:
    return decode(run("results", *arguments, "--json").out.encode(), Document)


@pytest.mark.usefixtures("stored")
def test_a_label_is_given_used_moved_and_taken_away(run: Run) -> None:
    given = run("results", "label", "m1", "exfat-2026")
    assert (given.code, given.out, given.err) == (0, "", "“exfat-2026” is m1 now.\n")
    assert [each.id for each in document(run, "show", "exfat-2026").results] == [GOOD.id, BAD.id]
    moved = run("results", "label", "id-R", "exfat-2026")
    assert moved.err == f"“exfat-2026” is {BAD.id} now; m1 had that label and has none now.\n"
    assert [each.id for each in document(run, "show", "exfat-2026").results] == [BAD.id]
    assert run("results", "label", "exfat-2026", "--remove").err == "Removed 1 label.\n"
    assert run("results", "show", "exfat-2026").code == 40


@pytest.mark.usefixtures("stored")
def test_the_list_shows_labels_and_tags_where_there_are_any(run: Run) -> None:
    assert "Label" not in run("results", "list").out
    run("results", "tag", "id-R", "usb", "short cable")
    title, _, first, second = run("results", "list", "--markdown").out.splitlines()
    assert title.endswith("| Place | Tags |")
    assert first.endswith("|  |")
    assert second.endswith("| short cable, usb |")
    run("results", "label", "m1", "exfat-2026")
    lines = run("results", "list", "--markdown").out.splitlines()
    assert [line.split(" | ")[-2:] for line in (lines[0], *lines[2:])] == [
        ["Label", "Tags |"],
        ["exfat-2026", " |"],
        ["exfat-2026", "short cable, usb |"],
    ]
    assert document(run, "list").annotations == {
        "m1": Annotations("exfat-2026"),
        BAD.id: Annotations(None, (), ("short cable", "usb")),
    }
    assert [each.id for each in document(run, "list", "--tag", "usb").results] == [BAD.id]
    assert len(document(run, "list", "--label", "exfat-2026").results) == 2
    assert run("results", "list", "--tag", "nothing").out.startswith("No stored result is such")


@pytest.mark.usefixtures("stored")
def test_show_tells_what_is_written_beside_the_results(run: Run, tmp_path: Path) -> None:
    run("results", "label", "m1", "exfat-2026")
    run("results", "note", "m1", "after the update\x1b[31m")
    run("results", "tag", "id-R", "usb")
    run("results", "note", "id-R", "measured twice")
    out = run("results", "show").out
    assert "\x1b" not in out
    shown = [" ".join(line.split()) for line in out.splitlines() if line.startswith("  ")]
    assert shown[-4:] == [
        "label exfat-2026",
        r"note after the update\x1b[31m",
        "tags of RND4K QD64 write usb",
        "note of RND4K QD64 write measured twice",
    ]
    assert run("results", "tag", "id-R", "usb", "absent", "--remove").err == "Removed 1 tag.\n"
    assert run("results", "note", "id-R", "--remove").err == "Removed 1 note.\n"
    exported = tmp_path / "out.json"
    assert run("results", "export", "exfat-2026", "-o", str(exported)).code == 0
    assert decode(exported.read_bytes(), Document).annotations == {
        "m1": Annotations("exfat-2026", ("after the update\x1b[31m",))
    }
    assert GraycardImporter().read(exported.read_bytes()) == (GOOD, BAD)


@pytest.mark.parametrize("command", ["list", "show", "search ssd", "export -o -"])
@pytest.mark.usefixtures("stored")
def test_annotations_are_in_the_published_schema(run: Run, command: str) -> None:
    run("results", "label", "m1", "exfat-2026")
    validator = jsonschema.Draft202012Validator(json.loads(PLACE.read_text(encoding="utf-8")))
    found = json.loads(run("results", *command.split(), "--json").out)
    assert found["annotations"] == {"m1": {"label": "exfat-2026", "notes": [], "tags": []}}
    assert list(validator.iter_errors(found)) == []
    found["annotations"]["m1"]["label"] = 5
    assert not validator.is_valid(found)


@pytest.mark.usefixtures("stored")
def test_a_search_lists_what_has_all_words(run: Run) -> None:
    run("results", "note", "id-R", "Kurzes Kabel")
    assert [each.id for each in document(run, "search", "KABEL", "ssd").results] == [BAD.id]
    assert [each.id for each in document(run, "search", "ssd", "--limit", "1").results] == [BAD.id]
    assert "RND4K QD64 write" in run("results", "search", "kabel").out
    nothing = run("results", "search", "kabel", "apfs")
    assert (nothing.code, nothing.out) == (0, "No stored result is such; graycard results list shows them.\n")


WRONG = {
    ("label", "m1"): (2, "give NAME, or --remove without it"),
    ("label", "m1", "x", "--remove"): (2, "give NAME, or --remove without it"),
    ("note", "m1"): (2, "give TEXT, or --remove without it"),
    ("tag", "m1"): (2, "Missing argument"),
    ("label", "m1", " "): (40, "cannot be a label"),
    ("tag", "zz", "usb"): (40, "no stored result or measurement begins with “zz”"),
    ("note", "id-", "x"): (40, "write more letters"),
    ("search",): (2, "Missing argument"),
}


@pytest.mark.parametrize("arguments", WRONG, ids=" ".join)
@pytest.mark.usefixtures("stored")
def test_what_cannot_be_done_is_told(run: Run, arguments: tuple[str, ...]) -> None:
    outcome, (code, says) = run("results", *arguments), WRONG[arguments]
    assert (outcome.code, outcome.out) == (code, "")
    assert says in outcome.err
    assert document(run, "list").annotations == {}


@pytest.mark.parametrize("arguments", [("label", "a", "b"), ("note", "a", "b"), ("tag", "a", "b"), ("search", "a")])
def test_annotating_and_searching_make_no_store(run: Run, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    outcome = run("--store", str(tmp_path / "data" / "results.db"), "results", *arguments)
    assert outcome.code == 40
    assert "no results are stored yet" in outcome.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("stored")
def test_who_merges_an_export_is_told_to_import_it(run: Run, tmp_path: Path) -> None:
    place = tmp_path / "all.json"
    run("results", "export", "--all", "-o", str(place))
    refused = run("results", "merge", str(place))
    assert (refused.code, refused.out) == (40, "")
    assert "all.json is an exported file, no store; graycard import takes it in" in refused.err


@pytest.mark.usefixtures("stored")
def test_another_store_is_merged_and_told(run: Run, tmp_path: Path) -> None:
    with Store(str(tmp_path / "other.db")) as other:
        for result in (GOOD, replace(GOOD, id="new", measurement_id="m2")):
            other.save(result)
        other.annotate("m2", label="exfat")
    run("results", "label", "m1", "exfat")
    assert run("results", "merge", str(tmp_path / "other.db")).err.splitlines() == [
        "Added 1 result; 1 known already.",
        "The label “exfat” could not be had here, so it became a tag.",
    ]
    assert [each.id for each in document(run, "list", "--tag", "exfat").results] == ["new"]
    again = run("results", "merge", str(tmp_path / "other.db"))
    assert again.err.splitlines()[0] == "Added 0 results; 2 known already."
    refused = run("results", "merge", str(tmp_path / "absent.db"))
    assert refused.code == 40
    assert "absent.db; check the path" in refused.err
    assert run("results", "merge", str(tmp_path / "other.db"), "--quiet").err == ""


def test_merging_what_is_not_there_makes_no_store(run: Run, tmp_path: Path) -> None:
    assert run("results", "merge", str(tmp_path / "absent.db")).code == 40
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("stored")
def test_all_that_is_stored_is_exported_as_its_texts(run: Run, tmp_path: Path) -> None:
    place = tmp_path / "all.json"
    with Store(str(tmp_path / "results.db")) as store:
        store.add([replace(GOOD, id="later", measurement_id="m2", created_at=GOOD.created_at + timedelta(days=1))])
        stored = tuple(map(store.load, (GOOD.id, BAD.id, "later")))
    done = run("results", "export", "--all", "-o", str(place))
    assert (done.code, done.err) == (0, f"Wrote 3 results to {place}.\n")
    assert decode(place.read_bytes(), Document) == Document(results=stored)
    assert place.read_bytes().count(b"\n") == 4  # a result a line
    assert run("results", "export", "--all", "m1", "-o", "-").code == 2
    validator = jsonschema.Draft202012Validator(json.loads(PLACE.read_text(encoding="utf-8")))
    validator.validate(json.loads(place.read_bytes()))


@pytest.mark.usefixtures("stored")
def test_the_list_as_json_is_one_document_in_lines(run: Run) -> None:
    run("results", "label", "m1", "exfat-2026")
    for command in (("list",), ("search", "ssd"), ("search", "nothing-has-this")):
        text = run("results", *command, "--json").out.encode()
        assert text == pretty(decode(text, Document))
    assert document(run, "list").annotations == {"m1": Annotations("exfat-2026")}


@pytest.mark.parametrize(("form", "render"), [("--text", page_text), ("--markdown", page_markdown)])
def test_a_page_is_exported_measurement_by_measurement(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, render: Callable[[Page], str]
) -> None:
    """So that memory holds one at a time; the page is that of all of them."""
    later = replace(GOOD, id="later", measurement_id="m2", created_at=GOOD.created_at + timedelta(days=1))
    read, ids = Store.figures, []

    def figures(store: Store, id_: str) -> Result:
        ids.append(id_)
        return read(store, id_)

    monkeypatch.setattr(Store, "figures", figures)
    with Store(str(tmp_path / "results.db")) as store:
        store.add((GOOD, BAD, later))
        pieces = page_pieces(store, meant_by(store, (), everything=True), render)
        first = next(pieces)
        assert ids == [GOOD.id, BAD.id]
        whole = render(results_page((GOOD, BAD, later)))
        assert (first + b"".join(pieces)).decode() == whole
    assert run("results", "export", "--all", form, "-o", "-").out == whole


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize("command", [("results", "export", "-o"), ("report", "m1", "--apart", "-o")])
def test_a_result_is_read_when_the_one_before_is_written(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    """So that memory holds one at a time; and where the second fails there is no file."""
    read, sizes = Store.text, []

    def text(store: Store, id_: str) -> bytes:
        (part,) = [each for each in tmp_path.iterdir() if each.name.endswith(".part")]
        sizes.append(part.stat().st_size)
        if id_ == BAD.id:
            raise StoreProblem("the disk of the store failed")
        return read(store, id_) + b" " * 100_000

    monkeypatch.setattr(Store, "text", text)
    outcome = run(*command, str(tmp_path / "x.json"))
    assert (outcome.code, outcome.out) == (40, "")
    assert sizes[0] < 1000 < 90_000 < sizes[1]
    assert not [each.name for each in tmp_path.iterdir() if "json" in each.name or "part" in each.name]
