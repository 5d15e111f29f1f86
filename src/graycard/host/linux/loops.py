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


def loops_over(path: str, roots: Roots = HERE) -> tuple[Device, ...]:
    """The loop devices behind which the file of that real path stands."""
    folder = f"{roots.sys}/block"
    loops = (Device(name, f"{folder}/{name}") for name in names_in(folder) if name.startswith("loop"))
    return tuple(loop for loop in loops if backing_file(loop) in (path, path + _DELETED))


def node(loop: Device, roots: Roots = HERE) -> str:
    """The device's file."""
    return f"{roots.dev}/{loop.name}"


def attach(path: str, programs: Programs, *, discards: bool, roots: Roots = HERE) -> Device:
    """A new loop device that reads and writes the image directly.

    It drops discards unless they are asked for: each would punch a hole into the image, which was written whole.
    TargetProblem where the file system below allows no direct I/O; RunProblem.
    """
    done = programs.run(("losetup", "--direct-io=on", "--find", "--show", path))
    found = done.output.decode("utf-8", "surrogateescape").strip()
    loop = Device(os.path.basename(found), f"{roots.sys}/block/{os.path.basename(found)}") if found else None
    if not done.done or loop is None or not loop_direct_io(loop):
        for each in loops_over(path, roots):
            detach(each, path, programs, patience_s=2.0, roots=roots)
        if loop is None:
            raise failed(f"{shown(path)} could not be attached to a loop device", done.last_words, "try it once more")
        raise TargetProblem(
            f"the volume of {shown(path)} gives a loop device no direct I/O, so memory would be measured instead of a "
            "drive; choose a folder on a drive"
        )
    if not discards:
        _drop_discards(loop)
    return loop


def detach(loop: Device, path: str, programs: Programs, *, patience_s: float, roots: Roots = HERE) -> bool:
    """Whether the device no longer holds the image: losetup answers at once, and the last user lets go of it later."""
    end = time.monotonic() + patience_s
    programs.run(("losetup", "--detach", node(loop, roots)))
    while any(each.name == loop.name for each in loops_over(path, roots)):
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def _drop_discards(loop: Device) -> None:
    """Where /sys is read-only the image may get holes: the facts of the measured file show that."""
    try:
        with open(f"{loop.folder}/queue/discard_max_bytes", "w", encoding="ascii") as file:
            file.write("0")
    except OSError:
        return
