"""One playing, from its clips to its verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from graycard.errors import Interrupted
from graycard.measurement import Event, Keeper, OnEvent
from graycard.model import Result
from graycard.play.budget import recorded_bytes
from graycard.play.causes import Cause, first_drop
from graycard.play.graph import graph_of
from graycard.play.outcome import Played, Tried, stream_report
from graycard.play.performing import Live, Performance, Stage
from graycard.play.results import Setting, results_of
from graycard.play.search import search
from graycard.play.streams import Kind, Playing
from graycard.play.words import live_line, search_verdict, streams_of, verdict
from graycard.protocols import Progress
from graycard.units import format_duration, format_size


@dataclass(slots=True)
class Sitting:
    """`most_count` streams of each format are allowed, and `why_no_more` says why. `best` is the run of the verdict."""

    stage: Stage
    setting: Setting
    keeper: Keeper
    on_event: OnEvent
    most_count: int
    why_no_more: str
    notes: list[str] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    tried: list[Tried] = field(default_factory=list)
    recorded_bytes: int = 0
    best: Performance | None = None
    broke: Performance | None = None
    found_count: int | None = None

    @property
    def playing(self) -> Playing:
        """What was asked for."""
        return self.setting.playing

    def whole(self) -> Played:
        """Play, or search; a continuous run ends when the user stops it. Raises Interrupted where that is no end."""
        try:
            if self.playing.auto:
                self._search()
            else:
                self._play()
        except KeyboardInterrupt:
            partial = self.stage.partial
            if partial and partial.cut_short and any(stream.track.moves for stream in partial.streams):
                self.best = partial
                self._keep(partial)
            if not self.playing.continuous or partial is None:
                raise Interrupted(self._stopped()) from None
        return self._outcome()

    # ---- a run ----

    def _play(self) -> None:
        kinds = self.playing.counted(1)
        self._lay_out(kinds)
        length_ns = None if self.playing.continuous else self.playing.play_ns
        self.best = self._perform(kinds, length_ns, len(kinds), stop_at_drop=False)
        self._keep(self.best)

    def _perform(self, kinds: Sequence[Kind], length_ns: int | None, count: int, *, stop_at_drop: bool) -> Performance:
        def on_live(live: Live) -> None:
            self._tell("run", live_line(live, count))

        self.recorded_bytes += recorded_bytes(kinds, length_ns or 0)
        return self.stage.perform(kinds, length_ns, on_live, stop_at_drop=stop_at_drop)

    def _lay_out(self, kinds: Sequence[Kind]) -> None:
        library = self.stage.library
        missing = library.missing_bytes(kinds)
        before, started_ns = library.written_bytes, self.stage.clock.monotonic_ns()
        says = f"writing the clips of {streams_of(kinds)}, {format_size(missing)}"

        def on_laid_out(written: int) -> None:
            elapsed_ns = self.stage.clock.monotonic_ns() - started_ns
            self._tell("layout", says, Progress(elapsed_ns, 0, written - before, 0))

        self._tell("layout", says)
        library.lay_out(kinds, on_laid_out)
        if library.note and library.note not in self.notes:
            self.notes.append(library.note)

    def _tell(self, phase: str, says: str, progress: Progress | None = None) -> None:
        self.on_event(Event(phase, says, self.stage.clock.monotonic_ns(), progress=progress))

    def _keep(self, performance: Performance) -> None:
        """Check, summarise and save a run."""
        for result in results_of(self.setting, performance):
            self.keeper.save(result)
            self.results.append(result)

    # ---- a search ----

    def _search(self) -> None:
        try:
            self.found_count = search(self._trial, self.most_count).stream_count
        except OutOfBudgetError as reason:
            # What came through in short runs alone is not claimed.
            whole = [each.stream_count for each in self.tried if each.whole and not each.dropped_count]
            self.found_count = max(whole, default=None)
            self.notes.append(str(reason))
        if self.broke:
            self._keep(self.broke)

    def _trial(self, stream_count: int, *, whole: bool) -> bool:
        """A drop that was this computer's own doing says nothing of the device: such a run is made once more."""
        performance = self._tried(stream_count, whole=whole)
        drop = first_drop(performance)
        if drop and drop.cause is Cause.COMPUTER:
            performance = self._tried(stream_count, whole=whole)
        if performance.dropped_count:
            self.broke = performance
            return True
        if whole:
            self.best = performance
            self._keep(performance)
        return False

    def _tried(self, stream_count: int, *, whole: bool) -> Performance:
        kinds = self.playing.counted(stream_count)
        length_ns = self.playing.play_ns if whole else self.playing.short_ns
        self._refuse_excess(kinds, length_ns)
        self._lay_out(kinds)
        performance = self._perform(kinds, length_ns, stream_count, stop_at_drop=True)
        self.tried.append(Tried(stream_count, performance.elapsed_ns, performance.dropped_count, whole))
        return performance

    def _refuse_excess(self, kinds: Sequence[Kind], length_ns: int) -> None:
        limit = self.playing.write_limit_bytes
        library = self.stage.library
        written = library.written_bytes + self.recorded_bytes
        if written + library.missing_bytes(kinds) + recorded_bytes(kinds, length_ns) > limit:
            raise OutOfBudgetError(
                f"The search ended before it was done: a run with {streams_of(kinds)} would write beyond the limit of "
                f"{format_size(limit)}; use a higher --write-limit, a shorter --time or --clip."
            )

    # ---- the end ----

    def _outcome(self) -> Played:
        shown = self.best or self.broke
        return Played(
            self.setting.id,
            tuple(self.results),
            tuple(self._says()),
            tuple(self.notes),
            tuple(stream_report(shown, stream) for stream in shown.streams) if shown else (),
            graph_of(shown) if shown else None,
            tuple(self.tried),
            self.found_count,
        )

    def _says(self) -> Iterator[str]:
        if self.found_count is not None:
            yield from search_verdict(self.playing, self.found_count, self._one_more(), self.why_no_more)
        if self.best:
            yield verdict(self.best)

    def _one_more(self) -> Performance | None:
        """The last run that broke, if it had just one stream of each format more than what was found."""
        wanted = len(self.playing.counted((self.found_count or 0) + 1))
        return self.broke if self.broke and len(self.broke.streams) == wanted else None

    def _stopped(self) -> str:
        if not self.results:
            return "stopped before the first run had ended; nothing is left on the volume"
        elapsed_ns = sum(run.samples.elapsed_ns for result in self.results for run in result.runs)
        kept = f"see it with: graycard results show {self.setting.id[:8]}"
        return f"stopped after {format_duration(elapsed_ns)} of playing, which is kept; {kept}"


class OutOfBudgetError(Exception):
    """The next run of a search would write more than is allowed."""
