"""The reader of facts that docs/add-a-plugin.md shows works as it is shown."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from graycard.errors import ImportProblem
from graycard.protocols import FactReader

PAGE = (Path(__file__).parent.parent.parent / "docs" / "add-a-plugin.md").read_text(encoding="utf-8")
SECTION = PAGE[PAGE.index("## A fact reader") : PAGE.index("## An engine")]
(CODE,) = re.findall(r"^```python\n(.*?)^```", SECTION, re.MULTILINE | re.DOTALL)
TEXT = b"drivetell 1.0\n\nmodel: X1\nbus: usb\n\nmodel: X2\n"


@pytest.fixture
def drivetell() -> FactReader:
    names: dict[str, Any] = {}
    exec(CODE, names)
    reader: FactReader = names["DrivetellReader"]()
    return reader


def test_the_example_reads_its_text(drivetell: FactReader) -> None:
    assert drivetell.recognises(TEXT)
    first, second = drivetell.read(TEXT)
    assert {each.name: each.value for each in first.facts} == {"device_model": "X1", "bus": "usb"}
    assert {each.name: each.value for each in second.facts} == {"device_model": "X2"}
    assert (first.names, first.whole) == (("X1",), "X1")


def test_the_example_refuses_what_holds_nothing(drivetell: FactReader) -> None:
    with pytest.raises(ImportProblem, match="lists no drive"):
        drivetell.read(b"drivetell 1.0\n")
