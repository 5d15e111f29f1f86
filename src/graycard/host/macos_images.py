"""macOS: volumes in disk images, by hdiutil(1). No root is needed, and no device is ever named to a formatting program.

hdiutil leaves what it has not written as holes where the volume is APFS; they are filled with zeros, as they read, so
that the first write to each place costs what later ones do.
"""

from __future__ import annotations

import os
import plistlib
import re
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from xml.parsers.expat import ExpatError

from graycard.errors import PlanProblem
from graycard.host.image_file import fill_holes
from graycard.host.image_rules import FAT32, MIB, Limits, failed, no_options, refused_shape
from graycard.host.macos_calls import OPEN_FLAGS, SEEK_DATA, SEEK_HOLE
from graycard.host.programs import Programs, SystemPrograms
from graycard.host.refusals import failed as io_failed
from graycard.host.refusals import shown
from graycard.model.image import Image
from graycard.protocols import OnWritten

PATIENCE_S = 15.0
_STEP_S = 0.5
_SECTOR_BYTES = 512
_NEXT = "close what uses it, then run graycard clean on its folder"


@dataclass(frozen=True, slots=True)
class Format:
    """`name` is what `hdiutil create -fs` calls it; `unit` the option of its newfs program, in bytes, or None."""

    limits: Limits
    name: str
    unit: str | None


FORMATS: dict[str, Format] = {
    "APFS": Format(Limits(16 * MIB, 4096, 4096), "APFS", None),  # its blocks are 4096 bytes
    "HFS+": Format(Limits(16 * MIB, 512, 64 << 10), "Journaled HFS+", "-b"),  # newfs_hfs(8)
    "exFAT": Format(Limits(16 * MIB, 512, 32 << 20), "ExFAT", "-b"),  # newfs_exfat(8): bytes per cluster
    "FAT32": Format(FAT32, "MS-DOS FAT32", "-b"),  # newfs_msdos(8): block size, bytes per cluster
}


@dataclass(frozen=True, slots=True)
class MacVolumes:
    """Implements `protocols.VolumeMaker`."""

    programs: Programs = field(default_factory=SystemPrograms)
    patience_s: float = PATIENCE_S

    @property
    def name(self) -> str:
        """The platform's name."""
        return "macos"

    @property
    def suffix(self) -> str:
        """Without this ending hdiutil adds it."""
        return ".dmg"

    @property
    def file_systems(self) -> tuple[str, ...]:
        """What hdiutil makes."""
        return tuple(FORMATS)

    def refuses(self, image: Image) -> str | None:
        """Wrong size or unit, any option, no hdiutil."""
        known = FORMATS.get(image.file_system)
        shape = refused_shape(image, known.limits if known else None, self.file_systems)
        if shape is not None:
            return shape
        if self.programs.find("hdiutil") is None:
            return "hdiutil is not on the PATH, which makes images; add /usr/bin to the PATH"
        return no_options(image, "macOS")

    def driver(self, image: Image) -> str | None:
        """The system's own, whether it runs in the kernel or (exFAT and FAT since macOS 13) beside it."""
        return "system" if image.file_system in FORMATS else None

    def make(self, image: Image, path: str, on_written: OnWritten | None = None) -> None:
        """A new image with one volume. FileExistsError, PlanProblem, RunProblem."""
        refused = self.refuses(image)
        if refused is not None:
            raise PlanProblem(refused)
        if os.path.lexists(path):
            raise FileExistsError(path)
        try:
            done = self.programs.run(create_command(image, path))
            if not done.done:
                what = f"hdiutil could not make {image.file_system} in {shown(path)}"
                raise failed(what, done.last_words, "check size, allocation unit and free space")
            _fill(path, on_written)
        except BaseException:
            with suppress(OSError):
                os.unlink(path)
            raise

    def mount(self, image: Image, path: str, mount_point: str) -> None:
        """Attach it there, hidden from the Finder. RunProblem."""
        done = self.programs.run(attach_command(path, mount_point))
        place = os.path.realpath(mount_point)
        if done.done and place in map(os.path.realpath, mount_points(_plist(done.output))):
            return
        self.unmount(path, mount_point)
        words = done.last_words if not done.done else "the volume appeared somewhere else"
        raise failed(f"{image.file_system} could not be mounted at {shown(mount_point)}", words, "try it once more")

    def unmount(self, path: str, mount_point: str) -> None:
        """Detach the image, never by force. RunProblem (phase "cleanup") where it is in use."""
        end = time.monotonic() + self.patience_s
        while (device := self._device(path)) is not None:
            done = self.programs.run(("hdiutil", "detach", device))
            if done.done:
                continue
            if time.monotonic() > end:
                what = f"{shown(mount_point)} could not be unmounted"
                raise failed(what, done.last_words, _NEXT, phase="cleanup")
            time.sleep(_STEP_S)

    def remove(self, path: str) -> None:
        """Remove the image. RunProblem where it is attached, or cannot be removed."""
        device = self._device(path)
        if device is not None:
            raise failed(f"{shown(path)} is still attached", device, _NEXT, phase="cleanup")
        try:
            os.unlink(path)
        except FileNotFoundError:
            return
        except OSError as error:
            raise io_failed(error, path, "removing") from error

    def _device(self, path: str) -> str | None:
        """The device that the image is attached as. RunProblem where hdiutil does not tell."""
        done = self.programs.run(("hdiutil", "info", "-plist"))
        found = _plist(done.output) if done.done else None
        if found is None:
            raise failed("hdiutil does not tell which images are attached", done.last_words, _NEXT, phase="cleanup")
        return device_of(found, os.path.realpath(path))


def create_command(image: Image, path: str) -> tuple[str, ...]:
    """The command that makes the image; hdiutil never overwrites without -ov."""
    known, unit = FORMATS[image.file_system], image.allocation_unit_bytes
    arguments = ("-fsargs", f"{known.unit} {unit}") if known.unit and unit is not None else ()
    size = str(image.size_bytes // _SECTOR_BYTES)
    volume = ("-fs", known.name, "-volname", "graycard", *arguments)
    return ("hdiutil", "create", "-plist", "-type", "UDIF", "-sectors", size, *volume, path)


def attach_command(path: str, mount_point: str) -> tuple[str, ...]:
    """The command that mounts it, without a check of the whole image and without opening a window."""
    quiet = ("-nobrowse", "-noautoopen", "-noverify", "-owners", "on")
    return ("hdiutil", "attach", "-plist", *quiet, "-mountpoint", mount_point, path)


def mount_points(answer: Mapping[str, object] | None) -> tuple[str, ...]:
    """Where the volumes of `hdiutil attach -plist` are mounted."""
    points = (entity.get("mount-point") for entity in _rows(answer or {}, "system-entities"))
    return tuple(point for point in points if isinstance(point, str))


def device_of(answer: Mapping[str, object], path: str) -> str | None:
    """The whole disk that `hdiutil info -plist` names for an image; None where it is not attached.

    An APFS image has two: its own, which goes first, and the one that the container shows.
    """
    for image in _rows(answer, "images"):
        place = image.get("image-path")
        if isinstance(place, str) and os.path.realpath(place) == path:
            entries = [entity.get("dev-entry") for entity in _rows(image, "system-entities")]
            disks = [
                found for each in entries if isinstance(each, str) and (found := re.match(r"/dev/disk(\d+)", each))
            ]
            return min(disks, key=lambda found: int(found[1]))[0] if disks else None
    return None


def _rows(answer: Mapping[str, object], key: str) -> Sequence[Mapping[str, object]]:
    found = answer.get(key)
    return [row for row in found if isinstance(row, Mapping)] if isinstance(found, Sequence) else []


def _plist(output: bytes) -> Mapping[str, object] | None:
    try:
        found = plistlib.loads(output)
    except (plistlib.InvalidFileException, ExpatError, ValueError):
        return None
    return found if isinstance(found, Mapping) else None


def _fill(path: str, on_written: OnWritten | None) -> None:
    try:
        handle = os.open(path, os.O_RDWR | OPEN_FLAGS)
        try:
            fill_holes(handle, on_written, SEEK_HOLE, SEEK_DATA)
        finally:
            os.close(handle)
    except OSError as error:
        raise io_failed(error, path, "write") from error
