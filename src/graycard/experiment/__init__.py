"""An experiment on one page.

    the plan → slots in random mirrored blocks → for each slot: mount → one run of every task → unmount

The order of the slots comes from the seed; what is done is known from the stored results. So a sitting may end at any
moment, by Ctrl-C, kill -9 or a power cut, and the next one goes on with the first slot, task by task, that is missing.
"""

from __future__ import annotations

from collections.abc import Iterable

from graycard.errors import Interrupted
from graycard.experiment.begin import is_unfinished, new_record, step_confirmed, taken_up
from graycard.experiment.load import slot_plan
from graycard.experiment.order import Slot
from graycard.experiment.outlook import expected
from graycard.experiment.reading import fingerprint, read_plan
from graycard.experiment.same import check_same_place
from graycard.experiment.sitting import Archive, Bench, Sitting, run_counts
from graycard.experiment.trouble import cannot_measure, stopped
from graycard.experiment.volumes import Volumes
from graycard.measurement import measure
from graycard.model import Result
from graycard.model.experiment import ExperimentRecord

__all__ = [
    "Archive",
    "Bench",
    "Sitting",
    "carry_out",
    "fingerprint",
    "is_unfinished",
    "new_record",
    "read_plan",
    "run_counts",
    "step_confirmed",
]


def carry_out(record: ExperimentRecord, results: Iterable[Result], bench: Bench) -> Sitting:
    """Measure what is missing until all is done, or a person has to do something first: `record.waiting` names it.

    A configuration that cannot be measured is remembered in `record.failures`, and the rest of the plan goes on.
    Raises PlanProblem where another process is at it or the images do not fit, StoreProblem, Interrupted on Ctrl-C; all
    that was finished is in the archive, and nothing is left mounted.
    """
    sitting = Sitting(bench, taken_up(record, results), {result.id: result for result in results})
    sitting.remember(sitting.record)
    try:
        for one in expected(sitting.record, sitting.results.values(), bench.host, bench.maker):
            if one.why_not:
                sitting.fail(one.configuration, one.why_not)
        with Volumes(record.id, record.plan, bench.host, bench.maker, bench.clock, sitting.teller) as volumes:
            for slot in sitting.slots:
                if not sitting.is_open(slot):
                    continue
                if sitting.needs_step(slot):
                    sitting.wait_for(slot)
                    break
                with sitting.failures_of(slot.configuration), volumes.place(slot.configuration) as folder:
                    measure_slot(sitting, slot, folder)
            volumes.finish()
    except (KeyboardInterrupt, Interrupted) as stop:
        raise stopped(sitting, stop) from None
    finally:
        sitting.let_go()
    return sitting


def measure_slot(sitting: Sitting, slot: Slot, folder: str) -> None:
    """One run of every task that lacks it in this block."""
    bench, configuration = sitting.bench, slot.configuration
    earlier = sitting.earlier(configuration)
    target = bench.host.resolve(folder)
    volume = bench.host.volume(target)
    if volume.why_not:
        raise cannot_measure(target, volume.why_not)
    facts = bench.host.facts(target)
    check_same_place(configuration, earlier, facts, sitting.record.plan.visit_count)
    measurement = measure(
        slot_plan(sitting.record.plan, sitting.record.seed, target, facts, slot.block_index + 1),
        engines=(bench.engine,),
        host=bench.host,
        keeper=sitting,
        clock=bench.clock,
        on_event=sitting.teller(configuration),
        earlier=earlier,
        trial=sitting.trial(configuration),
    )
    sitting.note(configuration, measurement.notes)
