"""Streams of frames at exact times, as a player or a recorder has them, on one page.

    facts → space → scratch folder → clips → a run, or a search for the largest number of streams → results

Every run that is worth keeping is checked, summarised and saved as soon as it has ended.
"""

from __future__ import annotations

import secrets

from graycard.errors import Interrupted, PlanProblem
from graycard.measurement import Event, Keeper, OnEvent, software_facts
from graycard.model import Fact
from graycard.play.budget import most_streams, refusal
from graycard.play.frame_io import FrameIo
from graycard.play.library import Library
from graycard.play.outcome import Graph, Played, StreamReport, Tried
from graycard.play.performing import Stage
from graycard.play.results import Setting
from graycard.play.sitting import Sitting
from graycard.play.streams import Kind, Playing
from graycard.protocols import Clock, Host
from graycard.scratch import Scratch, clean, others_running
from graycard.units import format_size

__all__ = [
    "Event",
    "FrameIo",
    "Graph",
    "Kind",
    "Played",
    "Playing",
    "StreamReport",
    "Tried",
    "allowed",
    "play",
]


def play(playing: Playing, *, host: Host, io: FrameIo, keeper: Keeper, clock: Clock, on_event: OnEvent) -> Played:
    """Play and record what is asked for. `on_event` may raise KeyboardInterrupt to stop, which ends a continuous run.

    Raises PlanProblem or TargetProblem before anything was written, RunProblem in the middle, Interrupted on Ctrl-C: in
    each case what was finished is in the store and the clips are gone.
    """
    try:
        return _played(playing, host, io, keeper, clock, on_event)
    except KeyboardInterrupt as stop:
        problem = Interrupted("stopped before the first run had ended; nothing is left on the volume")
        for note in getattr(stop, "__notes__", ()):
            problem.add_note(note)
        raise problem from None


def _played(
    playing: Playing, host: Host, io: FrameIo, keeper: Keeper, clock: Clock, on_event: OnEvent
) -> Played:  # fmt: skip
    io.require()
    path = playing.target.path
    on_event(Event("prepare", "reading the facts of the volume", clock.monotonic_ns()))
    notes = _remove_leftovers(path)
    facts = (*host.facts(playing.target), *software_facts())
    most_count, why_no_more = allowed(playing, facts)
    with Scratch(path) as scratch:
        facts += host.folder_facts(scratch.path)
        library = Library(playing, scratch, host, io)
        setting = Setting(playing, secrets.token_hex(8), facts, library, lambda: others_running(path, scratch.id))
        stage = Stage(playing, library, host, io, clock)
        return Sitting(stage, setting, keeper, on_event, most_count, why_no_more, notes).whole()


def allowed(playing: Playing, facts: tuple[Fact, ...]) -> tuple[int, str]:
    """The most streams of each format that a search may try, and why not more. PlanProblem where the plan does not fit.

    Without a search: 1, the plan as it is.
    """
    if playing.auto:
        return most_streams(playing, facts)
    reason = refusal(playing, 1, facts)
    if reason:
        raise PlanProblem(f"{reason[0].upper()}{reason[1:]}.")
    return 1, ""


def _remove_leftovers(path: str) -> list[str]:
    """Remove what a killed run has left in the same folder, where that is proven; the user is told."""
    done = clean(path)
    if not done.removed:
        return []
    return [
        f"Removed {len(done.removed)} test folders that killed runs had left here, {format_size(done.removed_bytes)}."
    ]
