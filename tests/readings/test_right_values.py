"""Every stored document of facts gives its right values, or the documented error."""

from __future__ import annotations

from pathlib import Path

import pytest

from graycard.errors import ImportProblem
from graycard.facts import TERMS, value
from graycard.readings import FACT_READERS, read_document, reader_of
from tests.importers.samples import OWN as FIXTURES
from tests.importers.samples import SHARED, index, stored
from tests.readings.right_values import OWN, OWN_REFUSED, STORED, STORED_REFUSED, Values

FOLDER = FIXTURES / "readings"
# The tools of the index that tell of a set-up.
FOLDERS = {"diskutil", "findmnt", "lsblk", "mount", "nfs", "smartctl", "smbstatus", "system_profiler", "windows"}


def compare(path: Path, expected: dict[str, Values]) -> None:
    readings = read_document(path.read_bytes(), path.name).readings
    found = {reading.names[0]: reading.facts for reading in readings}
    assert len(found) == len(readings), "each has a name of its own"
    for name, values in expected.items():
        for fact, right in values.items():
            told = value(found[name], fact)
            assert told == (pytest.approx(right) if isinstance(right, float) else right), (name, fact)
    for facts in found.values():
        assert len({each.name for each in facts}) == len(facts), "each fact is told once"
        assert all(each.unit == TERMS[each.name].unit and each.value is not None for each in facts)


@pytest.mark.parametrize("file", OWN)
def test_our_own_samples(file: str) -> None:
    compare(FOLDER / file, OWN[file])


@pytest.mark.parametrize("file", OWN_REFUSED)
def test_our_own_samples_that_are_refused(file: str) -> None:
    with pytest.raises(ImportProblem, match=f"{file}: .*{OWN_REFUSED[file]}"):
        read_document((FOLDER / file).read_bytes(), file)


def test_each_reader_has_a_sample_of_our_own() -> None:
    names = {reader.name for file in OWN if (reader := reader_of((FOLDER / file).read_bytes()))}
    assert names == {reader.name for reader in FACT_READERS}
    assert {*OWN, *OWN_REFUSED} == {path.name for path in FOLDER.iterdir()} - {"README.md"}


@stored
@pytest.mark.parametrize("file", STORED)
def test_the_stored_samples(file: str) -> None:
    compare(SHARED / file, STORED[file])


@stored
@pytest.mark.parametrize("file", STORED_REFUSED)
def test_the_stored_samples_that_are_refused(file: str) -> None:
    with pytest.raises(ImportProblem, match=STORED_REFUSED[file]):
        read_document((SHARED / file).read_bytes(), file)


@stored
def test_no_stored_sample_is_forgotten() -> None:
    files = {each.file for each in index() if each.file.partition("/")[0] in FOLDERS}
    assert files == {*STORED, *STORED_REFUSED}


@stored
def test_nothing_else_is_taken_for_a_document_of_facts() -> None:
    others = [each.file for each in index() if each.file.partition("/")[0] not in FOLDERS]
    assert [file for file in others if reader_of((SHARED / file).read_bytes())] == []
