"""What was copied, file by file, kept in a file without a name: memory stays the same for any number of files."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import IO

import msgspec

from graycard.errors import RunProblem, io_problem

_PIECE_BYTES = 1 << 16
_LENGTH_BYTES = 4


class Copied(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """A file that was read from the source: path (as the system's bytes), size, time of change, hash and when."""

    path: bytes
    size_bytes: int
    modified_ns: int
    digest: bytes
    hashed_ns: int


class Ended(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """A folder with its hashes."""

    path: bytes
    modified_ns: int
    content: bytes
    structure: bytes


Record = Copied | Ended


@contextmanager
def spool() -> Iterator[Spool]:
    """An empty spool; it is gone at the end, also of a process that is killed. RunProblem."""
    with ExitStack() as stack:
        try:
            file = stack.enter_context(tempfile.TemporaryFile(prefix="graycard-"))
        except OSError as error:
            raise _no_room(error) from error
        yield Spool(file)


class Spool:
    """Records in the order in which they were added by one thread; any number of readers at once."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._encoder = msgspec.msgpack.Encoder()
        self._pending = bytearray()
        self._end = 0
        self.count = 0

    def add(self, record: Record) -> None:
        """Add a record. RunProblem where the folder for temporary files is full."""
        data = self._encoder.encode(record)
        self._pending += len(data).to_bytes(_LENGTH_BYTES, "big") + data
        self.count += 1
        if len(self._pending) >= _PIECE_BYTES:
            self.settle()

    def settle(self) -> None:
        """Write what is pending, so that readers see it."""
        with self._lock:
            try:
                self._file.seek(self._end)
                self._file.write(self._pending)
                self._file.flush()
            except OSError as error:
                raise _no_room(error) from error
            self._end += len(self._pending)
            self._pending.clear()

    def records(self) -> Iterator[Record]:
        """All records that are settled."""
        decoder: msgspec.msgpack.Decoder[Record] = msgspec.msgpack.Decoder(Record)
        at, data = 0, b""
        while at < self._end:
            with self._lock:
                self._file.seek(at)
                piece = self._file.read(min(_PIECE_BYTES, self._end - at))
            at += len(piece)
            data += piece
            used = 0
            for start, end in _frames(data):
                yield decoder.decode(data[start:end])
                used = end
            data = data[used:]


def _frames(data: bytes) -> Iterator[tuple[int, int]]:
    """Where whole records lie in the data."""
    at = 0
    while at + _LENGTH_BYTES <= len(data):
        start = at + _LENGTH_BYTES
        at = start + int.from_bytes(data[at:start], "big")
        if at > len(data):
            return
        yield start, at


def _no_room(error: OSError) -> RunProblem:
    place = "the list of copied files in the folder for temporary files (TMPDIR)"
    return io_problem(error.errno, operation="write", place=place, phase="measure")
