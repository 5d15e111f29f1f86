"""The entry point: exit codes, one line for each failure, and never a traceback."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from graycard import __version__
from graycard.cli.app import App
from graycard.cli.main import COMMANDS
from graycard.errors import (
    AccuracyProblem,
    ImportProblem,
    Interrupted,
    PlanProblem,
    Problem,
    RunProblem,
    StoreProblem,
    TargetProblem,
)
from graycard.protocols import Host
from graycard.store import Store
from tests.cli.conftest import Run
from tests.cli.fakes import fake_app
from tests.report.examples import GOOD

PROBLEMS: tuple[tuple[BaseException, int], ...] = (
    (Problem("it went wrong"), 1),
    (PlanProblem("it went wrong"), 10),
    (TargetProblem("it went wrong"), 11),
    (RunProblem("it went wrong", errno=5, offset_bytes=0, phase="measure"), 20),
    (AccuracyProblem("it went wrong"), 21),
    (ImportProblem("it went wrong"), 30),
    (StoreProblem("it went wrong"), 40),
    (Interrupted("it went wrong"), 130),
)


def failing(tmp_path: Path, trouble: BaseException) -> App:
    def host() -> Host:
        raise trouble

    return dataclasses.replace(fake_app(tmp_path), host=host)


@pytest.mark.parametrize(("trouble", "code"), PROBLEMS, ids=lambda each: type(each).__name__)
def test_a_problem_is_one_line_and_its_exit_code(tmp_path: Path, run: Run, trouble: BaseException, code: int) -> None:
    outcome = run("volumes", app=failing(tmp_path, trouble))
    assert (outcome.code, outcome.out, outcome.err) == (code, "", "graycard: it went wrong\n")


def test_ctrl_c_is_130(tmp_path: Path, run: Run) -> None:
    outcome = run("volumes", app=failing(tmp_path, KeyboardInterrupt()))
    assert (outcome.code, outcome.err) == (130, "graycard: stopped\n")


def test_a_message_with_control_characters_stays_one_line(tmp_path: Path, run: Run) -> None:
    outcome = run("volumes", app=failing(tmp_path, TargetProblem("no \x1b[2J\n/mnt/\udcff")))
    assert outcome.err == "graycard: no \\x1b[2J\\n/mnt/\\xff\n"


def test_a_defect_is_one_line_and_70(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    app = failing(tmp_path, ZeroDivisionError("oh"))
    with pytest.raises(SystemExit) as leaving:
        run("volumes", app=app)
    assert leaving.value.code == 70


def test_a_defect_shows_its_origin_only_when_asked(program: Run) -> None:
    patch = "import graycard.cli.main as m; m.system_app = lambda: None; m.run()"
    command = [sys.executable, "-c", patch, "volumes"]
    plain = subprocess.run(command, capture_output=True, text=True, check=False)
    assert plain.returncode == 70
    assert plain.stderr.startswith("graycard: internal error: AttributeError: ")
    assert plain.stderr.count("\n") == 1
    told = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, "GRAYCARD_DEBUG": "1"}
    )
    assert "Traceback" in told.stderr


LIMIT = "Invalid value for '--limit': 0 is not in the range x>=1"
APPLES = "Invalid value for '--size': “4 apples” is not a size; write for example 4KiB, 1MiB, 4GB or 65536"


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("nonsense",), "graycard: No such command 'nonsense'; see graycard --help\n"),
        (("mesure",), "graycard: No such command 'mesure'; did you mean measure? See graycard --help\n"),
        (("info",), "graycard: Missing argument 'PATH'; see graycard info --help\n"),
        (("results", "list", "--limit", "0"), f"graycard: {LIMIT}; see graycard results list --help\n"),
        (("measure", ".", "--size", "4 apples"), f"graycard: {APPLES}; see graycard measure --help\n"),
    ],
)
def test_a_wrong_command_line_is_one_sentence_and_2(run: Run, arguments: tuple[str, ...], line: str) -> None:
    outcome = run(*arguments)
    assert (outcome.code, outcome.out, outcome.err) == (2, "", line)


def test_alone_it_prints_help(run: Run) -> None:
    outcome = run()
    assert outcome.code == 0
    assert "Usage: graycard" in outcome.out
    assert "measure" in outcome.out


def test_version(program: Run) -> None:
    outcome = program("--version")
    assert (outcome.code, outcome.out, outcome.err) == (0, f"graycard {__version__}\n", "")


def test_the_version_needs_none_of_the_heavy_packages() -> None:
    code = (
        "import sys; from graycard.cli.main import main, system_app; main(['--version'], system_app());"
        "print([m for m in ('rich', 'msgspec', 'psutil', 'sqlite3', 'graycard.model') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such pipes")
def test_a_closed_pipe_is_quiet() -> None:
    code = "from graycard.cli.main import run; run()"
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [sys.executable, "-c", code, "completion", "bash"], stdout=writing, stderr=subprocess.PIPE, check=False
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


def test_no_output_at_all_is_no_error() -> None:
    command = f"{sys.executable} -c 'from graycard.cli.main import run; run()' completion bash >&- 2>&-"
    assert subprocess.run(command, shell=True, check=False).returncode == 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_a_full_disk_behind_the_output_is_told() -> None:
    command = f"{sys.executable} -c 'from graycard.cli.main import run; run()' volumes > /dev/full"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "graycard: the output cannot be written (No space left on device); redirect it elsewhere\n"


def test_a_terminal_without_these_characters_gets_escapes(tmp_path: Path) -> None:
    place = str(tmp_path / "own.db")
    with Store(place) as store:
        store.save(dataclasses.replace(GOOD, target=dataclasses.replace(GOOD.target, path="/mnt/שלום")))
    command = [sys.executable, "-c", "from graycard.cli.main import run; run()", "--store", place, "results", "show"]
    variables = {**os.environ, "PYTHONIOENCODING": "cp1252"}
    done = subprocess.run(command, capture_output=True, env=variables, check=True)
    text = done.stdout.decode("cp1252")
    assert text.startswith("\\u2068/mnt/\\u05e9\\u05dc\\u05d5\\u05dd\\u2069")
    assert "512 MB/s ± 3 % (497 to 528)" in text
    document = subprocess.run([*command, "--json"], capture_output=True, env=variables, check=True).stdout
    assert json.loads(document)["results"][0]["target"]["path"] == "/mnt/שלום"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(program: Run, shell: str) -> None:
    outcome = program("completion", shell)
    assert outcome.code == 0
    assert "_GRAYCARD_COMPLETE" in outcome.out


def test_completion_answers_the_shell(program: Run) -> None:
    outcome = program(_GRAYCARD_COMPLETE="bash_complete", COMP_WORDS="graycard measure --pre", COMP_CWORD="2")
    assert outcome.out.split() == ["plain,--preset", "plain,--precision"]


def test_the_list_of_commands_names_all_of_them_and_imports_none() -> None:
    script = (
        "import sys; from graycard.cli.main import COMMANDS, main, system_app; main(['--help'], system_app());"
        "sys.exit(sum(command.place.split(':')[0] in sys.modules for command in COMMANDS.values()))"
    )
    ended = subprocess.run((sys.executable, "-c", script), capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 0, ended.stderr
    for name, command in COMMANDS.items():
        assert f" {name} " in ended.stdout
        assert command.brief.split()[0] in ended.stdout
