"""A plan file becomes a plan, or one clear sentence on what is wrong in it: file, table and key."""

from __future__ import annotations

import os
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping
from hashlib import blake2b
from typing import TypeVar

from graycard.codec import encode
from graycard.errors import PlanProblem
from graycard.experiment.configurations import ConfigurationReader, place_from
from graycard.experiment.load import label_options, tasks_of
from graycard.experiment.table import Table
from graycard.experiment.words import in_plan_words
from graycard.model import Cache, Durability
from graycard.model.experiment import ExperimentPlan, Load
from graycard.plan import DEFAULT, PRESETS
from graycard.plan.presets import BOTH
from graycard.units import parse_duration, parse_ratio, parse_size

USUAL_PAIR_COUNT = 6
USUAL_REST_NS = 1_000_000_000
MOST_SEED = (1 << 53) - 1
ENGINES = ("native", "fio")
_DURABILITIES = {each.value.replace("_", "-"): each for each in Durability}
Choice = TypeVar("Choice")


def read_plan(data: bytes, path: str) -> ExperimentPlan:
    """The plan in a TOML file that lies at `path`; paths in it count from there. PlanProblem for every mistake."""
    name = os.path.basename(path)
    try:
        values = tomllib.loads(data.decode())
    except UnicodeDecodeError:
        raise PlanProblem(
            f"{name} is no text in UTF-8; graycard experiment init writes a plan to start from."
        ) from None
    except tomllib.TOMLDecodeError as error:
        raise PlanProblem(f"{name} is no TOML: {error}; see https://toml.io for how it is written.") from None
    plan = _plan(Table(values, name), os.path.dirname(os.path.abspath(path)))
    _check(plan, name)
    return plan


def fingerprint(plan: ExperimentPlan) -> str:
    """The same for the same plan, however its file is laid out and commented."""
    # Plans of before there were visits keep theirs.
    body = encode(plan).replace(b',"visit_count":1}', b"}")
    return blake2b(body, digest_size=16).hexdigest()


def _plan(table: Table, base: str) -> ExperimentPlan:
    name = table.text("name")
    if name is None:
        raise table.problem("name", "is missing; give the experiment a name")
    folder, image_size = table.parsed("folder", place_from(base)), table.parsed("image_size", parse_size)
    pairs = table.count("pairs", 2, USUAL_PAIR_COUNT)
    if pairs % 2:
        raise table.problem("pairs", f"is {pairs}, but must be even: every second block mirrors the one before")
    visits = table.count("visits", 1, 1)
    if visits > pairs:
        raise table.problem("visits", f"is {visits}, but there are {pairs} pairs of runs; make it at most that many")
    rest_ns = table.parsed("rest", parse_duration)
    seed = table.count("seed", 0, -1)
    threshold = table.parsed("threshold", parse_ratio)
    if threshold is not None and not 0 < threshold < 1:
        raise table.problem("threshold", "must lie between 0 % and 100 %; write for example 3%")
    engine = table.parsed("engine", _one_of({each: each for each in ENGINES}))
    load = _load(table.table("measure"))
    reader = ConfigurationReader(base, folder, image_size)
    for each in table.tables("configuration"):
        reader.take(each)
    table.end()
    return ExperimentPlan(
        name=name,
        configurations=tuple(reader.read),
        load=load,
        pair_count=pairs,
        rest_ns=USUAL_REST_NS if rest_ns is None else rest_ns,
        seed=None if seed < 0 else seed,
        threshold_ratio=threshold,
        engine=engine or ENGINES[0],
        visit_count=visits,
    )


def _load(table: Table) -> Load:
    labels = table.texts("tasks", _label) or ()
    presets = table.texts("presets", _one_of({each: each for each in PRESETS}))
    load = Load(
        presets=presets or (() if labels else (DEFAULT,)),
        labels=labels,
        operations=table.texts("operations", _one_of({each.value: each for each in BOTH})) or (),
        size_bytes=table.parsed("size", parse_size),
        time_ns=table.parsed("time", parse_duration),
        cache=table.parsed("cache", _one_of({each.value: each for each in Cache})),
        durability=table.parsed("durability", _one_of(_DURABILITIES)),
        compressible_ratio=table.parsed("compressible", parse_ratio),
    )
    table.end()
    return load


def _check(plan: ExperimentPlan, file: str) -> None:
    """What only the whole plan shows."""
    if len(plan.configurations) < 2:
        raise PlanProblem(f"{file}: an experiment compares; write at least two [[configuration]] tables.")
    name, count = Counter(each.name.casefold() for each in plan.configurations).most_common(1)[0]
    if count > 1:
        raise PlanProblem(f"{file}: {count} configurations are called “{name}”; give each a name of its own.")
    if plan.visit_count > 1 and sum(each.step is not None for each in plan.configurations) < 2:
        raise PlanProblem(f"{file}: visits alternate; write at least two configurations with a step, or leave it out.")
    if plan.seed is not None and plan.seed > MOST_SEED:
        raise PlanProblem(f"{file}: seed is {plan.seed}, but must be at most {MOST_SEED}.")
    try:
        tasks_of(plan)
    except PlanProblem as problem:
        raise PlanProblem(f"{file}, [measure]: {in_plan_words(str(problem))}") from None


def _one_of(choices: Mapping[str, Choice]) -> Callable[[str], Choice]:
    def parse(text: str) -> Choice:
        if text not in choices:
            raise ValueError(f"“{text}” is not known; choose from {', '.join(choices)}")
        return choices[text]

    return parse


def _label(text: str) -> str:
    label_options(text, Load(()), 0)
    return text
