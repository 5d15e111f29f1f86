"""`graycard measure` on a simulated device: what it says, shows, stores and how it ends."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import jsonschema
import pytest

from graycard.cli.chosen import in_plan_order
from graycard.codec import Document, decode
from graycard.engines.simulated import SimulatedEngine, VirtualClock
from graycard.errors import Interrupted, RunProblem
from graycard.facts import fact
from graycard.model import Fact, IoTask, Operation, Result, Verdict
from graycard.store import Store
from tests.cli.conftest import Outcome, Run
from tests.cli.fakes import DISK_GONE, LOCKED, FakeHost, Troubled, fake_app, with_facts
from tools.make_schema import PLACE


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "drive"
    place.mkdir()
    return place


def stored(tmp_path: Path) -> tuple[Result, ...]:
    with Store(str(tmp_path / "results.db")) as store:
        return in_plan_order(store.load(row.id) for row in reversed(store.rows()))


def test_it_says_what_it_will_do_and_with_plan_stops(run: Run, folder: Path, tmp_path: Path) -> None:
    outcome = run("measure", str(folder), "--plan", "--seed", "7")
    assert outcome.code == 0
    text = " ".join(outcome.out.split())
    assert text.startswith(f"Measures {folder}, on /dev/fake1 (Fake Drive), file system ext4, mounted at /mnt/ssd.")
    assert "Runs of each task: 5 to 20, until ±5 % is reached, in random order (seed 7)." in outcome.out
    assert "Nothing stays: the test files lie in a folder .graycard-…" in outcome.out
    assert "WARNING  The USB link runs at 480 Mbit/s" in outcome.out
    assert list(folder.iterdir()) == []
    assert not (tmp_path / "results.db").exists()


def test_a_plan_as_one_document(run: Run, folder: Path) -> None:
    document = json.loads(run("measure", str(folder), "--plan", "--json", "--seed", "7").out)
    assert (document["schema"], document["plan"]["seed"], len(document["plan"]["tasks"])) == ("graycard/1", 7, 8)
    (warning,) = document["warnings"]
    assert warning.startswith("The USB link runs at 480 Mbit/s")


@pytest.mark.parametrize("more", [(), ("--plan",)])
def test_nocow_without_copy_on_write_is_refused_before_the_announcement(
    run: Run, folder: Path, tmp_path: Path, more: tuple[str, ...]
) -> None:
    app = fake_app(tmp_path, host=with_facts(fact("copy_on_write", False, "test")))
    outcome = run("measure", str(folder), "--nocow", *more, app=app)
    says = f"graycard: --nocow switches off copy-on-write, but {folder} has none to switch off; leave it out.\n"
    assert (outcome.code, outcome.out, outcome.err) == (10, "", says)
    assert list(folder.iterdir()) == []


def test_options_make_the_task(run: Run, folder: Path) -> None:
    words = (
        "--read --random --block 16KiB --depth 8 --threads 2 --size 64MiB --time 2s --runs 3 --cache cold "
        "--compressible 50% --write-limit 1GB --seed 1 --plan --json"
    )
    plan = json.loads(run("measure", str(folder), *words.split()).out)["plan"]
    assert plan["repeat"]["min_count"] == plan["repeat"]["max_count"] == 3
    assert plan["write_limit_bytes"] == 1_000_000_000
    (task,) = plan["tasks"]
    assert task == {
        "operation": "read",
        "pattern": "random",
        "block_bytes": 16384,
        "span_bytes": 64 << 20,
        "depth_count": 8,
        "worker_count": 2,
        "time_ns": 2_000_000_000,
        "byte_limit": 64 << 20,
        "cache": "cold",
        "durability": "none",
        "compressible_ratio": 0.5,
        "seed": 1,
        "pace": None,
        "transfer": None,
        "unstated": [],
        "read_ratio": None,
        "variant": None,
    }


@pytest.mark.parametrize("spelling", ["at-end", "at_end"])
def test_durability_in_both_spellings(run: Run, folder: Path, spelling: str) -> None:
    words = f"--write --sequential --durability {spelling} --max-time 1min --precision 2% --nocow --plan --json"
    outcome = run("measure", str(folder), *words.split())
    plan = json.loads(outcome.out)["plan"]
    assert (plan["tasks"][0]["durability"], plan["nocow"], plan["budget_ns"]) == ("at_end", True, 60_000_000_000)
    assert plan["repeat"]["precision_ratio"] == 0.02


def test_a_measurement_is_shown_and_stored(run: Run, folder: Path, tmp_path: Path) -> None:
    outcome = run("measure", str(folder), "--preset", "quick")
    assert outcome.code == 0, outcome.err
    lines = outcome.out.splitlines()
    assert lines[0] == str(folder)
    assert [line.split("  ")[0] for line in lines[4:8]] == [
        "SEQ1M QD8 read",
        "SEQ1M QD8 write",
        "RND4K QD1 read",
        "RND4K QD1 write",
    ]
    assert all("MB/s ± " in line and " to " in line for line in lines[4:8])
    assert outcome.err.startswith("Measures ")
    kept = stored(tmp_path)
    assert [len(result.runs) for result in kept] == [5, 5, 5, 5]
    assert f"graycard results show {kept[0].measurement_id[:8]}" in outcome.err
    assert run("results", "show", kept[0].measurement_id[:8], "--text").out == outcome.out
    assert list(folder.iterdir()) == []


def test_json_is_one_valid_document_on_stdout(run: Run, folder: Path, tmp_path: Path) -> None:
    outcome = run("measure", str(folder), "--preset", "quick", "--json")
    jsonschema.validate(json.loads(outcome.out), json.loads(PLACE.read_text(encoding="utf-8")))
    assert decode(outcome.out.encode(), Document).results == stored(tmp_path)


def test_quiet_prints_nothing_but_the_result(run: Run, folder: Path) -> None:
    outcome = run("measure", str(folder), "--preset", "quick", "--quiet", "--markdown")
    assert outcome.err == ""
    assert outcome.out.startswith("**")


def test_a_failed_check_exits_21_and_the_figure_is_shown_marked_and_stored(
    run: Run, folder: Path, tmp_path: Path
) -> None:
    app = fake_app(tmp_path, rate=500e6)
    outcome = run("measure", str(folder), "--preset", "quick", app=app)
    assert outcome.code == 21
    assert "SEQ1M QD8 read   ! " in outcome.out
    assert "FAILED   all tasks" in outcome.out
    assert outcome.err.endswith("graycard: 4 of 4 figures failed a check; do not rely on those marked with “!”\n")
    verdicts = {
        check.verdict for result in stored(tmp_path) for check in (result.summary.checks if result.summary else ())
    }
    assert Verdict.FAIL in verdicts


def cut_short(run: Run, folder: Path, tmp_path: Path, trouble: BaseException, *more: str) -> Outcome:
    # Two layout files and two runs of each of four tasks work; the next run fails.
    engine = Troubled(SimulatedEngine(VirtualClock(), 30e6), 2 + 8, trouble)
    return run("measure", str(folder), "--preset", "quick", *more, app=fake_app(tmp_path, trouble=engine))


def test_a_disk_that_goes_leaves_the_finished_runs(run: Run, folder: Path, tmp_path: Path) -> None:
    outcome = cut_short(run, folder, tmp_path, DISK_GONE)
    assert outcome.code == RunProblem.exit_code
    assert "the drive is gone" in outcome.err.splitlines()[-1]
    assert "SEQ1M QD8 read" in outcome.out
    assert [len(result.runs) for result in stored(tmp_path)] == [2, 2, 2, 2]
    assert list(folder.iterdir()) == []


def test_ctrl_c_leaves_the_finished_runs(run: Run, folder: Path, tmp_path: Path) -> None:
    outcome = cut_short(run, folder, tmp_path, KeyboardInterrupt(), "--json")
    assert outcome.code == Interrupted.exit_code
    assert outcome.err.splitlines()[-1].startswith("graycard: ")
    assert decode(outcome.out.encode(), Document).results == stored(tmp_path)
    assert list(folder.iterdir()) == []


def test_trouble_before_the_first_run_shows_no_figures(run: Run, folder: Path, tmp_path: Path) -> None:
    engine = Troubled(SimulatedEngine(VirtualClock(), 30e6), 0, DISK_GONE)
    outcome = run("measure", str(folder), "--preset", "quick", app=fake_app(tmp_path, trouble=engine))
    assert (outcome.code, outcome.out) == (RunProblem.exit_code, "")
    assert stored(tmp_path) == ()


def test_read_only_writes_nothing(run: Run, folder: Path, tmp_path: Path) -> None:
    film = folder / "film.mov"
    film.write_bytes(b"x" * (4 << 20))
    before = film.stat()
    outcome = run("measure", "--read-only", str(film), "--sequential", "--json")
    assert outcome.code == 0, outcome.err
    assert "Writes nothing" in outcome.err
    (result,) = decode(outcome.out.encode(), Document).results
    assert result.task.operation is Operation.READ
    assert [each.name for each in folder.iterdir()] == ["film.mov"]
    assert (film.stat().st_mtime_ns, film.read_bytes()) == (before.st_mtime_ns, b"x" * (4 << 20))


def test_a_cross_check_states_the_ratio(run: Run, folder: Path) -> None:
    outcome = run("measure", str(folder), "--preset", "quick", "--cross-check", "--read")
    assert outcome.code == 0, outcome.err
    assert "SEQ1M QD8 read (simulated)  " in outcome.out
    assert "SEQ1M QD8 read (fio)  " in outcome.out
    assert "SEQ1M QD8 read: fio measures 1.100 times the rate of simulated (1.100 to 1.100)." in outcome.out


@pytest.mark.parametrize("more", [(), ("--plan",)])
def test_a_full_disk_is_refused_before_anything_is_written(
    run: Run, folder: Path, tmp_path: Path, more: tuple[str, ...]
) -> None:
    host = with_facts(fact("free_bytes", 300_000_000, "statvfs"))
    outcome = run("measure", str(folder), *more, app=fake_app(tmp_path, host=host))
    assert (outcome.code, outcome.out) == (10, "")
    assert "Not enough space" in outcome.err
    assert list(folder.iterdir()) == []


def test_a_volume_that_cannot_be_measured_says_why(run: Run, folder: Path, tmp_path: Path) -> None:
    app = fake_app(tmp_path, host=dataclasses.replace(FakeHost(), place=LOCKED))
    outcome = run("measure", str(folder), "--plan", app=app)
    assert (outcome.code, outcome.out) == (11, "")
    assert outcome.err == f"graycard: {folder} cannot be measured: it is read-only; use --read-only FILE\n"
    film = folder / "film.mov"
    film.write_bytes(b"x" * (1 << 20))
    assert run("measure", "--read-only", str(film), "--sequential", "--plan", app=app).code == 0


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        ((), 2, "name a folder on the drive or share"),
        ((".", "--read-only", "x"), 2, "leave PATH out"),
        ((".", "--preset", "fast"), 2, "is not one of"),
        ((".", "--sequential", "--random"), 2, "give one of them"),
        ((".", "--json", "--text"), 2, "--json and --text are two forms of one output, so give one of them"),
        ((".", "--plan", "--text", "--markdown"), 2, "--text and --markdown are two forms"),
        ((".", "--perset", "fast"), 2, "'--preset'? See graycard measure --help"),
        ((".", "--time", "soon"), 2, "“soon” is not a time"),
        ((".", "--precision", "tight"), 2, "“tight” is not a share"),
        ((".", "--seed", "-1"), 2, "“-1” is not a seed"),
        ((".", "--preset", "quick", "--block", "1MiB"), 10, "--block shapes a single task"),
        (("/no/such/place",), 11, "there is no /no/such/place"),
    ],
)
def test_what_cannot_be_is_one_sentence(run: Run, arguments: tuple[str, ...], code: int, says: str) -> None:
    outcome = run("measure", *arguments)
    assert (outcome.code, outcome.out) == (code, "")
    assert says in outcome.err
    assert outcome.err.count("\n") == 1


def test_calibrate_shows_the_ceilings(run: Run) -> None:
    outcome = run("calibrate")
    assert outcome.code == 0
    assert "RND4K QD64 read              732422     3.00 GB/s" in outcome.out
    document = json.loads(run("calibrate", "--json").out)
    assert (document["schema"], len(document["ceilings"])) == ("graycard/1", 12)


class Generating(SimulatedEngine):
    """Makes data faster in large blocks, and tells its clock."""

    def ceiling(self, task: IoTask) -> tuple[Fact, ...]:
        generator = fact("generator_bytes_per_s", 5e9 if task.block_bytes > 4096 else 3e9, "test")
        clock = fact("clock_step_ns", 29, "test")
        return (*super().ceiling(task), clock, *((generator,) if task.operation is Operation.WRITE else ()))


def test_calibrate_shows_the_generator_for_each_block_that_is_written(run: Run, tmp_path: Path) -> None:
    engine = Generating(VirtualClock(), 30e6)
    app = dataclasses.replace(fake_app(tmp_path), engine=lambda *_: engine)
    lines = run("calibrate", app=app).out.splitlines()
    assert [line for line in lines if line.startswith(("Task", "SEQ1M QD1 ", "RND4K QD1 "))] == [
        "Task                   Ceiling IOPS  Ceiling rate  Data generator",
        "SEQ1M QD1 read                 2861     3.00 GB/s",
        "SEQ1M QD1 write                2861     3.00 GB/s       5.00 GB/s",
        "RND4K QD1 read               732422     3.00 GB/s",
        "RND4K QD1 write              732422     3.00 GB/s       3.00 GB/s",
    ]
    assert lines[-1] == "  clock step  29 ns [test]"
