"""What is refused before anything is written: places that overlap, names that are taken, too little room."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import groupby

from graycard.errors import PlanProblem, TargetProblem
from graycard.facts import number
from graycard.host.refusals import for_writers
from graycard.model import Target, TargetKind
from graycard.offload.job import Job, Place
from graycard.scratch import leftovers
from graycard.units import format_size

USUAL_UNIT_BYTES = 4096
MOST_DESTINATIONS_COUNT = 3


def refuse(job: Job) -> None:
    """PlanProblem or TargetProblem for a job that cannot be carried out."""
    _check_places(job)
    _check_room(job)


def folder_of(job: Job, place: Place) -> str:
    """The folder that the copy gets at a destination."""
    return os.path.join(place.target.path, job.name)


def _check_places(job: Job) -> None:
    seen: list[str] = []
    for place in job.destinations:
        target, path = place.target, place.target.path
        if target.kind is TargetKind.FILE:
            raise TargetProblem(f"{target.shown} is a file; name a folder to copy into")
        if any(os.path.samefile(path, other) for other in seen):
            raise PlanProblem(f"{target.shown} is named twice as a destination; name each one once")
        seen.append(path)
        if place.volume.why_not:
            raise TargetProblem(f"{target.shown} cannot be copied to: {for_writers(place.volume.why_not)}")
        if job.card is None:
            _check_against_source(job, place)


def _check_against_source(job: Job, place: Place) -> None:
    source, folder = job.source.target, folder_of(job, place)
    shown = Target(folder, TargetKind.FOLDER).shown
    if _is_inside(place.target.path, source.path):
        raise PlanProblem(f"{place.target.shown} lies in the source {source.shown}; copy to another place")
    if os.path.exists(folder) and os.path.samefile(folder, source.path):
        raise PlanProblem(f"{shown} is the source itself; copy to another place, or choose another --name")
    if os.path.lexists(folder) and not job.resumes:
        raise PlanProblem(
            f"{shown} is there already, and nothing is ever overwritten; choose another --name, "
            "or go on with an interrupted copy by --resume"
        )
    if os.path.lexists(folder) and (os.path.islink(folder) or not os.path.isdir(folder)):
        raise PlanProblem(f"{shown} is no folder, so it cannot be resumed; choose another --name")


def _is_inside(path: str, root: str) -> bool:
    return os.path.commonpath([path, root]) == root


def _check_room(job: Job) -> None:
    """The copies that share a volume need their space together."""
    for place in job.destinations:
        _check_file_size(job, place)
    by_volume = sorted(_takers(job), key=lambda each: each[0].volume.mount_point)
    for _, group in groupby(by_volume, key=lambda each: each[0].volume.mount_point):
        _check_volume(tuple(group))


def _takers(job: Job) -> Iterator[tuple[Place, int]]:
    """The places with the bytes that are written there."""
    for place in job.destinations:
        unit = int(number(place.facts, "allocation_unit_bytes") or USUAL_UNIT_BYTES)
        yield place, job.census.taken_bytes(unit) - _there_bytes(job, place)
    if job.card is not None:
        yield job.source, job.census.taken_bytes(USUAL_UNIT_BYTES)


def _there_bytes(job: Job, place: Place) -> int:
    """Bytes that an interrupted copy has written already."""
    total = 0
    for folder, _, names in os.walk(folder_of(job, place)) if job.resumes else ():
        total += sum(os.lstat(os.path.join(folder, name)).st_size for name in names)
    return total


def _check_volume(takers: Sequence[tuple[Place, int]]) -> None:
    place = takers[0][0]
    needed = sum(taken for _, taken in takers)
    for name, what in (("free_bytes", "free"), ("quota_free_bytes", "left of the quota")):
        there = number(place.facts, name)
        if there is not None and needed > there:
            raise PlanProblem(
                f"Not enough space in {place.target.shown}: needed {format_size(needed)}, {what} "
                f"{format_size(there)}; {_freed(takers)}make room or choose another destination"
            )


def _freed(takers: Sequence[tuple[Place, int]]) -> str:
    """How to remove what killed runs have left there."""
    for target in (place.target for place, _ in takers):
        left_bytes = sum(each.size_bytes for each in leftovers(target.path) if each.why_kept is None)
        if left_bytes:
            return f"graycard clean {target.shown} frees {format_size(left_bytes)} that a killed run left; "
    return ""


def _check_file_size(job: Job, place: Place) -> None:
    limit = number(place.facts, "file_size_limit_bytes")
    if limit is not None and job.census.largest_bytes > limit:
        largest = Target(job.census.largest_path, TargetKind.FILE).shown
        raise PlanProblem(
            f"{largest} has {format_size(job.census.largest_bytes)}, more than a file may have in {place.target.shown} "
            f"({format_size(limit)}, by the file system or ulimit -f); choose another destination"
        )
