"""Loop devices over image files: attached for direct I/O, found by their file, detached for certain."""

from __future__ import annotations

import os
import time

from graycard.errors import TargetProblem
from graycard.host.image_rules import failed
from graycard.host.linux.block import Device, backing_file, loop_direct_io
from graycard.host.linux.roots import HERE, Roots, names_in
from graycard.host.programs import Programs
from graycard.host.refusals import shown

# The kernel adds this to the name of a file that was removed while it was attached.
_DELETED = " (deleted)"
_MOMENT_S = 2.0


def loops_over(path: str, roots: Roots = HERE) -> tuple[Device, ...]:
    """The loop devices behind which the file of that real path stands."""
    folder = f"{roots.sys}/block"
    loops = (Device(name, f"{folder}/{name}") for name in names_in(folder) if name.startswith("loop"))
    return tuple(loop for loop in loops if backing_file(loop) in (path, path + _DELETED))


def node(loop: Device, roots: Roots = HERE) -> str:
    """The device's file."""
    return f"{roots.dev}/{loop.name}"


def attach(path: str, programs: Programs, roots: Roots = HERE) -> Device:
    """A new loop device that reads and writes the image directly.

    TargetProblem where the file system below allows no direct I/O; RunProblem.
    """
    done = programs.run(("losetup", "--direct-io=on", "--find", "--show", path))
    name = os.path.basename(done.output.decode("ascii", "replace").strip())
    loop = Device(name, f"{roots.sys}/block/{name}")
    if done.done and loop_direct_io(loop):
        return loop
    for each in loops_over(path, roots):
        detach(each, path, programs, patience_s=_MOMENT_S, roots=roots)
    if done.done or not _direct_io_at(path):
        raise TargetProblem(
            f"the volume of {shown(path)} allows no direct I/O, so an image there would measure memory instead of a "
            "drive; choose a folder on a drive"
        )
    raise failed(f"{shown(path)} could not be attached to a loop device", done.last_words, "try it once more")


def detach(loop: Device, path: str, programs: Programs, *, patience_s: float, roots: Roots = HERE) -> bool:
    """Whether the device no longer holds the image: losetup answers at once, and the last user lets go of it later."""
    end = time.monotonic() + patience_s
    programs.run(("losetup", "--detach", node(loop, roots)))
    while any(each.name == loop.name for each in loops_over(path, roots)):
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def _direct_io_at(path: str) -> bool:
    """Whether the file can be opened for direct I/O."""
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_DIRECT | os.O_NOFOLLOW))
    except OSError:
        return False
    return True
