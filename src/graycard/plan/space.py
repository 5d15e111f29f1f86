"""Whether the volume can take the plan: told before anything is written."""

from __future__ import annotations

from collections.abc import Iterable

from graycard.errors import PlanProblem
from graycard.facts import number, value
from graycard.model import Fact, Plan
from graycard.plan.budget import layout, layout_bytes, rounds_bytes, write_bytes
from graycard.plan.presets import MIB
from graycard.units import format_size

RESERVE_RATIO = 0.05
MOST_RESERVE_BYTES = 10_000_000_000
USUAL_RESERVE_BYTES = 256_000_000
SMALL_VOLUME_RATIO = 0.10


def reserve_bytes(volume_bytes: float | None) -> int:
    """Free space that is always left: 5 % of the volume, at least 256 MB, at most 10 GB.

    On volumes under 2.56 GB the 256 MB become 10 % of the volume, so that small ones can be measured at all.
    """
    if volume_bytes is None:
        return USUAL_RESERVE_BYTES
    least = min(USUAL_RESERVE_BYTES, SMALL_VOLUME_RATIO * volume_bytes)
    return int(min(MOST_RESERVE_BYTES, max(RESERVE_RATIO * volume_bytes, least)))


def space_needed_bytes(plan: Plan, facts: Iterable[Fact]) -> int:
    """Most space the plan takes at any moment: the layout; on copy-on-write volumes one rewritten span beside it."""
    rewritten = max((write_bytes(task) for task in plan.tasks), default=0)
    copies = value(facts, "copy_on_write") is True and not plan.nocow
    return layout_bytes(plan) + (rewritten if copies else 0)


def check_space(plan: Plan, facts: Iterable[Fact]) -> tuple[str, ...]:
    """Sentences the user should see (a capped size, unknown free space); PlanProblem if the plan does not fit.

    Looks at the largest file possible, the write limit, the quota and the free space, in this order.
    """
    if not layout(plan):
        return ()
    known = tuple(facts)
    notes = _check_file_size(plan, known)
    _check_write_limit(plan)
    needed = space_needed_bytes(plan, known)
    _check_quota(plan, needed, known)
    return notes + _check_free(plan, needed, known)


def _check_file_size(plan: Plan, facts: tuple[Fact, ...]) -> tuple[str, ...]:
    limit = number(facts, "file_size_limit_bytes")
    if limit is None:
        return ()
    largest = max(each.task.span_bytes for each in layout(plan))
    allowed = int(limit) // MIB
    if largest > limit:
        advice = f"use --size {allowed}MiB or less" if allowed else "raise that limit"
        raise PlanProblem(
            f"A test file of {format_size(largest)} is larger than any file may be here ({format_size(limit)}, by the "
            f"file system or ulimit -f); {advice}."
        )
    if largest == allowed * MIB:
        return (f"The test files are {allowed} MiB: no file may be larger here ({format_size(limit)}).",)
    return ()


def _check_write_limit(plan: Plan) -> None:
    least = rounds_bytes(plan, plan.repeat.min_count)
    if least > plan.write_limit_bytes:
        raise PlanProblem(
            f"Layout and {plan.repeat.min_count} runs of each task may write {format_size(least)}, more than the write "
            f"limit of {format_size(plan.write_limit_bytes)}; use a smaller --size, --read, or a higher --write-limit."
        )


def _check_quota(plan: Plan, needed_bytes: int, facts: tuple[Fact, ...]) -> None:
    quota = number(facts, "quota_free_bytes")
    if quota is not None and needed_bytes > quota:
        raise PlanProblem(
            f"The quota on {plan.target.shown} leaves {format_size(quota)}, but the plan needs "
            f"{format_size(needed_bytes)}; {_smaller(plan, needed_bytes, quota)}, or ask for a larger quota."
        )


def _check_free(plan: Plan, needed_bytes: int, facts: tuple[Fact, ...]) -> tuple[str, ...]:
    free = number(facts, "free_bytes")
    if free is None:
        return ("The free space of this volume is unknown: whether the plan fits cannot be told beforehand.",)
    reserve = reserve_bytes(number(facts, "size_bytes"))
    if needed_bytes + reserve > free:
        raise PlanProblem(
            f"Not enough space in {plan.target.shown}: needed {format_size(needed_bytes)}, free {format_size(free)}, "
            f"of which {format_size(reserve)} are kept in reserve; "
            f"{_smaller(plan, needed_bytes, free - reserve)}, or make room."
        )
    return ()


def _smaller(plan: Plan, needed_bytes: int, available_bytes: float) -> str:
    """The advice with a size that would fit, where one does."""
    span = max(task.span_bytes for task in plan.tasks)
    size = int(max(0.0, available_bytes) * span / needed_bytes) // MIB
    return f"use --size {size}MiB or less" if size else "use another volume"
