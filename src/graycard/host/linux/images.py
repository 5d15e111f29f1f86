"""Linux: volumes in image files, on loop devices with direct I/O, by the kernel's driver or else a FUSE program."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, field

from graycard.errors import PlanProblem
from graycard.host.image_file import write_whole
from graycard.host.image_rules import failed, refused_format_options, refused_mount_options, refused_shape
from graycard.host.linux.descriptors import create_new
from graycard.host.linux.direct import direct_align_bytes
from graycard.host.linux.image_formats import FORMATS, SECTOR_BYTES
from graycard.host.linux.image_support import Support
from graycard.host.linux.image_unmount import Unmounting
from graycard.host.linux.inode_flags import NOCOW, set_flag
from graycard.host.linux.loops import attach, detach, loops_over, node
from graycard.host.linux.roots import HERE, Roots
from graycard.host.programs import Programs, SystemPrograms
from graycard.host.refusals import failed as io_failed
from graycard.host.refusals import shown
from graycard.model.image import Image
from graycard.protocols import OnWritten

# An indexer or a FUSE server lets go within moments; whoever holds a volume longer than this works on it.
PATIENCE_S = 10.0
_LARGE_SECTOR_BYTES = 4096
# What an image holds is data, never a program to trust.
_SAFE = ("nosuid", "nodev")


@dataclass(frozen=True, slots=True)
class LinuxVolumes:
    """Implements `protocols.VolumeMaker`. Images are formatted as plain files; only mounting needs root."""

    programs: Programs = field(default_factory=SystemPrograms)
    roots: Roots = HERE
    patience_s: float = PATIENCE_S

    @property
    def name(self) -> str:
        """The platform's name."""
        return "linux"

    @property
    def suffix(self) -> str:
        """How image files are named."""
        return ".img"

    @property
    def file_systems(self) -> tuple[str, ...]:
        """Those with a program that makes them."""
        return tuple(FORMATS)

    def refuses(self, image: Image) -> str | None:
        """Wrong size, unit or option; a missing program or driver; no right to mount."""
        known = FORMATS.get(image.file_system)
        shape = refused_shape(image, known.limits if known else None, self.file_systems)
        if known is None or shape is not None:
            return shape
        return (
            refused_format_options(image, known.program, known.valued, known.bare)
            or refused_mount_options(image)
            or Support(self.programs, self.roots).missing(image.file_system, known)
        )

    def driver(self, image: Image) -> str | None:
        """The kernel, or a FUSE program by its name."""
        known = FORMATS.get(image.file_system)
        return Support(self.programs, self.roots).driver(known) if known else None

    def make(self, image: Image, path: str, on_written: OnWritten | None = None) -> None:
        """A new file, written whole and formatted. FileExistsError, PlanProblem, TargetProblem, RunProblem."""
        self._must_accept(image)
        handle = create_new(path, direct=False, nocow=False)
        try:
            self._must_fit(image, _sector_bytes(handle))
            # A host file system that copies on write (btrfs) would move the image about with each write in it.
            set_flag(handle, NOCOW)
            write_whole(handle, image.size_bytes, on_written)
            self._format(image, handle)
            os.fsync(handle)
            os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
        except BaseException as error:
            with suppress(OSError):
                os.unlink(path)
            if isinstance(error, OSError):
                raise io_failed(error, path, "write") from error
            raise
        finally:
            os.close(handle)

    def mount(self, image: Image, path: str, mount_point: str) -> None:
        """Attach and mount. PlanProblem, TargetProblem, RunProblem."""
        self._must_accept(image)
        driver = self.driver(image)
        loop = attach(_real(path), self.programs, self.roots)
        kernel = ("mount", "--internal-only", "-t", FORMATS[image.file_system].kernel_type)
        command = kernel if driver == "kernel" else (str(driver),)
        options = ",".join((*_SAFE, *FORMATS[image.file_system].mount_options, *image.mount_options))
        done = self.programs.run((*command, "-o", options, node(loop, self.roots), mount_point))
        if not done.done:
            detach(loop, _real(path), self.programs, patience_s=self.patience_s, roots=self.roots)
            what = f"{image.file_system} could not be mounted at {shown(mount_point)}"
            raise failed(what, done.last_words.replace(f"mount: {mount_point}: ", ""), _advice(image))

    def unmount(self, path: str, mount_point: str) -> None:
        """Unmount, then detach all loop devices of the image. RunProblem (phase "cleanup") where it is in use."""
        Unmounting(self.programs, self.roots, self.patience_s).unmount(_real(path), _real(mount_point))

    def remove(self, path: str) -> None:
        """Remove the image. RunProblem where it is still attached, or cannot be removed."""
        for loop in loops_over(_real(path), self.roots):
            raise Unmounting(self.programs, self.roots, self.patience_s).held(path, loop.name)
        try:
            os.unlink(path)
        except FileNotFoundError:
            return
        except OSError as error:
            raise io_failed(error, path, "removing") from error

    def _must_accept(self, image: Image) -> None:
        refused = self.refuses(image)
        if refused is not None:
            raise PlanProblem(refused)

    def _must_fit(self, image: Image, sector_bytes: int) -> None:
        unit = image.allocation_unit_bytes
        if unit is not None and unit < sector_bytes:
            raise PlanProblem(
                f"an allocation unit of {unit} bytes is below the sectors of the drive, which have {sector_bytes} "
                f"bytes; choose {sector_bytes} or more"
            )

    def _format(self, image: Image, handle: int) -> None:
        """Through the descriptor: whatever the path may lead to by now, nothing but the new file is formatted."""
        known, place = FORMATS[image.file_system], f"/proc/self/fd/{handle}"
        done = self.programs.run(known.words(image, place, _sector_bytes(handle)), handles=(handle,))
        if not done.done:
            words = done.last_words.replace(place, "the image")
            what = f"{known.program} could not make {image.file_system}"
            raise failed(what, words, "check size, allocation unit and options")


def _real(path: str) -> str:
    """The path as the kernel names it; the last part is not looked at, where a dead file system may be mounted."""
    return os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))


def _sector_bytes(handle: int) -> int:
    """The sectors that a loop device over the file will have: it follows the alignment of direct I/O (Linux 6.14)."""
    return _LARGE_SECTOR_BYTES if (direct_align_bytes(handle) or SECTOR_BYTES) > SECTOR_BYTES else SECTOR_BYTES


def _advice(image: Image) -> str:
    unit, page = image.allocation_unit_bytes, os.sysconf("SC_PAGE_SIZE")
    if unit is not None and unit > page:
        return f"this kernel may take no allocation unit above its page of {page} bytes: choose a smaller one"
    return "check the mount options, and look into the kernel's log (dmesg)"
