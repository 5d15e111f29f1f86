"""What one offload holds in its hands while it goes on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from graycard.measurement import Event, Keeper, OnEvent
from graycard.model import Fact, Target, TargetKind
from graycard.offload.faults import Faults
from graycard.offload.job import Job, Outcome, Place
from graycard.offload.landing import Landing
from graycard.offload.meter import Meter
from graycard.offload.results import Measured, leg_of, result_of
from graycard.offload.silence import Silence
from graycard.protocols import Clock, Host, Progress

Counters = dict[str, tuple[Fact, ...]]


@dataclass(slots=True)
class Session:
    """`root` is the card, `folders` are the copies in the order of the job's destinations, `failed` those given up.

    `silent` are the places that do not answer: nothing is asked of them that could wait for ever.
    """

    job: Job
    root: str
    folders: tuple[str, ...]
    outcome: Outcome
    host: Host
    keeper: Keeper
    clock: Clock
    on_event: OnEvent
    faults: Faults = field(default_factory=Faults)
    landings: tuple[Landing, ...] = ()
    failed: set[str] = field(default_factory=set)
    silent: set[str] = field(default_factory=set)

    def tell(self, says: str, meter: Meter, silences: Sequence[Silence] = ()) -> None:
        """Tell how far it is, and which places do not answer; the listener may raise to stop."""
        self.silent &= self.failed
        self.silent |= {each.root for each in silences}
        self.on_event(event_of(self.clock, says, meter, self.job.census.total_bytes, silences))

    def give_up(self, folder: str) -> None:
        """That place did not answer: it is not asked any more."""
        self.failed.add(folder)
        self.silent.add(folder)

    @property
    def places(self) -> dict[str, Place]:
        """The source and the destinations by the folder that is read or written."""
        return {self.root: self.job.source, **dict(zip(self.folders, self.job.destinations, strict=True))}

    def counters(self) -> Counters:
        """The moving figures of each place that answers."""
        return {
            root: () if root in self.silent else self.host.counters(place.target) for root, place in self.places.items()
        }

    def keep(self, name: str, measured: Measured) -> None:
        """Store the result of a leg, and show the leg. What goes again is told by the folder that it lies in."""
        if self.job.card is not None:
            measured = replace(measured, path=measured.place.target.path)
        result = result_of(self.outcome.id, measured)
        if result is not None:
            self.keeper.save(result)
            self.outcome.results.append(result)
        self.outcome.legs.append(leg_of(name, measured.path, measured.meter, result))

    def gather(self) -> None:
        """Bring the faults so far into the outcome."""
        self.outcome.faults, self.outcome.faults_count = self.faults.kept, self.faults.count
        self.outcome.mismatch = self.faults.any_mismatch()

    def note(self, says: str) -> None:
        """A sentence for the user."""
        self.outcome.notes.append(says)

    def is_whole(self, folder: str) -> bool:
        """Whether all of the card is in that copy, as far as is known."""
        return folder not in self.failed and not self.faults.of(folder, self.root)


def shown(path: str) -> str:
    """A path as one printable line."""
    return Target(path, TargetKind.FOLDER).shown


def with_counters(measured: Measured, before: Counters, after: Counters) -> Measured:
    """The leg with the counters of its place."""
    return replace(measured, before=before[measured.path], after=after[measured.path])


def event_of(clock: Clock, says: str, meter: Meter, total_bytes: int, silences: Sequence[Silence] = ()) -> Event:
    """How far a leg is, of which the bytes are known.

    While a place does not answer, that is told instead of a rate, and nobody knows how long the rest takes.
    """
    elapsed_ns = meter.elapsed_ns
    share = min(0.999, meter.moved_bytes / total_bytes) if total_bytes else None
    if silences:
        told = ", ".join((says, *(each.says_shortly for each in silences)))
        return Event("run", told, clock.monotonic_ns(), None, None, None, share, None)
    eta_ns = int(elapsed_ns * (1 - share) / share) if share else None
    still_ns = max(0, elapsed_ns - (meter.last_ns - meter.began_ns))
    progress = Progress(elapsed_ns, meter.ops_count, meter.moved_bytes, still_ns)
    return Event("run", says, clock.monotonic_ns(), None, None, progress, share, eta_ns)
