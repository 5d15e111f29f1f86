"""The importer that docs/add-a-plugin.md shows works as it is shown."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from graycard.errors import ImportProblem
from graycard.importers import read_all
from graycard.importers.imported import NOT_MEASURED
from graycard.model import Aggregate, Operation
from graycard.protocols import Importer

PAGE = (Path(__file__).parent.parent.parent / "docs" / "add-a-plugin.md").read_text(encoding="utf-8")
SECTION = PAGE[PAGE.index("## An importer") : PAGE.index("## An engine")]
TEXT, CODE = (
    re.findall(rf"^```{kind}\n(.*?)^```", SECTION, re.MULTILINE | re.DOTALL)[0] for kind in ("text", "python")
)


@pytest.fixture
def speedy() -> Importer:
    names: dict[str, Any] = {}
    exec(CODE, names)
    importer: Importer = names["SpeedyImporter"]()
    return importer


def test_the_example_reads_its_text(speedy: Importer) -> None:
    data = TEXT.encode()
    assert speedy.recognises(data)
    reading, writing = read_all(data, "copy.txt", [speedy])
    assert reading.summary
    assert reading.summary.rate.value == 512.5 * 2**20
    assert (reading.summary.rate.method, reading.summary.rate.n_count) == ("best of 3 runs", 3)
    assert (reading.origin.aggregate, reading.origin.tool_version) == (Aggregate.BEST, "1.2")
    assert (reading.task.label, reading.target.path) == ("SEQ read", "/mnt/ssd/test.bin")
    assert (reading.origin.imported_from, f"{reading.created_at:%Y-%m-%d %H:%M}") == ("copy.txt", "2026-03-01 10:15")
    assert (writing.task.operation, writing.summary, writing.trouble) == (Operation.WRITE, None, NOT_MEASURED)
    assert reading.measurement_id == writing.measurement_id


def test_the_example_reads_what_a_forum_makes_of_it(speedy: Importer) -> None:
    quoted = "".join(f"> {line}\r\n" for line in TEXT.replace("512.50", "512,50").splitlines()).encode("utf-16")
    assert speedy.recognises(quoted)
    assert [each.task for each in speedy.read(quoted)] == [each.task for each in speedy.read(TEXT.encode())]
    summary = speedy.read(quoted)[0].summary
    assert summary
    assert summary.rate.value == 512.5 * 2**20


def test_the_example_refuses_what_is_cut_short(speedy: Importer) -> None:
    with pytest.raises(ImportProblem, match="ends before its first row"):
        speedy.read(TEXT[:40].encode())
