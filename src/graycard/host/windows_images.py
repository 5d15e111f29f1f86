"""Windows: volumes in fixed VHD files, mounted by the cmdlets of the Storage module, which every edition has.

The file is written here, whole: a fixed VHD is the disk's bytes and a footer. New-VHD needs Hyper-V, and diskpart reads
its script in a code page of its own; PowerShell takes any path as UTF-16. It needs an administrator.
"""

from __future__ import annotations

import base64
import ctypes
import os
import sys
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime

from graycard.errors import PlanProblem
from graycard.host.image_file import write_whole
from graycard.host.image_rules import FAT32, MIB, Limits, failed, no_options, refused_shape
from graycard.host.programs import Programs, SystemPrograms
from graycard.host.refusals import failed as io_failed
from graycard.host.refusals import shown
from graycard.host.vhd import MOST_BYTES, footer
from graycard.model.image import Image
from graycard.protocols import OnWritten
from graycard.units import format_size

_NEXT = "close what uses it, then run graycard clean on its folder"
_MOST_FAT32_BYTES = 32 << 30  # Format-Volume makes no larger one
FORMATS: dict[str, Limits] = {
    "NTFS": Limits(16 * MIB, 512, 2 << 20),
    "exFAT": Limits(16 * MIB, 512, 32 << 20),
    "FAT32": FAT32,
}
# The number alone would be too little to format a disk by: it must be this file, of this size, and still empty.
_DISK = (
    "$d=@(Get-DiskImage -ImagePath {path}|Get-Disk);"
    "if($d.Count -ne 1 -or $d[0].Size -ne {size} -or $d[0].PartitionStyle -ne 'RAW')"
    "{{throw 'the attached disk is not the new image'}};"
)
_MAKE = (
    "Mount-DiskImage -ImagePath {path} -NoDriveLetter|Out-Null;"
    "try{{" + _DISK + "Initialize-Disk -Number $d[0].Number -PartitionStyle MBR;"
    "$p=New-Partition -DiskNumber $d[0].Number -UseMaximumSize;"
    "Format-Volume -Partition $p -FileSystem {kind}{unit} -NewFileSystemLabel graycard -Confirm:$false|Out-Null"
    "}}finally{{Dismount-DiskImage -ImagePath {path}|Out-Null}}"
)
_MOUNT = (
    "Mount-DiskImage -ImagePath {path} -NoDriveLetter|Out-Null;"
    "Get-DiskImage -ImagePath {path}|Get-Disk|Get-Partition|Select-Object -First 1"
    "|Add-PartitionAccessPath -AccessPath {point}"
)
_UNMOUNT = (
    "if((Get-DiskImage -ImagePath {path}).Attached){{"
    "Get-DiskImage -ImagePath {path}|Get-Disk|Get-Partition"
    "|Where-Object{{$_.AccessPaths -contains {point_slash}}}|Remove-PartitionAccessPath -AccessPath {point};"
    "Dismount-DiskImage -ImagePath {path}|Out-Null}};"
)
_ATTACHED = "[Console]::Out.Write((Get-DiskImage -ImagePath {path}).Attached)"

if sys.platform == "win32":

    def is_administrator() -> bool:
        """Whether this process may attach disks."""
        return bool(ctypes.windll.shell32.IsUserAnAdmin())

else:

    def is_administrator() -> bool:
        """Nobody is one elsewhere."""
        return False


@dataclass(frozen=True, slots=True)
class WindowsVolumes:
    """Implements `protocols.VolumeMaker`. Mount points need NTFS or ReFS below them."""

    programs: Programs = field(default_factory=SystemPrograms)
    administrator: Callable[[], bool] = is_administrator

    @property
    def name(self) -> str:
        """The platform's name."""
        return "windows"

    @property
    def suffix(self) -> str:
        """Windows tells the format by the file's ending."""
        return ".vhd"

    @property
    def file_systems(self) -> tuple[str, ...]:
        """What Format-Volume makes."""
        return tuple(FORMATS)

    def refuses(self, image: Image) -> str | None:
        """Wrong size or unit, any option, no administrator."""
        shape = refused_shape(image, FORMATS.get(image.file_system), self.file_systems) or no_options(image, "Windows")
        if shape is not None:
            return shape
        most = _MOST_FAT32_BYTES if image.file_system == "FAT32" else MOST_BYTES
        if image.size_bytes > most:
            return f"Windows makes no {image.file_system} image above {format_size(most)}; choose a smaller size"
        if not self.administrator():
            return "only an administrator may attach an image; run graycard in a console opened as administrator"
        return None

    def driver(self, image: Image) -> str | None:
        """The system's own."""
        return "kernel" if image.file_system in FORMATS else None

    def make(self, image: Image, path: str, on_written: OnWritten | None = None) -> None:
        """A new VHD with one volume. FileExistsError, PlanProblem, RunProblem."""
        refused = self.refuses(image)
        if refused is not None:
            raise PlanProblem(refused)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        try:
            try:
                write_vhd(handle, image.size_bytes, on_written)
            finally:
                os.close(handle)
            self._run(make_script(image, path), f"Windows could not make {image.file_system} in {shown(path)}")
        except BaseException as error:
            with suppress(OSError):
                os.unlink(path)
            if isinstance(error, OSError):
                raise io_failed(error, path, "write") from error
            raise

    def mount(self, image: Image, path: str, mount_point: str) -> None:
        """Attach it without a drive letter, at the folder. RunProblem."""
        what = f"{image.file_system} could not be mounted at {shown(mount_point)}"
        try:
            self._run(_filled(_MOUNT, path, mount_point), what)
        except BaseException:
            self.unmount(path, mount_point)
            raise

    def unmount(self, path: str, mount_point: str) -> None:
        """Take it away from the folder and detach it. RunProblem (phase "cleanup") where it stays attached."""
        if not os.path.lexists(path):
            return
        what = f"{shown(mount_point)} could not be unmounted"
        said = self._run(_filled(_UNMOUNT + _ATTACHED, path, mount_point), what, phase="cleanup")
        if said != "False":
            raise failed(what, "it is still attached", _NEXT, phase="cleanup")

    def remove(self, path: str) -> None:
        """Remove the image; Windows itself refuses that while it is attached. RunProblem."""
        try:
            os.unlink(path)
        except FileNotFoundError:
            return
        except OSError as error:
            raise io_failed(error, path, "removing") from error

    def _run(self, script: str, what: str, *, phase: str = "prepare") -> str:
        done = self.programs.run(powershell(script))
        if not done.done:
            raise failed(what, done.last_words, _NEXT, phase=phase)
        return done.output.decode("utf-8", "replace").strip("\ufeff \r\n")


def write_vhd(handle: int, size_bytes: int, on_written: OnWritten | None) -> None:
    """The disk's bytes and the footer. OSError."""
    write_whole(handle, size_bytes, on_written)
    os.lseek(handle, 0, os.SEEK_END)
    os.write(handle, footer(size_bytes, datetime.now(UTC), uuid.uuid4()))
    os.fsync(handle)


def make_script(image: Image, path: str) -> str:
    """Partition and format the attached image."""
    unit = image.allocation_unit_bytes
    words = "" if unit is None else f" -AllocationUnitSize {unit}"
    return _MAKE.format(path=quoted(path), size=image.size_bytes, kind=image.file_system, unit=words)


def powershell(script: str) -> tuple[str, ...]:
    """The command that runs a script, whose error is one plain line; UTF-16 in base64 keeps any path whole."""
    whole = (
        "[Console]::OutputEncoding=New-Object Text.UTF8Encoding;"
        "$ErrorActionPreference='Stop';$ProgressPreference='SilentlyContinue';"
        f"try{{{script}}}catch{{[Console]::Error.WriteLine($_.Exception.Message);exit 1}}"
    )
    encoded = base64.b64encode(whole.encode("utf-16-le", "surrogatepass")).decode("ascii")
    return ("powershell", "-NoProfile", "-NonInteractive", "-EncodedCommand", encoded)


def quoted(text: str) -> str:
    """A text that PowerShell takes as it is; it reads typographic quotes as quotes, too."""
    doubled = "".join(each * 2 if each in "'\u2018\u2019\u201a\u201b" else each for each in text)
    return f"'{doubled}'"


def _filled(script: str, path: str, mount_point: str) -> str:
    point = mount_point.rstrip("\\")
    return script.format(path=quoted(path), point=quoted(point), point_slash=quoted(point + "\\"))
