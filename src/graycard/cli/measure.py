"""`graycard measure`: says what it will do, does it, and shows the figures with all that limits them."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import rich_click as click

from graycard.cli.app import App
from graycard.cli.attempt import Attempt
from graycard.cli.earlier import history_of_facts
from graycard.cli.live import display
from graycard.cli.measure_options import PRESETS_HELP, Asked, measure_options
from graycard.cli.options import MOST_SEED, Place, global_options, shows_data
from graycard.cli.screen import counted, note, show
from graycard.codec import Document
from graycard.errors import AccuracyProblem, Problem, StoreProblem, TargetProblem
from graycard.facts import number
from graycard.history import Standings, standings
from graycard.measurement import CrossCheck, Measurement
from graycard.model import SCHEMA, Fact, Plan, Result, TargetKind
from graycard.plan import check_space, describe, make_plan, read_only_plan
from graycard.protocols import Engine, Host, Volume
from graycard.report.notes import has_failed
from graycard.report.page import Note, Tone
from graycard.report.printable import printable
from graycard.report.results import results_page
from graycard.report.warnings import warnings

OTHER_ENGINE = {"native": "fio", "fio": "native"}


@dataclass(frozen=True, slots=True)
class PlanDocument:
    """What `measure --plan --json` prints."""

    plan: Plan
    says: tuple[str, ...]
    warnings: tuple[str, ...]
    schema: str = SCHEMA


_HELP = f"""Measure the file system that holds PATH (a folder), or with --read-only the reading of one file.

Before it starts it says what it will touch, how much it will write and how long it will take. It writes only into
a folder of its own below PATH, and removes it. Every result is stored; see `graycard results`.

{PRESETS_HELP}
"""


@click.command("measure", help=_HELP)
@click.argument("path", required=False, type=Place())
@measure_options
@shows_data
@global_options()
@click.pass_obj
def measure_command(app: App, path: str | None, asked: Asked, form: str | None) -> None:
    """Say what will be done, do it, show the figures."""
    host = app.host()
    plan, facts = _plan(host, _place(path, asked), asked)
    volume = host.volume(plan.target)
    _refuse(plan, volume, facts)
    says = describe(plan, volume, facts)
    warned = warnings(facts)
    announcement = (*_sentences(says), *_warnings(warned))
    if asked.plan_only:
        show(announcement, PlanDocument(plan, says, warned), form)
        return
    note(app, announcement, gap=True)
    engines = _engines(app, host, asked)
    measurement = _carry_out(app, host, plan, engines, form)
    _show_all(app, measurement, form)
    _complain_of_failures(measurement.results)


def _place(path: str | None, asked: Asked) -> str:
    if asked.read_only is not None and path is not None:
        raise click.UsageError("--read-only names the file to read, so leave PATH out")
    place = asked.read_only or path
    if place is None:
        raise click.UsageError("Missing argument 'PATH': name a folder on the drive or share")
    return place


def _plan(host: Host, place: str, asked: Asked) -> tuple[Plan, tuple[Fact, ...]]:
    """The plan, and the facts it was made from."""
    target = host.resolve(place)
    facts = host.facts(target)
    options = asked.task_options(secrets.randbelow(MOST_SEED))
    if asked.read_only is None:
        return make_plan(target, asked.preset, options, facts), facts
    facts += host.file_facts(target.path)
    file_bytes = int(number(facts, "file_size_bytes") or 0)
    return read_only_plan(target, file_bytes, options, facts, asked.preset), facts


def _refuse(plan: Plan, volume: Volume, facts: tuple[Fact, ...]) -> None:
    """TargetProblem or PlanProblem for what cannot be done, before anything is announced."""
    if volume.why_not and plan.target.kind is not TargetKind.FILE:
        raise TargetProblem(f"{plan.target.shown} cannot be measured: {volume.why_not}")
    check_space(plan, facts)


def _sentences(says: Iterable[str]) -> Iterator[Note]:
    return (Note(printable(sentence)) for sentence in says)


def _warnings(says: Iterable[str]) -> Iterator[Note]:
    return (Note(printable(sentence), Tone.CAVEAT, "WARNING") for sentence in says)


def _engines(app: App, host: Host, asked: Asked) -> tuple[Engine, ...]:
    names = (asked.engine, OTHER_ENGINE[asked.engine]) if asked.cross_check else (asked.engine,)
    return tuple(app.engine(name, host) for name in names)


def _carry_out(app: App, host: Host, plan: Plan, engines: tuple[Engine, ...], form: str | None) -> Measurement:
    """Measure; when that ends early, show what was finished before the problem passes on."""
    attempt = Attempt(app, host, plan, engines)
    try:
        with display(quiet=app.quiet) as on_event:
            return attempt.carry_out(on_event)
    except Problem:
        if attempt.results:
            show(results_page(attempt.results), Document(results=attempt.results), form)
        raise


def _show_all(app: App, measurement: Measurement, form: str | None) -> None:
    results, checks, stand = measurement.results, measurement.cross_checks, _standings(app, measurement.results)
    about = tuple(_sentences((*map(_cross_check, checks), *measurement.notes)))
    page = (*results_page(results), *about, *_stand(stand))
    notes = (*measurement.notes, *stand.loud, *stand.quiet)
    show(page, Document(results=results, cross_checks=checks, notes=notes), form)
    id_ = measurement.id[:8]
    note(app, (Note(f"Stored as {id_}; see it again with: graycard results show {id_}", Tone.QUIET),))


def _standings(app: App, results: tuple[Result, ...]) -> Standings:
    """How the results, which are stored, stand to those before them. They are shown whether or not that can be read."""
    try:
        with app.open_store() as store:
            found = history_of_facts(store, results[0].facts if results else (), limit=1) or ()
    except StoreProblem as problem:
        return Standings(quiet=(f"How this stands to earlier results is not known: {problem}.",))
    return standings(found, {result.id for result in results})


def _stand(stand: Standings) -> Iterator[Note]:
    yield from (Note(printable(says), Tone.CAVEAT) for says in stand.loud)
    yield from (Note(printable(says), Tone.QUIET) for says in stand.quiet)


def _cross_check(check: CrossCheck) -> str:
    """The ratio with its interval, in the names of the engines."""
    ratio = check.ratio
    interval = "single pair" if ratio.low is None or ratio.high is None else f"{ratio.low:.3f} to {ratio.high:.3f}"
    engines = f"{check.other_engine} measures {ratio.value:.3f} times the rate of {check.engine}"
    return f"{check.task_label}: {engines} ({interval})."


def _complain_of_failures(results: tuple[Result, ...]) -> None:
    failed = sum(has_failed(result) for result in results)
    if failed:
        raise AccuracyProblem(
            f"{failed} of {counted(len(results), 'figure')} failed a check; do not rely on those marked with “!”"
        )
