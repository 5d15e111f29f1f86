"""The macOS host: what the rest of graycard asks of the operating system.

Commands are asked through a Runner and system calls through MacCalls, both arguments, so that the whole host runs
in tests on stored output.
"""

from __future__ import annotations

import os

from graycard.facts import fact
from graycard.host import macos_files
from graycard.host.asked import AskedHost
from graycard.host.macos_calls import MacCalls, native_calls
from graycard.host.macos_mounts import FAT, Mount, Space, parse_df, parse_mount
from graycard.host.macos_probes import PROBES, Place, disk_info
from graycard.host.portable import clock_facts, known
from graycard.host.refusals import NOT_YOURS, READ_ONLY, no_nocow, no_path, no_volume, unreachable
from graycard.host.runner import Runner, run_command
from graycard.model import Fact, Target, TargetKind
from graycard.protocols import Look, Volume, unwatched

# The largest file of FAT: its length is a 32-bit number.
_FAT_FILE_BYTES = 2**32 - 1


class MacHost(AskedHost[Place]):
    """Implements `protocols.Host`."""

    name = "macos"

    def __init__(self, run: Runner = run_command, calls: MacCalls | None = None) -> None:
        super().__init__()
        self._run = run
        self._calls = calls or native_calls()

    def resolve(self, path: str) -> Target:
        """The real path and its kind; TargetProblem if it is missing or a raw device."""
        if "\0" in path or not path:
            raise no_path(path)
        try:
            real = os.path.realpath(path, strict=True)
            mode = os.stat(real).st_mode
        except OSError as error:
            raise unreachable(error, path) from error
        return Target(real, self._kind(real, mode))

    def volume(self, target: Target) -> Volume:
        """The volume that holds the target; `why_not` speaks of the target's own folder."""
        space = self._space(target.path)
        writing = target.kind is not TargetKind.FILE
        return self._volume(self._mount(space), space, target.path if writing else None)

    def volumes(self) -> tuple[Volume, ...]:
        """All volumes a user may care for; `df -n` asks no server, so a dead share does not hold this up."""
        spaces = {space.point: space for space in parse_df(self._run(("df", "-P", "-k", "-n")))}
        mounts = [mount for mount in parse_mount(self._run(("mount",))) if mount.for_users]
        return tuple(
            self._volume(mount, spaces.get(mount.point), None if mount.network else mount.point) for mount in mounts
        )

    def facts(self, target: Target) -> tuple[Fact, ...]:
        """All PROBES read."""
        place = self._look(target.path)
        return (*(each for probe in PROBES for each in probe(place)), self._file_limit(place.mount))

    def counters(self, target: Target) -> tuple[Fact, ...]:
        """Clocks, the process's own bytes, the disk's bytes, network and processors."""
        read_bytes, written_bytes = known(self._calls.own_io) or (None, None)
        return (
            *clock_facts(self._calls.clocks(), "CLOCK_UPTIME_RAW", "CLOCK_MONOTONIC", "CLOCK_REALTIME"),
            fact("own_read_bytes", read_bytes, "proc_pid_rusage ri_diskio_bytesread"),
            fact("own_written_bytes", written_bytes, "proc_pid_rusage ri_diskio_byteswritten"),
            *self._shared_counters(target),
        )

    def file_facts(self, path: str, look: Look = unwatched) -> tuple[Fact, ...]:
        """The facts of the factor "file"; TargetProblem, RunProblem."""
        return macos_files.file_facts(path, self._calls)

    def folder_facts(self, folder: str) -> tuple[Fact, ...]:
        """Whether zeros take less space than they should; writes 1 MiB in the folder and removes it."""
        return macos_files.compression_probe(folder, self._calls)

    def open_file(self, path: str, *, write: bool, direct: bool) -> int:
        """A descriptor of an existing regular file; TargetProblem, RunProblem."""
        return macos_files.open_existing(path, write=write, direct=direct, calls=self._calls)

    def create_file(self, path: str, *, direct: bool, nocow: bool) -> int:
        """A new file; FileExistsError, TargetProblem, RunProblem."""
        if nocow:
            raise no_nocow(path)
        return macos_files.create_new(path, direct=direct, calls=self._calls)

    def write_back(self, path: str, look: Look) -> None:
        """F_FULLFSYNC, in one piece; TargetProblem, RunProblem."""
        look()
        macos_files.write_back(path, self._calls)

    def drop_cache(self, path: str) -> None:
        """F_FULLFSYNC, then msync(MS_INVALIDATE) on a mapping of the whole file; TargetProblem, RunProblem."""
        macos_files.drop_pages(path, self._calls)

    def _is_network(self, path: str) -> bool:
        return self._mount(self._space(path)).network

    def _space(self, path: str) -> Space:
        """By `df`, since firmlinks make a path's text useless: /Users lies on the data volume, not on "/"."""
        found = parse_df(self._run(("df", "-P", "-k", path)))
        if not found:
            raise no_volume(path)
        return found[-1]

    def _mount(self, space: Space) -> Mount:
        found = [each for each in parse_mount(self._run(("mount",))) if each.point == space.point]
        if not found:
            raise no_volume(space.point)
        return found[-1]

    def _look(self, path: str) -> Place:
        space = self._space(path)
        mount = self._mount(space)
        return Place(mount, space, {} if mount.network else disk_info(mount.source, self._run), self._run)

    def _volume(self, mount: Mount, space: Space | None, folder: str | None) -> Volume:
        """`folder` is where somebody wants to write, None for nobody."""
        why_not = None
        if folder is not None and mount.read_only:
            why_not = READ_ONLY
        elif folder is not None and not self._calls.writable(folder):
            why_not = NOT_YOURS
        size_bytes, free_bytes = (space.size_bytes, space.free_bytes) if space else (None, None)
        return Volume(
            mount.point,
            mount.shown_source,
            mount.file_system,
            size_bytes,
            free_bytes,
            mount.read_only,
            mount.network,
            why_not,
        )

    def _file_limit(self, mount: Mount) -> Fact:
        limits = [self._calls.file_limit_bytes(), _FAT_FILE_BYTES if mount.file_system == FAT else None]
        known = [limit for limit in limits if limit is not None]
        return fact("file_size_limit_bytes", min(known, default=None), "getrlimit RLIMIT_FSIZE, FAT")
