"""The command: what it says beforehand, shows, prints, and refuses."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from graycard.cli.app import App
from graycard.cli.sustain_chart import chart
from graycard.cli.sustain_expected import expected_rate
from graycard.engines.contents import block_start
from graycard.engines.simulated import VirtualClock
from graycard.errors import io_problem
from graycard.facts import fact
from graycard.model import Estimate
from graycard.report.charts.speed import speed_chart
from graycard.sustain.curve import Change, curve
from graycard.sustain.live import Sparkline
from graycard.sustain.words import ASSUMED
from tests.cli.conftest import Run
from tests.cli.fakes import FACTS, fake_app, with_facts
from tests.stats.series import samples
from tests.sustain.drive import MB, Drive, S, falls

SCHEMA = Path(__file__).parent.parent.parent / "docs" / "schema" / "graycard-1.json"
# Whether the schema itself is right is tested with the other documents.
VALIDATOR = Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
LINK = (fact("link_bits_per_s", 10_000_000_000, "sysfs"),)
CACHE = falls(3000 * MB, 400 * MB, 80 * MB)


def app_of(folder: Path, **drive: object) -> App:
    clock = VirtualClock()
    engine = Drive(clock, CACHE)
    for name, value in drive.items():
        setattr(engine, name, value)
    host = with_facts(*LINK)
    return replace(fake_app(folder, host=host), engine=lambda *_: engine, clock=clock)


@pytest.fixture
def place(tmp_path: Path) -> str:
    folder = tmp_path / "place"
    folder.mkdir()
    return str(folder)


def test_a_plan_writes_nothing(run: Run, place: str) -> None:
    done = run("sustain", place, "--plan")
    assert (done.code, done.err) == (0, "")
    assert "Writes until the rate has fallen and held for 60 s, at most 200 GB and at most 30 min 0 s" in " ".join(
        done.out.split()
    )
    assert "USB 2.0" in done.out or "WARNING" in done.out
    assert list(Path(place).iterdir()) == []


def test_a_plan_as_json(run: Run, place: str) -> None:
    done = run("sustain", place, "--plan", "--json", "--bytes", "1GB", "--endurance", "600TB", "--seed", "7")
    document = json.loads(done.out)
    VALIDATOR.validate(document)
    assert document["order"]["seed"] == 7
    assert document["order"]["hold_ns"] is None
    assert any("600 TB" in says for says in document["says"])


def test_the_figures_are_shown_with_a_chart(run: Run, place: str, tmp_path: Path) -> None:
    done = run("sustain", place, "--hold", "8s", app=app_of(tmp_path))
    assert done.code == 0, done.err
    out = " ".join(done.out.split())
    for words in ("fast for 3.0", "sustained 80.", "worst second", "unknown: the drive does not tell it", "read back"):
        assert words in out
    assert "▲" in done.out
    assert "falls after 3.0" in out
    assert "After 60.0 s of rest it was as slow as before the rest" in out
    assert "SEQ2M QD1 write (sustained)" in out
    assert "Nothing stays" in done.err
    assert list(Path(place).iterdir()) == []


def test_the_figures_as_json(run: Run, place: str, tmp_path: Path) -> None:
    done = run("sustain", place, "--hold", "8s", "--json", "--quiet", app=app_of(tmp_path))
    assert done.err == ""
    document = json.loads(done.out)
    for result in document["results"]:
        del result["runs"][0]["samples"]["ticks"][3:]  # thousands of the same kind
    VALIDATOR.validate(document)
    found = document["sustained"]
    assert found["verdict"] == "cache full"
    assert found["cache"]["low"] < found["cache"]["value"] < found["cache"]["high"]
    assert [result["task"]["variant"] for result in document["results"]] == ["sustained", "read back", "second burst"]
    assert found["proof"] is None


@pytest.mark.parametrize("form", ["--markdown", "--text"])
def test_the_figures_to_paste(run: Run, place: str, tmp_path: Path, form: str) -> None:
    done = run("sustain", place, "--hold", "8s", form, app=app_of(tmp_path))
    assert ("```\n" in done.out) == (form == "--markdown")
    assert "\x1b" not in done.out


def test_results_are_stored_and_reported(run: Run, place: str, tmp_path: Path) -> None:
    app = app_of(tmp_path)
    assert run("sustain", place, "--hold", "8s", app=app).code == 0
    shown = run("results", "show", app=app)
    assert "SEQ2M QD1 write (second burst)" in shown.out
    with app.open_store() as store:
        written = store.load(store.rows()[-1].id)
    drawn = speed_chart("speed", written, "writing")
    assert drawn is not None
    assert "falls to 80." in json.dumps(drawn.specification)
    assert run("history", app=app).code == 0
    assert expected_rate(app, FACTS) == ASSUMED  # a drive without an id has no history


def test_the_time_is_reckoned_with_what_was_measured_before(run: Run, place: str, tmp_path: Path) -> None:
    app = app_of(tmp_path)
    known = with_facts(*LINK, fact("device_id", "d1", "sysfs"))
    app = replace(app, host=lambda: known)
    assert "(assumed)" in run("sustain", place, "--plan", app=app).out
    assert run("sustain", place, "--hold", "8s", app=app).code == 0
    assert "(as measured on 2026-01-01)" in " ".join(run("sustain", place, "--plan", app=app).out.split())


def test_what_was_written_before_the_trouble_is_shown(run: Run, place: str, tmp_path: Path) -> None:
    trouble = io_problem(5, operation="write", place="x", offset_bytes=1, phase="measure")
    done = run("sustain", place, app=app_of(tmp_path, trouble=trouble, trouble_bytes=4000 * MB))
    assert done.code == 20
    assert "the device or the server reported an I/O error (EIO)" in done.err
    assert "falls after 3.0" in " ".join(done.out.split())
    assert list(Path(place).iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("--bytes", "1GB", "--fill", "90%"), 2, "two ways to end the writing"),
        (("--bytes", "1GB", "--hold", "5s"), 2, "leave out --bytes or --hold"),
        (("--bytes", "lots"), 2, "is not a size"),
        (("--bytes", "2TB"), 10, "kept in reserve"),
        (("--fill", "5%"), 10, "full already"),
    ],
)
def test_what_cannot_be_is_refused(run: Run, place: str, arguments: tuple[str, ...], code: int, says: str) -> None:
    done = run("sustain", place, *arguments)
    assert (done.code, done.out) == (code, "")
    assert says in " ".join(done.err.split())
    assert list(Path(place).iterdir()) == []


def test_a_wrong_path_is_told(run: Run, tmp_path: Path) -> None:
    done = run("sustain", str(tmp_path / "nowhere"))
    assert done.code == 11
    assert "there is no" in done.err


def cliff_chart(width: int, *, ascii_only: bool = False) -> tuple[str, ...]:
    return chart(CLIFF, curve(CLIFF, 1).changes, width, ascii_only=ascii_only)


CLIFF = samples([4 * MB] * 1000 + [MB] * 1000)


@pytest.mark.parametrize("width", [40, 80, 200])
def test_the_chart_shows_speed_over_bytes_and_the_fall(width: int) -> None:
    lines = cliff_chart(width)
    assert max(map(len, lines)) <= width
    top, low, bottom = lines[0], lines[6], lines[7]
    assert top.startswith("400 MB/s █")
    assert bottom.startswith("       0 █")
    full, whole = top.count("█"), bottom.count("█")
    assert full / whole == pytest.approx(0.8, abs=1.5 / whole)  # 4 of 5 GB
    assert low.count("█") == pytest.approx(whole, abs=1)  # a quarter of the height
    mark = lines[-1]
    assert "falls after 4.00 GB" in mark
    assert mark.index("▲") - 9 == pytest.approx(0.8 * whole, abs=1.5)


def test_a_terminal_of_few_characters_gets_plain_ones() -> None:
    assert "".join(cliff_chart(80, ascii_only=True)).isascii()


def test_a_chart_without_room_or_series_is_none() -> None:
    assert cliff_chart(20) == ()
    assert chart(replace(CLIFF, ticks=()), (), 80) == ()


def test_marks_near_the_end_stay_on_the_chart() -> None:
    late = Change(Estimate(4990.0 * MB, 4980.0 * MB, 5000.0 * MB, "bytes", 1, 0.95, "m"), 19 * S, 100e6, 400e6)
    last = chart(CLIFF, (late,), 80)[-1]
    assert last.endswith("rises after 4.99 GB ▲")


def test_the_live_line_holds_the_whole_run() -> None:
    spark = Sparkline()
    for second in range(1, 1001):
        spark.add(second * S, min(second, 500) * 400 * MB + max(0, second - 500) * 100 * MB)
    line = spark.line()
    assert 12 <= len(line) <= 24
    assert (line[0], line[-1]) == ("█", "▃")
    assert Sparkline().line() == ""


def test_the_contents_in_python_repeat_and_differ() -> None:
    assert block_start(1, 2, 3, 128) == block_start(1, 2, 3, 4096)[:128]
    assert len({block_start(*each, 64) for each in ((1, 2, 3), (2, 2, 3), (1, 3, 3), (1, 2, 4))}) == 4
