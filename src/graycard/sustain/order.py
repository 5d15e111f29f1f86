"""What is to be written, and until when: known and refused before anything is written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from graycard.errors import PlanProblem
from graycard.facts import number, value
from graycard.model import Cache, Fact, IoTask, Operation, Pattern, Target, TargetKind
from graycard.model.task import Durability
from graycard.plan import reserve_bytes
from graycard.units import format_size, percent

MIB = 1 << 20
SECOND_NS = 10**9
# As recorders and copy programs write. File systems let a file grow by one write at a time, so a depth would be none.
BLOCK_BYTES = 2 * MIB
DEPTH_COUNT = 1
# Caches of the drives in reviews hold 6 to 800 GB, most of them less than 200; a drive of 1 TB rated for 600 TB written
# wears by 0.03 % of that.
UNTIL_STEADY_BYTES = 200_000_000_000
UNTIL_STEADY_NS = 30 * 60 * SECOND_NS
HOLD_NS = 60 * SECOND_NS
REST_NS = 60 * SECOND_NS
# One file holds at most so much where the file system would take more: a seam costs milliseconds.
MOST_FILE_BYTES = 16 << 30
# The second burst is the shorter one: it is to show the speed, not to fill the cache again.
AGAIN_RATIO = 0.1
# Below, not even a slow device writes for a second.
LEAST_BYTES = 64 * MIB


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """The options as they were given; None where the user said nothing. At most one of bytes and fill."""

    seed: int
    size_bytes: int | None = None
    fill_ratio: float | None = None
    hold_ns: int = HOLD_NS
    max_time_ns: int | None = None
    write_limit_bytes: int | None = None
    rest_ns: int = REST_NS
    block_bytes: int = BLOCK_BYTES
    depth_count: int = DEPTH_COUNT


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A whole sustained test. `hold_ns` None: write all of `byte_limit`; else until a lower level held so long.

    `again_bytes` is the most that the second burst writes, over the first file; `piece_bytes` the largest file;
    `reserve_bytes` the free space below which it ends early.
    """

    target: Target
    byte_limit: int
    time_ns: int | None
    hold_ns: int | None
    rest_ns: int
    again_bytes: int
    piece_bytes: int
    reserve_bytes: int
    block_bytes: int
    depth_count: int
    seed: int

    @property
    def most_bytes(self) -> int:
        """All that is written at most."""
        return self.byte_limit + self.again_bytes

    def task(self, operation: Operation, variant: str, size_bytes: int, cache: Cache) -> IoTask:
        """The load over so many bytes, without a limit of time; `variant` names its part in the test."""
        return IoTask(
            operation,
            Pattern.SEQUENTIAL,
            self.block_bytes,
            size_bytes,
            depth_count=min(self.depth_count, max(1, size_bytes // self.block_bytes)),
            byte_limit=size_bytes,
            cache=cache,
            durability=Durability.AT_END if operation is Operation.WRITE else Durability.NONE,
            seed=self.seed,
            variant=variant,
        )


def make_order(target: Target, wish: Wish, facts: Iterable[Fact]) -> Order:
    """The order that the wish and the room on the volume allow; PlanProblem where they do not."""
    if target.kind is TargetKind.FILE:
        raise PlanProblem(f"{target.shown} is a file; name a folder on the drive, in which the test may write")
    _check(wish)
    known = tuple(facts)
    wanted = _wanted(target, wish, known)
    again = _again(wish, wanted)
    room, held_by = _room(known, again)
    given = wish.size_bytes is not None or wish.fill_ratio is not None
    if room is not None and wanted > room:
        if given or room < LEAST_BYTES:
            raise PlanProblem(_too_large(target, wanted, room, held_by))
        wanted = int(room)
        again = min(again, int(AGAIN_RATIO * wanted))
    blocks = wish.block_bytes
    least = blocks * max(wish.depth_count, 2)
    if wanted < least:
        raise PlanProblem(f"{format_size(wanted)} are too few to write on; use --bytes {-(-least // MIB)}MiB or more")
    return Order(
        target=target,
        byte_limit=wanted // blocks * blocks,
        time_ns=wish.max_time_ns or (None if given else UNTIL_STEADY_NS),
        hold_ns=None if given else wish.hold_ns,
        rest_ns=wish.rest_ns,
        again_bytes=again // blocks * blocks,
        piece_bytes=_piece_bytes(known, blocks),
        reserve_bytes=reserve_bytes(number(known, "size_bytes")),
        block_bytes=blocks,
        depth_count=wish.depth_count,
        seed=wish.seed,
    )


def _check(wish: Wish) -> None:
    """PlanProblem for what can never be right."""
    if wish.block_bytes < 4096 or wish.block_bytes % 4096:
        raise PlanProblem("--block must be a multiple of 4 KiB; use for example 1MiB")
    if not 1 <= wish.depth_count <= 256:
        raise PlanProblem("--depth must be from 1 to 256")
    if wish.fill_ratio is not None and not 0 < wish.fill_ratio < 1:
        raise PlanProblem("--fill is the share of the volume in use at the end; use for example 90%")
    for name, given in (("--max-time", wish.max_time_ns), ("--hold", wish.hold_ns)):
        if given is not None and given < SECOND_NS:
            raise PlanProblem(f"{name} must be at least 1 s")


def _wanted(target: Target, wish: Wish, facts: tuple[Fact, ...]) -> int:
    """Bytes to write on, before the room is looked at; never above the write limit."""
    limit = wish.write_limit_bytes
    if wish.fill_ratio is not None:
        wanted = _to_fill(target, wish.fill_ratio, facts)
    elif wish.size_bytes is not None:
        wanted = wish.size_bytes
    else:
        return UNTIL_STEADY_BYTES if limit is None else min(UNTIL_STEADY_BYTES, int(limit / (1 + AGAIN_RATIO)))
    if limit is not None and wanted > limit:
        raise PlanProblem(
            f"{format_size(wanted)} are more than the write limit of {format_size(limit)}; "
            "write less, or use a higher --write-limit"
        )
    return wanted


def _to_fill(target: Target, ratio: float, facts: tuple[Fact, ...]) -> int:
    size, free = number(facts, "size_bytes"), number(facts, "free_bytes")
    if size is None or free is None:
        raise PlanProblem(f"how full {target.shown} is cannot be told, so use --bytes instead of --fill")
    wanted = int(free - (1 - ratio) * size)
    if wanted <= 0:
        raise PlanProblem(f"{target.shown} is {percent(1 - free / size)} full already; use a larger --fill, or --bytes")
    return wanted


def _again(wish: Wish, wanted: int) -> int:
    again = int(AGAIN_RATIO * wanted)
    return again if wish.write_limit_bytes is None else min(again, wish.write_limit_bytes - wanted)


def _room(facts: tuple[Fact, ...], again: int) -> tuple[float | None, str]:
    """Bytes that may be written and what holds them down; None where the free space is unknown.

    The second burst overwrites: only where a file system writes every change anew it takes space of its own.
    """
    free, quota = number(facts, "free_bytes"), number(facts, "quota_free_bytes")
    extra = again if value(facts, "copy_on_write") is True else 0
    reserve = reserve_bytes(number(facts, "size_bytes"))
    if quota is not None and (free is None or quota < free - reserve):
        return max(0.0, quota - extra), "the quota leaves no more"
    if free is None:
        return None, ""
    return max(0.0, free - reserve - extra), f"{format_size(reserve)} of free space are kept in reserve"


def _too_large(target: Target, wanted: int, room: float, held_by: str) -> str:
    fits = int(room) // MIB
    advice = f"use --bytes {fits}MiB or less" if room >= LEAST_BYTES else "make room or use another volume"
    return (
        f"not enough space in {target.shown}: {format_size(wanted)} are to be written, room is for "
        f"{format_size(room)} ({held_by}); {advice}"
    )


def _piece_bytes(facts: tuple[Fact, ...], block_bytes: int) -> int:
    """The largest file: what the file system, the process and we allow, in whole blocks."""
    limit = number(facts, "file_size_limit_bytes")
    most = MOST_FILE_BYTES if limit is None else min(MOST_FILE_BYTES, int(limit))
    pieces = most // block_bytes * block_bytes
    if pieces < LEAST_BYTES and pieces < block_bytes * 2:
        raise PlanProblem(f"no file may be larger than {format_size(most)} here; raise ulimit -f")
    return pieces
