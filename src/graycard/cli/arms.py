"""Which results a user means by the sides of a comparison: files, labels, ids, or configurations of an experiment."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import rich_click as click

from graycard.cli.app import App
from graycard.cli.chosen import Load, in_plan_order, nothing_stored
from graycard.cli.experiment_arms import configuration_arm, experiment_arms, experiment_named
from graycard.errors import StoreProblem
from graycard.model import Arm, Result
from graycard.store import Store

# As the list of results shows them.
_ID_LENGTH = 8
_TWO = "name two or more results, labels or files to compare, or one experiment"


@dataclass(frozen=True, slots=True)
class Sides:
    """The sides of a comparison, the base first. `threshold_ratio` is that of an experiment's plan, else None.

    `notes` are sentences about sides that were expected and are not there.
    """

    arms: tuple[Arm, ...]
    threshold_ratio: float | None = None
    notes: tuple[str, ...] = ()


def sides_of(app: App, names: Sequence[str], load: Load = Store.load) -> Sides:
    """The sides that `names` mean, in their order; of one experiment alone, all its configurations.

    `load` says how much of each stored result is read: Store.figures is enough to compare.
    UsageError for fewer than two sides, StoreProblem or ImportProblem for a name that means nothing, or several things.
    """
    with _store(app) as store:
        sides = _alone(store, names[0], app, load) if len(names) == 1 else Sides(_each(store, names, app, load))
    if len(sides.arms) < 2:
        raise click.UsageError(_TWO)
    return sides


def figures_named(app: App, names: Sequence[str]) -> tuple[Arm, ...]:
    """The sides that `names` mean, one alone or several; of an experiment alone, all its configurations.

    UsageError, StoreProblem or ImportProblem as `sides_of`.
    """
    with _store(app) as store:
        if len(names) > 1:
            return _each(store, names, app, Store.load)
        if store is not None and not os.path.isfile(names[0]) and (record := experiment_named(store, names[0])):
            return experiment_arms(store, record)[0]
        return (_arm(store, names[0], app, Store.load),)


@contextmanager
def _store(app: App) -> Iterator[Store | None]:
    """The store, or None where there is none: files need none."""
    if not app.has_store:
        yield None
        return
    with app.open_store() as store:
        yield store


def _alone(store: Store | None, name: str, app: App, load: Load) -> Sides:
    """All configurations of the one experiment, or of the one file, that is named."""
    if os.path.isfile(name) and not _is_label(store, name):
        return Sides(_by_configuration(_results_of_file(name)))
    if store is None:
        raise nothing_stored(app.store_file)
    record = experiment_named(store, name)
    if record is None:
        raise click.UsageError(_TWO)
    arms, notes = experiment_arms(store, record, load)
    if len(arms) < 2:
        raise StoreProblem(
            f"experiment {record.plan.name} has results of {len(arms)} of {len(record.plan.configurations)} "
            "configurations: nothing to compare yet"
        )
    return Sides(arms, record.plan.threshold_ratio, notes)


def _by_configuration(results: Sequence[Result]) -> tuple[Arm, ...]:
    """The results of experiments, an arm for each configuration, in the order in which the file names them."""
    found: dict[str, list[Result]] = {}
    for result in results:
        if result.trial:
            found.setdefault(result.trial.configuration, []).append(result)
    return tuple(Arm(name, in_plan_order(each)) for name, each in found.items())


def _each(store: Store | None, names: Sequence[str], app: App, load: Load) -> tuple[Arm, ...]:
    arms = tuple(_one_set_up(_arm(store, name, app, load), name) for name in names)
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise click.UsageError(f"“{twice[0]}” is named twice; name two different results")
    counts = Counter(arm.name for arm in arms)
    return tuple(
        arm if counts[arm.name] == 1 else replace(arm, name=name) for arm, name in zip(arms, names, strict=True)
    )


def _arm(store: Store | None, name: str, app: App, load: Load) -> Arm:
    """A file goes first, then a label, a configuration of an experiment, and the beginning of an id."""
    if os.path.isfile(name):
        if _is_label(store, name):
            raise StoreProblem(f"“{name}” is a file and a label, too; write ./{name} for the file, or the label's id")
        return Arm(_file_name(name), in_plan_order(_results_of_file(name)))
    if store is None:
        raise nothing_stored(app.store_file) if not _looks_like_a_file(name) else _no_file(name)
    if _is_label(store, name):
        return _stored(store, name, load)
    if ":" in name and (arm := configuration_arm(store, name, load)):
        return arm
    return _experiment_or_stored(store, name, load)


def _experiment_or_stored(store: Store, name: str, load: Load) -> Arm:
    """What an id begins with; an experiment is refused beside others, for it has several configurations."""
    record = experiment_named(store, name)
    try:
        arm = _stored(store, name, load)
    except StoreProblem:
        if record is not None:
            raise _several(name, experiment_arms(store, record, load)[0]) from None
        if _looks_like_a_file(name):
            raise _no_file(name) from None
        raise
    if record is not None:
        raise StoreProblem(f"“{name}” begins the id of a stored result and of an experiment; write more letters")
    return arm


def _several(name: str, arms: Sequence[Arm]) -> StoreProblem:
    names = ", ".join(arm.name for arm in arms) or "none measured yet"
    return StoreProblem(
        f"“{name}” is an experiment of several configurations ({names}): name it alone, or write one of them "
        f"as {name}:CONFIGURATION"
    )


def _stored(store: Store, name: str, load: Load) -> Arm:
    rows = store.named(name)
    ids = {row.measurement_id for row in rows} | {row.id for row in rows}
    labels = [each.label for each in store.annotations(ids).values() if each.label]
    results = in_plan_order(load(store, row.id) for row in reversed(rows))
    return Arm(labels[0] if len(labels) == 1 else name[:_ID_LENGTH], results)


def _one_set_up(arm: Arm, name: str) -> Arm:
    """The arm, where its results are not of several configurations: those must never be pooled."""
    found = list(dict.fromkeys(each.trial.configuration for each in arm.results if each.trial))
    if len(found) > 1:
        raise StoreProblem(
            f"“{name}” holds {len(found)} configurations of an experiment ({', '.join(found)}): name it alone to "
            "compare them"
        )
    return arm


def _is_label(store: Store | None, name: str) -> bool:
    return store is not None and bool(store.labelled(name))


def _results_of_file(path: str) -> tuple[Result, ...]:
    # The importers are many, and most sides are stored ones.
    from graycard.cli.foreign import results_of_file

    return results_of_file(path)


def _file_name(path: str) -> str:
    return os.path.splitext(os.path.basename(path))[0] or path


def _looks_like_a_file(name: str) -> bool:
    return os.sep in name or name.lower().endswith(".json")


def _no_file(name: str) -> StoreProblem:
    return StoreProblem(f"there is no file {name}; graycard results export -o {name} would make one")
