"""Running a command line in this process, or in one of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from graycard.cli.app import App
from graycard.cli.main import main
from tests.cli.fakes import fake_app


@dataclass(frozen=True)
class Outcome:
    """What a command line did."""

    code: int
    out: str
    err: str


Run = Callable[..., Outcome]


@pytest.fixture
def run(tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Carry out a command line on the fake machine, 120 columns wide, without a terminal."""
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.delenv("GRAYCARD_STORE", raising=False)
    monkeypatch.delenv("GRAYCARD_DEBUG", raising=False)

    def carry_out(*arguments: str, app: App | None = None) -> Outcome:
        capfd.readouterr()
        code = main(arguments, app or fake_app(tmp_path))
        captured = capfd.readouterr()
        return Outcome(code, captured.out, captured.err)

    return carry_out


@pytest.fixture
def program(tmp_path: Path) -> Run:
    """Start the real program in a process of its own."""

    def start(*arguments: str, text: str = "", **environment: str) -> Outcome:
        variables = {**os.environ, "GRAYCARD_STORE": str(tmp_path / "own.db"), "COLUMNS": "120", **environment}
        command = [sys.executable, "-c", "from graycard.cli.main import run; run()", *arguments]
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            encoding="utf-8",
            env=variables,
            input=text,
            timeout=120,
            check=False,
        )
        return Outcome(done.returncode, done.stdout, done.stderr)

    return start
