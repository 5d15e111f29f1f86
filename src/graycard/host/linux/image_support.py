"""What this computer has for making and mounting an image, and what to install where it lacks something."""

from __future__ import annotations

import os
from dataclasses import dataclass

from graycard.host.linux.image_formats import Format
from graycard.host.linux.roots import Roots, read_text
from graycard.host.programs import Programs


@dataclass(frozen=True, slots=True)
class Support:
    """Programs on the PATH (and in the folders of root's), drivers of the kernel and its modules."""

    programs: Programs
    roots: Roots

    def driver(self, known: Format) -> str | None:
        """The kernel where it has a driver, else the FUSE program by its name; None without either."""
        if self._kernel_has(known.kernel_type):
            return "kernel"
        program = known.fuse[0] if known.fuse else None
        if program is None or self.programs.find(program) is None:
            return None
        return program if os.path.exists(f"{self.roots.dev}/fuse") or self._has_module("fuse") else None

    def missing(self, name: str, known: Format) -> str | None:
        """What is missing for the file system of that name, with the next step; one sentence, or None."""
        for program, package in ((known.program, known.package), ("losetup", "mount"), ("mount", "mount")):
            if self.programs.find(program) is None:
                return f"{program} is not installed, which {name} needs here; install the package {package}"
        if self.driver(known) is None:
            return _no_driver(name, known)
        if not os.path.exists(f"{self.roots.dev}/loop-control") and not self._has_module("loop"):
            return "this kernel has no loop devices, so an image cannot be mounted; use a kernel with the driver loop"
        if os.geteuid() != 0:
            return f"only root may mount an image with {name}; run graycard with sudo"
        return None

    def _kernel_has(self, kind: str) -> bool:
        listed = read_text(f"{self.roots.proc}/filesystems") or ""
        return kind in listed.split() or self._has_module(kind)

    def _has_module(self, module: str) -> bool:
        """Whether modprobe would find it: the kernel then loads it when it is needed."""
        return self.programs.run(("modprobe", "--dry-run", "--quiet", module)).done


def _no_driver(name: str, known: Format) -> str:
    if known.fuse is not None:
        program, package = known.fuse
        return f"this kernel has no driver for {name}, and {program} is not there; install the package {package}"
    if name == "FAT32":
        return (
            "this kernel has no driver for FAT32 (vfat), and the FUSE program fusefat damages files that are written "
            "in random order, so it is not used; use a kernel with vfat"
        )
    return f"this kernel has no driver for {name}; use a kernel with the driver {known.kernel_type}"
