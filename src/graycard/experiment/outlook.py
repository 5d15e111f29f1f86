"""What an experiment costs, told before it starts: bytes, time, space, and what cannot be measured here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from graycard.errors import PlanProblem, TargetProblem
from graycard.experiment.load import slot_plan
from graycard.experiment.sitting import blocks_done, run_counts
from graycard.experiment.volumes import left_images_bytes
from graycard.experiment.words import in_plan_words
from graycard.model import Plan, Result, Target, TargetKind
from graycard.model.experiment import Configuration, ExperimentRecord
from graycard.model.image import Image
from graycard.plan import check_space, reserve_bytes, time_needed
from graycard.plan.budget import ASSUMED_BYTES_PER_S, layout_bytes, rounds_bytes
from graycard.protocols import Host, VolumeMaker
from graycard.units import format_size

# Formatting an image, and around each slot mounting, unmounting and the reading of all facts.
FORMAT_NS = 2_000_000_000
AROUND_SLOT_NS = 1_500_000_000


@dataclass(frozen=True, slots=True)
class Expected:
    """What is still to come of one configuration. `why_not` says why it cannot be measured, or is None.

    With `lacks_folder`, a person's step must bring its folder about; before that it need not be there.
    `image_bytes` is the image to be made (0 where another configuration's is shared), `written_bytes` the most that
    layout and runs write, `time_ns` the likely time, where the volume writes 100 MB/s or more.
    """

    configuration: Configuration
    blocks_count: int
    image_bytes: int
    written_bytes: int
    time_ns: int
    why_not: str | None = None
    lacks_folder: bool = False

    @property
    def is_measured(self) -> bool:
        """Whether there is anything left that can be measured."""
        return self.blocks_count > 0 and self.why_not is None


def expected(
    record: ExperimentRecord, results: Iterable[Result], host: Host, maker: VolumeMaker
) -> tuple[Expected, ...]:
    """For every configuration; raises PlanProblem where the images do not fit the place that they are to lie in."""
    counts, found, volumes = run_counts(results), [], set[str]()
    for configuration in record.plan.configurations:
        each = _expected(record, configuration, counts.get(configuration.name, ()), host, maker, volumes)
        if each.image_bytes and configuration.volume:
            volumes.add(configuration.volume)
        found.append(each)
    _check_images(found, record.id, host)
    return tuple(found)


def _expected(
    record: ExperimentRecord,
    configuration: Configuration,
    counts: Sequence[int],
    host: Host,
    maker: VolumeMaker,
    volumes: set[str],
) -> Expected:
    usual = slot_plan(record.plan, record.seed, Target(configuration.folder, TargetKind.FOLDER), (), 1)
    blocks_count = record.plan.pair_count - blocks_done(counts, len(usual.tasks))
    image = configuration.image
    image_bytes = image.size_bytes if image and blocks_count and configuration.volume not in volumes else 0
    slot_ns = time_needed(usual).likely_ns + AROUND_SLOT_NS
    image_ns = int(image_bytes * 1e9 / ASSUMED_BYTES_PER_S) + FORMAT_NS if image_bytes else 0
    why_not = _why_not(record, configuration, usual, host, maker) if blocks_count else None
    if why_not is not None:
        return Expected(configuration, blocks_count, 0, 0, 0, why_not)
    written = blocks_count * rounds_bytes(usual, 1)
    lacks_folder = bool(blocks_count and configuration.step and not _is_there(configuration.folder, host))
    time_ns = blocks_count * slot_ns + image_ns
    return Expected(configuration, blocks_count, image_bytes, written, time_ns, lacks_folder=lacks_folder)


def _why_not(
    record: ExperimentRecord, configuration: Configuration, usual: Plan, host: Host, maker: VolumeMaker
) -> str | None:
    """What can be known beforehand. What a person brings about later is not judged now."""
    if configuration.step is not None:
        return None
    try:
        target = host.resolve(configuration.folder)
        volume = host.volume(target)
        if volume.why_not:
            return in_plan_words(f"{target.shown}: {volume.why_not}")
        if configuration.image:
            return maker.refuses(configuration.image) or _too_small(configuration.image, usual)
        facts = host.facts(target)
        check_space(slot_plan(record.plan, record.seed, target, facts, 1), facts)
    except (PlanProblem, TargetProblem) as problem:
        return in_plan_words(str(problem))
    return None


def _is_there(folder: str, host: Host) -> bool:
    try:
        host.resolve(folder)
    except TargetProblem:
        return False
    return True


def _too_small(image: Image, usual: Plan) -> str | None:
    needed = layout_bytes(usual) + reserve_bytes(image.size_bytes)
    if needed <= image.size_bytes:
        return None
    return (
        f"a volume of {format_size(image.size_bytes)} is too small for test files of "
        f"{format_size(layout_bytes(usual))} and the reserve; make the image larger or the size smaller"
    )


def _check_images(found: Iterable[Expected], experiment_id: str, host: Host) -> None:
    """All images lie on their drive at once; PlanProblem if they would not leave its reserve free."""
    by_folder: dict[str, int] = {}
    for each in found:
        if each.image_bytes:
            place = host.resolve(each.configuration.folder).path
            by_folder[place] = by_folder.get(place, 0) + each.image_bytes
    for folder, image_bytes in by_folder.items():
        target = Target(folder, TargetKind.FOLDER)
        volume = host.volume(target)
        needed = image_bytes - (left_images_bytes(folder, experiment_id) or 0)
        reserve = reserve_bytes(volume.size_bytes)
        if volume.free_bytes is not None and needed + reserve > volume.free_bytes:
            raise PlanProblem(
                f"Not enough space in {target.shown}: the images need {format_size(needed)}, free are "
                f"{format_size(volume.free_bytes)}, of which {format_size(reserve)} are kept in reserve; "
                "make the images smaller, or make room."
            )
