"""The ASC MHL manifest of a copy, from what was recorded while it was made."""

from __future__ import annotations

import contextlib
import os
import platform
import secrets
from collections.abc import Callable, Iterator
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
from graycard.offload.landing import part_name
from graycard.offload.spool import Copied, Ended, Spool

_IGNORED = Ignored()
_FLUSH_BYTES = 1 << 20


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


def write_history(
    folder: str, kind: HashFormat, spool: Spool, created_at: datetime, on_answer: Callable[[], None]
) -> Written:
    """Write the next generation of `folder`: the first, or one more where the card brought a history along.

    RunProblem; AccuracyProblem or ImportProblem where that history is damaged. `on_answer` is told after each call on
    the folder, and may raise to stop. After all of these no new generation is there.
    """
    try:
        earlier = load_history(folder)
        on_answer()
        history = os.path.join(folder, HISTORY_FOLDER)
        if earlier is None:
            os.makedirs(history, exist_ok=True)  # the card may have brought one along without a chain
        number = earlier.generations[-1].number + 1 if earlier else 1
        path = os.path.join(history, manifest_name(number, os.path.basename(folder), created_at))
        return _write(path, number, _Generation(kind, spool, earlier), created_at, on_answer)
    except OSError as error:
        place = Target(os.path.join(folder, HISTORY_FOLDER), TargetKind.FILE).shown
        raise io_problem(error.errno, operation="write", place=place, phase="measure") from error


def _write(
    path: str, number: int, generation: _Generation, created_at: datetime, on_answer: Callable[[], None]
) -> Written:
    """The manifest, and the chain that vouches for it."""
    head = Head(created_at, platform.node(), "graycard", __version__, "transfer", generation.patterns)
    history, name = os.path.split(path)
    with _published(path, os.path.join(history, CHAIN_FILE)) as (file, chain):
        entries = _flushing(file, generation.entries(), on_answer)
        c4 = write_manifest(file, head, generation.kind, generation.root(), entries)
        chain.write(chain_text((*generation.before, Generation(number, name, c4))).encode())
    on_answer()
    flush_folder(history)
    flush_folder(os.path.dirname(history))
    return Written(path, tuple(generation.failed), tuple(sorted(filter(is_listed, generation.unseen))))


@contextlib.contextmanager
def _published(*paths: str) -> Iterator[tuple[BinaryIO, ...]]:
    """New files under temporary names; all are whole on the medium before the first gets its own."""
    token = secrets.token_hex(4)
    parts = [os.path.join(os.path.dirname(path), part_name(token, number)) for number, path in enumerate(paths)]
    try:
        with contextlib.ExitStack() as stack:
            files = tuple(stack.enter_context(open(part, "xb")) for part in parts)
            yield files
            for file in files:
                file.flush()
                os.fsync(file.fileno())
        for part, path in zip(parts, paths, strict=True):
            os.replace(part, path)
    except BaseException:
        for part in parts:
            with contextlib.suppress(OSError):
                os.unlink(part)
        raise


def _flushing(
    file: BinaryIO, entries: Iterator[FileHash | FolderHash], on_answer: Callable[[], None]
) -> Iterator[FileHash | FolderHash]:
    """The entries; what was written of them goes to the medium in pieces, since nothing can cut a flush short."""
    flushed = 0
    for each in entries:
        yield each
        if file.tell() - flushed >= _FLUSH_BYTES:
            flushed = file.tell()
            file.flush()
            os.fsync(file.fileno())
            on_answer()


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
