"""What `graycard play` prints as JSON."""

from __future__ import annotations

from dataclasses import dataclass

from graycard.model import SCHEMA, Operation, Result, Target
from graycard.play import Graph, StreamReport, Tried


@dataclass(frozen=True, slots=True)
class PlayedKind:
    """Streams of one format in a plan. `stream_count` None is looked for; `frame_bytes` are those that are moved."""

    format: str
    operation: Operation
    frames_per_s: float
    frame_bytes: int
    stream_count: int | None
    file_per_frame: bool


@dataclass(frozen=True, slots=True)
class PlayPlanDocument:
    """What `play --plan --json` prints. `most_count` bounds a search; None without one."""

    target: Target
    kinds: tuple[PlayedKind, ...]
    play_ns: int | None
    ahead_ns: int
    prebuffer_ns: int
    layout_bytes: int
    write_limit_bytes: int
    most_count: int | None
    says: tuple[str, ...]
    warnings: tuple[str, ...]
    schema: str = SCHEMA


@dataclass(frozen=True, slots=True)
class PlayDocument:
    """What `play --json` prints. `stream_count` is what a search found, None without one."""

    results: tuple[Result, ...]
    says: tuple[str, ...]
    streams: tuple[StreamReport, ...]
    graph: Graph | None
    tried: tuple[Tried, ...] = ()
    stream_count: int | None = None
    notes: tuple[str, ...] = ()
    schema: str = SCHEMA
