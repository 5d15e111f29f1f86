"""What a measurement said, and what is asserted of it: a trap is caught, or a set-up without it is clear."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import fmean

import pytest

from graycard.errors import AccuracyProblem
from graycard.model import Check, Result, Verdict
from graycard.report.notes import FAILED_MARK
from graycard.units import format_rate


@dataclass(frozen=True)
class Measured:
    """One measurement by the command line: its exit code, its one result, and the page that shows the stored one."""

    code: int
    result: Result
    page: str

    @property
    def checks(self) -> dict[str, Check]:
        assert self.result.summary is not None
        return {check.name: check for check in self.result.summary.checks}

    @property
    def failed(self) -> dict[str, str]:
        return {name: check.says for name, check in self.checks.items() if check.verdict is Verdict.FAIL}


def caught(measured: Measured, name: str, words: str, verdict: Verdict = Verdict.FAIL) -> None:
    """The check has the verdict and names the cause; the figure is there, marked, and its sentence is shown."""
    check = measured.checks[name]
    assert (check.verdict, words in check.says) == (verdict, True), check
    assert " ".join(check.says.split()) in " ".join(measured.page.split())
    _figure_is_shown(measured)
    if verdict is Verdict.FAIL:
        assert measured.code == AccuracyProblem.exit_code


def clear(measured: Measured, name: str) -> None:
    """The check passes."""
    assert measured.checks[name].verdict is Verdict.PASS, measured.checks[name]
    _figure_is_shown(measured)


def _figure_is_shown(measured: Measured) -> None:
    """Whatever the checks say, the figure is that of the runs; it is marked exactly where one of them fails."""
    assert measured.result.summary is not None
    rate = measured.result.summary.rate.value
    assert rate > 0
    assert rate == pytest.approx(_mean_of_runs(measured.result))
    row = next(line for line in measured.page.splitlines() if line.startswith(measured.result.task.label))
    assert format_rate(rate) in row
    assert (FAILED_MARK.strip() in row.split()) == bool(measured.failed)
    assert measured.code == (AccuracyProblem.exit_code if measured.failed else 0)


def _mean_of_runs(result: Result) -> float:
    """The geometric mean, as docs/method.md says for runs of which none is told apart."""
    return math.exp(fmean(math.log(run.samples.moved_bytes * 1e9 / run.samples.elapsed_ns) for run in result.runs))
