"""The program, with a store and a home of the test's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bed.faults_program import Cli


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    """The real program."""
    return Cli(tmp_path / "home")
