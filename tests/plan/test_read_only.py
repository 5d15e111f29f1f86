"""Reading an existing file writes nothing."""

from __future__ import annotations

from typing import Any

import pytest
from plan.made import FILE, FOLDER, GIB, MIB, VOLUME, facts, labels, options

from graycard.errors import PlanProblem
from graycard.model import Durability, Operation, Target
from graycard.plan import (
    WriteBudget,
    bytes_to_write,
    check_space,
    describe,
    layout,
    read_only_plan,
)


def test_read_only_plan_writes_nothing() -> None:
    made = read_only_plan(FILE, 10**9 + 123, options())
    assert labels(made) == ["SEQ1M QD8 read", "SEQ1M QD1 read", "RND4K QD64 read", "RND4K QD1 read"]
    assert [task.span_bytes for task in made.tasks] == [10**9 // MIB * MIB] * 2 + [(10**9 + 123) // 4096 * 4096] * 2
    assert bytes_to_write(made) == WriteBudget(0, 0)
    assert layout(made) == ()
    assert check_space(made, facts(free_bytes=0, size_bytes=10**9)) == ()
    assert "Writes nothing: it only reads this file." in describe(made, VOLUME, ())


@pytest.mark.parametrize(
    ("target", "given", "says"),
    [
        (FOLDER, {}, "--read-only needs a file, but /mnt/card is a folder"),
        (FILE, {"operations": (Operation.WRITE,)}, "contradict each other"),
        (FILE, {"size_bytes": 2 * GIB}, "use a smaller --size"),
        (FILE, {"nocow": True}, "shape new files"),
        (FILE, {"compressible_ratio": 0.5}, "shape new files"),
        (FILE, {"durability": Durability.EACH_WRITE}, "only reading is asked for"),
    ],
)
def test_read_only_refusals(target: Target, given: dict[str, Any], says: str) -> None:
    with pytest.raises(PlanProblem, match=says):
        read_only_plan(target, GIB, options(**given))


def test_read_only_refuses_a_file_that_is_too_small() -> None:
    with pytest.raises(PlanProblem, match="use a file of 8M or more"):
        read_only_plan(FILE, 5 * MIB, options())
    with pytest.raises(PlanProblem, match="too few to measure"):
        read_only_plan(FILE, 0, options())
