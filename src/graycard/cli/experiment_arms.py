"""The configurations of a stored experiment as the sides of a comparison."""

from __future__ import annotations

import msgspec

from graycard.cli.chosen import Load, in_plan_order
from graycard.codec import decode
from graycard.errors import StoreProblem
from graycard.model import Arm
from graycard.model.experiment import ExperimentRecord
from graycard.store import Filter, Store


def experiment_named(store: Store, name: str) -> ExperimentRecord | None:
    """The only experiment that is named so or whose id begins so; None where there is none, StoreProblem if several."""
    rows = [row for row in store.experiments() if name and (row.id.startswith(name) or row.name == name)]
    exact = [row for row in rows if row.id == name]
    found = exact or rows
    if len(found) > 1:
        some = ", ".join(f"{row.id} of {row.created_at:%Y-%m-%d}" for row in found[:3])
        raise StoreProblem(f"{len(found)} experiments are called “{name}” ({some}); write the beginning of an id")
    return _record(found[0].body, found[0].id) if found else None


def experiment_arms(
    store: Store, record: ExperimentRecord, load: Load = Store.load
) -> tuple[tuple[Arm, ...], tuple[str, ...]]:
    """An arm for each configuration that was measured, in the order of the plan, and a sentence about each other."""
    rows = store.rows(wanted=Filter(experiment_id=record.id))
    results = in_plan_order(load(store, row.id) for row in reversed(rows))
    arms, notes = [], []
    failures = {each.configuration: each.says for each in record.failures}
    for name in (configuration.name for configuration in record.plan.configurations):
        mine = tuple(result for result in results if result.trial and result.trial.configuration == name)
        if mine:
            arms.append(Arm(name, mine))
        else:
            why = failures.get(name)
            notes.append(f"{name} has no results{f': {why}' if why else ' yet'}")
    return tuple(arms), tuple(notes)


def configuration_arm(store: Store, name: str, load: Load = Store.load) -> Arm | None:
    """The side that “EXPERIMENT:CONFIGURATION” means; None where nothing before a colon is an experiment."""
    for place, character in enumerate(name):
        record = experiment_named(store, name[:place]) if character == ":" and place else None
        if record is not None:
            return _configuration(store, record, name[place + 1 :], load)
    return None


def _configuration(store: Store, record: ExperimentRecord, name: str, load: Load) -> Arm:
    arms, _ = experiment_arms(store, record, load)
    for arm in arms:
        if arm.name == name:
            return arm
    known = ", ".join(arm.name for arm in arms) or "none yet"
    raise StoreProblem(f"experiment {record.plan.name} has no results of a configuration “{name}”; measured: {known}")


def _record(body: bytes, id_: str) -> ExperimentRecord:
    try:
        return decode(body, ExperimentRecord)
    except msgspec.MsgspecError as error:
        raise StoreProblem(
            f"experiment {id_} cannot be read ({error}): update graycard if a newer one wrote it"
        ) from error
