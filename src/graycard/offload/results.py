"""Each leg of an offload as a result: stored, compared and shown like any other."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from graycard import __version__
from graycard.checks import CheckEvidence
from graycard.checks.condition import nearly_full, physically_possible, temperature
from graycard.facts import fact
from graycard.measurement import software_facts
from graycard.model import (
    SCHEMA,
    Action,
    Cache,
    Check,
    Durability,
    Estimate,
    Fact,
    IoTask,
    Operation,
    Origin,
    Pattern,
    Result,
    Run,
    Summary,
    Target,
    TargetKind,
    Transfer,
    Verdict,
)
from graycard.offload.files import Access
from graycard.offload.job import Leg, Place
from graycard.offload.meter import Meter
from graycard.offload.slabs import SLAB_BYTES
from graycard.summary import summarise

METHOD = "graycard offload"
_GENERAL: tuple[Callable[[CheckEvidence], Check], ...] = (physically_possible, temperature, nearly_full)


@dataclass(frozen=True, slots=True)
class Measured:
    """A leg with what surrounds it. `path` is the folder that was read or written; `variant` tells like legs apart."""

    meter: Meter
    place: Place
    path: str
    operation: Operation
    variant: str
    access: Access
    started_at: datetime
    before: tuple[Fact, ...] = ()
    after: tuple[Fact, ...] = ()
    checks: tuple[Check, ...] = ()


def result_of(offload_id: str, measured: Measured) -> Result | None:
    """The result of a leg; None where nothing was moved."""
    meter = measured.meter
    if not meter.moved_bytes or not meter.elapsed_ns:
        return None
    task, facts = _task(measured), (*measured.place.facts, *software_facts())
    run = Run(0, 0, measured.started_at, meter.samples(METHOD), measured.before, measured.after)
    evidence = CheckEvidence(task, facts, (run,), engine=METHOD)
    checks = (_conserved(meter, run), *measured.checks, *(check(evidence) for check in _GENERAL))
    return Result(
        id=secrets.token_hex(8),
        measurement_id=offload_id,
        schema=SCHEMA,
        created_at=measured.started_at,
        origin=Origin("graycard", __version__, METHOD),
        target=Target(measured.path, TargetKind.FOLDER),
        task=task,
        facts=(*facts, fact("engine_settings", _settings(measured.access), METHOD)),
        runs=(run,),
        summary=summarise(task, (run,), checks),
    )


def _task(measured: Measured) -> IoTask:
    meter = measured.meter
    return IoTask(
        measured.operation,
        Pattern.SEQUENTIAL,
        SLAB_BYTES,
        meter.moved_bytes,
        byte_limit=meter.moved_bytes,
        cache=Cache.BYPASS if measured.access.bypasses else Cache.COLD,
        durability=Durability.EACH_WRITE if measured.operation is Operation.WRITE else Durability.NONE,
        transfer=Transfer(METHOD, Action.COPY, meter.files_count),
        variant=measured.variant,
    )


def _settings(access: Access) -> str:
    large = "direct I/O" if access.bypasses else "the page cache"
    return f"pieces of {SLAB_BYTES >> 20} MiB through {large}, small files through the page cache"


def _conserved(meter: Meter, run: Run) -> Check:
    by_slot = sum(tick.moved_bytes for tick in run.samples.ticks)
    verdict = Verdict.PASS if by_slot == meter.moved_bytes else Verdict.FAIL
    says = (
        "Every byte is accounted for." if verdict is Verdict.PASS else "The slots of time do not add up to the bytes."
    )
    return Check("bytes_conserved", meter.moved_bytes, by_slot, "bytes", 0.0, verdict, says)


def leg_of(name: str, place: str, meter: Meter, result: Result | None = None) -> Leg:
    """The leg as it is shown, with the rate of its result."""
    return Leg(
        name,
        place,
        meter.moved_bytes,
        meter.files_count,
        meter.elapsed_ns,
        meter.busy_ns + meter.flush_ns,
        meter.wait_ns,
        rate_of(result.summary) if result and result.summary else None,
        meter.busy_bytes_per_s,
        result.id if result else None,
    )


def rate_of(summary: Summary) -> Estimate:
    """The rate, with the interval that the run itself gives where it was long and even enough."""
    phases: Sequence[Estimate] = [phase.rate for phase in summary.steadiness.phases]
    return phases[0] if len(phases) == 1 else summary.rate
