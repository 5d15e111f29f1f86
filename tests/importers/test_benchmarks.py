"""diskspd, iozone, bonnie++, IOR and elbencho give the figures that the index of the stored samples calls right."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from importers.benchmark_right_values import COUNTS, NO_RESULTS, RIGHT_RATES
from importers.samples import OWN, SHARED, stored

from graycard.codec import Document, decode, encode
from graycard.errors import ImportProblem
from graycard.importers import HEAD_BYTES, IMPORTERS
from graycard.importers.sound import fault
from graycard.model import Result, Verdict
from graycard.protocols import Importer

TOOLS = ("bonnie", "diskspd", "elbencho", "ior", "iozone")
BY_NAME = {importer.name: importer for importer in IMPORTERS}
OWN_FILES = [path for tool in TOOLS for path in sorted((OWN / tool).glob("[0-9]*"))]


def importer_of(file: str) -> Importer:
    folder = file.partition("/")[0]
    return BY_NAME["iozone" if folder == "mixed" else folder]


def results_of(file: str) -> tuple[Result, ...]:
    return importer_of(file).read((SHARED / file).read_bytes())


@stored
@pytest.mark.parametrize("file", RIGHT_RATES)
def test_rates_are_right(file: str) -> None:
    results = results_of(file)
    assert len(results) == COUNTS.get(file, len(RIGHT_RATES[file]))
    for label, test, mb_per_s, tolerance in RIGHT_RATES[file]:
        found = [
            each.summary.rate.value / 1e6
            for each in results
            if each.summary and label in each.task.label and each.origin.imported_from == test
        ]
        # Of several sizes, the first is the smallest: the one that the index names.
        assert found[0] == pytest.approx(mb_per_s, abs=tolerance), (label, test)


@stored
@pytest.mark.parametrize("file", [*RIGHT_RATES, "iozone/11-3.430-excel-b.xls"])
def test_results_are_sound_and_their_figures_agree(file: str) -> None:
    results = results_of(file)
    assert decode(encode(Document(results=results)), Document).results == results
    assert len({result.id for result in results}) == len(results)
    for result in results:
        assert fault(result) is None
        checks = result.summary.checks if result.summary else ()
        assert [check.says for check in checks if check.verdict is Verdict.FAIL] == []


@stored
@pytest.mark.parametrize("file", NO_RESULTS)
def test_a_file_without_a_result_says_why(file: str) -> None:
    assert importer_of(file).recognises((SHARED / file).read_bytes()[:HEAD_BYTES])
    with pytest.raises(ImportProblem, match=NO_RESULTS[file]):
        results_of(file)


@stored
def test_every_stored_sample_is_in_the_tables() -> None:
    files = {str(path.relative_to(SHARED)) for tool in TOOLS for path in (SHARED / tool).glob("*")}
    assert files <= {*RIGHT_RATES, *NO_RESULTS, "iozone/11-3.430-excel-b.xls"}


@pytest.mark.parametrize("path", OWN_FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_our_own_samples_are_of_one_tool_and_sound(path: Path) -> None:
    data = (OWN / path).read_bytes()
    known = [importer.name for importer in IMPORTERS if importer.recognises(data[:HEAD_BYTES])]
    assert known == [(OWN / path).parent.name]
    results = BY_NAME[known[0]].read(data)
    assert results
    assert results == BY_NAME[known[0]].read(data)
    assert [fault(result) for result in results if fault(result)] == []
    assert decode(encode(Document(results=results)), Document).results == results


# But for the spreadsheet, which is no text, and XML, which names its own encoding.
TEXTS = [path for path in OWN_FILES if path.suffix not in (".xls", ".xml")]


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: f"{path.parent.name}/{path.name}")
@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_the_encoding_makes_no_difference(path: Path, encoding: str) -> None:
    data = (OWN / path).read_bytes()
    importer = BY_NAME[(OWN / path).parent.name]
    changed = data.decode().replace("\n", "\r\n").encode(encoding)
    assert importer.recognises(changed[:HEAD_BYTES])
    rates = [result.summary and result.summary.rate.value for result in importer.read(data)]
    assert [result.summary and result.summary.rate.value for result in importer.read(changed)] == rates


def test_names_of_tests_are_told() -> None:
    for path in OWN_FILES:
        for result in BY_NAME[path.parent.name].read(path.read_bytes()):
            assert re.fullmatch(r"[A-Za-z0-9 ]{3,30}", result.origin.imported_from or "")
