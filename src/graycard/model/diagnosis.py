"""Why a copy is slow: what was measured of each layer and at both ends, and what follows from it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from graycard.model.result import Estimate
from graycard.model.samples import Fact
from graycard.model.task import Action


class Layer(StrEnum):
    """Where the time goes. `SOURCE` is the disk at this end: read from, or written to where the copy comes from there.

    `PROTOCOL` is all between the raw network and the share: the server's process, signing, round trips a request;
    `TOOL` the programs at this end: the copy tool, and one that serves the mount. `SERVER`: its disk or its process,
    which cannot be told apart without looking there. `NOT_JUDGED`: something else disturbed, so no layer is named;
    `NONE`: no layer is slower than it should be.
    """

    SOURCE = "source"
    NETWORK = "network"
    SERVER_DISK = "server disk"
    PROTOCOL = "protocol"
    TOOL = "tool"
    SERVER = "server"
    NONE = "none"
    NOT_JUDGED = "not to be judged"


class Severity(StrEnum):
    """limit: it holds the copy back; notice: true and worth knowing, but not what is slow; void: forbids a verdict."""

    LIMIT = "limit"
    NOTICE = "notice"
    VOID = "void"


class Certainty(StrEnum):
    """confirmed: a change proved it; likely: the figures show it; cannot know: a figure that decides is missing."""

    CONFIRMED = "confirmed"
    LIKELY = "likely"
    CANNOT_KNOW = "cannot know"


class Waiting(StrEnum):
    """What a slice of time was spent on, as the copy's own connection tells."""

    NETWORK = "network"
    NETWORK_STALLED = "network stalled"
    SERVER = "waiting for the server"
    CLIENT = "client"
    UNKNOWN = "unknown"


class Change(StrEnum):
    """A change that needs no settings and may confirm a finding."""

    OTHER_PROTOCOL = "another protocol"
    MORE_STREAMS = "several copies at once"
    LARGER_BLOCK = "larger blocks"
    MEMORY_FOLDER = "a folder in the server's memory"
    OTHER_TOOL = "another copy tool"
    ONE_LARGE_FILE = "one large file"


@dataclass(frozen=True, slots=True)
class Track:
    """A figure in even steps of time; name and unit are in `why/vocabulary.py`. None: not known in that step."""

    name: str
    unit: str
    source: str
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class NameTrack:
    """The same of a name, as of the busiest process."""

    name: str
    source: str
    values: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Timeline:
    """Both ends while one copy ran, on one clock. Value i of every track is of the time from i to i + 1 steps.

    `tool` names the copy as in `Ceilings.tools`. A figure that is not known at all has no track. The flush at the end
    of the copy is not in it.
    """

    tool: str
    step_ns: int
    tracks: tuple[Track, ...]
    names: tuple[NameTrack, ...] = ()

    @property
    def step_count(self) -> int:
        """Steps of the longest track."""
        return max((len(track.values) for track in self.tracks), default=0)

    def values(self, name: str) -> tuple[float | None, ...]:
        """The track of that name, filled up with None to `step_count`."""
        found = next((track.values for track in self.tracks if track.name == name), ())
        return (*found, *[None] * (self.step_count - len(found)))

    def known(self, name: str) -> tuple[float, ...]:
        """The values of that track that are known."""
        return tuple(value for value in self.values(name) if value is not None)

    def labels(self, name: str) -> tuple[str, ...]:
        """The names of that track that are known."""
        return tuple(value for track in self.names if track.name == name for value in track.values if value is not None)


@dataclass(frozen=True, slots=True)
class ToolCeiling:
    """One copy tool over the share, the flush inside: bytes/s. `files_per_s` where it copied several files."""

    name: str
    rate: Estimate
    files_per_s: Estimate | None = None
    block_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Ceilings:
    """What each layer alone reaches with the same bytes, in bytes/s and in the direction of the copy.

    `network` is raw TCP with one stream, `network_streams` with four, `…_back` against the copy's direction;
    round trips are in ns: the median with nothing on the way, and the 95th percentile while one stream filled it.
    The agent wrote at the server with a flush (`server_flushed`) and before it (`server_burst`), and read what no
    memory holds (`server_read`). `mount` is the share in blocks of 1 MiB, the flush inside; `small_files` the files
    per s that graycard's own loop copies one after the other.
    """

    source: Estimate | None = None
    network: Estimate | None = None
    network_streams: Estimate | None = None
    network_back: Estimate | None = None
    network_back_streams: Estimate | None = None
    idle_round_trip: Estimate | None = None
    loaded_round_trip: Estimate | None = None
    raw_retransmit_ratio: float | None = None
    server_flushed: Estimate | None = None
    server_burst: Estimate | None = None
    server_read: Estimate | None = None
    mount: Estimate | None = None
    mount_back: Estimate | None = None
    tools: tuple[ToolCeiling, ...] = ()
    small_files: Estimate | None = None

    def tool(self, name: str) -> ToolCeiling | None:
        """The tool of that name."""
        return next((tool for tool in self.tools if tool.name == name), None)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A change that was tried: the new rate over the old one."""

    change: Change
    ratio: Estimate
    says: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that is known of one copy. `tool` is the one in question, `action` SEND where it writes at the share.

    `timelines` may hold several copies (a second run, another tool): the first one of `tool` is judged. `near` and
    `far` are facts of this computer and the server, `path` of the way between: protocol, signing, mount options, block
    of the tool.
    """

    tool: str
    action: Action
    file_count: int | None
    total_bytes: int | None
    ceilings: Ceilings = Ceilings()
    timelines: tuple[Timeline, ...] = ()
    near: tuple[Fact, ...] = ()
    far: tuple[Fact, ...] = ()
    path: tuple[Fact, ...] = ()
    outcomes: tuple[Outcome, ...] = ()


@dataclass(frozen=True, slots=True)
class Experiment:
    """What would confirm a finding: the new rate over the old one lies between `low_ratio` and `high_ratio`."""

    change: Change
    says: str
    low_ratio: float
    high_ratio: float | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule that hit. `because` are the numbers that show it, one a sentence; `cost_ratio` the share of the next
    ceiling that is lost by it, None where no ceiling is known; `source` is where the rule comes from.
    """

    rule: str
    layer: Layer
    severity: Severity
    claim: str
    because: tuple[str, ...]
    cost: str
    cost_ratio: float | None
    advice: str
    source: str
    certainty: Certainty
    experiments: tuple[Experiment, ...] = ()


@dataclass(frozen=True, slots=True)
class Slices:
    """How long the copy spent on what; `kinds` is one entry for each step of the timeline."""

    step_ns: int
    kinds: tuple[Waiting, ...]

    def spent_ns(self, kind: Waiting) -> int:
        """Time spent so."""
        return self.kinds.count(kind) * self.step_ns

    def ratio(self, kind: Waiting) -> float:
        """Share of the time; 0 where there is no time."""
        return self.kinds.count(kind) / len(self.kinds) if self.kinds else 0.0


@dataclass(frozen=True, slots=True)
class Swing:
    """The copy's rate swings between two levels. `dips` is what most of the low time was spent on.

    `period_ns` is None where it does not swing evenly. `says` tells in a sentence what was idle meanwhile.
    """

    low_bytes_per_s: float
    high_bytes_per_s: float
    period_ns: int | None
    dips: Waiting
    dip_ratio: float
    says: str


@dataclass(frozen=True, slots=True)
class Seen:
    """The evidence, and what the timeline of the copy in question shows. This is what a rule is asked about."""

    evidence: Evidence
    timeline: Timeline | None
    slices: Slices | None
    swing: Swing | None


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the waterfall: what is left at this layer; `lost_ratio` is the share of the step before that goes.

    None: not measured, or nothing to compare it with.
    """

    layer: Layer
    label: str
    rate: Estimate | None
    lost_ratio: float | None


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The answer: the layer first, then the findings in order, with what else was seen and what cannot be known."""

    tool: str
    action: Action
    layer: Layer
    says: str
    findings: tuple[Finding, ...]
    slices: Slices | None
    swing: Swing | None
    steps: tuple[Step, ...]
    unknowns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MonitorCost:
    """Processor time that looking took, as a share of one core at each end; None where it is not known."""

    near_ratio: float | None
    far_ratio: float | None


@dataclass(frozen=True, slots=True)
class Case:
    """A diagnosis with all that it was made of: what is printed as JSON, stored and reported.

    `command` is "why" or "watch", `place` the share or the copy that was looked at, `server` the computer that an agent
    looked at, `repeat` the command line. `seed` is that of the data and of the order, None where nothing was made.
    `is_whole` is false where it ended early: then all of it is what was known until then. `says` tells what failed.
    """

    schema: str
    command: str
    id: str
    created_at: datetime
    tool_version: str
    place: str
    server: str | None
    repeat: str
    seed: int | None
    is_whole: bool
    diagnosis: Diagnosis
    evidence: Evidence
    cost: MonitorCost
    says: tuple[str, ...] = ()

    @property
    def rate(self) -> Estimate | None:
        """What the copy in question reached, in bytes/s."""
        tool = self.evidence.ceilings.tool(self.evidence.tool)
        return tool.rate if tool else None
