"""`graycard experiment` on the fake machine: plans, sittings, steps, failures, lists."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
import rich_click as click

from graycard.cli import experiment_run
from graycard.cli.app import App
from graycard.codec import decode
from graycard.experiment import read_plan
from graycard.experiment.templates import TEMPLATES
from graycard.model import Cache
from graycard.model.experiment import ExperimentPlan, ExperimentRecord
from graycard.store import Store
from tests.cli.conftest import Outcome, Run
from tests.cli.fakes import DISK_GONE, FakeHost, Troubled, fake_app
from tests.experiment.made import TWO, FakeMaker
from tests.experiment.test_carrying_out import STEPS

SCHEMA = json.loads((Path(__file__).parent.parent.parent / "docs" / "schema" / "graycard-1.json").read_text())


@pytest.fixture
def maker() -> FakeMaker:
    return FakeMaker()


@pytest.fixture
def app(tmp_path: Path, maker: FakeMaker) -> App:
    return replace(fake_app(tmp_path), volume_maker=lambda: maker)


@pytest.fixture
def plan(tmp_path: Path) -> Callable[..., str]:
    """Writes a plan into a folder of its own; gives its path."""

    def write(text: str = TWO) -> str:
        folder = tmp_path / "drive"
        folder.mkdir(exist_ok=True)
        (folder / "plan.toml").write_text(text, encoding="utf-8")
        return str(folder / "plan.toml")

    return write


def plain(text: str) -> str:
    """Without line breaks: sentences are wrapped."""
    return " ".join(text.split())


def records(app: App) -> list[ExperimentRecord]:
    with app.open_store() as store:
        return [decode(row.body, ExperimentRecord) for row in store.experiments()]


def stored_runs(app: App) -> int:
    with Store(app.store_file) as store:
        return sum(row.run_count for row in store.rows())


def test_a_whole_experiment(run: Run, app: App, plan: Callable[..., str]) -> None:
    path = plan()
    done = run("experiment", "run", path, app=app)
    assert done.code == 0, done.err
    assert "Compares 2 configurations, “two”, by 4 runs of each task on each: SEQ1M QD8 read" in plain(done.err)
    assert "In random order, every second round mirrored (seed 5)." in plain(done.err)
    assert "Writes at most" in plain(done.err)
    assert "SEQ1M QD8 read" in plain(done.out)
    assert os.listdir(os.path.dirname(path)) == ["plan.toml"]
    (record,) = records(app)
    assert (record.failures, record.held_by, record.waiting) == ((), None, None)
    assert stored_runs(app) == 2 * 4 * 4
    again = run("experiment", path, app=app)
    assert again.code == 0
    assert len(records(app)) == 2, "a finished experiment is not gone on with: the same plan begins another one"


def test_the_plan_alone_touches_nothing(run: Run, app: App, plan: Callable[..., str], maker: FakeMaker) -> None:
    path = plan()
    told = run("experiment", "run", path, "--plan", app=app)
    assert told.code == 0
    assert "“A”: ext4 of 67.1 MB, made in a file in" in plain(told.out)
    assert "writes 67.1 MB for the image and at most" in plain(told.out)
    assert "takes about" in plain(told.out)
    assert (maker.made, app.has_store) == ([], False)
    document = json.loads(run("experiment", "run", path, "--plan", "--json", app=app).out)
    jsonschema.validate(document, SCHEMA)
    layout, writes, pairs = 2 * (8 << 20), 2 * (8 << 20), 4
    assert [each["written_bytes"] for each in document["expected"]] == [pairs * (layout + writes)] * 2


def test_json_is_one_document_of_results_and_comparisons(run: Run, app: App, plan: Callable[..., str]) -> None:
    done = run("experiment", "run", plan(), "--json", app=app)
    document = json.loads(done.out)
    jsonschema.validate(document, SCHEMA)
    assert len(document["results"]) == 8
    assert {each["base"] for each in document["comparisons"]} == {"A"}
    assert all(each["paired"] and each["randomised"] for each in document["comparisons"])
    shown = run("experiment", "show", document["experiment"]["id"][:8], "--json", app=app)
    assert json.loads(shown.out)["comparisons"] == document["comparisons"]


def test_a_plan_may_have_any_name_and_stand_alone(run: Run, app: App, plan: Callable[..., str], tmp_path: Path) -> None:
    path = tmp_path / "drive" / "my plan"
    os.rename(plan(), path)
    assert run("experiment", str(path), "--plan", app=app).code == 0
    assert run("experiment", str(path) + "x", "--plan", app=app).code == 2


def test_after_an_interruption_the_same_command_goes_on(
    run: Run, app: App, plan: Callable[..., str], maker: FakeMaker
) -> None:
    path = plan()
    native = app.engine("native", app.host())
    troubled = replace(app, engine=lambda *_: Troubled(native, 21, KeyboardInterrupt(), native.name))
    stopped = run("experiment", "run", path, app=troubled)
    assert stopped.code == 130
    assert "runs were finished and are kept; go on with: graycard experiment resume" in plain(stopped.err)
    assert maker.mounted == {}
    before = stored_runs(app)
    assert 0 < before < 32
    listed = run("experiment", "list", app=app)
    assert f"{before} of 32" in listed.out
    assert "unfinished" in listed.out
    told = run("experiment", "run", path, "--plan", app=app)
    assert told.out.count("made in a file") == 2
    done = run("experiment", "run", path, app=app)
    assert done.code == 0, done.err
    assert stored_runs(app) == 32
    assert len(records(app)) == 1
    assert os.listdir(os.path.dirname(path)) == ["plan.toml"]


def test_what_fails_is_told_at_once_and_at_the_end_and_can_be_tried_again(
    run: Run, app: App, plan: Callable[..., str], maker: FakeMaker
) -> None:
    path = plan()
    maker.failing["btrfs"] = "mkfs.btrfs failed: no such option"
    done = run("experiment", "run", path, app=app)
    assert done.code == 20
    assert "graycard: 1 of 2 configurations could not be measured; the other one was; when that is mended, go" in plain(
        done.err
    )
    assert "B: mkfs.btrfs failed: no such option" in plain(done.err)
    assert "B: mkfs.btrfs failed: no such option" in plain(done.out)
    assert stored_runs(app) == 16
    assert "finished but for 1" in run("experiment", "list", app=app).out
    maker.failing.clear()
    again = run("experiment", "resume", records(app)[0].id[:6], app=app)
    assert again.code == 0, again.err
    assert stored_runs(app) == 32


def test_a_missing_driver_is_told_beforehand_and_the_rest_goes_on(
    run: Run, app: App, plan: Callable[..., str], maker: FakeMaker
) -> None:
    maker.missing.add("btrfs")
    done = run("experiment", "run", plan(), app=app)
    assert done.code == 20
    assert "WARNING “B” cannot be measured: mkfs.btrfs is missing; install it" in plain(done.err)
    assert stored_runs(app) == 16
    assert maker.made == ["ext4"]


def test_where_nothing_can_be_measured_nothing_is_begun(
    run: Run, app: App, plan: Callable[..., str], maker: FakeMaker
) -> None:
    maker.missing |= {"btrfs", "ext4"}
    path = plan()
    done = run("experiment", "run", path, app=app)
    assert done.code == 10
    assert "none of the configurations that are open can be measured here; nothing was written" in plain(done.err)
    assert "“A” cannot be measured: mkfs.ext4 is missing; install it" in plain(done.err)
    assert (app.has_store, os.listdir(os.path.dirname(path))) == (False, ["plan.toml"])


def test_folders_that_are_not_there_are_told_once_and_before_anything_runs(
    run: Run, app: App, plan: Callable[..., str]
) -> None:
    path = plan(TWO.replace('folder = "."', 'folder = "gone"'))
    done = run("experiment", "run", path, app=app)
    assert done.code == 10
    assert plain(done.err).count("“A”, “B” cannot be measured: there is no") == 1
    told = run("experiment", "run", path, "--plan", app=app)
    assert told.code == 0
    assert plain(told.out).count("cannot be measured: there is no") == 1
    assert " 0 B" not in told.out
    assert app.has_store is False


def test_the_folder_of_a_step_may_come_with_the_step_and_that_is_told(
    run: Run, app: App, plan: Callable[..., str]
) -> None:
    path = plan(STEPS.replace('name = "after"', 'name = "after"\nfolder = "gone"'))
    told = run("experiment", "run", path, "--plan", app=app)
    gone = os.path.join(os.path.dirname(path), "gone")
    assert f"WARNING “after”: {gone} is not there yet; it must be when you have done the step" in plain(told.out)
    assert told.out.count("is not there yet") == 1
    document = json.loads(run("experiment", "run", path, "--plan", "--json", app=app).out)
    jsonschema.validate(document, SCHEMA)
    assert [each["lacks_folder"] for each in document["expected"]] == [False, True, False]


def test_a_plan_that_init_wrote_asks_for_its_folder_before_anything_else(run: Run, app: App, tmp_path: Path) -> None:
    path = str(tmp_path / "mine.toml")
    wrote = run("experiment", "init", "filesystems", "-o", path, app=app)
    assert "write the folder to be measured into it, then: graycard experiment run" in plain(wrote.err)
    done = run("experiment", "run", path, "--plan", app=app)
    assert (done.code, done.out) == (10, "")
    assert "mine.toml: folder is still the example's “/path/to/a/folder/on/the/drive”; write" in plain(done.err)


def test_what_is_finished_costs_nothing_more(run: Run, app: App, plan: Callable[..., str]) -> None:
    run("experiment", "run", plan(), app=app)
    again = run("experiment", "resume", records(app)[0].id, app=app)
    assert again.code == 0, again.err
    assert "8 of 8 turns are measured" in plain(again.err)
    assert "Writes at most" not in again.err


def test_a_drive_that_goes_away_is_told_and_its_runs_are_kept(run: Run, app: App, plan: Callable[..., str]) -> None:
    native = app.engine("native", app.host())
    gone = replace(app, engine=lambda *_: Troubled(native, 14, DISK_GONE))
    done = run("experiment", "run", plan(), app=gone)
    assert done.code == 20
    assert "2 of 2 configurations could not be measured; when that is mended, go on with" in plain(done.err)
    assert stored_runs(app) > 0


def test_images_that_do_not_fit_are_refused_before_anything_is_written(
    run: Run, tmp_path: Path, plan: Callable[..., str], maker: FakeMaker
) -> None:
    place = replace(FakeHost().place, free_bytes=180_000_000, size_bytes=1_000_000_000)
    app = replace(fake_app(tmp_path, host=replace(FakeHost(), place=place)), volume_maker=lambda: maker)
    done = run("experiment", "run", plan(), app=app)
    assert done.code == 10
    assert "the images need 134 MB, free are 180 MB, of which 100 MB are kept in reserve" in plain(done.err)
    small = run("experiment", "run", plan(TWO.replace("64MiB", "17MiB")), app=app)
    assert small.code == 10
    assert "a volume of 17.8 MB is too small for test files of 16.8 MB and the reserve" in plain(small.err)


def test_nobody_there_for_a_step_stops_cleanly_and_the_same_command_goes_on(
    run: Run, app: App, plan: Callable[..., str]
) -> None:
    path = plan(STEPS)
    first = run("experiment", "run", path, app=app)
    assert first.code == 12
    assert "waiting for a step of yours: Reformat the drive; run the same command again when it is done" in plain(
        first.err
    )
    assert ", waits for your step" in first.out
    assert stored_runs(app) == 4
    again = run("experiment", "run", path, "--yes", "--json", app=app)
    assert (again.code, json.loads(again.out)["experiment"]["waiting"]) == (12, "later")
    assert stored_runs(app) == 8
    last = run("experiment", "run", path, app=app)
    assert last.code == 0, last.err
    assert stored_runs(app) == 12
    assert len(records(app)) == 1
    document = json.loads(run("experiment", "show", records(app)[0].id, "--json", app=app).out)
    assert {each["randomised"] for each in document["comparisons"]} == {False}


def test_a_person_is_asked_for_each_step(
    run: Run, app: App, plan: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(experiment_run, "is_terminal", lambda _: True)
    monkeypatch.setattr(click, "prompt", lambda text, *_, **__: asked.append(text))
    done = run("experiment", "run", plan(STEPS), app=app)
    assert done.code == 0
    assert len(asked) == 2
    assert plain(done.err).index("Now: Reformat the drive") < plain(done.err).index("Now: Reformat it again")
    assert stored_runs(app) == 12


def test_ctrl_c_at_the_question_says_how_to_go_on(
    run: Run, app: App, plan: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object, **__: object) -> str:
        raise click.Abort

    monkeypatch.setattr(experiment_run, "is_terminal", lambda _: True)
    monkeypatch.setattr(click, "prompt", stopped)
    done = run("experiment", "run", plan(STEPS), app=app)
    assert done.code == 130
    again = f"go on with: graycard experiment resume {records(app)[0].id[:8]}"
    assert f"stopped; everything so far is kept; when the step is done, {again}" in plain(done.err)
    assert stored_runs(app) == 4


def test_a_removed_experiment_leaves_nothing(run: Run, app: App, plan: Callable[..., str], maker: FakeMaker) -> None:
    path = plan()
    native = app.engine("native", app.host())
    run(
        "experiment",
        "run",
        path,
        app=replace(app, engine=lambda *_: Troubled(native, 21, KeyboardInterrupt(), native.name)),
    )
    assert len(os.listdir(os.path.dirname(path))) == 2, "the images stay for the next sitting"
    id_ = records(app)[0].id
    assert run("experiment", "remove", id_, app=app).code == 2
    removed = run("experiment", "remove", id_, "--yes", app=app)
    assert removed.code == 0
    assert "Removed the experiment two with" in plain(removed.err)
    assert os.listdir(os.path.dirname(path)) == ["plan.toml"]
    assert (records(app), stored_runs(app)) == ([], 0)


@pytest.mark.parametrize("kind", TEMPLATES)
def test_init_writes_a_plan_that_can_be_read_and_never_overwrites(
    run: Run, app: App, tmp_path: Path, kind: str
) -> None:
    path = str(tmp_path / "mine.toml")
    assert run("experiment", "init", kind, "-o", path, "--folder", str(tmp_path), app=app).code == 0
    text = Path(path).read_bytes()
    read = read_plan(text, path)
    assert read.pair_count == 6
    assert len(read.configurations) == (3 if kind == "filesystems" else 2)
    again = run("experiment", "init", kind, "-o", path, app=app)
    assert again.code == 2
    assert "exists and is kept; name another file with --output" in plain(again.err)
    assert Path(path).read_bytes() == text
    assert run("experiment", "init", kind, "-o", "-", app=app).out.startswith("# A plan for graycard")


def test_a_plan_goes_through_the_cache_where_a_file_system_knows_no_other_way(
    run: Run, app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that a plan as it was written measures all alike, and no figure of it fails a check."""

    def plan(*names: str, fuse: str = "") -> ExperimentPlan:
        monkeypatch.setattr(FakeMaker, "file_systems", names)
        monkeypatch.setattr(FakeMaker, "driver", lambda _, image: "fuse" if image.file_system == fuse else "kernel")
        text = run("experiment", "init", "filesystems", "-o", "-", "--folder", "/x", app=app).out
        return read_plan(text.encode(), "plan.toml")

    assert plan("ext4", "XFS").load.cache is None
    assert plan("ext4", "btrfs").load.cache is Cache.COLD
    assert plan("ext4", "exFAT", fuse="exFAT").load.cache is Cache.COLD


def test_what_is_not_there_is_told(run: Run, app: App, plan: Callable[..., str]) -> None:
    missing: Outcome = run("experiment", "run", "missing.toml", app=app)
    assert (missing.code, "missing.toml cannot be read (No such file" in plain(missing.err)) == (10, True)
    assert "No experiment is stored yet" in run("experiment", "list", app=app).out
    assert run("experiment", "show", "abc", app=app).code == 40
    run("experiment", "run", plan(), app=app)
    unknown = run("experiment", "resume", "zzz", app=app)
    assert (unknown.code, "no experiment is called “zzz”" in plain(unknown.err)) == (40, True)
