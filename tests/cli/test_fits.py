"""`graycard fits`: which results a user means, what is decided and what is refused, and the exit codes."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from graycard.codec import Document, encode
from graycard.errors import AccuracyProblem, PlanProblem, StoreProblem, TargetProblem
from graycard.facts import fact
from graycard.model import Pattern, Result, Verdict
from graycard.store import Store
from tests.cli.conftest import Outcome, Run
from tests.cli.fakes import fake_app, with_facts
from tests.made_results import START
from tests.media.made import READ, STALLED, WRITE, of_rate, rate
from tools.make_schema import PLACE

HOST = with_facts(fact("file_system_id", "f1", "test"), fact("device_id", "d1", "test"))
RANDOM = replace(READ, pattern=Pattern.RANDOM, block_bytes=4096)
OPTIONS = ("--format", "8MB/25")


def of(name: str, measurement: str, minute: int, result: Result) -> Result:
    return replace(result, id=name, measurement_id=measurement, created_at=START.replace(minute=minute))


# 300 and 210 MB/s are sustained of what 8 MB at 25 asks: 200 MB/s, with 20 % headroom 240.
FAST_READ = of("aa11", "1a", 1, of_rate("a", rate(310, 300)))
SLOW_WRITE = of("aa22", "1a", 1, of_rate("b", rate(220, 210), WRITE))


Save = Callable[..., None]


@pytest.fixture
def save(tmp_path: Path) -> Save:
    def keep(*results: Result) -> None:
        with Store(str(tmp_path / "results.db")) as store:
            for result in results:
                store.save(result)

    return keep


def verdicts(done: Outcome) -> dict[tuple[str, str], str]:
    document = json.loads(done.out)
    return {(each["format_key"], each["operation"]): each["verdict"] for each in document["fits"]}


def test_a_path_means_the_newest_results_of_its_volume(run: Run, tmp_path: Path, save: Save) -> None:
    save(FAST_READ, SLOW_WRITE, of("zz", "9z", 5, of_rate("z", rate(5, 4), RANDOM)))
    app = fake_app(tmp_path, host=HOST)
    done = run("fits", str(tmp_path), *OPTIONS, "--json", app=app)
    assert done.code == 0
    assert verdicts(done) == {("custom-8000000b/25", "read"): "yes", ("custom-8000000b/25", "write"): "tight"}
    document = json.loads(done.out)
    jsonschema.validate(document, json.loads(PLACE.read_text(encoding="utf-8")))
    assert [basis["result_id"] for basis in document["bases"]] == ["aa11", "aa22"]
    # The newest measurement was of random access: it is refused, and why.
    assert document["refused"][0]["reason"].startswith("jumps at random")


def test_the_table_tells_both_directions(run: Run, save: Save) -> None:
    save(FAST_READ, SLOW_WRITE)
    out = run("fits", "1a", *OPTIONS).out
    row = next(line for line in out.splitlines() if line.startswith("custom-8000000b/25"))
    assert row.split() == ["custom-8000000b/25", "200", "yes", "37.5", "up", "to", "1", "tight", "26.2", "0"]
    assert "300 MB/s, the low end of the 95 % interval around 310 MB/s" in out
    assert "Recording: The flush comes once, at the end" in out


def test_without_formats_the_known_ones_are_shown(run: Run, save: Save) -> None:
    save(FAST_READ)
    done = run("fits", "aa11")
    assert "prores-422-hq/uhd/25" in done.out
    assert len(done.out.splitlines()) > 25
    assert "no result tells of recording; graycard measure PATH --preset standard --write" in done.err


@pytest.mark.parametrize(("option", "operations"), [("--play", {"read"}), ("--record", {"write"})])
def test_one_direction_alone(run: Run, save: Save, option: str, operations: set[str]) -> None:
    save(FAST_READ, SLOW_WRITE)
    done = run("fits", "1a", *OPTIONS, option, "--json")
    assert {operation for _, operation in verdicts(done)} == operations
    assert done.err == ""


def test_streams_and_headroom(run: Run, save: Save) -> None:
    save(FAST_READ)
    assert set(verdicts(run("fits", "1a", *OPTIONS, "--streams", "2", "--json")).values()) == {"no"}
    assert set(verdicts(run("fits", "1a", *OPTIONS, "--headroom", "60%", "--json")).values()) == {"tight"}
    several = run("fits", "1a", "--format", "prores-422-hq/hd/25", "--streams", "3").out
    assert "3 streams on one disk also cost seeks" in several
    assert "graycard play PATH --streams 3 proves it" in " ".join(several.split())


def test_a_file_and_a_label_are_sides_as_for_compare(run: Run, tmp_path: Path, save: Save) -> None:
    save(FAST_READ)
    path = tmp_path / "export.json"
    path.write_bytes(encode(Document(results=(FAST_READ, SLOW_WRITE))))
    assert len(verdicts(run("fits", str(path), *OPTIONS, "--json"))) == 2
    run("results", "label", "1a", "old disk")
    assert len(verdicts(run("fits", "old disk", *OPTIONS, "--json"))) == 1


@pytest.mark.parametrize(
    ("result", "says"),
    [
        (of_rate("r", rate(50, 49), RANDOM), "RND4K QD1 read jumps at random"),
        (of_rate("r", rate(50, 49), replace(READ, block_bytes=4096)), "moves 4K blocks"),
    ],
)
def test_what_says_nothing_is_refused_with_the_command_that_does(
    run: Run, save: Save, result: Result, says: str
) -> None:
    save(of("rr", "5r", 1, result))
    done = run("fits", "5r")
    assert done.code == PlanProblem.exit_code
    assert done.out == ""
    assert says in done.err
    assert "graycard measure PATH --preset standard measures that" in done.err
    assert len(done.err.splitlines()) == 1


def test_a_single_run_is_shown_and_decides_nothing(run: Run, save: Save) -> None:
    save(of("ss", "6s", 1, of_rate("s", rate(900))))
    done = run("fits", "6s", *OPTIONS, "--play")
    assert done.code == 0
    assert "Playing: nothing is decided, for a single run has no interval" in done.out
    assert "not decided" in done.out
    assert " yes " not in done.out


def test_a_failed_check_decides_nothing_and_ends_as_measure_does(run: Run, save: Save) -> None:
    save(of("ff", "7f", 1, of_rate("f", rate(900, 890), verdict=Verdict.FAIL)))
    done = run("fits", "7f", *OPTIONS, "--play")
    assert done.code == AccuracyProblem.exit_code
    assert "nothing is decided, for a check failed (The reason of the check)" in done.out
    assert "900" not in done.out


def test_a_direction_that_failed_leaves_the_other_one(run: Run, save: Save) -> None:
    save(FAST_READ, of("aa22", "1a", 1, of_rate("b", rate(900, 890), WRITE, verdict=Verdict.FAIL)))
    done = run("fits", "1a", *OPTIONS)
    assert done.code == 0
    assert "Recording: nothing is decided" in done.out
    row = next(line for line in done.out.splitlines() if line.startswith("custom-8000000b/25"))
    assert row.split() == ["custom-8000000b/25", "200", "yes", "37.5", "up", "to", "1"]


def test_stalls_and_files_for_each_frame_are_told(run: Run, save: Save) -> None:
    save(of("tt", "8t", 1, of_rate("t", rate(900, 890), stalls=STALLED)))
    out = run("fits", "8t", *OPTIONS, "--format", "dpx-10/2k/24", "--play").out
    assert "stalled 2 times" in out
    assert "tight" in out
    assert "dpx-10/2k/24: not decided, for one file a frame" in out
    assert "graycard play PATH --format dpx-10/2k/24 --file-per-frame tells" in " ".join(out.split())


@pytest.mark.parametrize(
    ("name", "code", "says"),
    [
        ("nosuch", StoreProblem.exit_code, "no stored result or measurement begins with “nosuch”"),
        (os.path.join(os.sep, "no", "such", "place"), TargetProblem.exit_code, "there is no /no/such/place"),
    ],
)
def test_names_that_mean_nothing(run: Run, save: Save, name: str, code: int, says: str) -> None:
    save(FAST_READ)
    done = run("fits", name)
    assert (done.code, done.out) == (code, "")
    assert says in done.err


def test_a_volume_without_results_and_one_that_cannot_be_known(run: Run, tmp_path: Path, save: Save) -> None:
    save(of("oo", "2o", 1, replace(FAST_READ, facts=())))
    done = run("fits", str(tmp_path), app=fake_app(tmp_path, host=HOST))
    assert done.code == StoreProblem.exit_code
    assert "no results are stored of the volume that holds" in done.err
    done = run("fits", str(tmp_path))
    assert done.code == TargetProblem.exit_code
    assert "neither a device id nor a file system id" in done.err


def test_an_unknown_format_is_told_before_anything_is_read(run: Run) -> None:
    done = run("fits", "whatever", "--format", "prores-422-hx/uhd/25")
    assert done.code == PlanProblem.exit_code
    assert "did you mean prores-422-hq" in done.err


def test_other_forms(run: Run, save: Save) -> None:
    save(FAST_READ)
    assert "| Format | MB/s | Play |" in run("fits", "1a", *OPTIONS, "--markdown", "--play").out
    text = run("fits", "1a", "--text", "--play").out
    assert max(map(len, text.splitlines())) <= 120
