"""`graycard agree`: which figures a user means, the forms of the answer, and the exit code."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from tests.agree.test_built_disagreements import KDISKMARK
from tests.cli.conftest import Run
from tools.make_schema import PLACE

ADM = """\
---------------------------------------------------------------------
AmorphousDiskMark 4.0.2 (C) 2016-2026 Katsura Shareware
---------------------------------------------------------------------
  Sequential Read 1MiB (QD=   8) :   521.14 MB/s [    497.0 IOPS]

    Test : 1 GiB (x5) [Interval=5 sec] [Limit=5 sec]
    Date : 2026-08-24T04:09:09Z
"""


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """Two texts of one figure in two units."""
    (tmp_path / "kdm.txt").write_text(KDISKMARK)
    (tmp_path / "adm.txt").write_text(ADM)
    return str(tmp_path / "kdm.txt"), str(tmp_path / "adm.txt")


def test_the_reason_stands_first_and_a_command_last(run: Run, files: tuple[str, str]) -> None:
    done = run("agree", *files)
    assert done.code == 0, done.err
    assert "AmorphousDiskMark over KDiskMark: 1.00" in done.out
    assert "no interval; as printed 1.02" in done.out
    assert "1.       Unit: KDiskMark calls 1,024,000 bytes a MB." in done.out
    assert "graycard measure PATH --read --sequential --block 1MiB --depth 8 --size 1GiB" in done.out


def test_json_fits_the_schema(run: Run, files: tuple[str, str]) -> None:
    document = json.loads(run("agree", *files, "--json").out)
    jsonschema.validate(document, json.loads(PLACE.read_text()))
    [agreement] = document["agreements"]
    assert agreement["task"] == "SEQ1M QD8 read"
    assert agreement["pairs"][0]["reasons"][0]["name"] == "unit"
    assert [figure["name"] for figure in agreement["figures"]] == ["KDiskMark", "AmorphousDiskMark"]


@pytest.mark.parametrize("form", ["--markdown", "--text"])
def test_other_forms(run: Run, files: tuple[str, str], form: str) -> None:
    done = run("agree", *files, form)
    assert done.code == 0
    assert "Unit: KDiskMark" in done.out


def test_one_figure_alone_is_told_so(run: Run, files: tuple[str, str]) -> None:
    done = run("agree", files[0])
    assert done.code == 0
    assert "Nothing stands beside these" in done.out
    assert "SEQ1M QD8 read" in done.out


def test_both_tools_in_one_file(run: Run, files: tuple[str, str], tmp_path: Path) -> None:
    both = tmp_path / "both.txt"
    both.write_text(KDISKMARK + "\n" + ADM)
    assert "Unit: KDiskMark" in run("agree", str(both)).out


def test_a_file_of_no_tool_is_one_sentence(run: Run, tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear reader\n")
    done = run("agree", str(tmp_path / "letter.txt"))
    assert done.code == 30
    assert len(done.err.splitlines()) == 1
