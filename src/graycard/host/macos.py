"""macOS: what graycard asks of the system. Commands are asked by a Runner and calls made by MacCalls, both arguments,
so that the whole host runs in tests on stored output.
"""

from __future__ import annotations

import os
import stat
import sys
from dataclasses import dataclass

from graycard.errors import TargetProblem
from graycard.facts import fact
from graycard.host import macos_files
from graycard.host.macos_calls import MacCalls, native_calls
from graycard.host.macos_disks import parse_info, whole_disk
from graycard.host.macos_links import DATA_TYPES, read_profile
from graycard.host.macos_mounts import Mount, Space, parse_df, parse_mount
from graycard.host.portable import device_counters, network_counters, processor_counters
from graycard.host.runner import Runner, run_command
from graycard.model import Fact, Target, TargetKind
from graycard.protocols import Volume

if sys.platform == "win32":
    raise ImportError("this is the host of macOS")

_SYSCTL = ("hw.memsize", "hw.model", "machdep.cpu.brand_string", "kern.hv_vmm_present")
_POWER = {"'AC Power'": "mains", "'Battery Power'": "battery", "'UPS Power'": "battery"}


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a target lies: its mount, its space, and the whole disk ("disk0") below, None for shares."""

    mount: Mount
    space: Space
    disk: str | None


class MacHost:
    """The Host of macOS."""

    name = "macos"

    def __init__(self, run: Runner = run_command, calls: MacCalls | None = None) -> None:
        self._run = run
        self._calls = calls or native_calls()
        self._places: dict[str, _Place] = {}

    def resolve(self, path: str) -> Target:
        """The real path and kind. TargetProblem for a missing path, a raw device, a pipe or a socket."""
        real = os.path.realpath(path)
        shown = Target(real, TargetKind.FILE).shown
        try:
            mode = os.stat(real).st_mode
        except OSError as error:
            raise TargetProblem(f"cannot use {shown}: {error.strerror}; check the path") from error
        if stat.S_ISBLK(mode) or stat.S_ISCHR(mode):
            raise TargetProblem(f"{shown} is a raw device; name a folder or file on a mounted volume instead")
        if stat.S_ISREG(mode):
            return Target(real, TargetKind.FILE)
        if not stat.S_ISDIR(mode):
            raise TargetProblem(f"{shown} is neither a file nor a folder; name one of these")
        network = self._place(Target(real, TargetKind.FOLDER)).mount.network
        return Target(real, TargetKind.SHARE if network else TargetKind.FOLDER)

    def volume(self, target: Target) -> Volume:
        """The volume that holds the target."""
        space = self._space(target)
        return _volume(self._mount_at(space), space)

    def volumes(self) -> tuple[Volume, ...]:
        """All volumes that Finder shows, and the data volume; -n asks no server, so a dead share cannot hang it."""
        spaces = {space.point: space for space in parse_df(self._run(("df", "-P", "-k", "-n")))}
        mounts = parse_mount(self._run(("mount",)))
        return tuple(_volume(mount, spaces.get(mount.point)) for mount in mounts if mount.for_users)

    def facts(self, target: Target) -> tuple[Fact, ...]:
        """The factors format, connection, fullness, system, business, and the medium."""
        place = self._place(target)
        network = self._share_facts(place.mount) if place.mount.network else self._disk_facts(place)
        return (*_mount_facts(place.mount), *network, *self._system_facts())

    def counters(self, target: Target) -> tuple[Fact, ...]:
        """Clocks, own bytes, the disk's bytes, network and processors."""
        clocks = self._calls.clocks()
        read_bytes, written_bytes = self._calls.own_io()
        return (
            fact("clock_monotonic_ns", clocks.awake_ns, "clock_gettime CLOCK_UPTIME_RAW"),
            fact("clock_realtime_ns", clocks.real_ns, "clock_gettime CLOCK_REALTIME"),
            fact("clock_boottime_ns", clocks.with_sleep_ns, "clock_gettime CLOCK_MONOTONIC"),
            fact("own_read_bytes", read_bytes, "proc_pid_rusage ri_diskio_bytesread"),
            fact("own_written_bytes", written_bytes, "proc_pid_rusage ri_diskio_byteswritten"),
            *device_counters(self._place(target).disk),
            *network_counters(),
            *processor_counters(),
        )

    def levels(self, target: Target) -> tuple[Fact, ...]:
        """None: macOS tells users neither dirty pages nor requests in flight."""
        return ()

    def file_facts(self, path: str) -> tuple[Fact, ...]:
        """The factor "file" about one existing file."""
        return macos_files.file_facts(path, self._calls)

    def folder_facts(self, folder: str) -> tuple[Fact, ...]:
        """Whether a MiB of zeros takes less than its size."""
        return (
            fact("volume_compresses", macos_files.compresses(folder, self._calls), "zeros written, fstat st_blocks"),
        )

    def open_file(self, path: str, *, write: bool, direct: bool) -> int:
        """A descriptor of an existing regular file. TargetProblem where the cache cannot be bypassed."""
        return macos_files.open_regular(path, write=write, direct=direct, calls=self._calls)

    def create_file(self, path: str, *, direct: bool, nocow: bool) -> int:
        """A new file; macOS has no way to switch copy-on-write off."""
        return macos_files.create_new(path, direct=direct, calls=self._calls)

    def drop_cache(self, path: str) -> None:
        """F_FULLFSYNC, then msync(MS_INVALIDATE) on a mapping of the whole file."""
        macos_files.drop_pages(path, self._calls)

    def _space(self, target: Target) -> Space:
        """By `df`, since firmlinks make a path's text useless: /Users lies on the data volume, not on "/"."""
        found = parse_df(self._run(("df", "-P", "-k", target.path)))
        if not found:
            raise TargetProblem(f"no mounted volume is known to hold {target.shown}; check that it still answers")
        return found[-1]

    def _mount_at(self, space: Space) -> Mount:
        found = [each for each in parse_mount(self._run(("mount",))) if each.point == space.point]
        if not found:
            raise TargetProblem(f"{space.point} is no longer mounted; mount the volume again")
        return found[-1]

    def _place(self, target: Target) -> _Place:
        """Asked once for each target: the counters are read before and after each run."""
        if target.path not in self._places:
            space = self._space(target)
            mount = self._mount_at(space)
            disk = None if mount.network else whole_disk(self._info(mount.source))
            self._places[target.path] = _Place(mount, space, disk)
        return self._places[target.path]

    def _info(self, device: str) -> dict[str, object]:
        return dict(parse_info(self._run(("diskutil", "info", "-plist", device))))

    def _disk_facts(self, place: _Place) -> tuple[Fact, ...]:
        info = self._info(place.mount.source)
        disk = self._info(place.disk) if place.disk else {}
        hardware = read_profile(self._run(("system_profiler", "-json", *DATA_TYPES)), place.disk or "")
        return ()
