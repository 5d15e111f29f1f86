"""The copy itself: one thread reads, one hashes, one writes to each destination; the slowest sets the pace."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from graycard.mhl import HashFormat
from graycard.model import Target, TargetKind
from graycard.offload.crew import Crew
from graycard.offload.faults import Fault, Faults, Kind
from graycard.offload.files import Access
from graycard.offload.hashing import Recorder, hash_all
from graycard.offload.items import Item, walk
from graycard.offload.landing import Landing
from graycard.offload.messages import Inbox
from graycard.offload.meter import Meter
from graycard.offload.reading import Reader
from graycard.offload.silence import Silence, given_up
from graycard.offload.slabs import Slabs
from graycard.offload.spool import Spool
from graycard.offload.writing import Writer

# Told ten times a second what the reading thread has done so far, and which places do not answer; may raise to stop.
OnLook = Callable[[Meter, Sequence[Silence]], None]


@dataclass(slots=True)
class Copying:
    """All that takes part in one copy; the meters tell what each did.

    A destination that does not answer for `patience_ns` is given up, so that the others go on. After a stop `hanging`
    are the places that did not answer.
    """

    root: str
    access: Access
    landings: tuple[Landing, ...]
    kind: HashFormat | None
    spool: Spool
    is_listed: Callable[[str], bool]
    faults: Faults
    resumes: bool
    read: Meter
    hashed: Meter | None
    written: tuple[Meter, ...]
    patience_ns: int
    hanging: tuple[str, ...] = ()

    def run(self, on_look: OnLook) -> tuple[Writer, ...]:
        """Copy everything; the writers, which know whether they failed. What `on_look` raises passes through."""
        stop = threading.Event()
        crew, slabs = Crew(stop), Slabs()
        writers = tuple(
            Writer(landing, Inbox(), meter, self.faults, stop, self.resumes)
            for landing, meter in zip(self.landings, self.written, strict=True)
        )
        inboxes = [writer.inbox for writer in writers]
        if self.kind is not None and self.hashed is not None:
            inbox, kind, meter = Inbox(), self.kind, self.hashed
            inboxes.append(inbox)
            recorder = Recorder(kind, self.spool, self.is_listed)
            crew.start("hash", lambda: hash_all(kind, inbox, meter, recorder.on_hash, recorder.on_folder))
        reader = Reader(
            self.root,
            self.access,
            slabs,
            self.read,
            self.faults,
            stop,
            inboxes,
            changed_kind=Kind.CHANGED,
            missing_kind=Kind.UNREADABLE,
            is_strict=True,
        )
        crew.closes += [inbox.close for inbox in inboxes]
        threads = [crew.start(f"write {index + 1}", writer.run) for index, writer in enumerate(writers)]
        crew.start("read", lambda: reader.run(self._items(writers)))

        def look() -> None:
            for writer, thread in zip(writers, threads, strict=True):
                if crew.was_away:
                    writer.meter.answered()
                if not writer.is_given_up and writer.silence.is_over(self.patience_ns):
                    writer.give_up(given_up(writer.silence, self.patience_ns))
                    crew.leave(thread)
            on_look(self.read, tuple(each for each in self._silences(writers) if each.is_worth_saying))

        try:
            crew.watch(look)
        except KeyboardInterrupt:
            self.hanging = tuple(each.root for each in self._silences(writers) if each.is_hanging)
            raise
        self.spool.settle()
        return writers

    def _silences(self, writers: tuple[Writer, ...]) -> tuple[Silence, ...]:
        """The source and the destinations with what they do not answer now, without those that were given up."""
        return Silence(self.root, self.read.silent_ns), *(each.silence for each in writers if not each.is_given_up)

    def _items(self, writers: tuple[Writer, ...]) -> Iterator[Item]:
        """The card's items, as long as a destination is left to take them."""
        for item in walk(self.root, self._left_out):
            if all(writer.has_failed for writer in writers):
                return
            yield item

    def _left_out(self, path: str, error: OSError | None) -> None:
        if error is not None:
            place = Target(os.path.join(self.root, path), TargetKind.FILE).shown
            says = f"{place} cannot be read ({error.strerror})"
            self.faults.add(Fault(Kind.UNREADABLE, self.root, path, says))
