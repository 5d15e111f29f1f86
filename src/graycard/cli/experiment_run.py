"""Carrying out an experiment from the command line: announce, sit, ask for steps, show."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import rich_click as click

from graycard.cli.app import App
from graycard.cli.chosen import in_plan_order
from graycard.cli.experiment_arms import experiment_named
from graycard.cli.experiment_attempt import ExperimentAttempt, stored_results
from graycard.cli.experiment_documents import ExperimentDocument, ExperimentPlanDocument
from graycard.cli.experiment_page import compared, experiment_page
from graycard.cli.live import display
from graycard.cli.screen import counted, is_terminal, note, show
from graycard.errors import AccuracyProblem, Interrupted, PlanProblem, Problem, RunProblem, WaitingProblem
from graycard.experiment import Sitting, step_confirmed
from graycard.experiment.describe import describe, describe_failures
from graycard.experiment.outlook import Expected, expected
from graycard.model import Result
from graycard.model.experiment import ExperimentRecord
from graycard.report.notes import has_failed
from graycard.report.page import Note, Tone
from graycard.report.printable import printable


@dataclass(frozen=True, slots=True)
class Wish:
    """How the user wants it: only told, never asked, in which form."""

    plan_only: bool
    yes: bool
    form: str | None


def carry_out_and_show(app: App, record: ExperimentRecord, wish: Wish) -> None:
    """Say what is still to do, do it, show what came of it."""
    results = known_results(app, record)
    host, maker = app.host(), app.volume_maker()
    outlook = expected(record, results, host, maker)
    if not wish.plan_only:
        _refuse_hopeless(outlook)
    _announce(app, record, outlook, wish)
    if wish.plan_only:
        return
    attempt = ExperimentAttempt(app, host, app.engine(record.plan.engine, host), maker)
    if record.waiting:
        record = _confirmed(record, wish)
    try:
        sitting = _sittings(app, attempt, record, wish)
    except Problem:
        _show_what_there_is(app, record, wish)
        raise
    show_experiment(sitting.record, tuple(sitting.results.values()), sitting.notes, wish.form)
    _complain(sitting, wish.form)


def known_results(app: App, record: ExperimentRecord) -> tuple[Result, ...]:
    """What is stored of the experiment."""
    if not app.has_store:
        return ()
    with app.open_store() as store:
        return stored_results(store, record.id)


def _announce(app: App, record: ExperimentRecord, outlook: Sequence[Expected], wish: Wish) -> None:
    says, warned = describe(record, outlook), describe_failures(outlook)
    page = (
        *(Note(printable(each)) for each in says),
        *(Note(printable(each), Tone.CAVEAT, "WARNING") for each in warned),
    )
    if wish.plan_only:
        show(page, ExperimentPlanDocument(record, tuple(outlook), says, warned), wish.form)
    else:
        note(app, page, gap=True)


def _refuse_hopeless(outlook: Sequence[Expected]) -> None:
    """PlanProblem where nothing that is open can be measured: nothing was written then."""
    open_ones = [each for each in outlook if each.blocks_count]
    if open_ones and all(each.why_not for each in open_ones):
        problem = PlanProblem("none of the configurations that are open can be measured here; nothing was written")
        for says in describe_failures(open_ones):
            problem.add_note(says)
        raise problem


def _sittings(app: App, attempt: ExperimentAttempt, record: ExperimentRecord, wish: Wish) -> Sitting:
    """Sitting after sitting, with a person's step in between, until nothing is left to do."""
    while True:
        with display(quiet=app.quiet) as on_event:
            sitting = attempt.sit(record, on_event)
        if sitting.record.waiting is None:
            return sitting
        if _is_alone(wish):
            raise _waiting(sitting.record)
        record = _confirmed(sitting.record, wish)


def _is_alone(wish: Wish) -> bool:
    """Whether nobody is there to do the step now."""
    return wish.yes or not is_terminal(sys.stdin) or not is_terminal(sys.stderr)


def _confirmed(record: ExperimentRecord, wish: Wish) -> ExperimentRecord:
    """The step is done: a person says so, or has come back with the same command."""
    if not _is_alone(wish):
        click.echo(f"Now: {printable(_step(record))}", err=True)
        try:
            click.prompt(
                "Press Enter when that is done (Ctrl-C to go on another day)", "", show_default=False, err=True
            )
        except click.Abort:
            click.echo(err=True)  # the mark of Ctrl-C stands on the line of the question
            again = f"go on with: graycard experiment resume {record.id[:8]}"
            raise Interrupted(f"stopped; everything so far is kept; when the step is done, {again}") from None
    return step_confirmed(record)


def _waiting(record: ExperimentRecord) -> WaitingProblem:
    problem = WaitingProblem(
        f"waiting for a step of yours: {_step(record)}; run the same command again when it is done"
    )
    problem.add_note(f"Everything so far is kept; graycard experiment show {record.id[:8]} shows it.")
    return problem


def _step(record: ExperimentRecord) -> str:
    steps = (each.step for each in record.plan.configurations if each.name == record.waiting)
    return (next(steps, None) or "").rstrip(".")


def _show_what_there_is(app: App, record: ExperimentRecord, wish: Wish) -> None:
    """What an experiment that ended early has measured so far, and what it waits for or could not measure."""
    if not app.has_store:
        return
    with app.open_store() as store:
        newest, results = experiment_named(store, record.id) or record, stored_results(store, record.id)
    if results:
        show_experiment(newest, results, (), wish.form)


def show_experiment(
    record: ExperimentRecord, results: Sequence[Result], notes: Sequence[str], form: str | None
) -> None:
    """Print how far it is and what its configurations are beside the first."""
    ordered = in_plan_order(results)
    comparisons = compared(record, ordered)
    page = experiment_page(record, ordered, comparisons, notes)
    show(page, ExperimentDocument(record, ordered, comparisons, tuple(notes)), form)


def _complain(sitting: Sitting, form: str | None) -> None:
    """RunProblem for configurations that could not be measured, else AccuracyProblem for figures that failed."""
    failures, count = sitting.record.failures, len(sitting.record.plan.configurations)
    if failures:
        others = _others(count - len(failures))
        says = f"{len(failures)} of {counted(count, 'configuration')} could not be measured{others}"
        again = f"when that is mended, go on with: graycard experiment resume {sitting.record.id[:8]}"
        problem = RunProblem(f"{says}; {again}", errno=None, offset_bytes=None, phase="measure")
        # Where the page stands just above, it has the reasons.
        for each in () if form is None and is_terminal(sys.stdout) else failures:
            problem.add_note(f"{each.configuration}: {each.says}")
        raise problem
    failed = sum(has_failed(result) for result in sitting.results.values())
    if failed:
        figures = counted(len(sitting.results), "figure")
        raise AccuracyProblem(f"{failed} of {figures} failed a check; do not rely on those marked with “!”")


def _others(count: int) -> str:
    """What became of the configurations that did not fail."""
    if count == 0:
        return ""
    return "; the other one was" if count == 1 else "; the others were"
