"""`graycard sustain`: says what writing on costs, writes on, and shows what the drive does when its cache is full."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import rich_click as click

from graycard.cli.app import App
from graycard.cli.attempt import Keeper
from graycard.cli.live import display
from graycard.cli.options import JSON, MARKDOWN, MOST_SEED, Place, global_options, shows_data
from graycard.cli.screen import note, put, show, width
from graycard.cli.sustain_chart import chart
from graycard.cli.sustain_documents import SustainDocument, SustainPlanDocument
from graycard.cli.sustain_expected import expected_rate
from graycard.cli.sustain_options import AskedSustain, sustain_options
from graycard.cli.sustain_page import sustain_page
from graycard.cli.worker import HangingError, Stop, StoppableClock, carry_out
from graycard.errors import AccuracyProblem, Interrupted, Problem, TargetProblem
from graycard.host.refusals import for_writers
from graycard.measurement import Event, OnEvent
from graycard.model import Result
from graycard.protocols import Host
from graycard.report.notes import has_failed
from graycard.report.page import Note, Tone
from graycard.report.printable import printable
from graycard.report.results import results_page
from graycard.report.warnings import warnings
from graycard.sustain import Order, Sustained, describe, make_order, sustain


@click.command("sustain")
@click.argument("path", type=Place())
@sustain_options
@shows_data
@global_options()
@click.pass_obj
def sustain_command(app: App, path: str, asked: AskedSustain, form: str | None) -> None:
    """Write on in the folder PATH until the drive shows what it does when its cache is full.

    Shows the speed over bytes and time: the burst, how many bytes it lasts, what is sustained then, the worst second,
    stalls and swings, the temperature beside it. Then reads back, compares, rests, and tests whether the burst is there
    again. It says beforehand what it writes and what that costs the drive; nothing stays.
    """
    host = app.host()
    wish = asked.wish(secrets.randbelow(MOST_SEED))
    target = host.resolve(path)
    facts = host.facts(target)
    order = make_order(target, wish, facts)
    volume = host.volume(target)
    if volume.why_not:
        raise TargetProblem(f"{target.shown} cannot be used: {for_writers(volume.why_not)}")
    says, warned = describe(order, volume, facts, asked.endurance, expected_rate(app, facts)), warnings(facts)
    announcement = (*_sentences(says), *(Note(printable(each), Tone.CAVEAT, "WARNING") for each in warned))
    if asked.plan_only:
        show(announcement, SustainPlanDocument(order=order, says=says, warnings=warned), form)
        return
    note(app, announcement, gap=True)
    found = _carry_out(app, host, order, form)
    _show(app, found, form)
    _complain_of_failures(found.results)


@dataclass(slots=True)
class _Attempt:
    """One test on its way, and the newest figures of it, so that one that ends early can be shown."""

    app: App
    host: Host
    order: Order
    newest: Sustained | None = None
    finished: dict[str, Result] = field(default_factory=dict)

    def carry_out(self, on_event: OnEvent) -> Sustained:
        """Raises what `sustain` does; Interrupted after Ctrl-C also where the volume does not answer."""
        try:
            return carry_out(lambda stop: self._tested(on_event, stop))
        except HangingError:
            place = self.order.target.shown
            says = f"stopped, but {place} does not answer, so what was made there is left; "
            raise Interrupted(f"{says}when it answers again, graycard clean {place} removes it") from None

    def _tested(self, on_event: OnEvent, stop: Stop) -> Sustained:
        def hear(event: Event) -> None:
            stop.look()
            on_event(event)

        # The store is for the thread that opens it.
        with self.app.open_store() as store:
            return sustain(
                self.order,
                engine=self.app.engine("native", self.host),
                host=self.host,
                keeper=Keeper(store, self.finished),
                clock=StoppableClock(self.app.clock, stop),
                on_event=hear,
                so_far=self._hear_figures,
            )

    def _hear_figures(self, found: Sustained) -> None:
        self.newest = found


def _carry_out(app: App, host: Host, order: Order, form: str | None) -> Sustained:
    """Test; when that ends early, show what was found before the problem passes on."""
    attempt = _Attempt(app, host, order)
    try:
        with display(quiet=app.quiet) as on_event:
            return attempt.carry_out(on_event)
    except Problem:
        if attempt.newest:
            _show(app, attempt.newest, form)
        raise


def _show(app: App, found: Sustained, form: str | None) -> None:
    document = SustainDocument(sustained=found.figures, results=found.results, notes=found.notes)
    show(sustain_page(found), document, form)
    if form != JSON:
        _put_chart(found, form)
        show((*results_page(found.results), *_sentences(found.notes)), document, form)
    id_ = found.id[:8]
    note(app, (Note(f"Stored as {id_}; see it again with: graycard results show {id_}", Tone.QUIET),))


def _put_chart(found: Sustained, form: str | None) -> None:
    if found.figures.worst_second is None:
        return  # below a second there is nothing but noise
    lines = chart(
        found.results[0].runs[0].samples, found.figures.changes, width(), ascii_only=not _can_draw(sys.stdout.encoding)
    )
    if lines:
        fence = ("```",) if form == MARKDOWN else ()
        put("\n".join(("", *fence, *lines, *fence, "", "")))


def _can_draw(encoding: str | None) -> bool:
    try:
        "█▲└─".encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _sentences(says: Iterable[str]) -> Iterator[Note]:
    return (Note(printable(sentence)) for sentence in says)


def _complain_of_failures(results: tuple[Result, ...]) -> None:
    failed = sum(map(has_failed, results))
    if failed:
        raise AccuracyProblem(f"{failed} of {len(results)} parts failed a check; do not rely on those marked with “!”")
