"""What lies in a folder of images, how it is taken over, and how it is emptied; see `image_folder`.

A folder of images outlives the process that made it, so its owner changes: each new owner adds the next marker
(owner-2.json, …), and the one with the highest number counts. A marker is made exclusively, so of two processes that
find the same dead owner only one becomes the next.
"""

from __future__ import annotations

import errno
import os
import stat

from graycard.protocols import VolumeMaker
from graycard.scratch.names import image_word, marker_name, marker_number, mount_word
from graycard.scratch.owner import Owner, State, decode, encode, state, this_owner
from graycard.scratch.place import OpenFolder

MOST_MARKER_BYTES = 65536


def newest_owner(inner: OpenFolder, names: list[str], folder_id: str) -> Owner | None:
    """The owner that the newest marker names; None where that is no valid marker of this folder."""
    numbers = [number for number in map(marker_number, names) if number is not None]
    content = inner.read(marker_name(max(numbers)), MOST_MARKER_BYTES) if numbers else None
    return decode(content, folder_id) if content else None


def take_over(inner: OpenFolder, folder_id: str) -> None:
    """Become the owner of a folder whose last one is dead; FileExistsError if another process was faster."""
    names = inner.names()
    last = newest_owner(inner, names, folder_id)
    if last is None or state(last) is not State.DEAD:
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), inner.path)
    number = 1 + max(number for number in map(marker_number, names) if number is not None)
    inner.create(marker_name(number), encode(this_owner(folder_id, last.folder_user, last.experiment_id)))


def is_part(inner: OpenFolder, name: str) -> bool:
    """Whether graycard makes such things in a folder of images.

    Nothing that may be mounted on a mount folder is looked at: that could fail, or never return.
    """
    if mount_word(name) is not None:
        return inner.is_folder(name)
    known = marker_number(name) is not None or image_word(name) is not None
    return known and stat.S_ISREG(inner.info(name).st_mode)


def release(inner: OpenFolder, maker: VolumeMaker) -> None:
    """Unmount and detach all images; Problem for one that is in use."""
    names = inner.names()
    mounts = {word: name for name in names if (word := mount_word(name)) is not None}
    for name in names:
        word = image_word(name)
        if word is not None and word in mounts:
            maker.unmount(os.path.join(inner.path, name), os.path.join(inner.path, mounts[word]))


def empty(inner: OpenFolder, maker: VolumeMaker) -> None:
    """Unmount and remove all; Problem, or OSError where something else lies in a mount folder.

    The newest marker goes last: a stop in between leaves a folder that still proves its owner.
    """
    release(inner, maker)
    names = inner.names()
    for name in names:
        if mount_word(name) is not None:
            inner.remove_folder(name)
    for name in names:
        if image_word(name) is not None:
            inner.remove_file(name)
    for number in sorted(number for name in names if (number := marker_number(name)) is not None):
        inner.remove_file(marker_name(number))
