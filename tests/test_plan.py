"""Plans: what they hold, what they refuse, and that they never cost more than they say."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graycard.errors import PlanProblem
from graycard.facts import fact
from graycard.model import Cache, Durability, Fact, IoTask, Operation, Pattern, Plan, Repeat, Target, TargetKind
from graycard.plan import (
    PRESETS,
    TaskOptions,
    WriteBudget,
    bytes_to_write,
    check_space,
    describe,
    file_name,
    layout,
    make_plan,
    may_run,
    order,
    read_only_plan,
    reserve_bytes,
    run_task,
    time_needed,
)
from graycard.plan.budget import rounds_bytes
from graycard.plan.presets import file_sizes, record_sizes
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


# The presets.


def both(*loads: str) -> list[str]:
    return [f"{load} {operation}" for load in loads for operation in ("read", "write")]


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


# How long.


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


# Options.


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
        (None, {"worker_count": 0}, "--workers is 0"),
        (None, {"runs_count": 0}, "--runs is 0"),
        (None, {"size_bytes": 0}, "--size is 0"),
        (None, {"max_time_ns": -1}, "--max-time is -1"),
        (None, {"time_ns": 1}, "--time is under 10 ms"),
        (None, {"precision_ratio": 0.0}, "--precision must lie between"),
        (None, {"compressible_ratio": 1.5}, "--compressible must lie"),
        (None, {"write_limit_bytes": -1}, "--write-limit is negative"),
        (None, {"depth_count": 7, "worker_count": 2}, "use --depth 8"),
        (None, {"block_bytes": 2 * MIB, "size_bytes": MIB}, "do not fit 1M; use at least 2M"),
        (None, {"depth_count": 4096, "block_bytes": MIB, "size_bytes": 8 * GIB}, "needs 4G of memory"),
        (None, {"block_bytes": 1000}, "no multiple of the 512 bytes that direct I/O needs here; use --block 1024"),
        ("standard", {"operations": (Operation.READ,), "durability": Durability.AT_END}, "only reading is asked for"),
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


# Reading an existing file.


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
    with pytest.raises(PlanProblem, match="use at least 8M"):
        read_only_plan(FILE, 5 * MIB, options())
    with pytest.raises(PlanProblem, match="too few to measure"):
        read_only_plan(FILE, 0, options())


# Space.


@pytest.mark.parametrize(
    ("volume_bytes", "reserve"),
    [
        (100_000_000, 10_000_000),
        (2_560_000_000, 256_000_000),
        (4_000_000_000, 256_000_000),
        (100_000_000_000, 5_000_000_000),
        (8_000_000_000_000, 10_000_000_000),
        (None, 256_000_000),
    ],
)
def test_reserve(volume_bytes: int | None, reserve: int) -> None:
    assert reserve_bytes(volume_bytes) == reserve


def test_space_is_refused_with_needed_free_and_reserve() -> None:
    made = plan("standard")
    exactly = 2 * GIB + 256_000_000
    assert check_space(made, facts(free_bytes=exactly, size_bytes=4 * 10**9)) == ()
    with pytest.raises(PlanProblem) as caught:
        check_space(made, facts(free_bytes=exactly - 1, size_bytes=4 * 10**9))
    assert "needed 2.15 GB, free 2.40 GB, of which 256 MB are kept in reserve; use --size 1023MiB" in str(caught.value)


def test_advised_size_fits() -> None:
    known = facts(free_bytes=700_000_000, size_bytes=4 * 10**9)
    with pytest.raises(PlanProblem, match="use --size 211MiB or less"):
        check_space(plan("standard"), known)
    assert check_space(plan("standard", size_bytes=211 * MIB), known) == ()


def test_copy_on_write_needs_room_for_the_rewritten_span() -> None:
    known = facts(free_bytes=2 * GIB + 256_000_000, size_bytes=4 * 10**9, copy_on_write=True)
    with pytest.raises(PlanProblem, match=r"needed 3\.22 GB"):
        check_space(plan("standard"), known)
    assert check_space(plan("standard", nocow=True), known) == ()


def test_quota_is_told_as_quota() -> None:
    known = facts(free_bytes=10**12, size_bytes=10**12, quota_free_bytes=10**8)
    with pytest.raises(PlanProblem, match=r"The quota on /mnt/card leaves 100 MB, but the plan needs 2\.15 GB"):
        check_space(plan("standard"), known)


def test_unknown_free_space_is_said() -> None:
    (note,) = check_space(plan("standard"), ())
    assert "unknown" in note


FAT32 = facts(file_size_limit_bytes=(1 << 32) - 1, free_bytes=10**12, size_bytes=10**12)


def test_default_size_is_capped_by_the_largest_file_and_told() -> None:
    small = facts(file_size_limit_bytes=300 * MIB + 5, free_bytes=10**12, size_bytes=10**12)
    made = plan("standard", small)
    assert {task.span_bytes for task in made.tasks} == {300 * MIB}
    assert check_space(made, small) == ("The test files are 300 MiB: no file may be larger here (315 MB).",)
    assert check_space(plan("standard", FAT32), FAT32) == ()


def test_asked_size_above_the_largest_file_is_refused() -> None:
    with pytest.raises(PlanProblem, match="use --size 4095MiB or less"):
        check_space(plan("standard", FAT32, size_bytes=4 * GIB, write_limit_bytes=10**13), FAT32)
    fits = plan("standard", FAT32, size_bytes=4095 * MIB, write_limit_bytes=10**13)
    assert "4095 MiB" in check_space(fits, FAT32)[0]


def test_a_tiny_file_size_limit_is_refused() -> None:
    assert "ulimit -f" in refusal("standard", facts(file_size_limit_bytes=0))


def test_write_limit() -> None:
    with pytest.raises(PlanProblem, match=r"may write 23\.6 GB, more than the write limit of 10\.0 GB"):
        check_space(plan("standard", write_limit_bytes=10**10), ROOMY)
    assert check_space(plan("standard", write_limit_bytes=24 * 10**9), ROOMY) == ()
    assert bytes_to_write(plan("standard", write_limit_bytes=24 * 10**9)).most_bytes == 24 * 10**9
    assert bytes_to_write(plan("standard")).most_bytes == 2 * GIB + 10 * 4 * GIB
    assert bytes_to_write(plan("standard", write_limit_bytes=10**15)).most_bytes == 2 * GIB + 20 * 4 * GIB


# Seeds and order.


def test_layout_has_a_file_for_reads_and_one_for_writes() -> None:
    made = plan("records")
    files = {each.name: each.task for each in layout(made)}
    assert set(files) == {"read", "write"}
    for index, task in enumerate(made.tasks):
        assert file_name(made, index) == task.operation.value
        assert files[file_name(made, index)].span_bytes >= task.span_bytes
    assert files["read"].seed != files["write"].seed
    assert [each.name for each in layout(plan("durable"))] == ["write"]


@given(seed=st.integers(0, 2**53 - 1), preset=st.sampled_from(sorted(PRESETS)), repeat=st.integers(0, 50))
def test_order_is_a_permutation_that_the_seed_fixes(seed: int, preset: str, repeat: int) -> None:
    made = plan(preset, seed=seed)
    assert sorted(order(made, repeat)) == list(range(len(made.tasks)))
    assert order(made, repeat) == order(plan(preset, seed=seed), repeat)


def test_order_changes_with_round_and_seed_and_favours_nobody() -> None:
    made = plan("standard")
    assert len({order(made, repeat) for repeat in range(20)}) > 15
    assert order(made, 0) != order(plan("standard", seed=8), 0)
    firsts = [order(made, repeat)[0] for repeat in range(4000)]
    # 4000 draws of 8: 500 ± 21 (1 sd) each; 5 sd for eight counts with a fixed seed.
    assert all(395 < firsts.count(index) < 605 for index in range(8))


def test_each_run_has_a_seed_of_its_own() -> None:
    made = plan("standard")
    seeds = [run_task(made, index, repeat).seed for index in range(8) for repeat in range(20)]
    assert len(set(seeds)) == 160
    assert all(0 <= seed < 2**53 for seed in seeds)
    assert run_task(made, 3, 4) == run_task(plan("standard"), 3, 4)
    assert replace(run_task(made, 3, 4), seed=made.seed) == made.tasks[3]
    assert run_task(made, 0, 0).seed != run_task(plan("standard", seed=8), 0, 0).seed


# What holds for any options.

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


# The words.


def test_description_tells_where_what_how_long_and_what_stays() -> None:
    target = Target("/mnt/card/día\n1", TargetKind.FOLDER)
    lines = describe(make_plan(target, "standard", options(), ()), VOLUME, facts(device_model="SanDisk Extreme"))
    assert lines == (
        "Measures /mnt/card/día\\n1, on /dev/sdb1 (SanDisk Extreme), file system exfat, mounted at /mnt/card.",
        f"8 tasks: {', '.join(both('SEQ1M QD8', 'SEQ1M QD1', 'RND4K QD64', 'RND4K QD1'))}.",
        "Runs of each task: 5 to 20, until ±5 % is reached, in random order (seed 7).",
        "Writes at most 45.1 GB in all: 2.15 GB for 2 test files, the rest by writing over them.",
        "Takes about 2 min 26 s, at most 3 min 10 s, where the volume writes 100 MB/s or more.",
        "Nothing stays: the test files lie in a folder .graycard-… of their own, which is removed at the end.",
    )


def test_reading_from_a_folder_still_writes_its_test_file() -> None:
    lines = describe(plan("standard", operations=(Operation.READ,), runs_count=3), VOLUME, ())
    assert "Runs of each task: 3, in random order (seed 7)." in lines
    assert "Writes at most 1.07 GB in all: 1.07 GB for 1 test file, the rest by writing over them." in lines
