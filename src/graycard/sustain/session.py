"""What one sustained test holds in its hands, and how it carries out one part so that nothing seen is lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from graycard.errors import RunProblem, TargetProblem
from graycard.facts import TERMS, fact, number, value
from graycard.measurement import Event, Keeper, OnEvent
from graycard.model import Cache, Fact, IoTask, Point, Samples, Series, Target, TargetKind
from graycard.protocols import Clock, Engine, EnoughError, Host, Progress
from graycard.sustain.order import Order
from graycard.sustain.series import Looks
from graycard.watch import Watch

# A request that does not come back this long after a stop is left to its thread.
_PATIENCE_NS = 500_000_000
_LEVELS_NS = 100_000_000
_HEAT_NS = 5_000_000_000
# Readings get rarer in long runs, so that their number stays bounded: every 0.1 s up to 200 s, then 0.05 % of the run.
_LEVELS_RATIO = 0.0005
_HEAT_RATIO = 0.001
HEAT = "temperature_celsius"


@dataclass(slots=True)
class Session:
    """All that one test holds. `stopped` is set where the user asked for the end; `cache` says how files are opened."""

    id: str
    order: Order
    engine: Engine
    host: Host
    keeper: Keeper
    clock: Clock
    on_event: OnEvent
    cache: Cache = Cache.BYPASS
    facts: tuple[Fact, ...] = ()
    instrument: tuple[Fact, ...] = ()
    notes: list[str] = field(default_factory=list)
    stopped: bool = False
    count_others: Callable[[], int | None] | None = None
    others_count: int | None = None

    def tell(
        self,
        phase: str,
        says: str,
        progress: Progress | None = None,
        done: float | None = None,
        eta_ns: int | None = None,
    ) -> None:
        """Tell the listener, who raises KeyboardInterrupt to stop the test."""
        self.on_event(Event(phase, says, self.clock.monotonic_ns(), None, None, progress, done, eta_ns))

    def look_for_others(self) -> None:
        """Count the other measurements on the volume; the most that were ever seen at once is kept."""
        seen = self.count_others() if self.count_others else None
        if seen is not None:
            self.others_count = max(seen, self.others_count or 0)


@dataclass(frozen=True, slots=True)
class Carried:
    """What a part delivered, whole or as far as it was seen, and what ended it early if anything did."""

    samples: Samples | None
    trouble: RunProblem | TargetProblem | KeyboardInterrupt | None = None


def carried(session: Session, task: IoTask, path: str, listen: Callable[[Progress], None]) -> Carried:
    """Carry out one task on one file. `listen` may raise EnoughError or KeyboardInterrupt: both keep the samples.

    Where requests hang after a stop, or an I/O error ends the run, the samples are made of what was seen until then.
    """
    looks = Looks()
    stopped_ns: int | None = None

    def on_tick(progress: Progress) -> None:
        nonlocal stopped_ns
        looks.add(progress)
        if stopped_ns is not None:
            if session.clock.monotonic_ns() - stopped_ns > _PATIENCE_NS:
                raise KeyboardInterrupt
            return
        try:
            listen(progress)
        except KeyboardInterrupt:
            stopped_ns = session.clock.monotonic_ns()
            session.stopped = True
            raise EnoughError from None

    try:
        return Carried(session.engine.run(task, Target(path, TargetKind.FILE), on_tick))
    except (RunProblem, TargetProblem, KeyboardInterrupt) as trouble:
        return Carried(looks.samples(session.engine.name), trouble)


class Gauges:
    """The host's levels, and the drive's temperature beside them, as series over the time of a run."""

    def __init__(self, host: Host, target: Target) -> None:
        self._host, self._target = host, target
        self._watch = Watch(host, target)
        self._levels_ns = self._heat_ns = 0
        self._heat: list[Point] = []
        self._source = ""

    def look(self, at_ns: int) -> None:
        """Read what is due; `at_ns` is the time since the run began."""
        if at_ns >= self._levels_ns:
            self._levels_ns = at_ns + max(_LEVELS_NS // 2, int(at_ns * _LEVELS_RATIO))
            self._watch.look(at_ns)
        if at_ns >= self._heat_ns:
            self._heat_ns = at_ns + max(_HEAT_NS, int(at_ns * _HEAT_RATIO))
            self.feel(at_ns, self._host.counters(self._target))

    def feel(self, at_ns: int, facts: tuple[Fact, ...]) -> None:
        """Take the temperature from facts, where the drive tells it."""
        celsius = number(facts, HEAT)
        if celsius is not None:
            self._heat.append(Point(at_ns, celsius))
            self._source = next(each.source for each in facts if each.name == HEAT and each.value is not None)

    def series(self) -> tuple[Series, ...]:
        """One series for each figure that could be read."""
        unit = TERMS[HEAT].unit or "celsius"
        heat = (Series(HEAT, unit, self._source, tuple(self._heat)),) if self._heat else ()
        return (*self._watch.series(), *heat)


def throttled_facts(session: Session) -> tuple[Fact, ...]:
    """Whether the drive says now that it slows itself down: SMART tells it, which is too slow for the counters."""
    facts = session.host.facts(session.order.target)
    return tuple(each for each in facts if each.name in {"throttled", HEAT, "wear_ratio"} and each.value is not None)


def is_buffered(session: Session) -> bool:
    """Whether the writes go through the system's memory, so that a fall may be that memory being full."""
    hidden = value(session.facts, "direct_write_buffered") is True
    return session.cache is not Cache.BYPASS or hidden


def settings_fact(engine: Engine) -> Fact:
    """How the engine worked."""
    return fact("engine_settings", engine.settings(), engine.name)
