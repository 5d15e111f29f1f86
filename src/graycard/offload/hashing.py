"""The threads that hash: what comes from the source is recorded, what comes from a destination is compared."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from graycard.mhl import FolderDigests, FolderSum, Hasher, HashFormat, new_hasher
from graycard.offload.items import FileFound, FolderBegins, FolderEnds, Item
from graycard.offload.messages import Inbox, Opened, Piece, Small, received
from graycard.offload.meter import Meter
from graycard.offload.spool import Copied, Ended, Spool

OnHash = Callable[[FileFound, bytes], None]
OnFolder = Callable[[FolderBegins | FolderEnds], None]


def hash_all(kind: HashFormat, inbox: Inbox, meter: Meter, on_hash: OnHash, on_folder: OnFolder) -> None:
    """Hash every file of the inbox, in its own format or else in `kind`; those that are not whole are left out."""
    meter.begin()
    current: FileFound | None = None
    hasher = new_hasher(kind)
    for message in received(inbox, meter):
        with meter.busy():
            if isinstance(message, list):
                for each in message:
                    _one(kind, each, meter, on_hash, on_folder)
            elif isinstance(message, Opened):
                current, hasher = message.file, new_hasher(message.file.kind or kind)
            elif isinstance(message, Piece):
                _update(hasher, message, meter)
            elif current is not None and message.is_whole:
                meter.files_count += 1
                on_hash(current, hasher.digest())
    meter.end()


def _one(kind: HashFormat, each: Item | Small, meter: Meter, on_hash: OnHash, on_folder: OnFolder) -> None:
    if isinstance(each, Small):
        hasher = new_hasher(each.file.kind or kind)
        hasher.update(each.data)
        meter.credit(len(each.data))
        meter.files_count += 1
        on_hash(each.file, hasher.digest())
    elif not isinstance(each, FileFound):
        on_folder(each)


def _update(hasher: Hasher, piece: Piece, meter: Meter) -> None:
    hasher.update(piece.slab.view[: piece.bytes_count])
    meter.credit(piece.bytes_count)


class Recorder:
    """Writes down each file of the source with its hash, and makes the hashes of the folders.

    `is_listed` says which paths belong into a manifest: the others are not part of the folders' hashes.
    """

    def __init__(self, kind: HashFormat, spool: Spool, is_listed: Callable[[str], bool]) -> None:
        self._kind, self._spool, self._is_listed = kind, spool, is_listed
        self._open: list[FolderSum] = []

    def on_hash(self, file: FileFound, digest: bytes) -> None:
        """A file of the folder that is open."""
        if self._is_listed(file.path):
            self._open[-1].add_file(_name(file.path), digest)
        path = os.fsencode(file.path)
        self._spool.add(Copied(path, file.size_bytes, file.modified_ns, digest, time.time_ns()))

    def on_folder(self, item: FolderBegins | FolderEnds) -> None:
        """A folder begins or ends."""
        if isinstance(item, FolderBegins):
            self._open.append(FolderSum(self._kind))
            return
        digests = self._open.pop().digests()
        if self._open and self._is_listed(item.path):
            self._open[-1].add_folder(_name(item.path), digests)
        self._spool.add(_ended(item, digests))


def _name(path: str) -> bytes:
    return os.fsencode(os.path.basename(path))


def _ended(item: FolderEnds, digests: FolderDigests) -> Ended:
    return Ended(os.fsencode(item.path), item.modified_ns, digests.content, digests.structure)
