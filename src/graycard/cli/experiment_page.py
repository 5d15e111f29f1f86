"""Experiments as pages: the list of them, and how far one is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from graycard.compare import compare
from graycard.experiment import is_unfinished, run_counts
from graycard.experiment.load import tasks_of
from graycard.experiment.sitting import blocks_done, results_of
from graycard.model import Arm, Comparison, Result
from graycard.model.experiment import ExperimentRecord
from graycard.report.comparisons import comparisons_page
from graycard.report.page import Column, Heading, Note, Page, Row, Table, Tone
from graycard.report.printable import printable
from graycard.report.results import results_page

_LIST = (Column("Experiment"), Column("Begun (UTC)"), Column("Name"), Column("Runs", right=True), Column("State"))
_PROGRESS = (Column("Configuration"), Column("Runs", right=True), Column("State"))


Counts = Mapping[str, Sequence[int]]


def state_of(record: ExperimentRecord, counts: Counts) -> str:
    """In a word or two: finished, waiting for a step, unfinished, or finished but for some."""
    if record.waiting:
        return "waits for your step"
    if is_unfinished(record, counts):
        return "unfinished"
    return f"finished but for {len(record.failures)}" if record.failures else "finished"


def list_page(experiments: Sequence[tuple[ExperimentRecord, Counts]]) -> Page:
    """One row an experiment."""
    if not experiments:
        return (Note("No experiment is stored yet; graycard experiment init writes a plan to start from.", Tone.QUIET),)
    return (Table(_LIST, tuple(_listed(record, counts) for record, counts in experiments)),)


def _listed(record: ExperimentRecord, counts: Counts) -> Row:
    wanted = len(record.plan.configurations) * record.plan.pair_count * len(tasks_of(record.plan))
    done = sum(sum(each) for each in counts.values())
    name, begun = printable(record.plan.name), f"{record.created_at:%Y-%m-%d %H:%M}"
    return Row((printable(record.id[:8]), begun, name, f"{done} of {wanted}", state_of(record, counts)), Tone.PLAIN)


def compared(record: ExperimentRecord, results: Sequence[Result]) -> tuple[Comparison, ...]:
    """Every configuration beside the first that has results; nothing while fewer than two have any."""
    arms = [Arm(each.name, results_of(results, each.name)) for each in record.plan.configurations]
    base, *others = [arm for arm in arms if arm.results] or [Arm("", ())]
    return compare(base, others, record.plan.threshold_ratio) if others else ()


def experiment_page(
    record: ExperimentRecord, results: Sequence[Result], comparisons: Sequence[Comparison], notes: Sequence[str]
) -> Page:
    """How far it is, what could not be measured, and the comparisons; the figures alone where nothing is compared."""
    heading = Heading(printable(record.plan.name), f"{record.id[:8]}, {state_of(record, run_counts(results))}")
    found = comparisons_page(comparisons) if comparisons else results_page(results)
    about = tuple(Note(printable(each)) for each in notes)
    return (heading, _progress(record, results), *_failures(record), *found, *about)


def _progress(record: ExperimentRecord, results: Sequence[Result]) -> Table:
    tasks_count, counts = len(tasks_of(record.plan)), run_counts(results)
    failed = {each.configuration for each in record.failures}
    rows = []
    for each in record.plan.configurations:
        done = blocks_done(counts.get(each.name, ()), tasks_count)
        state = "measured" if done == record.plan.pair_count else "failed" if each.name in failed else "open"
        tone = Tone.FAILED if state == "failed" else Tone.PLAIN
        rows.append(Row((printable(each.name), f"{done} of {record.plan.pair_count}", state), tone))
    return Table(_PROGRESS, tuple(rows))


def _failures(record: ExperimentRecord) -> Page:
    return tuple(
        Note(printable(f"{each.configuration}: {each.says}"), Tone.FAILED, "FAILED") for each in record.failures
    )
