"""`graycard history`, and what `measure` says of earlier results at its end, with a real store."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from graycard.cli.app import App
from graycard.codec import Document, HistoriesDocument, decode
from graycard.engines.simulated import SimulatedEngine, VirtualClock
from graycard.errors import StoreProblem
from graycard.facts import fact
from graycard.model import Pattern, Result, Standing
from graycard.store import Store
from tests.cli.conftest import Run
from tests.cli.fakes import FakeHost, fake_app, with_facts
from tests.history.made import READ, SETUP, TRIAL, USUAL, a_day, days
from tools.make_schema import PLACE

OTHER = {"device_id": "e9", "device_name": "sdb", "device_model": "Old Disk", "file_system_id": "g9"}
RANDOM = replace(READ, pattern=Pattern.RANDOM, block_bytes=4096)
DRIVE = with_facts(*(fact(name, value, "test") for name, value in SETUP.items()))


def save(folder: Path, *results: Result) -> None:
    with Store(str(folder / "results.db")) as store:
        for result in results:
            store.save(result)


@pytest.fixture
def stored(tmp_path: Path) -> None:
    save(tmp_path, *days(USUAL), a_day(20, 400.0), *days([100.0, 101.0], 3, **OTHER))


@pytest.fixture
def app(tmp_path: Path) -> App:
    return fake_app(tmp_path, host=DRIVE)


@pytest.mark.usefixtures("stored")
def test_without_a_place_each_set_up_takes_a_line(run: Run) -> None:
    outcome = run("history")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.splitlines() == [
        "Set-up                                                Newest (UTC)      Tasks  Newest results",
        "Fast SSD · exfat · device d1a2b3c4 · volume f1a2b3c4  2026-12-20 12:00      1  1 unusual",
        "Old Disk · exfat · device e9 · volume g9              2026-12-04 12:00      1  1 history too short",
    ]


@pytest.mark.usefixtures("stored")
def test_a_path_is_known_by_its_ids_and_not_by_its_place(run: Run, tmp_path: Path, app: App) -> None:
    band = "487 to 515 MB/s from the last 8 results"
    sentence = f"400 MB/s is unusual, 20 % below the middle of what is expected ({band}):"
    lines = run("history", str(tmp_path), "--limit", "2", app=app).out.splitlines()
    assert lines == [
        "Fast SSD · exfat · device d1a2b3c4 · volume f1a2b3c4",
        "SEQ1M QD8 read",
        "▆▃",
        "",
        "Measured (UTC)        Rate                      Expected  Standing",
        "2026-12-07 12:00  507 MB/s (497 to 517)  488 to 513 MB/s  usual",
        "2026-12-20 12:00  400 MB/s (392 to 408)  487 to 515 MB/s  unusual",
        "",
        f"{sentence} repeat the",
        "measurement.",
    ]


@pytest.mark.parametrize("name", ["e9", "sdb", "/dev/sdb", "old disk", "Old D"])
@pytest.mark.usefixtures("stored")
def test_a_device_by_the_beginning_of_its_id_its_name_or_its_model(run: Run, app: App, name: str) -> None:
    outcome = run("history", name, "--json", app=app)
    (history,) = decode(outcome.out.encode(), HistoriesDocument).histories
    assert history.device.startswith("Old Disk")
    assert [entry.rate_bytes_per_s for era in history.eras for entry in era.entries] == [100e6, 101e6]


@pytest.mark.usefixtures("stored")
def test_json_is_one_valid_document(run: Run) -> None:
    document = json.loads(run("history", "--json").out)
    assert len(document["histories"]) == 2
    jsonschema.validate(document, json.loads(PLACE.read_text(encoding="utf-8")))


@pytest.mark.parametrize(("form", "begins"), [("--markdown", "**Fast SSD"), ("--text", "Fast SSD")])
@pytest.mark.usefixtures("stored")
def test_the_other_forms(run: Run, form: str, begins: str) -> None:
    assert run("history", "fast", form).out.startswith(begins)


@pytest.mark.usefixtures("stored")
def test_only_the_tasks_that_are_asked_for(run: Run, tmp_path: Path) -> None:
    save(tmp_path, a_day(1, 50.0, task=RANDOM))
    assert "RND4K" in run("history", "fast").out
    assert "RND4K" not in run("history", "fast", "--task", "seq1m").out
    outcome = run("history", "fast", "--task", "4M")
    assert (outcome.code, outcome.out) == (40, "")
    assert outcome.err == "graycard: no stored task has “4M” in its name; leave out --task to see them all\n"


def test_without_a_store_there_is_nothing_and_none_is_made(run: Run, tmp_path: Path) -> None:
    outcome = run("history")
    says = "No results of a drive or share are stored yet; graycard measure PATH makes the first.\n"
    assert (outcome.code, outcome.out) == (0, says)
    outcome = run("history", str(tmp_path))
    assert (outcome.code, outcome.out) == (40, "")
    assert "no results are stored yet" in outcome.err
    assert not (tmp_path / "results.db").exists()


@pytest.mark.usefixtures("stored")
def test_a_drive_without_results(run: Run, tmp_path: Path) -> None:
    other = with_facts(fact("device_id", "new", "test"))
    outcome = run("history", str(tmp_path), app=fake_app(tmp_path, host=other))
    assert outcome.code == 40
    assert outcome.err == (
        f"graycard: no results are stored of the drive below {tmp_path}; graycard measure makes the first\n"
    )


@pytest.mark.usefixtures("stored")
def test_a_drive_without_ids(run: Run, tmp_path: Path) -> None:
    outcome = run("history", str(tmp_path), app=fake_app(tmp_path, host=FakeHost()))
    assert outcome.code == 11
    assert "has neither a device id nor a file system id" in outcome.err


@pytest.mark.parametrize("name", ["/no/such/place", "Fast SSDs", ""])
@pytest.mark.usefixtures("stored")
def test_neither_a_path_nor_a_device(run: Run, name: str) -> None:
    outcome = run("history", name)
    assert (outcome.code, outcome.out) == (40, "")
    assert outcome.err.startswith(f"graycard: “{name}” is no path here, and no stored device has an id, a name or")


# At the end of a measurement


class Drive:
    """A drive whose rate may change, on a machine whose clock goes on from one measurement to the next."""

    def __init__(self, run: Run, folder: Path) -> None:
        self.place = folder / "drive"
        self.place.mkdir()
        self._run = run
        self._store_folder = folder
        self._clock = VirtualClock()
        self._seed = 0

    def app(self, rate: float) -> App:
        app = fake_app(self._store_folder, host=DRIVE)
        return replace(app, engine=lambda *_: SimulatedEngine(self._clock, rate, 0.01), clock=self._clock)

    def measured(self, rate: float) -> list[str]:
        """Measure two tasks; the notes of the document."""
        self._seed += 1
        words = ("measure", str(self.place), "--preset", "quick", "--read", "--json", "--seed", str(self._seed))
        outcome = self._run(*words, app=self.app(rate))
        assert outcome.code == 0, outcome.err
        return list(decode(outcome.out.encode(), Document).notes)


@pytest.fixture
def drive(run: Run, tmp_path: Path) -> Drive:
    return Drive(run, tmp_path)


def test_a_measurement_says_how_it_stands_once_there_are_five_before(run: Run, drive: Drive) -> None:
    assert [drive.measured(30e6) for _ in range(5)] == [[]] * 5
    assert drive.measured(30e6) == ["As usual (5 earlier results)."]
    unusual = drive.measured(20e6)
    tasks = ["SEQ1M QD8 read", "RND4K QD1 read"]
    assert [says.partition(":")[0] for says in unusual] == tasks
    assert all("is unusual, 33 % below the middle" in says for says in unusual)
    slower = drive.measured(20e6)
    assert [says.partition(":")[0] for says in slower] == tasks
    assert all("slower than before: the second result in a row" in says for says in slower)
    outcome = run("history", str(drive.place), "--json", app=drive.app(20e6))
    histories = decode(outcome.out.encode(), HistoriesDocument).histories
    assert [each.eras[-1].entries[-1].standing for each in histories] == [Standing.REGRESSION] * 2


def test_people_read_it_below_the_figures(run: Run, drive: Drive) -> None:
    for _ in range(6):
        drive.measured(30e6)
    words = ("measure", str(drive.place), "--preset", "quick", "--read", "--seed", "7")
    text = " ".join(run(*words, app=drive.app(20e6)).out.split())
    for task in ("SEQ1M QD8 read", "RND4K QD1 read"):
        assert re.search(task + r": [0-9.]+ MB/s is unusual, 3[34] % below the middle of what is expected", text)


def test_results_of_an_experiment_are_no_earlier_results(drive: Drive, tmp_path: Path) -> None:
    for _ in range(5):
        drive.measured(30e6)
    with Store(str(tmp_path / "results.db")) as store:
        results = [store.load(row.id) for row in store.rows()]
        store.remove(result.id for result in results)
    save(tmp_path, *(replace(result, trial=TRIAL) for result in results))
    assert drive.measured(20e6) == []


def test_figures_are_shown_also_where_earlier_ones_cannot_be_read(
    drive: Drive, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise StoreProblem("The disk of the store failed")

    monkeypatch.setattr(Store, "recent", fail)
    (says,) = drive.measured(30e6)
    assert says == "How this stands to earlier results is not known: The disk of the store failed."
