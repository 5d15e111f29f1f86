"""A large export of graycard's own is taken in result by result, and whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from graycard.codec import Document, pretty
from graycard.store import Store
from tests.cli.conftest import Run
from tests.made_results import a_result

RESULTS = tuple(a_result(f"r{number}", measurement_id=f"m{number}", run_count=2) for number in range(25))


@pytest.fixture
def export(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file beyond the limit, which is made small for it."""
    path = tmp_path / "export.json"
    path.write_bytes(pretty(Document(results=RESULTS)))
    for place in ("graycard.cli.import_export", "graycard.importers"):
        monkeypatch.setattr(f"{place}.MEMORY_LIMIT_BYTES", path.stat().st_size // 2)
    return path


def test_all_of_it_is_stored_and_known_the_second_time(run: Run, export: Path, tmp_path: Path) -> None:
    outcome = run("import", str(export))
    assert (outcome.code, outcome.err) == (0, "Stored 25 results.\n")
    assert "graycard: 25 results" in outcome.out
    with Store(str(tmp_path / "results.db")) as store:
        assert tuple(store.load(result.id) for result in RESULTS) == RESULTS
    assert run("import", str(export)).err == "Found 25 results, all of them stored before; nothing was added.\n"


def test_a_dry_run_stores_nothing(run: Run, export: Path, tmp_path: Path) -> None:
    assert run("import", str(export), "--dry-run").err == "Found 25 results; nothing was stored.\n"
    assert not (tmp_path / "results.db").exists()


def test_nothing_of_a_damaged_one_is_stored(run: Run, export: Path, tmp_path: Path) -> None:
    data = export.read_bytes()
    export.write_bytes(data[: int(len(data) * 0.9)])
    outcome = run("import", str(export))
    assert outcome.code == 30
    assert "of the document is damaged" in outcome.err
    with Store(str(tmp_path / "results.db")) as store:
        assert store.rows() == ()


def test_who_reports_it_is_told_to_import_it(run: Run, export: Path) -> None:
    outcome = run("report", str(export), "-o", "-", "--form", "md")
    assert outcome.code == 30
    assert "save it as a file, graycard import that, and name its results" in outcome.err
