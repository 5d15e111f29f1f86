"""The thread that writes to one destination. Where that fails, it lets the others go on."""

from __future__ import annotations

import errno
import os
import threading
from dataclasses import dataclass, field

from graycard.errors import io_problem
from graycard.model import Target, TargetKind
from graycard.offload.faults import Fault, Faults, Kind
from graycard.offload.files import flush_folder
from graycard.offload.items import FileFound, FolderBegins, FolderEnds, Item
from graycard.offload.landing import Finishers, Landing, Part
from graycard.offload.messages import Inbox, Message, Opened, Piece, Small, received
from graycard.offload.meter import Meter
from graycard.offload.silence import Silence

# What is wrong with one name alone; after anything else the whole destination is given up.
_OF_ONE_NAME = {errno.EEXIST, errno.ENAMETOOLONG, errno.EILSEQ, errno.EINVAL}
# The next step where it is not that of a measurement.
_ADVICE = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), "free some space there, then repeat"),
    **dict.fromkeys((errno.EACCES, errno.EPERM), "see to your permission there, then repeat"),
    **dict.fromkeys(_OF_ONE_NAME, "its file system does not take that name, so copy it to another one"),
    errno.EROFS: "check the drive and mount it writable, then repeat",
    errno.EFBIG: "copy it to a file system that takes larger files, or raise ulimit -f",
}
_TAKEN = "its name is taken there already (file systems may take names for one that differ in capitals only)"


@dataclass(slots=True)
class Writer:
    """Writes all that comes through `inbox`. With `resumes`, files that are there with the right size are left alone.

    `stop` is that of the whole offload; `is_given_up` that of this destination, which did not answer.
    """

    landing: Landing
    inbox: Inbox
    meter: Meter
    faults: Faults
    stop: threading.Event
    resumes: bool = False
    has_failed: bool = False
    is_given_up: bool = False
    skipped_count: int = 0
    _part: Part | None = None
    _folders: list[FolderEnds] = field(default_factory=list)
    _finishers: Finishers | None = None

    @property
    def silence(self) -> Silence:
        """How long this destination has not answered."""
        unflushed_bytes = self._finishers.unflushed_bytes if self._finishers else 0
        return Silence(self.landing.root, self.meter.silent_ns, unflushed_bytes)

    def give_up(self, says: str) -> None:
        """Write no more and take nothing in, for the others' sake; for the thread that looks on.

        What has failed already was told then.
        """
        if not self.has_failed:
            self.faults.add(Fault(Kind.FAILED, self.landing.root, None, says))
        self.is_given_up = self.has_failed = True
        self.inbox.close()
        self.meter.files_count = self.landing.files_count
        self.meter.end()

    def run(self) -> None:
        """Write until the inbox ends, or this destination cannot go on."""
        self.meter.begin()
        finishers = self._finishers = Finishers(self.landing, self._goes_on, self._told)
        try:
            for message in received(self.inbox, self.meter):
                if self.has_failed or self.stop.is_set():
                    break
                with self.meter.busy():
                    self._handle(message, finishers)
        finally:
            with self.meter.ending():
                if self._part is not None:
                    self._part.discard()
                self.meter.flush_ns = finishers.end()
                self._end_folders()
            if not self.is_given_up:
                self.meter.files_count = self.landing.files_count
                self.meter.end()

    def _goes_on(self) -> bool:
        """Told after each call that has come back; whether there shall be another."""
        self.meter.answered()
        return not (self.is_given_up or self.stop.is_set())

    def _handle(self, message: Message, finishers: Finishers) -> None:
        if isinstance(message, list):
            for each in message:
                if self.has_failed or self.stop.is_set():
                    return
                self._one(each, finishers)
        elif isinstance(message, Opened):
            self._part = self._begun(message.file, is_large=True)
        elif isinstance(message, Piece):
            self._piece(message)
        elif self._part is not None:
            part, self._part = self._part, None
            if message.is_whole:
                finishers.take(part)
            else:
                part.discard()

    def _one(self, each: Item | Small, finishers: Finishers) -> None:
        if isinstance(each, FolderBegins):
            self._make_folder(each)
        elif isinstance(each, FolderEnds):
            self._folders.append(each)
        elif isinstance(each, Small):
            part = self._begun(each.file, is_large=False)
            if part is not None and self._written(part, each):
                self.meter.credit(len(each.data))
                finishers.take(part)

    def _make_folder(self, folder: FolderBegins) -> None:
        path = os.path.join(self.landing.root, folder.path)
        try:
            os.mkdir(path)
        except FileExistsError as error:
            if folder.path and not self.resumes:
                self._told(FileFound(folder.path, 0, 0), error)
        except OSError as error:
            self._told(FileFound(folder.path, 0, 0), error)
        self.meter.answered()

    def _begun(self, found: FileFound, *, is_large: bool) -> Part | None:
        """The part to write; None where it is there already or cannot be made."""
        if self.resumes and self.landing.has(found):
            self.skipped_count += 1
            return None
        try:
            return self.landing.begin(found, is_large=is_large, goes_on=self._goes_on)
        except OSError as error:
            self._told(found, error)
            return None

    def _written(self, part: Part, small: Small) -> bool:
        try:
            is_whole = part.write(small.data)
        except OSError as error:
            part.discard()
            self._told(part.found, error)
            return False
        if not is_whole:
            part.discard()
        return is_whole

    def _piece(self, piece: Piece) -> None:
        part = self._part
        if part is None:
            return
        try:
            if part.bypasses:
                is_whole = part.write_direct(piece.slab.view, piece.bytes_count)
            else:
                is_whole = part.write(piece.slab.view[: piece.bytes_count])
        except OSError as error:
            self._part = None
            part.discard()
            self._told(part.found, error)
        else:
            if is_whole:
                self.meter.credit(piece.bytes_count)

    def _end_folders(self) -> None:
        """Keep the folders' times, innermost first, and bring their names to the medium."""
        if self.has_failed or self.stop.is_set():
            return
        try:
            for folder in self._folders:
                path = os.path.join(self.landing.root, folder.path)
                self.landing.keep_time(path, folder.modified_ns)
                flush_folder(path)
                if not self._goes_on():
                    return
        except OSError as error:
            self._told(FileFound("", 0, 0), error)

    def _told(self, found: FileFound, error: OSError) -> None:
        """A fault of this file, or of the whole destination."""
        root = self.landing.root
        if self.is_given_up:
            return  # it answers after all, too late
        place = Target(os.path.join(root, found.path), TargetKind.FILE).shown
        if error.errno == errno.EEXIST:
            self.faults.add(Fault(Kind.NOT_WRITTEN, root, found.path, f"{place} was not written: {_TAKEN}"))
            return
        code = error.errno or errno.EIO
        problem = io_problem(code, operation="write", place=place, phase="measure", advice=_ADVICE.get(code))
        if error.errno in _OF_ONE_NAME or (error.errno == errno.ENOENT and os.path.isdir(root)):
            self.faults.add(Fault(Kind.NOT_WRITTEN, root, found.path, str(problem)))
        elif not self.has_failed:
            self.has_failed = True
            self.faults.add(Fault(Kind.FAILED, root, None, str(problem)))
