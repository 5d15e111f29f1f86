"""Which results a report is of: as for a comparison, but one side is enough, and none means the last measurement."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence

from graycard.cli.app import App
from graycard.cli.arms import Sides, sides_of
from graycard.cli.chosen import chosen_results, existing_store, in_plan_order
from graycard.cli.earlier import history_of_facts
from graycard.cli.experiment_arms import experiment_arms, experiment_named
from graycard.errors import StoreProblem
from graycard.model import Arm, History, Result
from graycard.store import Store

# Of each history: about a year of weekly measurements, and as many points as a chart can tell apart.
ENTRIES_COUNT = 60
# More names make no title.
NAMES_COUNT = 5


def sides_to_report(app: App, names: Sequence[str]) -> Sides:
    """The sides that `names` mean, the base first; the results of one measurement are one side.

    Stored results come with the figures of their runs alone; `with_samples` gives the rest.

    StoreProblem or ImportProblem for a name that means nothing, or several things.
    """
    if len(names) > 1:
        return sides_of(app, names, Store.figures)
    if names and os.path.isfile(names[0]):
        return _file(app, names[0])
    with existing_store(app) as store:
        record = experiment_named(store, names[0]) if names else None
        if record is None:
            return Sides((Arm("", chosen_results(store, names, Store.figures)),))
        arms, notes = experiment_arms(store, record, Store.figures)
    if not arms:
        raise StoreProblem(f"experiment {record.plan.name} has no results yet; graycard experiment resume goes on")
    return Sides(arms, record.plan.threshold_ratio, notes)


def _file(app: App, path: str) -> Sides:
    # The importers are many, and most reports are of stored results.
    from graycard.cli.foreign import results_of_file

    results = results_of_file(path)
    if len({each.trial.configuration for each in results if each.trial}) > 1:
        return sides_of(app, (path,))
    return Sides((Arm("", in_plan_order(results)),))


def results_of(sides: Sides) -> tuple[Result, ...]:
    """All results of the sides, each once, the base's first."""
    return tuple({result.id: result for arm in sides.arms for result in arm.results}.values())


def with_samples(app: App, results: Sequence[Result], ids: Collection[str]) -> tuple[Result, ...]:
    """The results, those with these ids with everything that is stored of them; files have given theirs already."""
    if not ids or not app.has_store:
        return tuple(results)
    with app.open_store() as store:
        return tuple(
            store.load(result.id) if result.id in ids and is_bare(result) and store.knows(result.id) else result
            for result in results
        )


def is_bare(result: Result) -> bool:
    """Whether only the figures of its runs are known here."""
    return not any(run.samples.ticks or run.monitor for run in result.runs)


def title_of(sides: Sides) -> str:
    """What to call the report where nobody says: the experiment, or the sides; nothing for one side alone."""
    experiments = {result.trial.experiment if result.trial else None for result in results_of(sides)}
    if len(experiments) == 1 and (name := experiments.pop()) is not None:
        return name
    names = [arm.name for arm in sides.arms]
    return f"{', '.join(names[:-1])} and {names[-1]}" if 1 < len(names) <= NAMES_COUNT else ""


def histories_of(app: App, results: Sequence[Result]) -> tuple[History, ...]:
    """How the set-up of one stored measurement went over time, where more of it is stored than this measurement."""
    if len({result.measurement_id for result in results}) != 1 or not app.has_store:
        return ()
    with app.open_store() as store:
        found = history_of_facts(store, results[0].facts, ENTRIES_COUNT) or ()
    ids = {result.id for result in results}
    return tuple(history for history in found if _goes_on(history, ids))


def _goes_on(history: History, ids: set[str]) -> bool:
    entries = {entry.result_id for era in history.eras for entry in era.entries}
    return not entries.isdisjoint(ids) and not entries <= ids
