"""The folder of an experiment's images: made below the target, kept while the experiment lasts, then removed."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager
from types import TracebackType

from graycard.errors import PlanProblem, Problem
from graycard.model.image import Image
from graycard.plan import reserve_bytes
from graycard.protocols import OnWritten, VolumeMaker
from graycard.scratch import images
from graycard.scratch.adoption import adopted, begun
from graycard.scratch.leftover import opened
from graycard.scratch.names import image_file, mount_folder, volume_word
from graycard.scratch.place import OpenFolder
from graycard.scratch.trouble import cannot_clean, cannot_prepare, shown
from graycard.units import format_size


class ImageFolder(AbstractContextManager["ImageFolder"]):
    """`with ImageFolder(folder, maker, experiment_id) as made`: a folder `.graycard-<id>` below the real path `folder`.

    The images stay from one process to the next until the experiment is finished:

        with ImageFolder(folder, maker, experiment_id) as made:
            for name, image in slots:
                with made.mounted(name, image) as mount_point:   # made the first time, mounted each time
                    measure(mount_point)
            made.finish()                                        # only when nothing is left to measure

    - Entering takes over the folder that an earlier process made for the same experiment, unmounts what that one may
      have left mounted, and keeps its finished images; `adopted` tells so. Else it makes a new folder. TargetProblem
      where the experiment already runs in another process, or nothing may be written here.
    - Leaving unmounts everything, whatever happened. After `finish` it also removes the images and the folder; without
      it they stay, and belong to nobody as soon as this process has ended: the next process with this experiment's id
      takes them over, and `graycard clean` (`clean(folder, maker)`) removes them. No image holds anything that could be
      lost: `mounted` makes a missing one anew.
    - After kill -9 the same holds: the next one to enter, or `clean`, unmounts, detaches and goes on from there.

    The proof is that of `Scratch`: the marker names process, boot time, machine and user; a folder that holds anything
    else, or belongs to another machine or user, is never touched.
    """

    def __init__(self, folder: str, maker: VolumeMaker, experiment_id: str) -> None:
        self.adopted = False
        self.path = ""
        self._target = folder
        self._maker = maker
        self._experiment_id = experiment_id
        self._parent: OpenFolder | None = None
        self._inner: OpenFolder | None = None
        self._finished = False

    def finish(self) -> None:
        """The images are no longer needed: leaving removes them with the folder."""
        self._finished = True

    def make(self, name: str, image: Image, on_written: OnWritten | None = None) -> None:
        """Make the image for that name unless it is there already; TargetProblem, PlanProblem, RunProblem.

        An image that a killed process left half made is removed first. What `on_written` raises stops the making.
        """
        inner, word = self._open(), volume_word(name)
        finished = image_file(word, self._maker.suffix)
        unfinished = image_file(word, self._maker.suffix, finished=False)
        if finished in inner.names():
            return
        inner.remove_file(unfinished)
        self._check_room(image)
        self._maker.make(image, os.path.join(self.path, unfinished), on_written)
        os.rename(os.path.join(self.path, unfinished), os.path.join(self.path, finished))

    @contextlib.contextmanager
    def mounted(self, name: str, image: Image, on_written: OnWritten | None = None) -> Iterator[str]:
        """The volume of that name, made if need be and mounted; gives the folder that it is mounted at.

        A volume that cannot be unmounted is told: by RunProblem, or as a note on the error that is under way.
        """
        self.make(name, image, on_written)
        path, point = self._places(name)
        if os.path.basename(point) not in self._open().names():
            self._open().make_folder(os.path.basename(point))
        self._maker.unmount(path, point)
        self._maker.mount(image, path, point)
        try:
            yield point
        except BaseException as error:
            with _noted(error):
                self._maker.unmount(path, point)
            raise
        self._maker.unmount(path, point)

    def discard(self, name: str) -> None:
        """Unmount and remove the image of that name, as after a configuration that failed; RunProblem."""
        path, point = self._places(name)
        self._maker.unmount(path, point)
        self._open().remove_folder(os.path.basename(point))
        self._maker.remove(path)

    def __enter__(self) -> ImageFolder:
        self._parent = opened(self._target)
        try:
            self._inner = adopted(self._parent, self._maker, self._experiment_id)
            self.adopted = self._inner is not None
            self._inner = self._inner or begun(self._parent, self._experiment_id)
            self.path = self._inner.path
            images.release(self._inner, self._maker)
        except OSError as error:
            self._close()
            raise cannot_prepare(error, self._target) from error
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None:
                self._leave()
                return
            with _noted(error):
                self._leave()
        finally:
            self._close()

    def _open(self) -> OpenFolder:
        if self._inner is None:
            raise RuntimeError("ImageFolder is used outside its with block")
        return self._inner

    def _places(self, name: str) -> tuple[str, str]:
        """Where the image of that name lies, and where it is mounted."""
        word = volume_word(name)
        names = image_file(word, self._maker.suffix), mount_folder(word)
        return os.path.join(self.path, names[0]), os.path.join(self.path, names[1])

    def _check_room(self, image: Image) -> None:
        room = shutil.disk_usage(self.path)
        reserve = reserve_bytes(room.total)
        if image.size_bytes + reserve > room.free:
            raise PlanProblem(
                f"{shown(self._target)} has {format_size(room.free)} free, too little for an image of "
                f"{format_size(image.size_bytes)} and {format_size(reserve)} that stay free; choose a smaller image"
            )

    def _leave(self) -> None:
        """Unmount all; remove all if the experiment is finished."""
        if self._parent is None or self._inner is None:
            return
        try:
            if not self._finished:
                images.release(self._inner, self._maker)
                return
            images.empty(self._inner, self._maker)
            self._parent.remove_folder(os.path.basename(self.path))
        except OSError as error:
            raise cannot_clean(self.path, error.strerror or str(error), error.errno) from error

    def _close(self) -> None:
        for folder in (self._inner, self._parent):
            if folder is not None:
                folder.close()


@contextlib.contextmanager
def _noted(error: BaseException) -> Iterator[None]:
    """What fails inside becomes a note on the error that is under way."""
    try:
        yield
    except Problem as problem:
        error.add_note(str(problem))
