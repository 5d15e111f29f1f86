"""The run's own folders: where copies go, one folder at each place, all removed at the end."""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field

from graycard.copying.course import download, upload
from graycard.copying.data import Data
from graycard.copying.grounds import FarGround, far_ground
from graycard.copying.removal import Removals
from graycard.errors import Problem
from graycard.model.copying import CopyTask, Place, Scheme
from graycard.scratch import Elsewhere

REFERENCE = "reference"
OnMade = Callable[[Elsewhere], None]


@dataclass(slots=True)
class Ground:
    """`back` is the folder of this computer for what comes back; `opened` removes everything when it closes.

    `server` is the folder of the share as its server knows it; `on_made` is told of each folder that was made.
    """

    share: Place
    data: Data
    back: str
    is_upload: bool
    opened: contextlib.ExitStack
    removals: Removals
    on_made: OnMade
    server: Place | None = None
    _folders: dict[str, FarGround] = field(default_factory=dict)
    _numbers: itertools.count[int] = field(default_factory=itertools.count)

    def task(self, place: Place) -> CopyTask:
        """A copy to, or from, that place under a name that nobody has. TargetProblem where no folder can be made."""
        there = self._folder(place).tree
        name = f"copy-{next(self._numbers):03d}"
        if self.is_upload:
            return upload(place, self.data, there, name)
        return download(place, self.data, there, REFERENCE, os.path.join(self.back, name))

    def reference(self, place: Place) -> CopyTask:
        """A first copy there, for those that read it back."""
        return upload(place, self.data, self._folder(place).tree, REFERENCE)

    def tidy(self, place: Place, task: CopyTask) -> None:
        """Remove what a copy made, so that the next one finds the same space."""
        if task.is_upload:
            with contextlib.suppress(Problem):
                self._folder(place).remove(task.destination.path.rstrip("/").rsplit("/", 1)[-1], self._home(place))
        elif os.path.isdir(task.destination.path):
            shutil.rmtree(task.destination.path, ignore_errors=True)
        else:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(task.destination.path)

    def _folder(self, place: Place) -> FarGround:
        home = self._home(place)
        if home.shown not in self._folders:
            self._folders[home.shown] = self.opened.enter_context(far_ground(home, self.removals))
            self.on_made(self._folders[home.shown].names)
        return self._folders[home.shown]

    def _home(self, place: Place) -> Place:
        """Where the folder is made: NFS without a mount makes none, so the server does, or else the share.

        A mount may not see what came by another way until its cache of names is old, and could not remove it.
        """
        return (self.server or self.share) if place.scheme is Scheme.NFS else place
