"""Each method, place and direction that can be tried here, and why the others cannot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from graycard.copying.data import Data
from graycard.errors import PlanProblem
from graycard.model.copying import CopyTask, Place, Scheme
from graycard.protocols import CopyMethod

UP, DOWN = "up", "down"


@dataclass(frozen=True, slots=True)
class CopyArm:
    """One method to or from one place."""

    method: CopyMethod
    place: Place
    direction: str

    @property
    def is_upload(self) -> bool:
        """Whether it writes at the place."""
        return self.direction == UP

    @property
    def name(self) -> str:
        """The method, with its protocol where it may have several: "rsync over ssh"."""
        over = self.place.scheme is Scheme.SSH and self.method.name == "rsync"
        return f"{self.method.name} over ssh" if over else self.method.name


@dataclass(frozen=True, slots=True)
class Excluded:
    """A method that is not tried, and why."""

    name: str
    why: str


def arms_for(
    methods: Sequence[CopyMethod], places: Sequence[Place], data: Data, directions: Sequence[str], only: Sequence[str]
) -> tuple[tuple[CopyArm, ...], tuple[Excluded, ...]]:
    """What can be tried, and what not. `only` names the methods that are wanted; all without it.

    PlanProblem for a name that no method has, and where nothing can be tried.
    """
    wanted = _wanted(methods, only)
    arms = [
        CopyArm(method, place, direction)
        for method in wanted
        for place in places
        for direction in directions
        if not method.refuses(trial_task(place, data, direction))
    ]
    tried = {arm.method.name for arm in arms}
    left_out = tuple(Excluded(each.name, _why(each, places, data)) for each in wanted if each.name not in tried)
    if not arms:
        whys = "; ".join(f"{each.name}: {each.why}" for each in left_out[:3])
        raise PlanProblem(f"no method can copy this to that place ({whys})")
    return tuple(arms), left_out


def _wanted(methods: Sequence[CopyMethod], only: Sequence[str]) -> tuple[CopyMethod, ...]:
    if not only:
        return tuple(methods)
    by_name = {method.name.casefold(): method for method in methods}
    unknown = next((name for name in only if name.casefold() not in by_name), None)
    if unknown is not None:
        raise PlanProblem(f"there is no method “{unknown}”; there are {', '.join(method.name for method in methods)}")
    return tuple(dict.fromkeys(by_name[name.casefold()] for name in only))


def _why(method: CopyMethod, places: Sequence[Place], data: Data) -> str:
    return next(_reasons(method, places, data), "")


def _reasons(method: CopyMethod, places: Sequence[Place], data: Data) -> Iterator[str]:
    for place in places:
        reason = method.refuses(trial_task(place, data, UP))
        if reason:
            yield reason


def trial_task(place: Place, data: Data, direction: str) -> CopyTask:
    """The task as it would be, for asking whether a method can do it."""
    here = Place(Scheme.PATH, data.path)
    there = place.below("copy")
    source, destination = (here, there) if direction == UP else (there, here)
    up = direction == UP
    return CopyTask(source, destination, data.is_folder, data.file_count, data.total_bytes, is_upload=up)
