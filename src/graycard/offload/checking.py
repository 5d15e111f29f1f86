"""A folder beside its own ASC MHL history: what was changed, cut, lost or added since the manifests were written."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from graycard.errors import Interrupted, TargetProblem
from graycard.measurement import Keeper, OnEvent
from graycard.mhl import CHAIN_FILE, HISTORY_FOLDER, HashFormat, History, Ignored, Known, load_history
from graycard.model import Check, Operation, Verdict
from graycard.offload.faults import Fault, Faults, Kind
from graycard.offload.files import Access
from graycard.offload.items import FileFound, FolderBegins, FolderEnds, Item, walk
from graycard.offload.job import Outcome, Place
from graycard.offload.meter import Meter
from graycard.offload.results import Measured, leg_of, result_of
from graycard.offload.session import event_of, shown
from graycard.offload.silence import Silence
from graycard.offload.verifying import Reading, read_back
from graycard.offload.witness import from_device
from graycard.protocols import Clock, Host


@dataclass(slots=True)
class _Entered:
    """A folder that has a history, whose `prefix` it is below the root; the files of it that were not yet met."""

    prefix: str
    history: History
    unseen: set[str]


@dataclass(slots=True)
class _Folder:
    """The tree that is checked. A folder with a history of its own answers for what is in it."""

    root: str
    ignored: Ignored
    faults: Faults
    entered: list[_Entered] = field(default_factory=list)
    ended: list[_Entered] = field(default_factory=list)

    def items(self) -> Iterator[Item]:
        """The files that a manifest has, each with the hash it must have; those that none has are told."""
        for item in walk(self.root, self._left_out):
            if isinstance(item, FolderBegins):
                self._enter(item.path)
            elif isinstance(item, FolderEnds):
                self._leave(item.path)
            elif not self.ignored.leaves_out_any(_plain(item.path)):
                yield from self._file(item)

    def _enter(self, path: str) -> None:
        history = load_history(os.path.join(self.root, path))
        if history is not None:
            self.entered.append(_Entered(path, history, set(history.files)))

    def _leave(self, path: str) -> None:
        if self.entered and self.entered[-1].prefix == path:
            self.ended.append(self.entered.pop())

    def _file(self, item: FileFound) -> Iterator[FileFound]:
        answers: Known | None = None
        for entered in reversed(self.entered):
            path = _plain(os.path.relpath(item.path, entered.prefix or "."))
            entered.unseen.discard(path)
            answers = answers or entered.history.files.get(path)
        if answers is not None:
            size = item.size_bytes if answers.size_bytes is None else answers.size_bytes
            yield FileFound(item.path, size, item.modified_ns, answers.digest, answers.kind)
            return
        says = f"{shown(os.path.join(self.root, item.path))} is in no manifest"
        self.faults.add(Fault(Kind.NEW, self.root, item.path, says))

    def tell_missing(self) -> None:
        """What the manifests have and the folder has not."""
        for entered in self.ended:
            for path in sorted(entered.unseen):
                whole = os.path.join(entered.prefix, path)
                says = f"{shown(os.path.join(self.root, whole))} is not there"
                self.faults.add(Fault(Kind.MISSING, self.root, whole, says))

    def _left_out(self, path: str, error: OSError | None) -> None:
        if error is not None:
            says = f"{shown(os.path.join(self.root, path))} cannot be read ({error.strerror})"
            self.faults.add(Fault(Kind.UNREADABLE, self.root, path, says))


def check_folder(
    place: Place, outcome: Outcome, *, host: Host, keeper: Keeper, clock: Clock, on_event: OnEvent
) -> None:
    """Read every file that a manifest has around the cache, and compare; `outcome` is filled.

    TargetProblem where there is no history; AccuracyProblem where a manifest was changed, ImportProblem where one
    cannot be understood; Interrupted.
    """
    root, faults = place.target.path, Faults()
    history = load_history(root)
    if history is None:
        raise TargetProblem(f"{shown(root)} has no ASC MHL history (a folder “ascmhl”); {_instead(root)}")
    folder = _Folder(root, Ignored(history.patterns), faults)
    reading = Reading(root, Access.of(host, place.volume), Meter("verify"), None, "its manifest says")
    total = sum(known.size_bytes or 0 for known in history.files.values())

    def look(meter: Meter, silences: Sequence[Silence]) -> None:
        on_event(event_of(clock, "verifying", meter, total, silences))

    started_at, before = clock.utc_now(), host.counters(place.target)
    try:
        read_back(HashFormat.XXH3, [(reading, folder.items)], faults, look)
    except KeyboardInterrupt:
        raise Interrupted(f"stopped after {reading.meter.files_count} files; nothing was changed") from None
    folder.tell_missing()
    after = host.counters(place.target)
    checks = (_equal(faults), from_device([place], reading.meter.moved_bytes, before, after))
    measured = Measured(
        reading.meter, place, root, Operation.READ, "verify", reading.access, started_at, before, after, checks
    )
    result = result_of(outcome.id, measured)
    if result is not None:
        keeper.save(result)
        outcome.results.append(result)
    outcome.folders = (root,)
    outcome.legs.append(leg_of("verify", root, reading.meter, result))
    outcome.faults, outcome.faults_count, outcome.mismatch = faults.kept, faults.count, faults.any_mismatch()
    outcome.complete = {root: not faults.count - faults.of_kind(Kind.NEW)}


def _instead(root: str) -> str:
    """The folder above that has a history, if there is one."""
    above = os.path.dirname(root)
    while above != os.path.dirname(above):
        if os.path.isfile(os.path.join(above, HISTORY_FOLDER, CHAIN_FILE)):
            return f"name {shown(above)}, which has one"
        above = os.path.dirname(above)
    return "name the folder that holds it"


def _equal(faults: Faults) -> Check:
    count = faults.count - faults.of_kind(Kind.NEW)
    says = f"Files that are not what the manifests say: {count}." if count else "All hashes are those of the manifests."
    verdict = Verdict.FAIL if count else Verdict.PASS
    return Check("hashes_equal", 0, count, "count", 0.0, verdict, says)


def _plain(path: str) -> str:
    return path.replace(os.sep, "/")
