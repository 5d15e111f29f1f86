"""Reading back: each destination, and the source if asked, around the cache, and comparing hash by hash."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from graycard.errors import Problem
from graycard.mhl import HashFormat
from graycard.model import Target, TargetKind
from graycard.offload.copying import OnLook
from graycard.offload.crew import Crew
from graycard.offload.faults import Fault, Faults, Kind
from graycard.offload.files import Access
from graycard.offload.hashing import hash_all
from graycard.offload.items import FileFound, Item
from graycard.offload.messages import Inbox
from graycard.offload.meter import Meter
from graycard.offload.reading import Reader
from graycard.offload.silence import Silence, given_up
from graycard.offload.slabs import Slabs
from graycard.offload.spool import Copied, Spool

# A verification reads one place; several at once share the memory of one copy.
_SLABS_COUNT = 4
_PIECE_BYTES = 1 << 20
_NOW_ALIKE = ", yet the source reads the same now: the card or its reader gave other bytes when it was copied"


@dataclass(slots=True)
class Reading:
    """One place that is read back. `original` is the root to look for the first byte that differs, or None."""

    root: str
    access: Access
    meter: Meter
    original: str | None
    compared_with: str = "was read from the source"
    hashed: Meter = field(default_factory=lambda: Meter("hash"))
    inbox: Inbox = field(default_factory=Inbox)
    is_given_up: bool = False

    @property
    def silence(self) -> Silence:
        """How long this place has not answered."""
        return Silence(self.root, max(self.meter.silent_ns, self.hashed.silent_ns))

    def give_up(self, says: str, faults: Faults) -> None:
        """Take nothing more of it in, for the others' sake; for the thread that looks on."""
        self.is_given_up = True
        faults.add(Fault(Kind.FAILED, self.root, None, says))
        self.inbox.close()
        self.meter.end()


def verify_all(
    kind: HashFormat,
    spool: Spool,
    readings: Sequence[Reading],
    faults: Faults,
    on_look: OnLook,
    patience_ns: int,
) -> None:
    """Read all places at once, each in threads of its own. What `on_look` raises passes through.

    A place that does not answer for `patience_ns` is given up, so that the others go on.
    """
    read_back(kind, [(reading, lambda: _expected(spool)) for reading in readings], faults, on_look, patience_ns)


def read_back(
    kind: HashFormat,
    work: Sequence[tuple[Reading, Callable[[], Iterator[Item]]]],
    faults: Faults,
    on_look: OnLook,
    patience_ns: int | None = None,
) -> None:
    """Read the items of each place and compare their hashes, in their own formats or else in `kind`.

    With `patience_ns` None a place that does not answer is waited for.
    """
    crew = Crew(threading.Event())
    threads = [(reading, _start(crew, kind, reading, items, faults)) for reading, items in work]

    def look() -> None:
        for reading, own in threads:
            if crew.was_away:
                reading.meter.answered()
                reading.hashed.answered()
            if patience_ns is not None and not reading.is_given_up and reading.silence.is_over(patience_ns):
                reading.give_up(given_up(reading.silence, patience_ns), faults)
                crew.leave(*own)
        silences = (reading.silence for reading, _ in threads if not reading.is_given_up)
        on_look(work[0][0].meter, tuple(each for each in silences if each.is_worth_saying))

    crew.watch(look)


def _start(
    crew: Crew, kind: HashFormat, reading: Reading, items: Callable[[], Iterator[Item]], faults: Faults
) -> tuple[threading.Thread, threading.Thread]:
    """The threads that read the place and compare."""
    inbox = reading.inbox
    crew.closes.append(inbox.close)
    reader = Reader(
        reading.root,
        reading.access,
        Slabs(_SLABS_COUNT),
        reading.meter,
        faults,
        crew.stop,
        [inbox],
        changed_kind=Kind.SHORT,
        missing_kind=Kind.MISSING,
        prepare=lambda path: _evict(reading.access, path),
    )

    def compare(found: FileFound, digest: bytes) -> None:
        if digest != found.digest:
            faults.add(_differs(reading, found))

    comparing = crew.start("compare", lambda: hash_all(kind, inbox, reading.hashed, compare, lambda _: None))
    return crew.start("read back", lambda: reader.run(items())), comparing


def _expected(spool: Spool) -> Iterator[FileFound]:
    for each in spool.records():
        if isinstance(each, Copied):
            yield FileFound(os.fsdecode(each.path), each.size_bytes, each.modified_ns, each.digest)


def _evict(access: Access, path: str) -> None:
    """Drop the file's pages, so that the drive is read; OSError as opening the file would raise it."""
    try:
        access.host.drop_cache(path)
    except Problem as problem:
        if isinstance(problem.__cause__, OSError):
            raise problem.__cause__ from None
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path) from problem  # no regular file: a link, a folder


def _differs(reading: Reading, found: FileFound) -> Fault:
    path = os.path.join(reading.root, found.path)
    place, at = Target(path, TargetKind.FILE).shown, None
    says = f"{place} is not what {reading.compared_with}"
    if reading.original is not None:
        try:
            at = first_difference(path, os.path.join(reading.original, found.path), reading.hashed)
        except OSError:
            says += ", and the two cannot be compared byte by byte"
        else:
            says += f", first at byte {at}" if at is not None else _NOW_ALIKE
    return Fault(Kind.DIFFERS, reading.root, found.path, says, at)


def first_difference(path: str, original: str, meter: Meter) -> int | None:
    """The first byte in which two files differ, None where they are equal; OSError.

    The meter is told when the first file answers, and does not count the other's silence.
    """
    at = 0
    with open(path, "rb") as one, open(original, "rb") as other:
        while True:
            ours = one.read(_PIECE_BYTES)
            meter.answered()
            with meter.waiting():
                theirs = other.read(_PIECE_BYTES)
            if ours != theirs:
                return at + _common(ours, theirs)
            if not ours:
                return None
            at += len(ours)


def _common(ours: bytes, theirs: bytes) -> int:
    """How many bytes are the same at the beginning of both."""
    low, high = 0, min(len(ours), len(theirs))
    while low < high:
        middle = (low + high + 1) // 2
        if ours[:middle] == theirs[:middle]:
            low = middle
        else:
            high = middle - 1
    return low
