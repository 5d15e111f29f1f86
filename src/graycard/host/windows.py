"""The Windows host: what the rest of graycard asks of the operating system.

Commands are asked through a Runner and system calls through WindowsCalls, both arguments, so that the whole host
runs in tests on stored output.
"""

from __future__ import annotations

from collections.abc import Iterator

from graycard.facts import fact
from graycard.host import windows_files
from graycard.host.asked import AskedHost
from graycard.host.portable import clock_facts, known
from graycard.host.refusals import READ_ONLY, SILENT_SHARE, no_nocow, no_path, no_volume, raw_device, unreachable
from graycard.host.runner import Runner, run_command
from graycard.host.windows_calls import DRIVE_CDROM, DRIVE_REMOTE, FILE_ATTRIBUTE_COMPRESSED, WindowsCalls, native_calls
from graycard.host.windows_paths import is_device
from graycard.host.windows_probes import PROBES, Place
from graycard.model import Fact, Target, TargetKind
from graycard.protocols import Look, Volume, unwatched


class WindowsHost(AskedHost[Place]):
    """Implements `protocols.Host`."""

    name = "windows"

    def __init__(self, run: Runner = run_command, calls: WindowsCalls | None = None) -> None:
        super().__init__()
        self._run = run
        self._calls = calls or native_calls()

    def resolve(self, path: str) -> Target:
        """The real path and its kind; TargetProblem if it is missing or a raw device."""
        if "\0" in path or not path:
            raise no_path(path)
        if is_device(path):
            raise raw_device(path)
        try:
            real = self._calls.real_path(path)
            mode = self._calls.mode(real)
        except OSError as error:
            raise unreachable(error, path) from error
        return Target(real, self._kind(real, mode))

    def volume(self, target: Target) -> Volume:
        """The volume that holds the target."""
        return _volume(self._look(target.path), writing=target.kind is not TargetKind.FILE)

    def volumes(self) -> tuple[Volume, ...]:
        """All drives with a medium in them; a share that does not answer is listed as such."""
        return tuple(_volume(place, writing=True) for place in self._drives())

    def facts(self, target: Target) -> tuple[Fact, ...]:
        """All PROBES read."""
        place = self._look(target.path)
        return (*(each for probe in PROBES for each in probe(place)), self._power())

    def counters(self, target: Target) -> tuple[Fact, ...]:
        """Clocks, the disk's bytes, network and processors.

        The process's own bytes are left out: Windows counts those served from its cache among them.
        """
        awake, with_sleep = "QueryUnbiasedInterruptTimePrecise", "QueryInterruptTimePrecise"
        return (
            *clock_facts(self._calls.clocks(), awake, with_sleep, "GetSystemTimePreciseAsFileTime"),
            fact("own_read_bytes", None, "GetProcessIoCounters counts cached bytes too"),
            fact("own_written_bytes", None, "GetProcessIoCounters counts cached bytes too"),
            *self._shared_counters(target),
        )

    def file_facts(self, path: str, look: Look = unwatched) -> tuple[Fact, ...]:
        """The facts of the factor "file"; TargetProblem, RunProblem."""
        return windows_files.file_facts(path, self._calls)

    def folder_facts(self, folder: str) -> tuple[Fact, ...]:
        """Whether zeros take less space than they should; writes 1 MiB in the folder and removes it."""
        return windows_files.compression_probe(folder, self._calls)

    def open_file(self, path: str, *, write: bool, direct: bool) -> int:
        """An overlapped descriptor of an existing regular file; TargetProblem, RunProblem."""
        return windows_files.open_existing(path, write=write, direct=direct, calls=self._calls)

    def create_file(self, path: str, *, direct: bool, nocow: bool) -> int:
        """A new file; FileExistsError, TargetProblem, RunProblem."""
        if nocow:
            raise no_nocow(path)
        return windows_files.create_new(path, direct=direct, calls=self._calls)

    def write_back(self, path: str, look: Look) -> None:
        """FlushFileBuffers, in one piece, or where the file may not be written what `drop_cache` does."""
        look()
        windows_files.write_back(path, self._calls)

    def drop_cache(self, path: str) -> None:
        """Open the file unbuffered and close it; TargetProblem, RunProblem."""
        windows_files.drop_pages(path, self._calls)

    def _is_network(self, path: str) -> bool:
        return self._look(path).network

    def _look(self, path: str) -> Place:
        try:
            root = self._calls.root_of(path)
        except OSError as error:
            raise no_volume(path) from error
        return self._at(root, path)

    def _at(self, root: str, path: str) -> Place:
        network = self._calls.drive_type(root) == DRIVE_REMOTE
        attributes = known(lambda: self._calls.attributes(path)) or 0
        return Place(
            root,
            network,
            known(lambda: self._calls.volume(root)),
            None if network else known(lambda: self._calls.disk_number(root)),
            bool(attributes & FILE_ATTRIBUTE_COMPRESSED),
            self._run,
        )

    def _drives(self) -> Iterator[Place]:
        for root in self._calls.roots():
            place = self._at(root, root)
            if place.volume or place.network or self._calls.drive_type(root) != DRIVE_CDROM:
                yield place

    def _power(self) -> Fact:
        mains = known(self._calls.on_mains)
        word = None if mains is None else ("mains" if mains else "battery")
        return fact("power_source", word, "GetSystemPowerStatus")


def _volume(place: Place, *, writing: bool) -> Volume:
    why_not = None
    if place.volume is None:
        why_not = SILENT_SHARE if place.network else "no medium is in the drive, or Windows cannot read its format"
    elif writing and place.read_only:
        why_not = READ_ONLY
    return Volume(
        place.root,
        place.source,
        place.file_system or "unknown",
        place.volume.size_bytes if place.volume else None,
        place.volume.free_bytes if place.volume else None,
        place.read_only,
        place.network,
        why_not,
    )
