"""`graycard agree --run`: another tool in turns with graycard, and nothing of it left."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import jsonschema
import pytest

from graycard.alongside.process import run as run_program
from graycard.alongside.tools import TOOLS
from graycard.importers import IMPORTERS
from tests.cli.conftest import Run
from tools.make_schema import PLACE

OWN = Path(__file__).parent.parent / "fixtures"


@pytest.fixture
def card(tmp_path: Path) -> Path:
    place = tmp_path / "card"
    place.mkdir()
    return place


def test_dd_in_turns(run: Run, card: Path) -> None:
    done = run("agree", "--run", "dd", str(card), "--size", "4MiB", "--json", "--quiet")
    assert done.code == 0, done.err
    document = json.loads(done.out)
    jsonschema.validate(document, json.loads(PLACE.read_text()))
    tools = [result["origin"]["tool"] for result in document["results"]]
    assert tools.count("dd") == 6, "a write and a read in each of three rounds"
    ours = [result for result in document["results"] if result["origin"]["tool"] == "graycard"]
    assert [len(result["runs"]) for result in ours] == [3, 3]
    assert {result["target"]["path"] for result in document["results"]} == {str(card)}
    assert {each["task"] for each in document["agreements"]} == {"SEQ1M QD1 write", "SEQ1M QD1 read"}
    for each in document["agreements"]:
        assert [figure["rate"]["n_count"] for figure in each["figures"]] == [3, 3]
        assert each["pairs"][0]["ratio"]["level_ratio"] == 0.95
    assert os.listdir(card) == []


def test_what_was_run_is_stored(run: Run, card: Path) -> None:
    assert run("agree", "--run", "dd", str(card), "--size", "4MiB").code == 0
    rows = json.loads(run("results", "list", "--json").out)["results"]
    assert sorted(row["origin"]["tool"] for row in rows) == ["dd"] * 6 + ["graycard"] * 2


@pytest.mark.parametrize(
    ("name", "says"),
    [("bonny", "graycard cannot run “bonny”; choose one of fio"), ("iozone", "iozone is not installed")],
)
def test_a_tool_that_is_not_there_is_one_sentence(
    run: Run, card: Path, monkeypatch: pytest.MonkeyPatch, name: str, says: str
) -> None:
    monkeypatch.setattr("graycard.alongside.tools.shutil.which", lambda name, path: None)
    done = run("agree", "--run", name, str(card))
    assert done.code == 10
    assert says in done.err
    assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("script", "code", "says"),
    [
        ("echo half > left-behind; echo dd: no luck >&2; exit 3", 20, "dd failed (exit code 3): dd: no luck"),
        ("echo nothing that means anything", 30, "dd's output could not be read"),
    ],
)
def test_a_tool_that_fails_leaves_nothing(
    run: Run, card: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, code: int, says: str
) -> None:
    program = tmp_path / "dd"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", os.pathsep.join((str(tmp_path), os.environ["PATH"])))
    done = run("agree", "--run", "dd", str(card), "--size", "4MiB", "--quiet")
    assert done.code == code
    assert says in done.err
    assert os.listdir(card) == []


def test_a_tool_that_measured_nothing_is_told_of(
    run: Run, card: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = (OWN / "bonnie" / "2.00a.csv").read_text().strip().split(",")
    # What stands where a test took less than half a second.
    line[10:24] = ["+++++"] * 14
    program = tmp_path / "bonnie++"
    program.write_text(f"#!/bin/sh\necho '{','.join(line)}'\n")
    program.chmod(0o700)
    monkeypatch.setenv("PATH", os.pathsep.join((str(tmp_path), os.environ["PATH"])))
    done = run("agree", "--run", "bonnie++", str(card), "--size", "4MiB")
    assert done.code == 0, done.err
    assert "bonnie++ gave no figure: its runs were too short to be timed, or failed; give a larger --size" in done.err


def test_a_file_is_no_place_for_a_tool(run: Run, card: Path) -> None:
    (card / "clip.mov").write_bytes(b"precious")
    done = run("agree", "--run", "dd", str(card / "clip.mov"))
    assert done.code == 10
    assert done.err.splitlines()[-1].endswith("is a file, beside which nothing may be written: name its folder")


def test_a_stop_ends_the_program(tmp_path: Path) -> None:
    looks = 0

    def look() -> None:
        nonlocal looks
        looks += 1
        if looks == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_program("/bin/sh", ["-c", "echo $$ > pid; exec sleep 600"], str(tmp_path), look)
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--run", "dd", "one", "two"), "name one folder"),
        (("one", "--size", "4MiB"), "--size goes with --run"),
    ],
)
def test_usage(run: Run, arguments: tuple[str, ...], says: str) -> None:
    done = run("agree", *arguments)
    assert done.code == 2
    assert says in done.err


def test_every_tool_has_an_importer() -> None:
    names = {importer.name for importer in IMPORTERS}
    assert {tool.name.rstrip("+") for tool in TOOLS} <= {name.rstrip("+") for name in names}
