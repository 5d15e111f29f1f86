"""The sourced table of codecs, where it is stored beside the repository."""

from __future__ import annotations

import csv
import os
from functools import cache
from pathlib import Path

import pytest

PLACE = Path(__file__).parent.parent.parent.parent / "shared" / "facts" / "codecs.csv"
Row = dict[str, str]
stored = pytest.mark.skipif(
    not PLACE.is_file() and os.environ.get("CI") != "true", reason="the sourced table is not stored here"
)


@cache
def rows() -> tuple[Row, ...]:
    """Every row of the table."""
    with PLACE.open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))
