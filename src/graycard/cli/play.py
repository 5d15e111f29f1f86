"""`graycard play`: streams of frames at exact times, read or written as a player or a recorder does."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import rich_click as click

from graycard.cli.app import App
from graycard.cli.attempt import Keeper
from graycard.cli.live import display
from graycard.cli.options import MOST_SEED, Place, global_options, shows_data
from graycard.cli.play_documents import PlayDocument, PlayedKind, PlayPlanDocument
from graycard.cli.play_options import PlayAsked, play_options
from graycard.cli.play_page import play_page
from graycard.cli.screen import counted, note, show
from graycard.cli.worker import HangingError, Stop, StoppableClock, carry_out
from graycard.codec import Document
from graycard.errors import AccuracyProblem, Interrupted, Problem, TargetProblem
from graycard.host.refusals import for_writers
from graycard.model import Result, TargetKind
from graycard.play import Event, Played, Playing, allowed, play
from graycard.play.budget import cost
from graycard.play.words import describe
from graycard.protocols import Host, Volume
from graycard.report.notes import has_failed
from graycard.report.page import Note, Tone
from graycard.report.printable import printable
from graycard.report.results import results_page
from graycard.report.warnings import warnings


@click.command("play")
@click.argument("path", type=Place())
@play_options
@shows_data
@global_options()
@click.pass_obj
def play_command(app: App, path: str, asked: PlayAsked, form: str | None) -> None:
    """Will it play? Streams of video at exact frame times, each from a clip of its own in the folder PATH.

    A frame that is not there when it has to be shown is dropped, and counted. With --streams auto the largest number of
    streams without a dropped frame is found, and what breaks first with one more. It writes only into a folder of its
    own below PATH, and removes it.
    """
    host = app.host()
    playing = _playing(host, path, asked)
    facts = host.facts(playing.target)
    most_count, _ = allowed(playing, facts)
    says = describe(playing, host.volume(playing.target), most_count)
    warned = warnings(facts)
    announcement = (*_sentences(says), *(Note(printable(each), Tone.CAVEAT, "WARNING") for each in warned))
    if asked.plan_only:
        show(announcement, _plan_document(playing, most_count, says, warned), form)
        return
    note(app, announcement, gap=True)
    played = _carry_out(Attempt(app, host, playing), form)
    document = PlayDocument(
        played.results, played.says, played.streams, played.graph, played.tried, played.stream_count, played.notes
    )
    show(play_page(playing, played), document, form)
    id_ = played.id[:8]
    if played.results:
        note(app, (Note(f"Stored as {id_}; see it again with: graycard results show {id_}", Tone.QUIET),))
    _complain_of_failures(played.results)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One playing in a thread of its own, stopped by Ctrl-C. `finished` are the results so far, by id."""

    app: App
    host: Host
    playing: Playing
    finished: dict[str, Result] = field(default_factory=dict)

    def carry_out(self) -> Played:
        """Raises what `play` does; Interrupted after Ctrl-C also where the volume does not answer."""
        try:
            with display(quiet=self.app.quiet) as on_event:
                return carry_out(lambda stop: self._played(on_event, stop))
        except HangingError:
            place = self.playing.target.shown
            raise Interrupted(
                f"stopped, but {place} does not answer, so what was made there is left; "
                f"when it answers again, graycard clean {place} removes it"
            ) from None

    def _played(self, on_event: Callable[[Event], None], stop: Stop) -> Played:
        def hear(event: Event) -> None:
            stop.look()
            on_event(event)

        # The store is for the thread that opens it.
        with self.app.open_store() as store:
            return play(
                self.playing,
                host=self.host,
                io=self.app.frames(),
                keeper=Keeper(store, self.finished),
                clock=StoppableClock(self.app.clock, stop),
                on_event=hear,
            )


def _playing(host: Host, path: str, asked: PlayAsked) -> Playing:
    """TargetProblem for a place that cannot hold clips, before anything is announced."""
    target = host.resolve(path)
    if target.kind is TargetKind.FILE:
        raise TargetProblem(f"{target.shown} is a file; name the folder in which the clips are to lie")
    volume: Volume = host.volume(target)
    if volume.why_not:
        raise TargetProblem(f"{target.shown} cannot be used: {for_writers(volume.why_not)}")
    return asked.playing(target, secrets.randbelow(MOST_SEED))


def _carry_out(attempt: Attempt, form: str | None) -> Played:
    """Play; when that ends early, show what was finished before the problem passes on."""
    try:
        return attempt.carry_out()
    except Problem:
        results = tuple(attempt.finished.values())
        if results:
            show(results_page(results), Document(results=results), form)
        raise


def _plan_document(
    playing: Playing, most_count: int, says: tuple[str, ...], warned: tuple[str, ...]
) -> PlayPlanDocument:
    kinds = (
        PlayedKind(k.key, k.operation, float(k.rate), k.stride_bytes, k.count, k.file_per_frame) for k in playing.kinds
    )
    return PlayPlanDocument(
        playing.target,
        tuple(kinds),
        None if playing.continuous else playing.play_ns,
        playing.ahead_ns,
        playing.prebuffer_ns,
        cost(playing, 1).layout_bytes,
        playing.write_limit_bytes,
        most_count if playing.auto else None,
        says,
        warned,
    )


def _sentences(says: tuple[str, ...]) -> Iterator[Note]:
    return (Note(printable(sentence)) for sentence in says)


def _complain_of_failures(results: tuple[Result, ...]) -> None:
    failed = sum(has_failed(result) for result in results)
    if failed:
        raise AccuracyProblem(
            f"{failed} of {counted(len(results), 'figure')} failed a check; do not rely on the verdict"
        )
