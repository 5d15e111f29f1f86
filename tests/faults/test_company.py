"""Two runs at once on one volume: each result says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from graycard.model import Result, Verdict
from graycard.store import Store
from tests.bed.faults_program import LONG, Cli, left_in
from tests.bed.loops import MIB, LoopImage


def results(cli: Cli) -> list[Result]:
    with Store(str(cli.store)) as store:
        return [store.load(row.id) for row in store.rows()]


@pytest.mark.root
def test_two_runs_at_once_on_one_volume(cli: Cli, loop_image: LoopImage) -> None:
    volume = loop_image(96 * MIB)
    folders = [f"{volume}/one", f"{volume}/two"]
    for folder in folders:
        Path(folder).mkdir()
    short = (*LONG, "--runs", "2")
    with (
        cli.started("measure", folders[0], *short, telling=True, held="calibrate") as first,
        cli.started("measure", folders[1], *short, telling=True, held="calibrate") as second,
    ):
        for each in (first, second):
            each.wait_for_phase("calibrate")
        for each in (first, second):
            each.release()
        first.end().measured()
        second.end().measured()
    found = results(cli)
    assert len(found) == 8
    for result in found:
        assert result.summary is not None
        says = [check for check in result.summary.checks if "nother graycard run" in check.says]
        assert [check.verdict for check in says] == [Verdict.CAVEAT], result.summary.checks
    assert left_in(volume) == []
