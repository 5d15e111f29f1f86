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

# What is wrong with one name alone; after anything else the whole destination is given up.
_OF_ONE_NAME = {errno.EEXIST, errno.ENAMETOOLONG, errno.EILSEQ, errno.EINVAL}
_TAKEN = "its name is taken there already (file systems may take names for one that differ in capitals only)"


@dataclass(slots=True)
class Writer:
    """Writes all that comes through `inbox`. With `resumes`, files that are there with the right size are left alone.

    `stop` is that of this destination or of the whole offload.
    """

    landing: Landing
    inbox: Inbox
    meter: Meter
    faults: Faults
    stop: threading.Event
    resumes: bool = False
    has_failed: bool = False
    skipped_count: int = 0
    _part: Part | None = None
    _folders: list[FolderEnds] = field(default_factory=list)

    def run(self) -> None:
        """Write until the inbox ends, or this destination cannot go on."""
        self.meter.begin()
        finishers = Finishers(self.landing, self.stop, self._told)
        try:
            for message in received(self.inbox, self.meter):
                if self.has_failed or self.stop.is_set():
                    break
                with self.meter.busy():
                    self._handle(message, finishers)
        finally:
            if self._part is not None:
                self._part.discard()
            self.meter.flush_ns = finishers.end()
            self._end_folders()
            self.meter.files_count = self.landing.files_count
            self.meter.end()

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

    def _begun(self, found: FileFound, *, is_large: bool) -> Part | None:
        """The part to write; None where it is there already or cannot be made."""
        if self.resumes and self.landing.has(found):
            self.skipped_count += 1
            return None
        try:
            return self.landing.begin(found, is_large=is_large)
        except OSError as error:
            self._told(found, error)
            return None

    def _written(self, part: Part, small: Small) -> bool:
        try:
            part.write(small.data)
        except OSError as error:
            part.discard()
            self._told(part.found, error)
            return False
        return True

    def _piece(self, piece: Piece) -> None:
        part = self._part
        if part is None:
            return
        try:
            if part.bypasses:
                part.write_direct(piece.slab.view, piece.bytes_count)
            else:
                part.write(piece.slab.view[: piece.bytes_count])
        except OSError as error:
            self._part = None
            part.discard()
            self._told(part.found, error)
        else:
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
        except OSError as error:
            self._told(FileFound("", 0, 0), error)

    def _told(self, found: FileFound, error: OSError) -> None:
        """A fault of this file, or of the whole destination."""
        root = self.landing.root
        place = Target(os.path.join(root, found.path), TargetKind.FILE).shown
        if error.errno == errno.EEXIST:
            self.faults.add(Fault(Kind.NOT_WRITTEN, root, found.path, f"{place} was not written: {_TAKEN}"))
            return
        problem = io_problem(error.errno or errno.EIO, operation="write", place=place, phase="measure")
        if error.errno in _OF_ONE_NAME or (error.errno == errno.ENOENT and os.path.isdir(root)):
            self.faults.add(Fault(Kind.NOT_WRITTEN, root, found.path, str(problem)))
        elif not self.has_failed:
            self.has_failed = True
            self.faults.add(Fault(Kind.FAILED, root, None, str(problem)))
