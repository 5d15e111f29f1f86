"""What is asked: which share, by which tool, in which direction, in how much time; what can be tried beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from graycard.errors import PlanProblem
from graycard.model import Action
from graycard.model.copying import CopyTask, Place, Scheme
from graycard.protocols import CopyMethod

MIB = 1 << 20
# Of a budget of time so much is for the copy that is judged; a swing of 7 s must come three times.
COPY_RATIO = 0.28
SHORT_RATIO = 0.045
# The usual tool of a protocol comes first, then what is nearest to it.
_USUAL = {
    Scheme.PATH: ("cp", "Finder", "Explorer", "graycard 1 MiB"),
    Scheme.SMB: ("smbclient", "rclone"),
    Scheme.SSH: ("scp", "sftp", "rsync"),
    Scheme.NFS: ("nfs-cp",),
}


@dataclass(frozen=True, slots=True)
class Asked:
    """All that was asked for and found possible. `others` are other ways to the same folder, each with its tool."""

    share: Place
    tool: CopyMethod
    action: Action
    into: str
    source: str | None = None
    size_bytes: int | None = None
    time_ns: int = 90_000_000_000
    others: tuple[tuple[Place, CopyMethod], ...] = ()
    server_folder: Place | None = None
    memory_folder: Place | None = None
    seed: int = 0
    confirms: bool = True

    @property
    def is_upload(self) -> bool:
        """Whether the copy writes at the share."""
        return self.action is Action.SEND

    @property
    def copy_ns(self) -> int:
        """The most that the judged copy takes."""
        return int(self.time_ns * COPY_RATIO)

    @property
    def short_ns(self) -> int:
        """The most that a copy for comparison takes."""
        return int(self.time_ns * SHORT_RATIO)


def tool_for(methods: Sequence[CopyMethod], place: Place, name: str | None) -> CopyMethod:
    """The tool of that name, or the usual one; PlanProblem where none works there."""
    by_name = {method.name.casefold(): method for method in methods}
    if name is not None:
        found = by_name.get(name.casefold())
        if found is None:
            raise PlanProblem(f"there is no copy tool “{name}”; there are {', '.join(each.name for each in methods)}")
        reason = found.refuses(_trial(place))
        if reason:
            raise PlanProblem(f"{found.name} cannot copy to {place.shown}: {reason}")
        return found
    usual = [by_name[each.casefold()] for each in _USUAL[place.scheme] if each.casefold() in by_name]
    reasons = [(method, method.refuses(_trial(place))) for method in usual]
    works = next((method for method, reason in reasons if not reason), None)
    if works is None:
        why = next((reason for _method, reason in reasons if reason), "no tool is known for it")
        raise PlanProblem(f"nothing here can copy to {place.shown}: {why}")
    return works


def _trial(place: Place) -> CopyTask:
    here = Place(Scheme.PATH, "/source")
    return CopyTask(here, place.below("copy"), is_folder=False, file_count=1, total_bytes=MIB, is_upload=True)
