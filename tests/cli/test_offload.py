"""`graycard offload` and `graycard verify` from the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.cli.conftest import Run

SCHEMA = json.loads((Path(__file__).parent.parent.parent / "docs" / "schema" / "graycard-1.json").read_text())


@pytest.fixture
def card(tmp_path: Path) -> Path:
    folder = tmp_path / "A001"
    (folder / "CLIP").mkdir(parents=True)
    (folder / "CLIP" / "one.mxf").write_bytes(b"1" * 2_000_000)
    (folder / "CLIP" / "two.xml").write_bytes(b"2" * 100)
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    return folder


def document(text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text)
    Draft202012Validator(SCHEMA).validate(found)
    return found


def test_it_says_what_it_will_do_and_plan_stops_there(run: Run, card: Path, tmp_path: Path) -> None:
    done = run("offload", str(card), str(tmp_path / "one"), str(tmp_path / "two"), "--plan")
    assert done.code == 0
    says = " ".join(done.out.split())
    assert f"Copies {card} (2 files, 2.00 MB) to {tmp_path}/one/A001, {tmp_path}/two/A001." in says
    assert "Writes 4.00 MB in all; reads the card once." in says
    assert "one drive" in says
    assert not (tmp_path / "one" / "A001").exists()
    plan = document(run("offload", str(card), str(tmp_path / "one"), "--plan", "--json").out)
    assert (plan["files_count"], plan["total_bytes"], plan["verify"]) == (2, 2_000_100, "xxh3")


def test_it_copies_verifies_and_shows_each_leg(run: Run, card: Path, tmp_path: Path) -> None:
    done = run("offload", str(card), str(tmp_path / "one"), "--card-size", "512GB")
    assert done.code == 0, done.err
    rows = [line.split()[0] for line in done.out.splitlines() if "MB/s" in line and " MB " in line]
    assert rows == ["read", "hash", "write", "verify"]
    assert "The copy is whole: 2 files read back, all hashes are equal." in done.out
    assert "A full card of 512 GB would take about" in done.out
    assert "Stored as" in done.err
    assert (tmp_path / "one" / "A001" / "CLIP" / "one.mxf").read_bytes() == b"1" * 2_000_000
    assert run("verify", str(tmp_path / "one" / "A001")).code == 0


def test_json_has_all_of_it(run: Run, card: Path, tmp_path: Path) -> None:
    done = run("offload", str(card), str(tmp_path / "one"), "--verify", "md5", "--verify-source", "--json")
    found = document(done.out)
    folder = f"{tmp_path}/one/A001"
    assert found["complete"] == {folder: True}
    assert [each["name"] for each in found["legs"]] == ["read", "hash", "write", "verify", "verify"]
    assert len(found["results"]) == 4
    assert (found["faults"], found["faults_count"]) == ([], 0)


def test_a_changed_file_is_told_with_its_own_exit_code(run: Run, card: Path, tmp_path: Path) -> None:
    run("offload", str(card), str(tmp_path / "one"))
    folder = tmp_path / "one" / "A001"
    (folder / "CLIP" / "two.xml").write_bytes(b"3" * 100)
    done = run("verify", str(folder))
    assert done.code == 21
    assert f"DIFFERS  {folder}/CLIP/two.xml is not what its manifest says" in " ".join(done.out.split()).replace(
        "DIFFERS ", "DIFFERS  "
    )
    assert "1 file not as the manifests say" in done.err
    found = document(run("verify", str(folder), "--json").out)
    assert found["complete"] == {str(folder): False}


def test_a_synthetic_card_leaves_nothing(run: Run, tmp_path: Path) -> None:
    (tmp_path / "to").mkdir()
    done = run("offload", "--card", "red", str(tmp_path / "to"), "--size", "3MB", "--markdown")
    assert done.code == 0, done.err
    assert "| read |" in done.out
    assert list((tmp_path / "to").iterdir()) == []


@pytest.mark.parametrize("layout", ["A002_0908FT.RDM/x.RDC/x_001.R3D", "Private/M4ROOT/CLIP/C0001.MP4", "a.braw"])
def test_no_synthetic_card_is_made_on_a_camera_card(run: Run, tmp_path: Path, layout: str) -> None:
    """--card is not the kind of a card that is there; who thinks so has named it as the only path, or as the first."""
    card, to = tmp_path / "CARD", tmp_path / "to"
    (card / layout).parent.mkdir(parents=True)
    (card / layout).write_bytes(b"take")
    to.mkdir()
    for places in ([card], [card, to], [to, card]):
        done = run("offload", *map(str, places), "--card", "red", "--size", "1MB")
        assert done.code == 10
        assert f"{card} is a camera card with clips, to which nothing is written; --card takes no SOURCE" in done.err
    assert [each.name for each in card.iterdir()] == [Path(layout).parts[0]]


def test_clips_in_the_first_of_several_destinations_are_asked_about(run: Run, card: Path, tmp_path: Path) -> None:
    to, before = str(tmp_path / "one"), sorted(card.rglob("*"))
    done = run("offload", str(card), to, "--card", "red", "--size", "1MB")
    assert (done.code, f"say so by --card-on {card}" in done.err) == (10, True), done.err
    assert run("offload", str(card), to, "--card", "red", "--size", "1MB", "--card-on", str(card)).code == 0
    assert run("offload", to, str(card), "--card", "red", "--size", "1MB").code == 0
    assert sorted(card.rglob("*")) == before


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["A001"], 2, "Missing argument 'DEST'"),
        (["A001", "one", "one"], 10, "named twice"),
        (["A001", "one", "two", "one", "two"], 2, "at most 3 destinations"),
        (["A001", "none"], 11, "there is no "),
        (["A001", "A001/CLIP"], 10, "lies in the source"),
        (["A001/CLIP/one.mxf", "one"], 11, "is a file; name the folder of the card"),
        (["A001", "A001/CLIP/one.mxf"], 11, "is a file; name a folder to copy into"),
        (["A001", "one", "--name", "../x"], 2, "the name of one folder"),
        (["A001", "one", "--card-on", "two"], 2, "give --card, too"),
        (["one", "--card", "red", "--resume"], 2, "for real ones"),
        (["A001", "one", "--verify", "none", "--verify-source"], 2, "leave --verify none out"),
    ],
)
def test_what_cannot_be_done_is_refused(
    run: Run, card: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], code: int, says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("offload", *arguments)
    assert (done.code, says in done.err) == (code, True), done.err
    assert list((tmp_path / "one").iterdir()) == []


def test_a_copy_that_is_there_is_refused_and_resumed(run: Run, card: Path, tmp_path: Path) -> None:
    (tmp_path / "one" / "A001").mkdir()
    assert run("offload", str(card), str(tmp_path / "one")).code == 10
    assert run("offload", str(card), str(tmp_path / "one"), "--resume").code == 0


def test_a_folder_without_a_history_cannot_be_verified(run: Run, card: Path) -> None:
    done = run("verify", str(card))
    assert (done.code, "has no ASC MHL history" in done.err) == (11, True)


def test_a_card_without_a_file_is_suspected(run: Run, tmp_path: Path) -> None:
    (tmp_path / "nothing" / "CLIP").mkdir(parents=True)
    (tmp_path / "to").mkdir()
    done = run("offload", str(tmp_path / "nothing"), str(tmp_path / "to"))
    assert done.code == 0
    assert f"There is no file in {tmp_path}/nothing; is it the folder of the card?" in " ".join(done.err.split())
    assert "The copy is whole, but there was no file to copy." in done.out


def test_links_are_told_with_the_result_too(run: Run, card: Path, tmp_path: Path) -> None:
    (card / "CLIP" / "three.mxf").symlink_to("one.mxf")
    done = run("offload", str(card), str(tmp_path / "one"), "--json", "--quiet")
    assert document(done.out)["notes"] == ["Links on the card were left out: CLIP/three.mxf."]


def test_a_folder_in_a_history_names_the_folder_that_has_it(run: Run, card: Path, tmp_path: Path) -> None:
    run("offload", str(card), str(tmp_path / "one"))
    for inner in ("CLIP", "ascmhl"):
        done = run("verify", str(tmp_path / "one" / "A001" / inner))
        assert (done.code, f"name {tmp_path}/one/A001, which has one" in done.err) == (11, True), done.err


def test_what_a_card_has_lost_since_its_manifest_is_told(run: Run, card: Path, tmp_path: Path) -> None:
    run("offload", str(card), str(tmp_path / "one"))
    first = tmp_path / "one" / "A001"
    (first / "CLIP" / "two.xml").unlink()
    done = run("offload", str(first), str(tmp_path / "two"), "--json", "--quiet")
    found = document(done.out)
    assert done.code == 21
    assert [(each["kind"], each["path"]) for each in found["faults"]] == [("missing", "CLIP/two.xml")]
    assert "is in the manifest that came with the card, and is not on the card" in found["faults"][0]["says"]
