"""Plans for tests: short ways to make one, or to get its refusal."""

from __future__ import annotations

from typing import Any

import pytest

from graycard.errors import PlanProblem
from graycard.facts import fact
from graycard.model import Fact, Plan, Target, TargetKind
from graycard.plan import (
    TaskOptions,
    make_plan,
)
from graycard.protocols import Volume

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
SECOND = 10**9
FOLDER = Target("/mnt/card", TargetKind.FOLDER)
FILE = Target("/mnt/card/clip.mov", TargetKind.FILE)
ROOMY: tuple[Fact, ...] = (fact("free_bytes", 10**15, "test"), fact("size_bytes", 10**15, "test"))
VOLUME = Volume("/mnt/card", "/dev/sdb1", "exfat", 128 * 10**9, 64 * 10**9, False, False, None)


def options(seed: int = 7, **given: Any) -> TaskOptions:
    return TaskOptions(seed=seed, **given)


def plan(preset: str | None = None, facts: tuple[Fact, ...] = (), **given: Any) -> Plan:
    return make_plan(FOLDER, preset, options(**given), facts)


def facts(**values: Any) -> tuple[Fact, ...]:
    return tuple(fact(name, value, "test") for name, value in values.items())


def labels(made: Plan) -> list[str]:
    return [task.label for task in made.tasks]


def refusal(preset: str | None = None, known: tuple[Fact, ...] = (), **given: Any) -> str:
    with pytest.raises(PlanProblem) as caught:
        plan(preset, known, **given)
    return str(caught.value)


def both(*loads: str) -> list[str]:
    return [f"{load} {operation}" for load in loads for operation in ("read", "write")]
