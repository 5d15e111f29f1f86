"""`graycard play` in a folder of the test's own: what it says, shows, stores and how it ends."""

from __future__ import annotations

import errno
import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from graycard.cli.app import App, SystemClock
from graycard.cli.play_formats import wanted
from graycard.cli.play_page import play_page
from graycard.engines.native_frames import Memory, Move, NativeFrames
from graycard.errors import PlanProblem
from graycard.model import Operation
from graycard.play import Kind, Played, Playing, StreamReport
from graycard.play.outcome import Graph
from graycard.report.renderers import page_text
from graycard.store import Store
from tests.cli.conftest import Run
from tests.cli.fakes import LOCKED, FakeHost, fake_app
from tools.make_schema import PLACE

BRIEF = ("--time", "200ms", "--clip", "100ms", "--ahead", "50ms", "--search-time", "100ms")
SMALL = "12kB/50"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "drive"
    place.mkdir()
    return place


def real_time(tmp_path: Path, frames: NativeFrames | None = None, host: FakeHost | None = None) -> App:
    """The fake machine, but with the real clock and core: frames need them."""
    return replace(fake_app(tmp_path, host=host), clock=SystemClock(), frames=lambda: frames or NativeFrames())


class Broken(NativeFrames):
    """A device that fails when it is read."""

    def read(self, fd: int, memory: Memory, offset: int, moment_ns: int) -> Move:
        return Move(-errno.EIO, 1, 2)


def test_it_says_what_it_will_do_and_with_plan_stops(run: Run, folder: Path, tmp_path: Path) -> None:
    outcome = run("play", str(folder), "--format", "prores-422-hq/uhd/25x4", "--plan", app=real_time(tmp_path))
    assert outcome.code == 0
    text = " ".join(outcome.out.split())
    assert text.startswith(
        f"Plays 4 streams of prores-422-hq/uhd/25 (92.2 MB/s each), in {folder}, on /dev/fake1, file system ext4. "
        "The streams start together, read ahead 1.00 s, and show the first frame 1.00 s after the first read. "
        "Writes 3.69 GB of clips beforehand. Takes 61.0 s after the clips are written. Nothing stays"
    )
    assert "WARNING" in outcome.out
    assert list(folder.iterdir()) == []
    assert not (tmp_path / "results.db").exists()


def test_a_plan_as_one_document(run: Run, folder: Path, tmp_path: Path) -> None:
    words = (
        "--format",
        "dnxhr-hq/hd/25",
        "--format",
        "prores-422/hd/25x2:record",
        "--streams",
        "auto",
        "--plan",
        "--json",
    )
    document = json.loads(run("play", str(folder), *words, app=real_time(tmp_path)).out)
    jsonschema.validate(document, json.loads(PLACE.read_text(encoding="utf-8")))
    assert document["most_count"] == 126
    assert [(k["operation"], k["stream_count"]) for k in document["kinds"]] == [("read", None), ("write", 2)]
    assert document["layout_bytes"] == 250 * 917504


def test_what_was_played_is_shown_and_stored(run: Run, folder: Path, tmp_path: Path) -> None:
    outcome = run("play", str(folder), "--format", f"{SMALL}x2", *BRIEF, app=real_time(tmp_path))
    assert outcome.code == 0, outcome.err
    assert "streams of custom-" in outcome.out
    assert "Stream  Format" in outcome.out
    assert "Stored as " in outcome.err
    with Store(str(tmp_path / "results.db")) as store:
        (row,) = store.rows()
        (kept,) = store.load(row.id).runs
    assert kept.samples.ops_count > 0
    assert kept.monitor[0].name == "frame_reserve_count"
    assert list(folder.iterdir()) == []
    shown = run("results", "show", row.id[:8])
    assert "2 streams of custom-" in shown.out


def test_json_is_one_valid_document(run: Run, folder: Path, tmp_path: Path) -> None:
    words = ("--format", SMALL, "--format", f"{SMALL}:record", "--audio", "--offset", "spread", "--file-per-frame")
    outcome = run("play", str(folder), *words, *BRIEF, "--json", "--quiet", app=real_time(tmp_path))
    document = json.loads(outcome.out)
    jsonschema.validate(document, json.loads(PLACE.read_text(encoding="utf-8")))
    assert outcome.err == ""
    assert [stream["operation"] for stream in document["streams"]] == ["read", "write", "read"]
    assert len(document["results"]) == 3
    assert document["stream_count"] is None


def test_a_search_as_one_document(run: Run, folder: Path, tmp_path: Path) -> None:
    limit = ("--streams", "auto", "--write-limit", "150kB")
    outcome = run("play", str(folder), "--format", SMALL, *limit, *BRIEF, "--json", app=real_time(tmp_path))
    document = json.loads(outcome.out)
    assert document["stream_count"] in {1, 2}  # clips of 61 kB: two fit
    assert {tried["stream_count"] for tried in document["tried"]} <= {1, 2}


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        ((), 2, "Missing option '--format'"),
        (("--format", "nonsense"), 10, "nonsense"),
        (("--format", "dnxhr-hq/hd/25:sideways"), 10, "is no direction; write :record or :play"),
        (("--format", "dnxhr-hq/hd/25x0"), 10, "has no stream"),
        (
            ("--format", "dnxhr-hq/hd/25", "--streams", "few"),
            2,
            "is no number of streams; write for example 4, or auto",
        ),
        (("--format", "dnxhr-hq/hd/25x2", "--streams", "auto"), 10, "leave xN out"),
        (("--format", "dnxhr-hq/hd/25", "--streams", "auto", "--continuous"), 10, "has no end"),
        (("--format", "dnxhr-hq/hd/25", "--shared-file", "--file-per-frame"), 10, "add --single-file"),
        (("--format", "dnxhr-hq/hd/25", "--time", "0s"), 2, "must be longer than nothing"),
        (("--format", "dnxhr-hq/hd/25x9", "--write-limit", "1GB"), 10, "9 streams write 2.06 GB, more than the write"),
    ],
)
def test_what_cannot_be_done_is_told_in_a_sentence(
    run: Run, folder: Path, tmp_path: Path, words: tuple[str, ...], code: int, says: str
) -> None:
    outcome = run("play", str(folder), *words, app=real_time(tmp_path))
    assert outcome.code == code
    assert says in outcome.err
    assert outcome.out == ""
    assert list(folder.iterdir()) == []


def test_a_file_and_a_locked_volume_are_refused(run: Run, folder: Path, tmp_path: Path) -> None:
    file = folder / "film.mov"
    file.write_text("mine")
    outcome = run("play", str(file), "--format", SMALL, app=real_time(tmp_path))
    assert (outcome.code, file.read_text()) == (11, "mine")
    assert "is a file; name the folder" in outcome.err
    locked = run("play", str(folder), "--format", SMALL, app=real_time(tmp_path, host=FakeHost(place=LOCKED)))
    assert locked.code == 11
    missing = run("play", str(folder / "none"), "--format", SMALL, app=real_time(tmp_path))
    assert missing.code == 11


def test_an_error_of_the_device_ends_it_with_one_sentence(run: Run, folder: Path, tmp_path: Path) -> None:
    outcome = run("play", str(folder), "--format", SMALL, *BRIEF, app=real_time(tmp_path, Broken()))
    assert outcome.code == 20
    assert "I/O error (EIO) while reading" in outcome.err
    assert outcome.out == ""
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "count", "operation"),
    [
        ("prores-422-hq/uhd/25", None, None),
        ("prores-422-hq/uhd/25x4", 4, None),
        ("prores-422-hq/uhd/25 x 4:record", 4, Operation.WRITE),
        ("3840x2160/25/10bit-422", None, None),
        ("3840x2160/25/10bit-422x3", 3, None),
        ("dnxhr-hq/hd/24:play", None, Operation.READ),
    ],
)
def test_formats_with_numbers_and_directions(text: str, count: int | None, operation: Operation | None) -> None:
    found = wanted(text)
    assert (found.count, found.operation) == (count, operation)


def test_an_unknown_format_is_told_as_what_was_written() -> None:
    with pytest.raises(PlanProblem, match="prores-999"):
        wanted("prores-999/uhd/25x4")


def report(number: int, dropped: int, margin_ns: int) -> StreamReport:
    return StreamReport(number, "dnxhr-hq/hd/25", Operation.READ, 1500, dropped, dropped, 25, 3, margin_ns, ())


def page_of(*reports: StreamReport, graph: Graph | None = None) -> str:
    host = FakeHost()
    asked = Playing(host.resolve("/"), (Kind("dnxhr-hq/hd/25", 25, 917504),))
    return page_text(play_page(asked, Played("1", (), ("Verdict.",), (), reports, graph)), 120)


def test_the_page_shows_streams_graph_and_dropped_frames() -> None:
    graph = Graph(10**9, (1e8, 0.0, 2e8), (0, 3, 0))
    text = page_of(report(1, 0, 900_000_000), report(2, 3, -12_000_000), graph=graph)
    assert "3 of 25" in text
    assert "−12.0 ms" in text
    assert "speed    ▅·█ " in text
    assert "up to 200 MB/s" in text
    assert "dropped   × " in text
    assert "3 frames" in text


def test_of_many_streams_those_that_dropped_frames_are_shown() -> None:
    text = page_of(*(report(number, number == 30, 1) for number in range(1, 41)))
    assert text.count("dnxhr") == 1
    assert "\n30 " in text
    assert "and 39 more" in text
