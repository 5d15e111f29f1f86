"""Unmounting an image and letting go of its loop devices: for certain, or with a problem that names who uses it."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass

from graycard.errors import RunProblem
from graycard.host.image_rules import failed
from graycard.host.linux.loops import detach, loops_over, node
from graycard.host.linux.mounts import Mount, read_mounts
from graycard.host.linux.roots import Roots, names_in, read_text
from graycard.host.programs import Outcome, Programs
from graycard.host.refusals import shown

_STEP_S = 0.1
_MOST_NAMED = 3
_NEXT = "then run graycard clean on its folder"


@dataclass(frozen=True, slots=True)
class Unmounting:
    """Tries again for `patience_s` while a volume is in use; never lazily, which would only hide it."""

    programs: Programs
    roots: Roots
    patience_s: float

    def unmount(self, path: str, mount_point: str) -> None:
        """What is mounted there, if it is the image, and all loop devices over it. RunProblem (phase "cleanup")."""
        end = time.monotonic() + self.patience_s
        while mount := self._topmost(path, mount_point):
            done = self.programs.run(("umount", "--internal-only", mount.point))
            if done.done:
                continue
            if time.monotonic() > end:
                raise self._in_use(mount, done)
            time.sleep(_STEP_S)
        for loop in loops_over(path, self.roots):
            left_s = max(_STEP_S, end - time.monotonic())
            if not detach(loop, path, self.programs, patience_s=left_s, roots=self.roots):
                raise self.held(path, loop.name)

    def held(self, path: str, loop: str) -> RunProblem:
        """The problem that a loop device still holds the image."""
        device = f"{self.roots.dev}/{loop}"
        points = [mount.point for mount in read_mounts(self.roots) if mount.source == device]
        why = f"it is also mounted at {shown(points[0])}" if points else f"another program holds {device} open"
        return failed(f"{shown(path)} could not be detached", why, f"end that, {_NEXT}", phase="cleanup")

    def _topmost(self, path: str, mount_point: str) -> Mount | None:
        """The image's mount at its place. RunProblem where something else is mounted over it."""
        mounts = [mount for mount in read_mounts(self.roots) if mount.point == mount_point]
        if not mounts:
            return None
        if mounts[-1].source not in {node(loop, self.roots) for loop in loops_over(path, self.roots)}:
            what = f"something else is mounted at {shown(mount_point)}"
            raise failed(what, shown(mounts[-1].source), f"unmount that, {_NEXT}", phase="cleanup")
        return mounts[-1]

    def _in_use(self, mount: Mount, done: Outcome) -> RunProblem:
        users = self._users_of(mount.point)
        why = f"used by {users}" if users else done.last_words
        return failed(f"{shown(mount.point)} could not be unmounted", why, f"end that, {_NEXT}", phase="cleanup")

    def _users_of(self, point: str) -> str:
        """The processes with an open file or their working folder below a mount, as "bash (4711), …"."""
        found = []
        for process in filter(str.isdigit, names_in(self.roots.proc)):
            folder = f"{self.roots.proc}/{process}"
            links = (f"{folder}/cwd", f"{folder}/root", *(f"{folder}/fd/{name}" for name in names_in(f"{folder}/fd")))
            if any(_leads_below(link, point) for link in links):
                found.append(f"{(read_text(f'{folder}/comm') or '?').strip()} ({process})")
        return ", ".join(found[:_MOST_NAMED])


def _leads_below(link: str, point: str) -> bool:
    try:
        place = os.readlink(link)
    except OSError:
        return False
    return place == point or place.startswith(point + "/")
