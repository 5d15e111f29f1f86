"""`graycard experiment`: a plan of configurations, measured in turns, compared, resumed after any interruption."""

from __future__ import annotations

import os
import sys
from dataclasses import replace

import msgspec
import rich_click as click

from graycard.cli.app import App
from graycard.cli.chosen import existing_store
from graycard.cli.experiment_arms import experiment_named
from graycard.cli.experiment_attempt import stored_results
from graycard.cli.experiment_documents import ExperimentsDocument
from graycard.cli.experiment_page import list_page
from graycard.cli.experiment_run import Wish, carry_out_and_show, show_experiment
from graycard.cli.options import Place, global_options, shows_data
from graycard.cli.screen import counted, is_terminal, put, say, show
from graycard.cli.writing import STDOUT, write_file
from graycard.codec import decode
from graycard.errors import PlanProblem, StoreProblem
from graycard.experiment import fingerprint, is_unfinished, new_record, read_plan
from graycard.experiment.begin import taken_up
from graycard.experiment.templates import TEMPLATES, template
from graycard.experiment.volumes import remove_images
from graycard.model import Target, TargetKind
from graycard.model.experiment import ExperimentPlan, ExperimentRecord
from graycard.report.printable import printable
from graycard.store import Filter, Store

MOST_PLAN_BYTES = 1 << 20


class ExperimentGroup(click.RichGroup):
    """`graycard experiment PLAN.toml` is `graycard experiment run PLAN.toml`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put "run" before a plan that stands alone."""
        if args and (args[0].endswith(".toml") or (args[0] not in self.commands and os.path.isfile(args[0]))):
            args = ["run", *args]
        return super().parse_args(ctx, args)


@click.group("experiment", cls=ExperimentGroup)
@global_options()
def experiment_group() -> None:
    """Measure several configurations in turns, in random mirrored order, and compare them.

    A configuration is a folder, a volume that graycard makes in a file (never on a drive), or something that a person
    brings about. Start with `graycard experiment init filesystems`.
    """


@experiment_group.command("run")
@click.argument("plan", type=Place(), metavar="PLAN.toml")
@click.option("--plan", "plan_only", is_flag=True, help="Say what would be done, and stop.")
@click.option("--yes", is_flag=True, help="Ask nothing: stop where a step of yours is due.")
@shows_data
@global_options()
@click.pass_obj
def run_command(app: App, plan: str, plan_only: bool, yes: bool, form: str | None) -> None:
    """Carry out the plan; after an interruption the same command goes on where it was, and measures nothing twice."""
    read = _read(plan)
    unfinished, others = _unfinished(app, read)
    for each in others:
        says = f"An earlier state of this plan is unfinished: go on with graycard experiment resume {each.id[:8]}"
        say(app, (f"{says}, or remove it.",))
    record = unfinished or new_record(read, app.clock.utc_now())
    carry_out_and_show(app, record, Wish(plan_only, yes, form))


@experiment_group.command("resume")
@click.argument("experiment", metavar="ID")
@click.option("--plan", "plan_only", is_flag=True, help="Say what would be done, and stop.")
@click.option("--yes", is_flag=True, help="Ask nothing: stop where a step of yours is due.")
@shows_data
@global_options()
@click.pass_obj
def resume_command(app: App, experiment: str, plan_only: bool, yes: bool, form: str | None) -> None:
    """Go on with the experiment ID, and try again what has failed."""
    with existing_store(app) as store:
        record = _named(store, experiment)
    carry_out_and_show(app, record, Wish(plan_only, yes, form))


@experiment_group.command("list")
@shows_data
@global_options()
@click.pass_obj
def list_command(app: App, form: str | None) -> None:
    """List the experiments, the newest first, and how far they are."""
    found: tuple[tuple[ExperimentRecord, dict[str, list[int]]], ...] = ()
    if app.has_store:
        with app.open_store() as store:
            found = tuple((record, _counts(store, record)) for record in _records(store))
            unreadable = len(store.experiments()) - len(found)
        if unreadable:
            say(app, (f"{counted(unreadable, 'experiment')} of another version of graycard cannot be shown.",))
    show(list_page(found), ExperimentsDocument(tuple(record for record, _ in found)), form)


@experiment_group.command("show")
@click.argument("experiment", metavar="ID")
@shows_data
@global_options()
@click.pass_obj
def show_command(app: App, experiment: str, form: str | None) -> None:
    """Show how far the experiment ID is, and every configuration beside the first."""
    with existing_store(app) as store:
        record = _named(store, experiment)
        results = stored_results(store, record.id)
    show_experiment(record, results, (), form)


@experiment_group.command("remove")
@click.argument("experiment", metavar="ID")
@click.option("--yes", is_flag=True, help="Do not ask.")
@global_options()
@click.pass_obj
def remove_command(app: App, experiment: str, yes: bool) -> None:
    """Remove the experiment ID for good: its results, and the volumes that it has left unfinished."""
    with existing_store(app) as store:
        record = _named(store, experiment)
        ids = [row.id for row in store.rows(wanted=Filter(experiment_id=record.id))]
        if not yes and not _agreed(record, len(ids)):
            say(app, ("Nothing was removed.",))
            return
        taken_up(record, ())  # refuses while another process works on it
        remove_images(record.id, record.plan, app.host(), app.volume_maker())
        removed = store.remove(ids)
        store.remove_experiment(record.id)
    say(app, (f"Removed the experiment {record.plan.name} with {counted(removed, 'result')}.",))


@experiment_group.command("init")
@click.argument("kind", type=click.Choice(TEMPLATES), metavar="filesystems|os-versions")
@click.option("--output", "-o", metavar="FILE", help="The plan to write, instead of KIND.toml here; - is stdout.")
@click.option("--folder", metavar="PATH", help="The folder on the drive to be measured, to stand in the plan.")
@global_options()
@click.pass_obj
def init_command(app: App, kind: str, output: str | None, folder: str | None) -> None:
    """Write a plan to start from, with comments; a file that exists is kept.

    filesystems: the file systems that this computer can make, on one drive. os-versions: the same drive under two
    systems.
    """
    path = output or f"{kind}.toml"
    text = template(kind, os.path.basename(path), folder, app.volume_maker())
    if path == STDOUT:
        put(text)
        return
    if os.path.lexists(path):
        raise click.UsageError(f"{printable(path)} exists and is kept; name another file with --output")
    write_file(path, (text.encode(),), force=False)
    todo = "read and change it" if folder else "write the folder to be measured into it"
    say(app, (f"Wrote {path}: {todo}, then: graycard experiment run {path}",))


def _read(path: str) -> ExperimentPlan:
    shown = Target(path, TargetKind.FILE).shown
    try:
        with open(path, "rb") as file:
            data = file.read(MOST_PLAN_BYTES + 1)
    except OSError as error:
        raise PlanProblem(
            f"{shown} cannot be read ({error.strerror}); graycard experiment init writes a plan"
        ) from error
    if len(data) > MOST_PLAN_BYTES:
        raise PlanProblem(f"{shown} is too large to be a plan; name the file that graycard experiment init wrote")
    return read_plan(data, path)


def _unfinished(app: App, plan: ExperimentPlan) -> tuple[ExperimentRecord | None, tuple[ExperimentRecord, ...]]:
    """The newest unfinished experiment of this very plan, and those that only have its name."""
    if not app.has_store:
        return None, ()
    wanted = fingerprint(plan)
    with app.open_store() as store:
        named = [each for each in _records(store) if each.plan.name == plan.name]
        unfinished = [each for each in named if is_unfinished(each, _counts(store, each))]
    same = [replace(each, plan=plan) for each in unfinished if each.fingerprint == wanted]
    return (same[0] if same else None), tuple(each for each in unfinished if each.fingerprint != wanted)


def _records(store: Store) -> tuple[ExperimentRecord, ...]:
    """All experiments, the newest first, but those that another version of graycard wrote in another way."""
    found = []
    for row in store.experiments():
        try:
            found.append(decode(row.body, ExperimentRecord))
        except msgspec.MsgspecError:
            continue
    return tuple(found)


def _counts(store: Store, record: ExperimentRecord) -> dict[str, list[int]]:
    counts: dict[str, list[int]] = {}
    for row in store.rows(wanted=Filter(experiment_id=record.id)):
        counts.setdefault(row.configuration or "", []).append(row.run_count)
    return counts


def _named(store: Store, name: str) -> ExperimentRecord:
    record = experiment_named(store, name)
    if record is None:
        raise StoreProblem(
            f"no experiment is called “{name}”, or has an id that begins so; see graycard experiment list"
        )
    return record


def _agreed(record: ExperimentRecord, count: int) -> bool:
    if not is_terminal(sys.stdin):
        raise click.UsageError("removing asks first, but nobody can answer here; add --yes")
    return click.confirm(f"Remove “{record.plan.name}” with {counted(count, 'result')} for good?", err=True)
