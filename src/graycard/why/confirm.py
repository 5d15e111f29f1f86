"""A finding is confirmed by a change that did what it foretold, and dropped by one that clearly did not."""

from __future__ import annotations

from dataclasses import replace

from graycard.model.diagnosis import Certainty, Experiment, Finding, Outcome


def confirmed(finding: Finding, outcomes: tuple[Outcome, ...]) -> Finding | None:
    """The finding with its certainty; None where an outcome lies clearly outside of what it foretold."""
    tried = [(experiment, outcome) for experiment in finding.experiments for outcome in outcomes
             if experiment.change is outcome.change]  # fmt: skip
    if any(_contradicts(*pair) for pair in tried):
        return None
    shown = tuple(outcome.says for experiment, outcome in tried if _agrees(experiment, outcome))
    if not shown:
        return finding
    return replace(finding, certainty=Certainty.CONFIRMED, because=(*finding.because, *shown))


def _bounds(outcome: Outcome) -> tuple[float, float]:
    ratio = outcome.ratio
    low = ratio.value if ratio.low is None else ratio.low
    return low, ratio.value if ratio.high is None else ratio.high


def _agrees(experiment: Experiment, outcome: Outcome) -> bool:
    low, high = _bounds(outcome)
    return low >= experiment.low_ratio and (experiment.high_ratio is None or high <= experiment.high_ratio)


def _contradicts(experiment: Experiment, outcome: Outcome) -> bool:
    low, high = _bounds(outcome)
    return high < experiment.low_ratio or (experiment.high_ratio is not None and low > experiment.high_ratio)
