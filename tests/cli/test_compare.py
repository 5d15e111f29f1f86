"""`graycard compare`: which sides a user means, in which form they are shown, and the exit code."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from graycard.codec import Document, encode
from graycard.model import Result
from graycard.model.experiment import Configuration, ExperimentPlan, ExperimentRecord, Failure, Load
from graycard.store import Store
from tests.cli.conftest import Run
from tests.compare.made import failed, measured, trialled
from tests.made_results import START
from tools.make_schema import PLACE

FAST = (100.0, 103.0, 97.0, 101.5, 98.5, 100.0)
SLOW = tuple(rate * 0.8 for rate in (103.0, 100.0, 97.0, 101.5, 100.0, 98.5))
A = measured("aa11", FAST, measurement_id="1a")
B = measured("bb22", SLOW, measurement_id="2b")
FIRST_LINE = "SLOWER   SEQ1M QD8 read: {} is at least 18 % slower than {} (20 % slower, 95 % interval 18 to 22 %)."
# Pairs are told apart more finely.
PAIRS_LINE = "SLOWER   SEQ1M QD8 read: {} is at least 19 % slower than {} (20 % slower, 95 % interval 19 to 21 %)."
EXPERIMENT = "e0ab12cd"


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """A store with two measurements, the second labelled, and an experiment of which one configuration failed."""
    path = tmp_path / "results.db"
    with Store(str(path)) as store:
        for result in (A, B, *experiment()):
            store.save(result)
        store.annotate("2b", label="after update")
        record = made_record()
        store.save_experiment(record.id, record.plan.name, record.created_at, encode(record))
    return path


def experiment() -> Sequence[Result]:
    """Two of three configurations; saved in another order than the plan's."""
    base = trialled("ext4", FAST, is_base=True, experiment=EXPERIMENT, id="c3", measurement_id="9c")
    return trialled("exfat", SLOW, is_base=False, experiment=EXPERIMENT, id="d4", measurement_id="9d"), base


def made_record() -> ExperimentRecord:
    names = ("ext4", "btrfs", "exfat")
    plan = ExperimentPlan(
        name="file systems",
        configurations=tuple(Configuration(name, "/mnt") for name in names),
        load=Load(("quick",)),
        pair_count=6,
        rest_ns=0,
        seed=None,
        threshold_ratio=0.5,
        engine="native",
    )
    failure = Failure("btrfs", START, "mkfs.btrfs is missing; install btrfs-progs")
    return ExperimentRecord(EXPERIMENT, START, "f", 7, plan, (failure,))


def export(path: Path, *results: Result) -> str:
    path.write_bytes(encode(Document(results=results)))
    return str(path)


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize(
    ("names", "called"),
    [
        (("1a", "after update"), ("after update", "1a")),
        (("aa1", "bb22"), ("after update", "aa1")),
        (("1a", "2b"), ("after update", "1a")),
        ((f"{EXPERIMENT}:ext4", f"{EXPERIMENT}:exfat"), ("exfat", "ext4")),
        (("file systems:ext4", "e0:exfat"), ("exfat", "ext4")),
        (("1a", "e0:exfat"), ("exfat", "1a")),
    ],
)
def test_each_way_to_name_a_side(run: Run, names: tuple[str, str], called: tuple[str, str]) -> None:
    outcome = run("compare", *names)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.splitlines()[0] == f"{called[0]} beside {called[1]}"
    line = PAIRS_LINE if called == ("exfat", "ext4") else FIRST_LINE
    assert outcome.out.splitlines()[1] == line.format(*called)


def test_files_need_no_store(run: Run, tmp_path: Path) -> None:
    before, after = export(tmp_path / "before.json", A), export(tmp_path / "after.json", B)
    outcome = run("compare", before, after)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.splitlines()[1] == FIRST_LINE.format("after", "before")
    assert not (tmp_path / "results.db").exists()


def test_files_of_one_name_are_told_apart_by_their_paths(run: Run, tmp_path: Path) -> None:
    for name in ("x", "y"):
        (tmp_path / name).mkdir()
    paths = export(tmp_path / "x" / "r.json", A), export(tmp_path / "y" / "r.json", B)
    (found,) = json.loads(run("compare", *paths, "--json").out)["comparisons"]
    assert (found["base"], found["other"]) == paths


@pytest.mark.usefixtures("stored")
def test_a_file_beside_a_stored_result(run: Run, tmp_path: Path) -> None:
    path = export(tmp_path / "before.json", replace(A, id="other"))
    assert run("compare", path, "2b").out.splitlines()[0] == "after update beside before"


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize("name", [EXPERIMENT, "e0", "file systems"])
def test_an_experiment_alone_is_all_its_configurations_by_its_own_threshold(run: Run, name: str) -> None:
    outcome = run("compare", name)
    assert outcome.code == 0
    assert outcome.err == "btrfs has no results: mkfs.btrfs is missing; install btrfs-progs\n"
    assert outcome.out.splitlines()[:2] == [
        "exfat beside ext4",
        "same     SEQ1M QD8 read: exfat is the same as ext4 within 50 % (20 % slower, 95 % interval 19 to 21 %).",
    ]
    strict = run("compare", name, "--threshold", "3%", "--quiet")
    assert (strict.out.splitlines()[1], strict.err) == (PAIRS_LINE.format("exfat", "ext4"), "")


def test_a_file_of_an_experiment_alone(run: Run, tmp_path: Path) -> None:
    path = export(tmp_path / "e.json", *experiment())
    assert run("compare", path).out.splitlines()[0] == "ext4 beside exfat"


@pytest.mark.usefixtures("stored")
def test_three_sides_are_two_comparisons_with_the_first(run: Run) -> None:
    lines = run("compare", "1a", "2b", "e0:ext4").out.splitlines()
    assert [line for line in lines if " beside " in line] == ["after update beside 1a", "ext4 beside 1a"]
    assert any("for all 2 comparisons together" in line for line in lines)


@pytest.mark.usefixtures("stored")
def test_the_document_is_as_published(run: Run) -> None:
    document = json.loads(run("compare", "1a", "2b", "--json").out)
    jsonschema.Draft202012Validator(json.loads(PLACE.read_text(encoding="utf-8"))).validate(document)
    (found,) = document["comparisons"]
    assert document["schema"] == "graycard/1"
    assert (found["verdict"], found["paired"], found["base_ids"]) == ("slower", False, ["aa11"])
    assert found["ratio"]["low"] < 0.8 < found["ratio"]["high"]


@pytest.mark.usefixtures("stored")
def test_markdown_and_text(run: Run) -> None:
    assert "| Task | 1a | after update |" in run("compare", "1a", "2b", "--markdown").out
    assert run("compare", "1a", "2b", "--text").out == run("compare", "1a", "2b").out


def test_a_failed_check_is_shown_marked_and_gives_21(run: Run, tmp_path: Path) -> None:
    paths = export(tmp_path / "a.json", failed(A)), export(tmp_path / "b.json", B)
    outcome = run("compare", *paths)
    assert outcome.code == 21
    assert "! SLOWER SEQ1M QD8 read: b is at least" in outcome.out
    assert "caveat   a failed the check test; its results say why." in outcome.out
    assert outcome.err == (
        "graycard: 1 comparison with a figure that failed a check: measure that side again before you rely on the "
        "verdict\n"
    )


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize(
    ("names", "code", "says"),
    [
        (("1a",), 2, "name two or more results, labels or files to compare, or one experiment"),
        (("1a", "1a"), 2, "“1a” is named twice; name two different results"),
        (("1a", "zz"), 40, "no stored result or measurement begins with “zz” or is labelled so"),
        (("9", "1a"), 40, "“9” is the beginning of several ids"),
        (("1a", "none.json"), 40, "there is no file none.json"),
        (("1a", "e0"), 40, "“e0” is an experiment of several configurations (ext4, exfat): name it alone, or write"),
        (("1a", "e0:ntfs"), 40, "experiment file systems has no results of a configuration “ntfs”; measured: ext4"),
        (("1a", "xx:ntfs"), 40, "no stored result or measurement begins with “xx:ntfs”"),
        (("1a", "2b", "--threshold", "0"), 2, "a material difference is above 0 and below 100 %"),
        (("1a", "2b", "--threshold", "150%"), 2, "a material difference is above 0 and below 100 %"),
    ],
)
def test_what_cannot_be_compared_is_one_sentence(run: Run, names: tuple[str, ...], code: int, says: str) -> None:
    outcome = run("compare", *names)
    assert (outcome.code, outcome.out) == (code, "")
    assert says in outcome.err
    assert outcome.err.count("\n") == 1


@pytest.mark.usefixtures("stored")
def test_one_name_for_several_things(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    export(tmp_path / "after update", A)
    outcome = run("compare", "1a", "after update")
    assert outcome.code == 40
    assert outcome.err == (
        "graycard: “after update” is a file and a label, too; write ./after update for the file, or the label's id\n"
    )
    assert run("compare", "2b", "./after update").code == 0
    with Store(str(tmp_path / "results.db")) as store:
        store.save(measured("e0ffff", FAST, measurement_id="3c"))
    assert "“e0” begins the id of a stored result and of an experiment" in run("compare", "1a", "e0").err


def test_several_configurations_are_never_pooled(run: Run, tmp_path: Path) -> None:
    path = export(tmp_path / "e.json", *experiment())
    outcome = run("compare", path, export(tmp_path / "a.json", A))
    assert outcome.code == 40
    assert "holds 2 configurations of an experiment (exfat, ext4): name it alone to compare them" in outcome.err


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"hello", "holds no results of any tool that graycard knows"),
        (b'{"schema": "graycard/1", "results": [{"id": 7}]}', "bad.json: graycard's document is damaged"),
        (b'{"schema": "graycard/9", "results": []}', "is of schema graycard/9"),
    ],
)
def test_a_file_that_is_no_result(run: Run, tmp_path: Path, data: bytes, says: str) -> None:
    bad = tmp_path / "bad.json"
    bad.write_bytes(data)
    outcome = run("compare", export(tmp_path / "a.json", A), str(bad))
    assert (outcome.code, outcome.out) == (30, "")
    assert says in outcome.err


def test_without_a_store_there_is_nothing_to_name(run: Run) -> None:
    for names in (("1a", "2b"), ("e0",)):
        outcome = run("compare", *names)
        assert outcome.code == 40
        assert "no results are stored yet" in outcome.err


@pytest.mark.usefixtures("stored")
def test_an_experiment_with_one_configuration_has_nothing_to_compare_yet(run: Run, tmp_path: Path) -> None:
    with Store(str(tmp_path / "results.db")) as store:
        store.remove(["d4"])
    outcome = run("compare", "file systems")
    assert outcome.code == 40
    assert "has results of 1 of 3 configurations: nothing to compare yet" in outcome.err
