"""The ASC MHL manifest of a copy, from what was recorded while it was made."""

from __future__ import annotations

import contextlib
import os
import platform
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO

from graycard import __version__
from graycard.errors import io_problem
from graycard.mhl import (
    CHAIN_FILE,
    HISTORY_FOLDER,
    USUAL_PATTERNS,
    FileHash,
    FolderDigests,
    FolderHash,
    Generation,
    HashFormat,
    Head,
    History,
    Ignored,
    chain_text,
    is_listable,
    load_history,
    manifest_name,
    write_manifest,
)
from graycard.model import Target, TargetKind
from graycard.offload.files import flush_folder
from graycard.offload.spool import Copied, Ended, Spool

_IGNORED = Ignored()


def is_listed(path: str) -> bool:
    """Whether a manifest lists the path: not those of its patterns, and not names that XML cannot hold."""
    plain = path.replace(os.sep, "/")
    return is_listable(plain) and not _IGNORED.leaves_out_any(plain)


@dataclass(frozen=True, slots=True)
class Written:
    """The manifest's path; paths whose hash is not the one that the card's own history has, and those it has alone."""

    path: str
    failed_paths: tuple[str, ...]
    missing_paths: tuple[str, ...] = ()


def write_history(folder: str, kind: HashFormat, spool: Spool, created_at: datetime) -> Written:
    """Write the next generation of `folder`: the first, or one more where the card brought a history along.

    RunProblem; AccuracyProblem or ImportProblem where that history is damaged. After them no new generation is there.
    """
    try:
        earlier = load_history(folder)
        history = os.path.join(folder, HISTORY_FOLDER)
        if earlier is None:
            os.makedirs(history, exist_ok=True)  # the card may have brought one along without a chain
        number = earlier.generations[-1].number + 1 if earlier else 1
        path = os.path.join(history, manifest_name(number, os.path.basename(folder), created_at))
        return _write(path, number, _Generation(kind, spool, earlier), created_at)
    except OSError as error:
        place = Target(os.path.join(folder, HISTORY_FOLDER), TargetKind.FILE).shown
        raise io_problem(error.errno, operation="write", place=place, phase="measure") from error


def _write(path: str, number: int, generation: _Generation, created_at: datetime) -> Written:
    """The manifest first, then the chain that vouches for it, each under a temporary name until it is whole."""
    head = Head(created_at, platform.node(), "graycard", __version__, "transfer", generation.patterns)
    history, name = os.path.split(path)
    with _whole(path) as file:
        c4 = write_manifest(file, head, generation.kind, generation.root(), generation.entries())
    with _whole(os.path.join(history, CHAIN_FILE)) as file:
        file.write(chain_text((*generation.before, Generation(number, name, c4))).encode())
    flush_folder(history)
    flush_folder(os.path.dirname(history))
    return Written(path, tuple(generation.failed), tuple(sorted(filter(is_listed, generation.unseen))))


@contextlib.contextmanager
def _whole(path: str) -> Iterator[BinaryIO]:
    part = f"{path}.part"
    try:
        with open(part, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(part)
        raise


class _Generation:
    """What the next manifest says, beside what those before it said."""

    def __init__(self, kind: HashFormat, spool: Spool, earlier: History | None) -> None:
        self.kind, self._spool = kind, spool
        self._known = earlier.files if earlier else {}
        self.before = earlier.generations if earlier else ()
        self.patterns = earlier.patterns if earlier else USUAL_PATTERNS
        self.failed: list[str] = []
        self.unseen = set(self._known)

    def root(self) -> FolderHash:
        """The card's own folder, which ended last."""
        root = FolderHash("", 0, FolderDigests(b"", b""))
        for each in self._spool.records():
            if not isinstance(each, Copied) and not each.path:
                root = _folder(each)
        return root

    def entries(self) -> Iterator[FileHash | FolderHash]:
        """Files and folders as they were read."""
        for each in self._spool.records():
            path = os.fsdecode(each.path)
            if path and is_listed(path):
                yield self._file(each, path) if isinstance(each, Copied) else _folder(each)

    def _file(self, record: Copied, path: str) -> FileHash:
        plain = path.replace(os.sep, "/")
        self.unseen.discard(plain)
        action = self._action(plain, record.digest)
        return FileHash(plain, record.size_bytes, record.modified_ns, record.digest, record.hashed_ns, action)

    def _action(self, path: str, digest: bytes) -> str | None:
        known = self._known.get(path)
        if known is None:
            return "original"
        if known.kind is not self.kind:
            return None
        if known.digest == digest:
            return "verified"
        self.failed.append(path)
        return "failed"


def _folder(record: Ended) -> FolderHash:
    path = os.fsdecode(record.path).replace(os.sep, "/")
    return FolderHash(path, record.modified_ns, FolderDigests(record.content, record.structure))
