"""One part of the test as a stored result: checked, summarised, kept."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from datetime import datetime

from graycard import __version__
from graycard.checks import CheckEvidence, run_checks
from graycard.model import SCHEMA, Check, Fact, IoTask, Origin, Result, Run, Samples, Series, Steady, Summary
from graycard.stats import sentences
from graycard.summary import summarise
from graycard.sustain.curve import Curve
from graycard.sustain.session import Session, settings_fact


@dataclass(frozen=True, slots=True)
class Part:
    """What is known of one part when it has ended. `file` are facts of its first file."""

    index: int
    task: IoTask
    samples: Samples
    started_at: datetime
    before: tuple[Fact, ...]
    after: tuple[Fact, ...]
    monitor: tuple[Series, ...]
    file: tuple[Fact, ...] = ()
    curve: Curve | None = None
    trouble: str | None = None
    more_checks: tuple[Check, ...] = ()


def keep(session: Session, part: Part) -> Result:
    """The result of the part, saved."""
    run = Run(part.index, 0, part.started_at, part.samples, part.before, (*part.after, *part.file), part.monitor)
    checks = (*_checks(session, part, run), *part.more_checks)
    summary = summarise(part.task, (run,), checks)
    result = Result(
        id=secrets.token_hex(8),
        measurement_id=session.id,
        schema=SCHEMA,
        created_at=part.started_at,
        origin=Origin("graycard", __version__, session.engine.name),
        target=session.order.target,
        task=part.task,
        facts=(*session.facts, *part.file, *session.instrument, settings_fact(session.engine)),
        runs=(run,),
        summary=_placed(summary, part.curve) if part.curve else summary,
        trouble=part.trouble,
    )
    session.keeper.save(result)
    return result


def _checks(session: Session, part: Part, run: Run) -> tuple[Check, ...]:
    evidence = CheckEvidence(
        task=part.task,
        facts=session.facts,
        runs=(run,),
        file_before=part.file,
        file_after=run.after,
        instrument=session.instrument,
        engine=session.engine.name,
        others_count=session.others_count,
    )
    return run_checks(evidence)


def _placed(summary: Summary, curve: Curve) -> Summary:
    """The summary with the levels at the places where the curve has them, which are finer."""
    steadiness = summary.steadiness
    if steadiness.verdict is not Steady.CLIFF or not curve.changes:
        return summary
    says = sentences.cliff(curve.phases, 1, 1, steady_part=True)
    caveats = tuple(says if each == steadiness.says else each for each in summary.caveats)
    rate = replace(summary.rate, value=curve.sustained.rate.value)
    return replace(summary, rate=rate, caveats=caveats, steadiness=replace(steadiness, says=says, phases=curve.phases))
