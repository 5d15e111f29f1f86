"""What playing costs: bytes laid out and recorded, space, memory; and how many streams they allow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from graycard.errors import PlanProblem
from graycard.facts import number
from graycard.model import Fact
from graycard.plan.space import reserve_bytes
from graycard.play.streams import Kind, Playing
from graycard.units import format_size

# Each stream is a thread, and each needs memory for a frame.
MOST_STREAMS = 128
MOST_MEMORY_BYTES = 4 << 30


@dataclass(frozen=True, slots=True)
class Cost:
    """Of a number of streams: bytes written beforehand, the most that lies on the volume, memory."""

    layout_bytes: int
    space_bytes: int
    memory_bytes: int
    stream_count: int


def cost(playing: Playing, count: int) -> Cost:
    """With `count` streams of each kind that has no count of its own."""
    kinds = playing.counted(count)
    played = [kind for kind in kinds if not kind.records]
    files = set(played) if playing.shared else played
    layout = sum(playing.clip_bytes(kind) for kind in files)
    recorded = sum(playing.clip_bytes(kind) for kind in kinds if kind.records)
    return Cost(layout, layout + recorded, sum(kind.stride_bytes for kind in kinds), len(kinds))


def recorded_bytes(kinds: Sequence[Kind], length_ns: int) -> int:
    """What a run of that length records."""
    return int(sum(kind.needed_bytes_per_s for kind in kinds if kind.records) * length_ns / 1e9)


def refusal(playing: Playing, count: int, facts: Iterable[Fact]) -> str | None:
    """Why so many streams cannot be played here (one sentence with the next step), or None."""
    known = tuple(facts)
    needs = cost(playing, count)
    written = needs.layout_bytes + recorded_bytes(playing.counted(count), playing.play_ns)
    if needs.stream_count > MOST_STREAMS:
        return f"{needs.stream_count} streams are more than the {MOST_STREAMS} that one run may have; play fewer"
    if needs.memory_bytes > MOST_MEMORY_BYTES:
        return f"{_needs(needs)} {format_size(needs.memory_bytes)} of memory; play fewer"
    if written > playing.write_limit_bytes:
        verb = "streams write" if needs.stream_count > 1 else "stream writes"
        return (
            f"{needs.stream_count} {verb} {format_size(written)}, more than the write limit of "
            f"{format_size(playing.write_limit_bytes)}; use a shorter --clip or --time, or a higher --write-limit"
        )
    return _file_refusal(playing, known) or _space_refusal(playing, needs, known)


def _needs(needs: Cost) -> str:
    return "1 stream needs" if needs.stream_count == 1 else f"{needs.stream_count} streams need"


def _file_refusal(playing: Playing, facts: tuple[Fact, ...]) -> str | None:
    limit = number(facts, "file_size_limit_bytes")
    largest = max(kind.stride_bytes if kind.file_per_frame else playing.clip_bytes(kind) for kind in playing.kinds)
    if limit is None or largest <= limit:
        return None
    return (
        f"a clip of {format_size(largest)} is larger than any file may be here ({format_size(limit)}); "
        "use a shorter --clip"
    )


def _space_refusal(playing: Playing, needs: Cost, facts: tuple[Fact, ...]) -> str | None:
    room = [number(facts, "quota_free_bytes"), number(facts, "free_bytes")]
    known = [each for each in room if each is not None]
    if not known:
        return None
    reserve = reserve_bytes(number(facts, "size_bytes"))
    if needs.space_bytes + reserve <= min(known):
        return None
    return (
        f"{_needs(needs)} {format_size(needs.space_bytes)} in {playing.target.shown}, of "
        f"{format_size(min(known))} free {format_size(reserve)} are kept in reserve; use a shorter --clip, or make room"
    )


def most_streams(playing: Playing, facts: Iterable[Fact]) -> tuple[int, str]:
    """The largest count that is allowed, and why not one more. PlanProblem where not even one is."""
    known = tuple(facts)
    first = refusal(playing, 1, known)
    if first:
        raise PlanProblem(first)
    low, high = 1, MOST_STREAMS + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if refusal(playing, middle, known) else (middle, high)
    return low, refusal(playing, high, known) or ""
