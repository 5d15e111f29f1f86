"""Any path that the system allows, in any language: measured, shown in one line, kept whole in the store."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.bed.faults_program import BRIEF, Cli, Ended

NAMES = {
    "umlauts": "Büro – Größe",
    "another script": "写真",
    "blanks": " two  blanks ",
    "colon": "a:b",
    "newline": "line\nbreak",
    "escapes": "\x1b[31mred\a",
    "option": "--plan",
    "invalid UTF-8": os.fsdecode(b"\xff\xfe raw"),
    "percent and brackets": "100%d [bold]{x}",
}


def test_any_name_can_be_measured(cli: Cli, tmp_path: Path) -> None:
    for name in NAMES.values():
        target = tmp_path / "target" / name
        target.mkdir(parents=True)
        ended = cli.run("measure", *BRIEF, "--json", "--", name, cwd=str(tmp_path / "target"))
        assert ended.code in (0, 21), ended.err
        kept = str(target).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
        results = json.loads(ended.out)["results"]
        assert [result["target"]["path"] for result in results] == [kept] * 2
        assert os.listdir(target) == []
        assert "\x1b" not in ended.err
        for command in (("results", "show", results[0]["id"], "--text"), ("info", str(target))):
            is_readable(cli.run(*command))
    is_readable(cli.run("results", "list"))


def is_readable(shown: Ended) -> None:
    """Nothing in a name breaks its line or reaches the terminal."""
    assert shown.code == 0
    assert set(shown.out.splitlines()).isdisjoint({"break", "break,"})
    assert "\x1b" not in shown.out


@pytest.mark.parametrize("name", ["de_DE.UTF-8", "C", "POSIX", "de_DE.ISO-8859-1"])
def test_any_locale(cli: Cli, tmp_path: Path, locales: str, name: str) -> None:
    target = tmp_path / "Größe"
    target.mkdir()
    settings = {"LOCPATH": locales, "LC_ALL": name, "LANG": name}
    ended = cli.measure(str(target), **settings)
    ended.measured()
    assert " MB/s" in ended.out
    as_json = cli.run("results", "show", "--json", **settings)
    rates = [result["summary"]["rate"]["value"] for result in json.loads(as_json.out)["results"]]
    assert len(rates) == 2
    assert all(isinstance(rate, float) and rate > 0 for rate in rates)
    assert os.listdir(target) == []
    missing = cli.run("measure", str(tmp_path / "Ärger"), **settings)
    missing.failed(11, "there is no")


@pytest.fixture(scope="module")
def locales(tmp_path_factory: pytest.TempPathFactory) -> str:
    """German locales of the test's own, made from the C library's sources."""
    folder = tmp_path_factory.mktemp("locales")
    for charset in ("UTF-8", "ISO-8859-1"):
        made = str(folder / f"de_DE.{charset}")
        subprocess.run(["localedef", "-i", "de_DE", "-f", charset, made], check=True, capture_output=True)
    known = subprocess.run(
        ["locale", "-k", "decimal_point"],
        env={**os.environ, "LOCPATH": str(folder), "LC_ALL": "de_DE.UTF-8"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert known.stdout.strip() == 'decimal_point=","'
    return str(folder)
