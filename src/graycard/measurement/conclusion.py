"""After each run: check, summarise, save, and see whether it is enough; at the end, what can be said of it all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from graycard import __version__
from graycard.checks import CheckEvidence, run_checks
from graycard.facts import fact
from graycard.measurement.session import Arm, Session
from graycard.model import SCHEMA, Check, CrossCheck, Origin, Result
from graycard.stats.between import runs_estimate
from graycard.stats.stopping import look
from graycard.summary import run_rates, summarise
from graycard.units import percent


def conclude(session: Session, arm: Arm) -> None:
    """Check and summarise what there is so far, save it, and see whether it is enough."""
    runs = tuple(arm.runs)
    repeats = session.plan.repeat
    precise = repeats.precision_ratio
    summary = summarise(arm.task, runs, checks_of(session, arm), looked=precise is not None)
    save(session, arm, replace(result_without_runs(session, arm), runs=runs, summary=summary))
    if len(runs) >= repeats.min_count:
        arm.enough = precise is None or look(run_rates(arm.task, runs), precise).enough


def checks_of(session: Session, arm: Arm) -> tuple[Check, ...]:
    """All checks of what the arm has gathered so far."""
    evidence = CheckEvidence(
        task=arm.task,
        facts=session.facts,
        runs=tuple(arm.runs),
        file_before=session.file_before_of(arm),
        file_after=arm.runs[-1].after,
        instrument=arm.instrument,
        engine=arm.engine.name,
        others_count=session.others_count,
    )
    return run_checks(evidence)


def save(session: Session, arm: Arm, result: Result) -> None:
    """Keep the result in the store and in hand."""
    arm.result = result
    session.keeper.save(result)


def result_without_runs(session: Session, arm: Arm) -> Result:
    """The result but for its runs and summary."""
    settings = fact("engine_settings", arm.engine.settings(), arm.engine.name)
    return Result(
        id=arm.result_id,
        measurement_id=session.id,
        schema=SCHEMA,
        created_at=arm.runs[0].started_at,
        origin=Origin("graycard", __version__, arm.engine.name),
        target=session.plan.target,
        task=arm.task,
        facts=(*session.facts, *session.file_before_of(arm), *arm.instrument, settings),
        runs=(),
        summary=None,
        trial=session.trial,
    )


def say_what_is_short(session: Session) -> None:
    """Mark the results whose interval is wider than what was asked for."""
    wanted = session.plan.repeat.precision_ratio
    for arm in session.arms:
        if arm.enough or wanted is None or not arm.result or not arm.result.summary:
            continue
        reached = arm.result.summary.rate.half_width_ratio
        says = f"Target of ± {percent(wanted)} not reached after {len(arm.runs)} runs"
        says += f": ± {percent(reached)}." if reached is not None else "."
        summary = replace(arm.result.summary, caveats=(*arm.result.summary.caveats, says))
        save(session, arm, replace(arm.result, summary=summary))


def cross_checks(session: Session) -> Iterator[CrossCheck]:
    """Ratio of the second engine's rate to the first's, task by task, from the interleaved pairs."""
    for task_index, task in enumerate(session.plan.tasks):
        arms = [arm for arm in session.arms if arm.task_index == task_index]
        if len(arms) == 2:
            rates = [[run.samples.rate_bytes_per_s for run in arm.runs] for arm in arms]
            ratios = [b / a for a, b in zip(*rates, strict=True) if a and b]
            if ratios:
                names = [arm.engine.name for arm in arms]
                yield CrossCheck(task.label, names[0], names[1], runs_estimate(ratios, "ratio"))
