"""The commands that show: info, volumes, results, clean; forms, colour, width and locale."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import termios
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import jsonschema
import pytest

from graycard.codec import Document, decode
from graycard.facts import fact
from graycard.model import Result
from graycard.store import Store
from tests.cli.conftest import Run
from tests.cli.fakes import fake_app, with_facts
from tests.report.examples import BAD, GOOD
from tests.report.test_schema import RUN
from tools.make_schema import PLACE


@pytest.fixture
def stored(tmp_path: Path) -> tuple[Result, Result]:
    with Store(str(tmp_path / "results.db")) as store:
        store.save(GOOD)
        store.save(BAD)
    return GOOD, BAD


def test_info_groups_the_facts_with_their_sources(run: Run, tmp_path: Path) -> None:
    outcome = run("info", str(tmp_path))
    lines = outcome.out.splitlines()
    assert outcome.code == 0
    assert lines[0] == str(tmp_path)
    assert lines[1].startswith("WARNING  The USB link runs at 480 Mbit/s: ceiling about 40 MB/s. Cable, hub or port")
    assert "  file system   ext4 [/proc/self/mountinfo]" in lines
    assert "  link          480 Mbit/s [sysfs]" in lines
    assert outcome.err == ""


def test_info_as_one_document(run: Run, tmp_path: Path) -> None:
    document = json.loads(run("info", str(tmp_path), "--json").out)
    assert document["schema"] == "graycard/1"
    assert {"name": "bus", "value": "usb", "unit": None, "source": "sysfs"} in document["facts"]


@pytest.mark.parametrize(
    ("command", "field"),
    [
        ("info .", "facts"),
        ("volumes", "volumes"),
        ("calibrate", "ceilings"),
        ("results list", "results"),
        ("results show", "results"),
        ("results export -o -", "results"),
        ("measure . --plan", "says"),
    ],
)
@pytest.mark.usefixtures("stored")
def test_each_json_document_is_as_published(run: Run, command: str, field: str) -> None:
    validator = jsonschema.Draft202012Validator(json.loads(PLACE.read_text(encoding="utf-8")))
    document = json.loads(run(*command.split(), "--json").out)
    assert document[field]
    assert list(validator.iter_errors(document)) == []
    del document[field]
    assert not validator.is_valid(document)


def test_info_warns_of_a_full_drive_and_a_virtual_machine(run: Run, tmp_path: Path) -> None:
    host = with_facts(fact("used_ratio", 0.95, "statvfs"), fact("virtual_machine", "kvm", "cpuid"))
    out = run("info", str(tmp_path), app=fake_app(tmp_path, host=host)).out
    assert "WARNING  The volume is 95 % full (900 GB free)" in out
    assert "WARNING  This is a virtual machine (kvm)" in out


def test_info_on_a_missing_path(run: Run) -> None:
    outcome = run("info", "/no/such/place")
    assert (outcome.code, outcome.out) == (11, "")
    assert outcome.err == "graycard: there is no /no/such/place; check the path and that the volume is mounted\n"


def test_volumes(run: Run) -> None:
    assert run("volumes").out.splitlines() == [
        "Volume     File system    Free     Size  Measurable  Source",
        "/mnt/ssd   ext4         900 GB  1.00 TB  yes         /dev/fake1",
        "/mnt/card  exfat             —        —  no          /dev/fake2",
        "",
        "no       /mnt/card: it is read-only; use --read-only FILE",
    ]
    assert [each["why_not"] is None for each in json.loads(run("volumes", "--json").out)["volumes"]] == [True, False]
    assert run("volumes", "--markdown").out.startswith("| Volume | File system |")


def test_results_list(run: Run, stored: tuple[Result, Result]) -> None:
    outcome = run("results", "list")
    assert outcome.out.splitlines() == [
        "Measurement  Result    Measured (UTC)    Task                             Rate  Runs  Checks  Place",
        "m1           id-SEQ1M  2026-11-30 13:40  SEQ1M QD8 read         512 MB/s ± 3 %     —  pass    /mnt/ssd",
        "m1           id-RND4K  2026-11-30 13:40  RND4K QD64 write  ! 48.3 MB/s ± 9.1 %     —  fail    /mnt/ssd",
    ]
    assert decode(run("results", "list", "--limit", "1", "--json").out.encode(), Document).results == (BAD,)


def test_the_list_is_in_the_order_of_the_plan_and_as_json_without_the_runs(run: Run, tmp_path: Path) -> None:
    def ran(name: str, measurement: str, task_index: int, minute: int) -> Result:
        runs = (replace(RUN, task_index=task_index),)
        created_at = GOOD.created_at + timedelta(minutes=minute)
        return replace(GOOD, id=name, measurement_id=measurement, created_at=created_at, runs=runs)

    results = [
        ran("old-b", "old", 1, 1),
        ran("old-a", "old", 0, 2),
        ran("new-b", "new", 1, 3),
        ran("new-a", "new", 0, 4),
    ]
    with Store(str(tmp_path / "results.db")) as store:
        for each in results:
            store.save(each)
    lines = run("results", "list").out.splitlines()[1:]
    assert [line.split()[:2] for line in lines] == [
        ["new", "new-a"],
        ["new", "new-b"],
        ["old", "old-a"],
        ["old", "old-b"],
    ]
    listed = decode(run("results", "list", "--json").out.encode(), Document).results
    assert listed == tuple(replace(results[place], runs=()) for place in (3, 2, 1, 0))


def test_a_single_run_is_told_in_the_list(run: Run, tmp_path: Path) -> None:
    assert GOOD.summary is not None
    summary = replace(GOOD.summary, rate=replace(GOOD.summary.rate, low=None, high=None))
    with Store(str(tmp_path / "results.db")) as store:
        store.save(replace(GOOD, summary=summary, runs=(RUN,)))
    assert "512 MB/s (single run)     1" in run("results", "list").out


READERS = (("show",), ("show", "a"), ("export", "-o", "-"), ("export", "a", "-o", "-"), ("remove", "a", "--yes"))


@pytest.mark.parametrize("arguments", READERS, ids=" ".join)
def test_reading_makes_no_store(run: Run, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    place = tmp_path / "data" / "graycard" / "results.db"
    outcome = run("--store", str(place), "results", *arguments)
    says = f"graycard: no results are stored yet at {place}; graycard measure makes the first\n"
    assert (outcome.code, outcome.out, outcome.err) == (40, "", says)
    assert list(tmp_path.iterdir()) == []


def test_listing_makes_no_store(run: Run, tmp_path: Path) -> None:
    place = str(tmp_path / "data" / "results.db")
    nothing = "Nothing is stored yet; graycard measure PATH makes the first result.\n"
    assert run("--store", place, "results", "list").out == nothing
    assert json.loads(run("--store", place, "results", "list", "--json").out)["results"] == []
    assert list(tmp_path.iterdir()) == []


def test_a_store_that_cannot_be_looked_at_is_not_called_empty(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    outcome = run("--store", str(tmp_path / "file" / "results.db"), "results", "list")
    assert (outcome.code, outcome.out) == (40, "")
    assert "The folder of the store" in outcome.err


def test_an_empty_store_says_what_to_do(run: Run, tmp_path: Path) -> None:
    Store(str(tmp_path / "results.db")).close()
    assert run("results", "list").out == "Nothing is stored yet; graycard measure PATH makes the first result.\n"
    outcome = run("results", "show")
    assert outcome.code == 40
    assert f"no results are stored yet at {tmp_path / 'results.db'}" in outcome.err


def test_results_show_the_last_measurement_or_by_prefix(run: Run, stored: tuple[Result, Result]) -> None:
    whole = run("results", "show", "--json").out.encode()
    assert decode(whole, Document).results == stored
    assert decode(run("results", "show", "id-R", "--json").out.encode(), Document).results == (BAD,)
    assert decode(run("results", "show", "m", "id-R", "--json").out.encode(), Document).results == stored
    assert "! 48.3 MB/s" in run("results", "show").out


@pytest.mark.parametrize(
    ("prefix", "says"),
    [
        ("id-", "“id-” is the beginning of several ids (id-RND4K"),
        ("zz", "no stored result or measurement begins with “zz”"),
        ("", "no stored result or measurement begins with “”"),
    ],
)
def test_an_unclear_id_is_refused(run: Run, stored: tuple[Result, Result], prefix: str, says: str) -> None:
    outcome = run("results", "show", prefix)
    assert outcome.code == 40
    assert says in outcome.err


def test_export_never_overwrites_unless_forced(run: Run, stored: tuple[Result, Result], tmp_path: Path) -> None:
    place = tmp_path / "out.json"
    assert run("results", "export", "-o", str(place)).code == 0
    assert decode(place.read_bytes(), Document).results == stored
    place.write_text("mine")
    refused = run("results", "export", "-o", str(place))
    assert (refused.code, place.read_text()) == (2, "mine")
    assert "add --force to overwrite it" in refused.err
    assert run("results", "export", "-o", str(place), "--force", "--markdown").code == 0
    assert place.read_text(encoding="utf-8").startswith("**/mnt/ssd**")
    assert sorted(each.name for each in tmp_path.iterdir() if "out" in each.name) == ["out.json"]


def test_export_to_stdout_and_to_nowhere(run: Run, stored: tuple[Result, Result], tmp_path: Path) -> None:
    assert decode(run("results", "export", "-o", "-").out.encode(), Document).results == stored
    outcome = run("results", "export", "-o", str(tmp_path / "no" / "folder.json"))
    assert (outcome.code, outcome.out) == (1, "")
    assert "folder.json cannot be written (No such file or directory)" in outcome.err


def test_remove_asks_and_needs_an_answer(run: Run, stored: tuple[Result, Result], tmp_path: Path) -> None:
    refused = run("results", "remove", "id-R")
    assert refused.code == 2
    assert "add --yes" in refused.err
    done = run("results", "remove", "id-R", "--yes")
    assert (done.code, done.out, done.err) == (0, "", "Removed 1 result.\n")
    with Store(str(tmp_path / "results.db")) as store:
        assert [row.id for row in store.rows()] == [GOOD.id]


def test_quiet_and_store_may_stand_before_and_after_the_command(run: Run, tmp_path: Path) -> None:
    with Store(str(tmp_path / "other.db")) as store:
        store.save(GOOD)
    for arguments in (
        ("--store", str(tmp_path / "other.db"), "-q", "results", "list"),
        ("results", "--store", str(tmp_path / "other.db"), "list", "--quiet"),
        ("results", "list", "--store", str(tmp_path / "other.db")),
    ):
        assert "SEQ1M QD8 read" in run(*arguments).out


def test_the_store_of_the_environment_gives_way_to_the_option(program: Run, tmp_path: Path) -> None:
    with Store(str(tmp_path / "own.db")) as store:
        store.save(GOOD)
    assert "SEQ1M" in program("results", "list").out
    assert "Nothing is stored" in program("results", "list", "--store", str(tmp_path / "empty.db")).out
    assert "Nothing is stored" in program("--store", str(tmp_path / "empty.db"), "results", "list").out


def test_clean_says_what_it_leaves(run: Run, tmp_path: Path) -> None:
    assert run("clean", str(tmp_path)).err == f"Nothing of graycard's is in {tmp_path}.\n"
    foreign = tmp_path / ".graycard-0123456789abcdef"
    foreign.mkdir()
    (foreign / "mine.txt").write_text("keep")
    outcome = run("clean", str(tmp_path))
    assert outcome.code == 0
    assert "no valid marker" in outcome.err
    assert (foreign / "mine.txt").read_text() == "keep"


def test_clean_wants_a_folder(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    outcome = run("clean", str(file))
    assert (outcome.code, file.read_text()) == (11, "x")


def on_a_terminal(tmp_path: Path, **environment: str) -> str:
    """What `results show` prints on a terminal of 80 columns."""
    command = [sys.executable, "-c", "from graycard.cli.main import run; run()", "results", "show"]
    variables = {**os.environ, "GRAYCARD_STORE": str(tmp_path / "results.db"), "TERM": "xterm", **environment}
    outer, inner = pty.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    variables.pop("COLUMNS", None)
    process = subprocess.Popen(command, stdout=inner, stderr=inner, stdin=inner, env=variables)
    os.close(inner)
    read = b""
    try:
        while chunk := os.read(outer, 65536):
            read += chunk
    except OSError:
        pass  # Linux: the other side is closed
    finally:
        os.close(outer)
        process.wait(60)
    return read.decode()


def test_colour_is_for_terminals_only(stored: tuple[Result, Result], run: Run, tmp_path: Path) -> None:
    assert "\x1b" not in run("results", "show").out
    coloured = on_a_terminal(tmp_path, NO_COLOR="")
    assert "\x1b[31m\x1b[1mFAILED" in coloured
    assert "\x1b" not in on_a_terminal(tmp_path, NO_COLOR="1")
    assert "\x1b" not in on_a_terminal(tmp_path, TERM="dumb")


def test_on_80_columns_a_row_takes_two_lines(stored: tuple[Result, Result], tmp_path: Path) -> None:
    lines = on_a_terminal(tmp_path, NO_COLOR="1").splitlines()
    assert "SEQ1M QD8 read       512 MB/s ± 3 %   (497 to 528)     488     7" in lines
    assert "    latency p50 1.23 ms  p99 3.40 ms  max 12.3 ms  steady" in lines
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("locale", ["C", "de_DE.UTF-8", "C.UTF-8"])
def test_figures_are_the_same_in_every_locale(
    stored: tuple[Result, Result], program: Run, tmp_path: Path, locale: str
) -> None:
    place = str(tmp_path / "results.db")
    outcome = program("--store", place, "results", "show", "--text", LC_ALL=locale)
    assert "! 48.3 MB/s ± 9.1 % (44.1 to 52.9)  46.1  1.23 ms" in outcome.out
    assert program("--store", place, "results", "show", "--json", LC_ALL=locale).out.count('"value": 48300000.0') == 1
