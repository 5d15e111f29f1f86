"""An experiment in plain words, told before anything is touched."""

from __future__ import annotations

from collections.abc import Iterable

from graycard.experiment.load import tasks_of
from graycard.experiment.order import interleaved
from graycard.experiment.outlook import Expected
from graycard.model.experiment import Configuration, ExperimentPlan, ExperimentRecord
from graycard.plan.budget import ASSUMED_BYTES_PER_S
from graycard.readable import quantity
from graycard.units import format_duration, format_rate, format_size

SHOWN_TASKS_COUNT = 8


def describe(record: ExperimentRecord, expected: Iterable[Expected]) -> tuple[str, ...]:
    """Sentences: what is compared, each configuration with its bytes, the order, the time, what a person has to do."""
    known = tuple(expected)
    each = (_configuration(one) for one in known)
    found = (_what(record.plan), *_before(record, known), *each)
    if not any(one.is_measured for one in known):
        return found
    return (
        *found,
        _order(record),
        *_steps(known, record.plan.visit_count),
        _costs(known),
        _stays(known),
    )


def describe_failures(expected: Iterable[Expected]) -> tuple[str, ...]:
    """What cannot be measured here, and why; what must be there when a step is done. Each reason once."""
    known, reasons = tuple(expected), dict[str, list[str]]()
    for one in known:
        if one.why_not:
            reasons.setdefault(one.why_not, []).append(f"“{one.configuration.name}”")
    refused = tuple(f"{', '.join(names)} cannot be measured: {says}" for says, names in reasons.items())
    return (*refused, *(_not_there(one.configuration) for one in known if one.lacks_folder))


def _not_there(configuration: Configuration) -> str:
    return f"“{configuration.name}”: {configuration.folder} is not there yet; it must be when you have done the step"


def _what(plan: ExperimentPlan) -> str:
    labels = list(dict.fromkeys(task.label for task in tasks_of(plan)))
    named = ", ".join(labels[:SHOWN_TASKS_COUNT]) + (", …" if len(labels) > SHOWN_TASKS_COUNT else "")
    count = len(plan.configurations)
    return f"Compares {count} configurations, “{plan.name}”, by {plan.pair_count} runs of each task on each: {named}."


def _before(record: ExperimentRecord, expected: Iterable[Expected]) -> tuple[str, ...]:
    """That it goes on, where anything was measured before."""
    wanted = record.plan.pair_count * len(record.plan.configurations)
    done = wanted - sum(one.blocks_count for one in expected)
    return (f"Goes on with the experiment {record.id[:8]}: {done} of {wanted} turns are measured.",) if done else ()


def _configuration(one: Expected) -> str:
    name = f"“{one.configuration.name}”: {_kind(one.configuration)}"
    if one.why_not:
        return f"{name}; cannot be measured now."
    if not one.blocks_count:
        return f"{name}; all measured."
    image = f"{format_size(one.image_bytes)} for the image and " if one.image_bytes else ""
    return f"{name}; writes {image}at most {format_size(one.written_bytes)} in test files."


def _kind(configuration: Configuration) -> str:
    if configuration.image is None:
        return f"the folder {configuration.folder}" + (", after a step of yours" if configuration.step else "")
    image = configuration.image
    size = format_size(image.size_bytes)
    options = f", mounted with {','.join(image.mount_options)}" if image.mount_options else ""
    unit = f", clusters of {quantity(image.allocation_unit_bytes, 'bytes')}" if image.allocation_unit_bytes else ""
    shared = f"the volume of “{configuration.volume}”" if configuration.volume != configuration.name else ""
    return (shared or f"{image.file_system} of {size}{unit}, made in a file in {configuration.folder}") + options


def _order(record: ExperimentRecord) -> str:
    if not interleaved(record.plan):
        if record.plan.visit_count > 1:
            return (
                f"The configurations are visited {record.plan.visit_count} times in turns: alternating, but not "
                "randomised, and the comparison says so."
            )
        return "Each configuration is measured at a stretch: it is not randomised, and the comparison says so."
    return f"In random order, every second round mirrored (seed {record.seed})."


def _steps(expected: Iterable[Expected], visit_count: int) -> tuple[str, ...]:
    times = f", {visit_count} times in turns with the others," if visit_count > 1 else ""
    steps = (one.configuration.step for one in expected if one.configuration.step and one.blocks_count)
    return tuple(f"You will be asked{times} to do: {step.rstrip('.')}." for step in steps)


def _costs(expected: Iterable[Expected]) -> str:
    known = tuple(expected)
    written = sum(one.image_bytes + one.written_bytes for one in known)
    seconds = -(-sum(one.time_ns for one in known) // 10**9)
    time = f"{seconds} s" if seconds < 120 else format_duration(seconds * 1e9)
    rate = format_rate(ASSUMED_BYTES_PER_S)
    return f"Writes at most {format_size(written)} in all; takes about {time}, where the drive writes {rate} or more."


def _stays(expected: Iterable[Expected]) -> str:
    images = sum(one.image_bytes for one in expected)
    made = f"; its volumes take {format_size(images)} until it ends" if images else ""
    return (
        f"Nothing stays, and no existing volume is formatted{made}. It can be stopped at any moment and goes on later."
    )
