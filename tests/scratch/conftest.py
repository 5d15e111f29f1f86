"""A folder to measure, and a registry of runs that only the test uses."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def target(tmp_path: Path) -> str:
    path = tmp_path / "target"
    path.mkdir()
    return str(path)


@pytest.fixture
def registry(tmp_path: Path) -> str:
    path = tmp_path / "registry"
    path.mkdir()
    return str(path)
