"""Playing on devices of known service time, and what arithmetic says of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path

from graycard.cli.app import SystemClock
from graycard.engines.native_frames import NativeFrames
from graycard.host import this_host
from graycard.media import format_named
from graycard.model import Cache, Operation, Result, Target, TargetKind
from graycard.play import Event, Kind, Played, Playing, play
from tests.bed.paced_fuse import Service, paced_folder

SECOND_NS = 10**9
# Beyond this answers come later than computed counts allow for.
QUIET_NS = 5_000_000


@dataclass
class Kept:
    """A keeper that holds all that was saved."""

    results: list[Result] = field(default_factory=list)

    def save(self, result: Result) -> None:
        self.results.append(result)


def kind_named(text: str, count: int | None = None, *, file_per_frame: bool = False) -> Kind:
    """Streams of a format of the table."""
    found = format_named(text)
    return Kind(found.key, found.rate, found.frame_bytes, Operation.READ, count, file_per_frame)


def playing(folder: str, kind: Kind, **changes: object) -> Playing:
    """Short clips; through direct I/O."""
    return replace(Playing(Target(folder, TargetKind.FOLDER), (kind,), clip_ns=2 * SECOND_NS, seed=1), **changes)


def played(asked: Playing) -> Played:
    """Play by the real core on this machine."""

    def on_event(_: Event) -> None:
        return None

    return play(asked, host=this_host(), io=NativeFrames(), keeper=Kept(), clock=SystemClock(), on_event=on_event)


def computed_streams(kind: Kind, bytes_per_s: float) -> int:
    """How many streams a device of that rate carries."""
    return int(bytes_per_s / kind.needed_bytes_per_s)


@dataclass(frozen=True)
class Stalling:
    """A device with stalls, and a player on it."""

    kind: Kind
    service_ns: int
    stall_ns: int
    every_ns: int
    ahead_ns: int
    play_ns: int

    @property
    def bytes_per_s(self) -> float:
        """The rate at which a frame takes the service time."""
        return self.kind.stride_bytes * 1e9 / self.service_ns


def computed_drops(case: Stalling, delay_ns: int = 0) -> int:
    """The dropped frames of one stream, frame by frame from the definitions, in fractions of seconds and no other code
    of the player. Every answer comes `delay_ns` later than the device's own time.
    """
    rate, service = case.kind.rate, Service(case.bytes_per_s, case.stall_ns, case.every_ns)
    queue = -(-case.ahead_ns * rate // SECOND_NS)
    now, dropped = Fraction(0), 0
    for frame in range(int(rate * case.play_ns / SECOND_NS)):
        due = case.ahead_ns + frame * SECOND_NS / rate
        if now >= due:
            dropped += 1
            continue
        begins = max(now, Fraction(0) if frame < queue else case.ahead_ns + (frame - queue) * SECOND_NS / rate)
        now = Fraction(service.served_ns(int(begins), case.kind.stride_bytes) + delay_ns)
        dropped += now > due
    return dropped


def is_certain(case: Stalling, delay_ns: int = QUIET_NS) -> bool:
    """Whether delays of up to so much, as a busy machine has them, change nothing of the count."""
    return len({computed_drops(case, delay_ns * step // 10) for step in range(11)}) == 1


def on_stalling(folder: Path, case: Stalling) -> Played:
    """The same by graycard on a FUSE device."""
    with paced_folder(folder, case.bytes_per_s, case.stall_ns / 1e9, case.every_ns / 1e9) as point:
        asked = playing(
            point, replace(case.kind, count=1), play_ns=case.play_ns, ahead_ns=case.ahead_ns, prebuffer_ns=case.ahead_ns
        )
        return played(asked)


def drops(done: Played) -> int:
    """Dropped frames of all streams."""
    return sum(report.dropped_count for report in done.streams)


def found_streams(
    folder: Path, kind: Kind, bytes_per_s: float, *, play_s: float, short_s: float, ahead_s: float
) -> Played:
    """The search on a FUSE device of that rate."""
    with paced_folder(folder, bytes_per_s) as point:
        return played(
            playing(
                point, kind, auto=True, play_ns=int(play_s * 1e9), short_ns=int(short_s * 1e9),
                ahead_ns=int(ahead_s * 1e9), prebuffer_ns=int(ahead_s * 1e9), cache=Cache.BYPASS,
            )
        )  # fmt: skip


def clock_lateness_ns(done: Played) -> float:
    """How late the frame clock was, which tells a busy machine; endless where no result can tell."""
    checks = [each for result in done.results if result.summary for each in result.summary.checks]
    found = [each.measured for each in checks if each.name == "frame_clock_on_time" and each.measured is not None]
    return max(found, default=math.inf)


def on_a_quiet_machine(attempt: Callable[[], Played], quiet_ns: int = QUIET_NS, most_count: int = 3) -> Played:
    """The first attempt in which the frame clock was never so late, or the last: whatever it found, it is shown."""
    for _ in range(most_count - 1):
        done = attempt()
        if clock_lateness_ns(done) < quiet_ns:
            return done
    return attempt()
