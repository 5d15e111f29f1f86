"""The Linux host: what the rest of graycard asks of the operating system."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field

from graycard.errors import TargetProblem
from graycard.host.linux.answers import answers
from graycard.host.linux.compression import compression_probe
from graycard.host.linux.condition import temperature
from graycard.host.linux.counters import read_counters, read_levels
from graycard.host.linux.descriptors import create_new, evict, open_existing
from graycard.host.linux.device_cache import evict_below
from graycard.host.linux.file_facts import read_file_facts
from graycard.host.linux.mounts import mount_of, read_mounts
from graycard.host.linux.place import Place, place_of
from graycard.host.linux.probes import PROBES
from graycard.host.linux.roots import HERE, Roots
from graycard.host.linux.trial_write import trial_write
from graycard.host.linux.volumes import describe, list_volumes
from graycard.host.linux.write_back import write_back
from graycard.host.refusals import neither, no_path, raw_device, unreachable
from graycard.model import Fact, Target, TargetKind
from graycard.protocols import Look, Probe, Volume, unwatched

_NO_ANSWER = "does not answer; check the server and the network, or mount it again"


@dataclass(frozen=True, slots=True)
class LinuxHost:
    """Implements `protocols.Host`. Counters and levels are read where `facts` or the first reading found the target:
    they never touch its file system.
    """

    roots: Roots = HERE
    probes: tuple[Probe, ...] = PROBES
    _places: dict[str, Place] = field(default_factory=dict, repr=False, compare=False)

    @property
    def name(self) -> str:
        """The platform's name."""
        return "linux"

    def resolve(self, path: str) -> Target:
        """The real path and its kind; TargetProblem if it is missing, a raw device, or does not answer."""
        if "\0" in path or not path:
            raise no_path(path)
        if not answers(path):
            raise TargetProblem(f"{Target(path, TargetKind.FOLDER).shown} {_NO_ANSWER}")
        try:
            real = os.path.realpath(path, strict=True)
            mode = os.stat(real).st_mode
        except OSError as error:
            raise unreachable(error, path) from error
        return Target(real, self._kind(real, mode))

    def volume(self, target: Target) -> Volume:
        """The volume that holds the target; `why_not` speaks of the target's own folder."""
        writing = target.kind is not TargetKind.FILE
        return describe(self._locate(target).mount, target.path, self.roots, writing=writing)

    def volumes(self) -> tuple[Volume, ...]:
        """All mounted volumes a user may care for; none that hangs holds this up for long."""
        return list_volumes(read_mounts(self.roots), self.roots)

    def facts(self, target: Target) -> tuple[Fact, ...]:
        """All PROBES read; TargetProblem for a place that does not answer."""
        if self._locate(target).mount.may_hang and not answers(target.path):
            raise TargetProblem(f"{target.shown} {_NO_ANSWER}")
        return tuple(fact for probe in self.probes for fact in probe.read(target))

    def counters(self, target: Target) -> tuple[Fact, ...]:
        """Counters, levels and the temperature where reading it is cheap."""
        place = self._place(target)
        return (*read_counters(place, self.roots), *read_levels(place, self.roots), temperature(place.disks))

    def levels(self, target: Target) -> tuple[Fact, ...]:
        """Dirty pages, requests in flight, requests that wait for a FUSE server."""
        return read_levels(self._place(target), self.roots)

    def file_facts(self, path: str, look: Look = unwatched) -> tuple[Fact, ...]:
        """The facts of the factor "file"; TargetProblem, RunProblem."""
        return read_file_facts(path, look)

    def folder_facts(self, folder: str) -> tuple[Fact, ...]:
        """Whether zeros take less space than they should, and direct writes are buffered; writes 2 MiB at most."""
        return (*compression_probe(folder), *trial_write(folder))

    def open_file(self, path: str, *, write: bool, direct: bool) -> int:
        """A descriptor of an existing regular file; TargetProblem, RunProblem."""
        return open_existing(path, write=write, direct=direct)

    def create_file(self, path: str, *, direct: bool, nocow: bool) -> int:
        """A new file; FileExistsError, TargetProblem, RunProblem."""
        return create_new(path, direct=direct, nocow=nocow)

    def write_back(self, path: str, look: Look) -> None:
        """Write the file back in pieces of 1 MiB; TargetProblem, RunProblem."""
        write_back(path, look)

    def drop_cache(self, path: str) -> None:
        """Write the file back and drop its pages from the page cache; TargetProblem, RunProblem."""
        evict(path)
        evict_below(path, self.roots)

    def _locate(self, target: Target) -> Place:
        """Where the target lies now, kept for the readings that follow."""
        self._places[target.path] = place_of(target, self.roots)
        return self._places[target.path]

    def _place(self, target: Target) -> Place:
        return self._places.get(target.path) or self._locate(target)

    def _kind(self, real: str, mode: int) -> TargetKind:
        if stat.S_ISBLK(mode) or stat.S_ISCHR(mode):
            raise raw_device(real)
        if stat.S_ISREG(mode):
            return TargetKind.FILE
        if not stat.S_ISDIR(mode):
            raise neither(real)
        mount = mount_of(real, self.roots)
        return TargetKind.SHARE if mount is not None and mount.share else TargetKind.FOLDER
