"""Whatever the options: a plan is sound and costs no more than it says, or it is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plan.made import FOLDER, GIB, MIB, ROOMY, SECOND, VOLUME, facts, options, plan

from graycard.errors import PlanProblem
from graycard.model import Cache, Durability, Fact, IoTask, Operation, Pattern, Plan
from graycard.plan import (
    PRESETS,
    TaskOptions,
    bytes_to_write,
    check_space,
    describe,
    file_name,
    layout,
    make_plan,
    may_run,
    order,
    reserve_bytes,
    time_needed,
)
from graycard.plan.budget import rounds_bytes

SIZES = st.one_of(st.none(), st.integers(1, 8 * GIB))


def maybe(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(st.none(), strategy)


CHOICES: dict[str, Any] = {
    "seed": st.integers(0, 2**53 - 1),
    "operations": st.sampled_from([(), (Operation.READ,), (Operation.WRITE,), (Operation.READ, Operation.WRITE)]),
    "pattern": st.sampled_from([None, *Pattern]),
    "cache": st.sampled_from([None, *Cache]),
    "nocow": st.booleans(),
}
# Values out of all reason, most of which must be refused.
WILD = st.builds(
    TaskOptions,
    **CHOICES,
    durability=st.sampled_from([None, *Durability]),
    block_bytes=maybe(st.integers(-1, 70_000)),
    depth_count=maybe(st.integers(-1, 600)),
    worker_count=maybe(st.integers(-1, 20)),
    size_bytes=SIZES,
    time_ns=maybe(st.integers(0, 10 * SECOND)),
    runs_count=maybe(st.integers(0, 30)),
    precision_ratio=maybe(st.floats(0, 2)),
    max_time_ns=maybe(st.integers(0, 600 * SECOND)),
    compressible_ratio=maybe(st.floats(-1, 2)),
    write_limit_bytes=maybe(st.integers(-1, 10**11)),
)
# Values that a user may well give, most of which make a plan.
TAME = st.builds(
    TaskOptions,
    **CHOICES,
    block_bytes=maybe(st.integers(3, 12).map(lambda power: 512 << power)),
    depth_count=maybe(st.sampled_from([4, 8, 64])),
    worker_count=maybe(st.sampled_from([1, 2, 4])),
    size_bytes=maybe(st.integers(64 * MIB, 8 * GIB)),
    time_ns=maybe(st.integers(SECOND // 100, 10 * SECOND)),
    runs_count=maybe(st.integers(1, 30)),
    precision_ratio=maybe(st.floats(0.001, 0.5)),
    max_time_ns=maybe(st.integers(100 * SECOND, 6000 * SECOND)),
    compressible_ratio=maybe(st.floats(0, 1)),
    write_limit_bytes=maybe(st.integers(10**10, 10**12)),
)
ANY_OPTIONS = st.one_of(TAME, WILD)
ANY_PRESET = st.sampled_from([None, *PRESETS])


def attempt(preset: str | None, given_options: TaskOptions, known: tuple[Fact, ...] = ()) -> Plan | None:
    """The plan, or None where it was refused; any exception but PlanProblem fails the test."""
    shaped = replace(given_options, pattern=None, block_bytes=None, depth_count=None, worker_count=None)
    try:
        return make_plan(FOLDER, preset, shaped if preset else given_options, known)
    except PlanProblem:
        return None


def check_shape(task: IoTask, unit_bytes: int) -> None:
    assert task.span_bytes % (task.block_bytes * task.worker_count) == 0
    assert task.span_bytes >= task.block_bytes * task.depth_count
    assert task.depth_count % task.worker_count == 0
    assert task.cache is not Cache.BYPASS or task.block_bytes % unit_bytes == 0
    assert task.time_ns is not None
    assert task.time_ns >= 10_000_000


@given(preset=ANY_PRESET, given_options=ANY_OPTIONS, unit=st.sampled_from([512, 4096]))
def test_a_plan_is_sound_or_refused(preset: str | None, given_options: TaskOptions, unit: int) -> None:
    made = attempt(preset, given_options, facts(logical_block_bytes=unit))
    if made is None:
        return
    assert made.tasks
    for index, task in enumerate(made.tasks):
        check_shape(task, unit)
        assert given_options.size_bytes is None or task.span_bytes <= given_options.size_bytes
        (file,) = (each for each in layout(made) if each.name == file_name(made, index))
        assert file.task.span_bytes % file.task.block_bytes == 0
        spans = [each.span_bytes for each in made.tasks if each.operation is task.operation]
        assert max(spans) <= file.task.span_bytes < max(spans) + MIB
    needed = time_needed(made)
    assert 0 < needed.likely_ns <= needed.most_ns
    assert given_options.max_time_ns is None or needed.most_ns <= given_options.max_time_ns
    assert describe(made, VOLUME, ())


def total_written(made: Plan, speed_ratio: float) -> tuple[int, list[int]]:
    """Carry the plan out as long as it allows: bytes written and runs of each task. Each run writes its whole limit."""
    written = sum(each.task.span_bytes for each in layout(made))
    elapsed, counts = 0, [0] * len(made.tasks)
    for repeat in range(made.repeat.max_count + 1):
        for index in order(made, repeat):
            if may_run(made, index, counts[index], elapsed, written):
                counts[index] += 1
                elapsed += int((made.tasks[index].time_ns or 0) * speed_ratio)
                written += (made.tasks[index].byte_limit or 0) if file_name(made, index) == "write" else 0
    return written, counts


@given(preset=ANY_PRESET, given_options=ANY_OPTIONS, speed_ratio=st.floats(0, 1))
def test_a_plan_never_writes_more_than_it_says(
    preset: str | None, given_options: TaskOptions, speed_ratio: float
) -> None:
    made = attempt(preset, given_options)
    if made is None:
        return
    if rounds_bytes(made, made.repeat.min_count) > made.write_limit_bytes:
        with pytest.raises(PlanProblem, match="write limit"):
            check_space(made, ROOMY)
        return
    assert check_space(made, ROOMY) == ()
    written, counts = total_written(made, speed_ratio)
    assert written <= bytes_to_write(made).most_bytes <= made.write_limit_bytes
    assert min(counts) >= made.repeat.min_count
    assert max(counts) <= made.repeat.max_count


def test_the_time_budget_ends_repeating_but_not_the_least_runs() -> None:
    made = plan("standard")
    assert made.budget_ns is not None
    assert may_run(made, 0, 4, made.budget_ns * 2, 0)
    assert not may_run(made, 0, 5, made.budget_ns - SECOND, 0)
    assert may_run(made, 0, 5, made.budget_ns - 4 * SECOND, 0)
    assert not may_run(made, 0, 20, 0, 0)
    assert not may_run(made, 1, 0, 0, made.write_limit_bytes - GIB + 1)
    assert may_run(made, 0, 0, 0, made.write_limit_bytes), "a read writes nothing"


@given(
    known=st.builds(
        facts,
        free_bytes=st.integers(0, 10**11),
        size_bytes=st.one_of(st.none(), st.integers(10**8, 10**12)),
        quota_free_bytes=st.one_of(st.none(), st.integers(0, 10**11)),
        copy_on_write=st.booleans(),
    ),
    preset=ANY_PRESET,
    size=SIZES,
)
def test_what_passes_leaves_the_reserve(known: tuple[Fact, ...], preset: str | None, size: int | None) -> None:
    made = attempt(preset, options(size_bytes=size))
    if made is None:
        return
    values = {each.name: each.value for each in known}
    laid_out = bytes_to_write(made).layout_bytes
    try:
        check_space(made, known)
    except PlanProblem:
        return
    left = int(values["free_bytes"] or 0) - laid_out
    assert left >= reserve_bytes(None if values["size_bytes"] is None else int(values["size_bytes"]))
    assert values["quota_free_bytes"] is None or laid_out <= int(values["quota_free_bytes"])
