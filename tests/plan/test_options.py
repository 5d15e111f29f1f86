"""Options shape a plan, or are refused in one sentence."""

from __future__ import annotations

from typing import Any

import pytest
from plan.made import FILE, GIB, KIB, MIB, SECOND, facts, labels, options, plan, refusal

from graycard.errors import PlanProblem
from graycard.model import Cache, Durability, Operation, Pattern, Repeat
from graycard.plan import (
    make_plan,
)


def test_options_override_the_preset() -> None:
    made = plan(
        "standard",
        size_bytes=100 * MIB,
        time_ns=SECOND,
        precision_ratio=0.02,
        cache=Cache.COLD,
        durability=Durability.NONE,
        compressible_ratio=0.5,
        nocow=True,
        write_limit_bytes=10**12,
    )
    assert {task.span_bytes for task in made.tasks} == {100 * MIB}
    assert {task.time_ns for task in made.tasks} == {SECOND}
    assert {task.cache for task in made.tasks} == {Cache.COLD}
    assert {task.durability for task in made.tasks} == {Durability.NONE}
    assert {task.compressible_ratio for task in made.tasks} == {0.5}
    assert (made.repeat.precision_ratio, made.nocow, made.write_limit_bytes) == (0.02, True, 10**12)


def test_nocow_needs_copy_on_write() -> None:
    assert "has none to switch off; leave it out" in refusal("standard", facts(copy_on_write=False), nocow=True)
    assert plan("standard", facts(copy_on_write=True), nocow=True).nocow
    assert plan("standard", facts(copy_on_write=None), nocow=True).nocow
    assert not plan("standard", facts(copy_on_write=False)).nocow


def test_operation_chooses_from_a_preset() -> None:
    assert {task.operation for task in plan("standard", operations=(Operation.READ,)).tasks} == {Operation.READ}


def test_single_task_by_options() -> None:
    made = plan(operations=(Operation.WRITE,), pattern=Pattern.RANDOM, block_bytes=16 * KIB, depth_count=8)
    (task,) = made.tasks
    assert (made.name, task.label, task.span_bytes) == ("single", "RND16K QD8 write", GIB)
    assert labels(plan(pattern=Pattern.RANDOM)) == ["RND4K QD1 read", "RND4K QD1 write"]
    assert labels(plan(worker_count=4)) == ["SEQ1M QD4 T4 read", "SEQ1M QD4 T4 write"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, Repeat(5, 20, 0.05)),
        ({"runs_count": 3}, Repeat(3, 3, None)),
        ({"runs_count": 12, "precision_ratio": 0.02}, Repeat(5, 12, 0.02)),
        ({"runs_count": 3, "precision_ratio": 0.02}, Repeat(3, 3, 0.02)),
        ({"precision_ratio": 0.1}, Repeat(5, 20, 0.1)),
    ],
)
def test_repeat_policy(given: dict[str, Any], expected: Repeat) -> None:
    assert plan("records", **given).repeat == expected


@pytest.mark.parametrize(
    ("preset", "given", "says"),
    [
        ("fast", {}, "no preset “fast”; choose one of quick, standard"),
        ("standard", {"block_bytes": 4096}, "--block shapes a single task"),
        ("standard", {"pattern": Pattern.RANDOM}, "--sequential/--random shapes a single task"),
        ("durable", {"operations": (Operation.READ,)}, "has no read task"),
        (None, {"depth_count": 0}, "--depth is 0"),
        (None, {"worker_count": 0}, "--threads is 0"),
        (None, {"runs_count": 0}, "--runs is 0"),
        (None, {"size_bytes": 0}, "--size is 0"),
        (None, {"max_time_ns": -1}, "--max-time is -1"),
        (None, {"time_ns": 1}, "--time is under 10 ms"),
        (None, {"precision_ratio": 0.0}, "--precision must lie between"),
        (None, {"compressible_ratio": 1.5}, "--compressible must lie"),
        (None, {"write_limit_bytes": -1}, "--write-limit is negative"),
        (None, {"depth_count": 7, "worker_count": 2}, "use --depth 8"),
        (
            None,
            {"block_bytes": 2 * MIB, "size_bytes": MIB},
            "1 × 2M in flight do not fit a file of 1M; use a file of 2M or more",
        ),
        (None, {"depth_count": 4096, "block_bytes": MIB, "size_bytes": 8 * GIB}, "needs 4G of memory"),
        (None, {"block_bytes": 1000}, "no multiple of the 512 bytes that direct I/O needs here; use --block 1024"),
        (
            "standard",
            {"operations": (Operation.READ,), "durability": Durability.AT_END},
            "--durability at-end is about",
        ),
        ("records", {"size_bytes": 1024}, "too few to measure"),
    ],
)
def test_refusals_are_one_sentence_with_the_next_step(preset: str | None, given: dict[str, Any], says: str) -> None:
    message = refusal(preset, **given)
    assert says in message
    assert message.endswith(".")
    assert "\n" not in message


@pytest.mark.parametrize("name", ["logical_block_bytes", "direct_align_bytes"])
def test_block_fits_the_sectors_of_the_drive(name: str) -> None:
    assert "multiple of the 4096 bytes" in refusal(None, facts(**{name: 4096}), block_bytes=512)
    assert plan(None, facts(**{name: 4096}), block_bytes=512, cache=Cache.WARM).tasks[0].block_bytes == 512


def test_a_file_in_place_of_the_folder_is_refused() -> None:
    with pytest.raises(PlanProblem, match=r"clip\.mov is a file, which would be overwritten"):
        make_plan(FILE, None, options(), ())


@pytest.mark.parametrize("preset", ["quick", "standard", "nvme"])
def test_cold_reads_make_one_pass_at_most(preset: str) -> None:
    """What a cold read has read once is in memory: a second pass would measure that."""
    for task in plan(preset, cache=Cache.COLD).tasks:
        assert task.byte_limit == task.span_bytes
    reads = [task for task in plan(preset).tasks if task.operation is Operation.READ]
    assert all(task.byte_limit is None for task in reads)
