"""Whatever importers read from the samples of this repository, agree has an answer that can be shown."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from graycard.agree import agree
from graycard.cli.foreign import results_of_file
from graycard.errors import ImportProblem
from graycard.model import Arm
from graycard.report.agreements import agreements_page
from graycard.report.renderers import page_text

FIXTURES = Path(__file__).parent.parent / "fixtures"
TOOLS = sorted(path.name for path in FIXTURES.iterdir() if path.is_dir())


def arms_of(tool: str) -> list[Arm]:
    found = []
    for path in sorted((FIXTURES / tool).iterdir()):
        try:
            found.append(Arm(path.name, results_of_file(str(path))))
        except ImportProblem:
            continue
    return found


@pytest.mark.parametrize(("one", "other"), tuple(pairwise(TOOLS)))
def test_two_tools(one: str, other: str) -> None:
    arms = [*arms_of(one), *arms_of(other)]
    found = agree(arms)
    results = {result.id for arm in arms for result in arm.results if result.summary and result.summary.rate.value > 0}
    told = [id_ for each in found.agreements for figure in each.figures for id_ in figure.result_ids]
    assert sorted(told) == sorted(results), "each figure stands in one place, and none is lost"
    for each in found.agreements:
        names = [figure.name for figure in each.figures]
        assert len(set(names)) == len(names)
        assert each.decide.startswith("graycard measure ")
        for pair in each.pairs:
            assert pair.ratio.value > 0
            assert all(reason.says.endswith(".") for reason in pair.reasons)
    assert page_text(agreements_page(found.agreements, found.tools))
