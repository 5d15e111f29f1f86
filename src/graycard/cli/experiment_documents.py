"""What `graycard experiment` prints with --json."""

from __future__ import annotations

from dataclasses import dataclass

from graycard.experiment.outlook import Expected
from graycard.model import SCHEMA, Comparison, Result
from graycard.model.experiment import ExperimentRecord


@dataclass(frozen=True, slots=True)
class ExperimentDocument:
    """One experiment: what is remembered of it, its results, and each configuration beside the first."""

    experiment: ExperimentRecord
    results: tuple[Result, ...]
    comparisons: tuple[Comparison, ...]
    notes: tuple[str, ...] = ()
    schema: str = SCHEMA


@dataclass(frozen=True, slots=True)
class ExperimentPlanDocument:
    """What `experiment run --plan` would do."""

    experiment: ExperimentRecord
    expected: tuple[Expected, ...]
    says: tuple[str, ...]
    warnings: tuple[str, ...]
    schema: str = SCHEMA


@dataclass(frozen=True, slots=True)
class ExperimentsDocument:
    """What `experiment list` shows."""

    experiments: tuple[ExperimentRecord, ...]
    schema: str = SCHEMA
