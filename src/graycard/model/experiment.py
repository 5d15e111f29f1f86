"""An experiment: configurations of one machine, measured in turns and compared."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from graycard.model.image import Image
from graycard.model.result import SCHEMA
from graycard.model.task import Cache, Durability, Operation


@dataclass(frozen=True, slots=True)
class Load:
    """What is measured on every configuration: the tasks of all presets, then those named by label, each once.

    None and empty mean what they mean to `measure`; `size_bytes` None is each preset's own size.
    """

    presets: tuple[str, ...]
    labels: tuple[str, ...] = ()
    operations: tuple[Operation, ...] = ()
    size_bytes: int | None = None
    time_ns: int | None = None
    cache: Cache | None = None
    durability: Durability | None = None
    compressible_ratio: float | None = None


@dataclass(frozen=True, slots=True)
class Configuration:
    """One thing to compare. `folder` is what is measured, or with an `image` where the file of the image lies.

    Configurations of one `volume` share one image and differ in its mount options alone; the volume is named after the
    first of them. With a `step`, a person brings the configuration about (reformats, starts another system).
    """

    name: str
    folder: str
    image: Image | None = None
    volume: str | None = None
    step: str | None = None


@dataclass(frozen=True, slots=True)
class ExperimentPlan:
    """Configurations × load, as a person wrote it. `seed` None: drawn when the experiment begins.

    `pair_count` runs of every task on each configuration; `rest_ns` is the pause before each run.
    `threshold_ratio` is the difference that counts as material; None leaves it to the comparison. What a person brings
    about is visited `visit_count` times in turns (A, B, A, B), for an equal part of its runs each time.
    """

    name: str
    configurations: tuple[Configuration, ...]
    load: Load
    pair_count: int
    rest_ns: int
    seed: int | None
    threshold_ratio: float | None
    engine: str
    visit_count: int = 1


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a configuration could not be measured (on)."""

    configuration: str
    at: datetime
    says: str


@dataclass(frozen=True, slots=True)
class ExperimentRecord:
    """What is remembered of an experiment beside its results, which name it in their `trial`.

    `fingerprint` is the plan's: the same plan finds its experiment again. `waiting` is the configuration whose step a
    person was last asked for, `steps_done` those that were carried out. `apart` are configurations whose runs were made
    up for later than those of the others, so that they are not randomised. `held_by` is the process that works on it.
    """

    id: str
    created_at: datetime
    fingerprint: str
    seed: int
    plan: ExperimentPlan
    failures: tuple[Failure, ...] = ()
    waiting: str | None = None
    steps_done: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()
    held_by: str | None = None
    schema: str = SCHEMA
