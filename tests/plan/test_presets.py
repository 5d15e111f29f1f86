"""The presets hold the tasks they are named for, and keep their time."""

from __future__ import annotations

from dataclasses import replace

import pytest
from plan.made import GIB, KIB, MIB, SECOND, both, labels, plan, refusal

from graycard.model import Cache, Durability, Operation, Repeat
from graycard.plan import (
    PRESETS,
    time_needed,
)
from graycard.plan.presets import file_sizes, record_sizes


@pytest.mark.parametrize(
    ("preset", "expected"),
    [
        ("quick", both("SEQ1M QD8", "RND4K QD1")),
        ("standard", both("SEQ1M QD8", "SEQ1M QD1", "RND4K QD64", "RND4K QD1")),
        ("nvme", both("SEQ1M QD8", "SEQ128K QD32", "RND4K QD512 T16", "RND4K QD1")),
        ("durable", ["SEQ4K QD1 write", "RND4K QD1 write", "RND4K QD8 T8 write"]),
    ],
)
def test_preset_holds_its_tasks(preset: str, expected: list[str]) -> None:
    assert labels(plan(preset)) == expected


def test_standard_is_the_default_and_touches_one_gib() -> None:
    made = plan()
    assert made.name == "standard"
    assert {task.span_bytes for task in made.tasks} == {GIB}
    assert made.repeat == Repeat(5, 20, 0.05, 500_000_000)


@pytest.mark.parametrize("preset", PRESETS)
def test_writes_touch_each_block_once_and_end_with_a_flush(preset: str) -> None:
    for task in plan(preset).tasks:
        if task.operation is Operation.WRITE:
            assert task.byte_limit == task.span_bytes
            assert task.durability is (Durability.EACH_WRITE if preset == "durable" else Durability.AT_END)
        else:
            assert task.byte_limit is None
            assert task.durability is Durability.NONE


def test_records_follow_iozone() -> None:
    assert file_sizes(128 * MIB) == (16 * MIB, 32 * MIB, 64 * MIB, 128 * MIB)
    assert file_sizes(100_000_000) == (16 * MIB, 32 * MIB, 64 * MIB)
    assert file_sizes(MIB) == (MIB,)
    assert len(file_sizes(1 << 45)) == 6
    assert record_sizes(16 * MIB) == tuple(4 * KIB << step for step in range(13))
    assert record_sizes(32 * MIB) == tuple(64 * KIB << step for step in range(9))
    assert record_sizes(MIB)[-1] == MIB
    made = plan("records")
    assert len(made.tasks) == 4 * (13 + 3 * 9)
    assert {task.depth_count for task in made.tasks} == {1}


@pytest.mark.parametrize(
    ("preset", "slowest", "most_s"),
    [("quick", 100e6, 20), ("standard", 50e6, 200), ("nvme", 50e6, 200), ("durable", 50e6, 90), ("records", 50e6, 300)],
)
def test_preset_keeps_its_time_goal(preset: str, slowest: float, most_s: int) -> None:
    for factor in (1, 3, 10, 100):
        needed = time_needed(plan(preset), slowest * factor)
        assert needed.likely_ns <= needed.most_ns <= most_s * SECOND


def test_time_is_layout_and_rounds() -> None:
    made = plan(operations=(Operation.READ,), block_bytes=MIB, size_bytes=GIB, time_ns=2 * SECOND, runs_count=5)
    likely, most = time_needed(made, 1e9)
    assert likely == most == int(GIB * 1e9 / 1e9) + 5 * (2_000_000_000 + 500_000_000 + 100_000_000)


def test_buffered_writes_count_the_time_of_their_flush() -> None:
    made = plan(operations=(Operation.WRITE,), block_bytes=MIB, cache=Cache.WARM, runs_count=1, size_bytes=GIB)
    direct = replace(made, tasks=tuple(replace(task, cache=Cache.BYPASS) for task in made.tasks))
    whole = int(GIB * 1e9 / 50e6)
    assert time_needed(made, 50e6).likely_ns - time_needed(direct, 50e6).likely_ns == whole - 2_500_000_000


def test_max_time_shortens_runs_that_the_user_did_not_set() -> None:
    made = plan("standard", max_time_ns=60 * SECOND)
    assert made.budget_ns == 60 * SECOND
    assert made.tasks[0].time_ns is not None
    assert 100_000_000 <= made.tasks[0].time_ns < 2_500_000_000
    assert time_needed(made).most_ns <= 60 * SECOND
    assert "--max-time 60.0 s" in refusal("standard", max_time_ns=60 * SECOND, time_ns=3 * SECOND)
    assert "use --preset quick" in refusal("standard", max_time_ns=5 * SECOND)


def test_longer_runs_widen_the_budget() -> None:
    made = plan("standard", time_ns=60 * SECOND)
    assert made.budget_ns is not None
    assert made.budget_ns >= time_needed(made).likely_ns
