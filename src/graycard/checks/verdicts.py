"""How a check becomes one verdict: each run is judged by itself, and the worst run decides."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from graycard.checks.evidence import CheckEvidence
from graycard.model import Check, Run, Verdict

SEVERITY = {Verdict.PASS: 0, Verdict.UNKNOWN: 1, Verdict.CAVEAT: 2, Verdict.FAIL: 3}
NO_RUNS = "No run was finished, so there is nothing to check."


@dataclass(frozen=True, slots=True)
class Found:
    """What a check found in one run or one fact."""

    verdict: Verdict
    says: str
    measured: float | None = None
    expected: float | None = None


def passes(says: str, measured: float | None = None, expected: float | None = None) -> Found:
    """The figure stands."""
    return Found(Verdict.PASS, says, measured, expected)


def caveat(says: str, measured: float | None = None, expected: float | None = None) -> Found:
    """The figure is true, but means less than it seems to."""
    return Found(Verdict.CAVEAT, says, measured, expected)


def fails(says: str, measured: float | None = None, expected: float | None = None) -> Found:
    """The figure is not what it claims to be."""
    return Found(Verdict.FAIL, says, measured, expected)


def unknown(says: str, measured: float | None = None, expected: float | None = None) -> Found:
    """It cannot be told here; `says` names what was missing."""
    return Found(Verdict.UNKNOWN, says, measured, expected)


def farthest(found: Found) -> float:
    """How bad a finding is where every departure from the expected figure is one."""
    if found.measured is None or found.expected is None:
        return 0.0
    return abs(found.measured - found.expected)


def smallest(found: Found) -> float:
    """How bad a finding is where the figure should be large."""
    return -found.measured if found.measured is not None else 0.0


def largest(found: Found) -> float:
    """How bad a finding is where the figure should be small."""
    return found.measured if found.measured is not None else 0.0


def worst(founds: Iterable[Found], badness: Callable[[Found], float] = farthest) -> Found:
    """The gravest; among equals the one that is worst by its figure, then the first."""
    return max(founds, key=lambda found: (SEVERITY[found.verdict], badness(found)))


def single(name: str, found: Found, unit: str | None, tolerance_ratio: float | None = None) -> Check:
    """A check that needs no runs."""
    return Check(name, found.expected, found.measured, unit, tolerance_ratio, found.verdict, found.says)


def by_run(
    name: str,
    evidence: CheckEvidence,
    judge: Callable[[CheckEvidence, Run], Found],
    unit: str | None,
    tolerance_ratio: float | None = None,
    badness: Callable[[Found], float] = farthest,
) -> Check:
    """Judge every run; the worst decides and is named unless all is well."""
    if not evidence.runs:
        return single(name, unknown(NO_RUNS), unit, tolerance_ratio)
    founds = [judge(evidence, run) for run in evidence.runs]
    gravest = worst(founds, badness)
    named = len(founds) > 1 and gravest.verdict in {Verdict.CAVEAT, Verdict.FAIL}
    says = f"Run {founds.index(gravest) + 1} of {len(founds)}: {gravest.says}" if named else gravest.says
    return single(name, Found(gravest.verdict, says, gravest.measured, gravest.expected), unit, tolerance_ratio)
