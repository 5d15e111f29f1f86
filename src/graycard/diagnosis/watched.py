"""One copy with both ends sampled: what it moved, and its timeline."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from graycard.agent.sampling import Sampler
from graycard.diagnosis.clocks import ahead_ns
from graycard.diagnosis.ends import End
from graycard.diagnosis.near import Plain, Scope, near_sampler
from graycard.diagnosis.serving import counters
from graycard.diagnosis.timeline import of_end, timeline_of
from graycard.errors import RunProblem
from graycard.link import FarEnd
from graycard.model import Samples
from graycard.model.copying import CopyTask
from graycard.model.diagnosis import Timeline
from graycard.protocols import CopyMethod, EnoughError, Progress
from graycard.why.vocabulary import FAR, NEAR

MOST_SAMPLES = 2400
TOLD_AT_ONCE = 200
# It only has to hand over what it has.
ENDING_S = 10.0
# Whoever stopped it, or lost the network, waits no longer for that.
CUT_OFF_S = 0.4
BEGINNING_NS = 1_000_000_000
# Programs read their own libraries and configuration first, some 100 kB of it.
BEGUN_BYTES = 512 << 10
LONGEST_FACTOR = 3
Hear = Callable[[Progress], None]
Wire = Callable[[], int | None]
# (time in ns, bytes so far), in order of time
Points = list[tuple[int, float]]


def not_counted() -> int | None:
    """Nobody counts what the interface moves."""
    return None


@dataclass(frozen=True, slots=True)
class Copied:
    """A copy: its rate with the flush. `is_whole` is False where the time was up before all was copied.

    `wire_bytes_per_s` is what went through the interface meanwhile, by anyone; None where that was not counted.
    """

    rate_bytes_per_s: float
    moved_bytes: int
    elapsed_ns: int
    is_whole: bool
    file_count: int
    wire_bytes_per_s: float | None = None


@dataclass(slots=True)
class Cost:
    """Processor time of the sampling threads at both ends, and for how long they ran."""

    near_s: float = 0.0
    far_s: float = 0.0
    watched_s: float = 0.0

    @property
    def near_ratio(self) -> float | None:
        """Of one core."""
        return self.near_s / self.watched_s if self.watched_s else None

    @property
    def far_ratio(self) -> float | None:
        """Of one core."""
        return self.far_s / self.watched_s if self.watched_s and self.far_s else None


def copy_for(
    method: CopyMethod, task: CopyTask, most_ns: int, hear: Hear, wire: Wire = not_counted, seen: Points | None = None
) -> tuple[Copied, Points]:
    """Copy until it is done or the time is up: what came of it, and (time, bytes so far). RunProblem where it fails.

    The time counts from the first bytes on. `wire` tells the bytes that the interface has moved so far. `seen` is an
    empty list that gets those points meanwhile, for whoever wants to know how far a copy went that failed.
    """
    begun = time.monotonic_ns()
    passed: Points = []
    points: Points = [] if seen is None else seen
    points.append((begun, 0.0))

    def listen(progress: Progress) -> None:
        now = time.monotonic_ns()
        if now > points[-1][0]:
            points.append((now, float(max(progress.moved_bytes, points[-1][1]))))
            counted = wire()
            if counted is not None:
                passed.append((now, float(counted)))
        hear(progress)
        began = next((at for at, moved in points if moved >= BEGUN_BYTES), None)
        if now - (began or begun) >= most_ns or now - begun >= LONGEST_FACTOR * most_ns:
            raise EnoughError

    try:
        samples = method.run(task, listen)
    except EnoughError:
        return replace(_cut_short(points), wire_bytes_per_s=_middle_rate(passed[_first(points) :])), points
    return replace(_whole(samples), wire_bytes_per_s=_middle_rate(passed[_first(points) :])), points


def _first(points: list[tuple[int, float]]) -> int:
    """The last reading before it moved anything to speak of: a slow server needs seconds to let a tool in."""
    begun = next((index for index, (_at, moved) in enumerate(points) if moved >= BEGUN_BYTES), 1)
    return max(0, begun - 1)


def _whole(samples: Samples) -> Copied:
    rate = samples.moved_bytes * 1e9 / max(1, samples.elapsed_ns)
    return Copied(rate, samples.moved_bytes, samples.elapsed_ns, is_whole=True, file_count=samples.ops_count)


def _cut_short(points: list[tuple[int, float]]) -> Copied:
    """Its rate without the beginning, in which buffers on the way take some MB at once."""
    took_ns = points[-1][0] - points[0][0]
    return Copied(
        _middle_rate(points[_first(points) :]) or 0.0, int(points[-1][1]), took_ns, is_whole=False, file_count=0
    )


def _middle_rate(points: list[tuple[int, float]]) -> float | None:
    """From the end of the first second, or of the first quarter, on; None for fewer than two points."""
    if len(points) < 2:
        return None
    (begun_ns, _none), (ended_ns, moved) = points[0], points[-1]
    skipped_ns = min(BEGINNING_NS, (ended_ns - begun_ns) // 4)
    from_ns, before = next(point for point in points if point[0] >= begun_ns + skipped_ns)
    return (moved - before) * 1e9 / max(1, ended_ns - from_ns)


@dataclass(slots=True)
class Watch:
    """Both ends' samplers while something goes on; `counted` is what NFS had counted before."""

    scope: Scope
    far: FarEnd | None
    peer: str
    interface: str | None
    cost: Cost = field(default_factory=Cost)
    lost: RunProblem | None = None
    counted: str = ""
    _near: Sampler | Plain | None = None
    _ahead_ns: int = 0
    _begun: float = 0.0

    @contextlib.contextmanager
    def sampling(self) -> Iterator[Watch]:
        """Sample until the end of the block."""
        if self.far is not None:
            self._ahead_ns, _wrong = ahead_ns(self.far)
            self.far.ask("sample", peer=self.peer)
        self.counted = counters()
        self._begun = time.monotonic()
        self._near = near_sampler(self.scope)
        try:
            yield self
        finally:
            self._near.stop()

    def samples(self) -> tuple[dict[str, Any], ...]:
        """What this end has sampled so far."""
        return () if self._near is None else tuple(self._near.told(0, MOST_SAMPLES)["samples"])

    def ends(self, patience_s: float = ENDING_S) -> tuple[End, ...]:
        """What was sampled until now, counted among the cost; without the far end where that is gone."""
        if self._near is None:
            return ()
        self.cost.near_s += float(self._near.told(0, 0)["cost_s"])
        self.cost.watched_s += time.monotonic() - self._begun
        far = self._far_end(patience_s)
        return (*self.near(), *(() if far is None else (far,)))

    def near(self) -> tuple[End, ...]:
        """What was sampled at this end until now: nobody is asked for that."""
        if self._near is None:
            return ()
        told = self._near.told(0, MOST_SAMPLES)
        return (End(NEAR, "/proc of this computer", tuple(told["samples"]), int(told["ticks_per_s"]), self.interface),)

    def _far_end(self, patience_s: float) -> End | None:
        if self.far is None:
            return None
        samples, since = [], 0
        try:
            while True:
                told = self.far.ask("samples", since=since, stop=True, patience_s=patience_s)
                samples += told["samples"]
                if int(told["next"]) == since or len(told["samples"]) < TOLD_AT_ONCE:
                    break
                since = int(told["next"])
        except RunProblem as problem:
            self.lost = problem
            return None
        self.cost.far_s += float(told["cost_s"])
        end = End(FAR, f"the agent on {self.far.name}", tuple(samples), int(told["ticks_per_s"]))
        return of_end(end, self._ahead_ns)


@dataclass(slots=True)
class Going:
    """A copy that is being made, of which something can be told at any moment, whatever ends it."""

    tool: str
    watch: Watch
    points: Points = field(default_factory=list)

    @property
    def has_begun(self) -> bool:
        """Whether it moved anything to speak of."""
        return len(self.points) > 1 and self.points[-1][1] >= BEGUN_BYTES

    def copied(self) -> Copied:
        """How far it went."""
        return _cut_short(list(self.points))

    def timeline(self, ends: Sequence[End]) -> Timeline:
        """Up to the last look at it."""
        points = list(self.points)
        return timeline_of(self.tool, points[0][0], points[-1][0], points, ends)


def watched_copy(going: Going, method: CopyMethod, task: CopyTask, most_ns: int, hear: Hear) -> tuple[Copied, Timeline]:
    """Copy with both ends sampled; `going` is a new one, and tells of it meanwhile."""
    with going.watch.sampling():
        copied, _points = copy_for(method, task, most_ns, hear, seen=going.points)
    return copied, going.timeline(going.watch.ends())
