"""Both ends while one copy ran, on one clock, in steps of 250 ms: raw samples become a `Timeline`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from graycard.diagnosis.ends import End, end_tracks
from graycard.diagnosis.series import amounts, edges_of
from graycard.model.diagnosis import NameTrack, Timeline, Track
from graycard.why.vocabulary import COPY_TRACKS, MOVED, STEP_NS


def timeline_of(
    tool: str, begun_ns: int, ended_ns: int, moved: Sequence[tuple[int, float]], ends: Sequence[End]
) -> Timeline:
    """The whole steps between both times; `moved` is (time, bytes so far) as the tool or its connection shows it."""
    count = max(0, ended_ns - begun_ns) // STEP_NS
    edges = edges_of(begun_ns, STEP_NS, count)
    tracks = [Track(MOVED, COPY_TRACKS[MOVED].unit, "the copy's own progress", amounts(moved, edges))]
    names: list[NameTrack] = []
    for end in ends:
        found, known = end_tracks(end, edges)
        tracks += found
        names += known
    return Timeline(tool, STEP_NS, tuple(tracks), tuple(names))


def on_this_clock(samples: Sequence[dict[str, Any]], ahead_ns: int) -> tuple[dict[str, Any], ...]:
    """The other end's samples with this computer's times; `ahead_ns` is how far its clock is ahead."""
    return tuple({**sample, "at_ns": sample["at_ns"] - ahead_ns} for sample in samples)


def of_end(end: End, ahead_ns: int) -> End:
    """The other end on this computer's clock."""
    return replace(end, samples=on_this_clock([dict(sample) for sample in end.samples], ahead_ns))
