"""Whether what was written is there: blocks read again, and compared with what the core wrote."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from graycard.engines.contents import block_start, first_word
from graycard.errors import io_problem
from graycard.model import Check, Target, TargetKind, Verdict
from graycard.sustain.session import Session
from graycard.sustain.writing import Piece
from graycard.units import format_size

NAME = "data_is_there"
# A hundredth of a large run; one false block in a hundred is met with a chance of 99.4 %.
COMPARED_COUNT = 512
COMPARED_BYTES = 4096
# The core makes blocks ahead of their writing: so many at most (generator buffers of one run).
_AHEAD_COUNT = 1024
_NEAR_COUNT = 48
_RUN_COUNT = 64


@dataclass(frozen=True, slots=True)
class Proof:
    """Of `all_count` blocks `compared_count` were compared, `wrong_count` of them are not what was written."""

    all_count: int
    compared_count: int
    wrong_count: int
    first_wrong_bytes: int | None

    @property
    def says(self) -> str:
        """One sentence."""
        of = f"{self.compared_count} of {self.all_count} blocks, spread over all that was written,"
        if not self.wrong_count:
            return f"What was written is there: {of} were compared."
        at = f", the first {format_size(self.first_wrong_bytes or 0)} after the beginning"
        return (
            f"{self.wrong_count} of {of} are not what was written{at}; do not trust this drive with data: "
            "it is defective, or holds less than it says."
        )

    def check(self) -> Check:
        """The same as a check of the result that was read back."""
        right = self.compared_count - self.wrong_count
        verdict = Verdict.FAIL if self.wrong_count else Verdict.PASS
        return Check(NAME, float(self.compared_count), float(right), "count", 0.0, verdict, self.says)


def prove(session: Session, pieces: Sequence[Piece]) -> Proof | None:
    """Compare blocks of all files; RunProblem where they cannot be read. None where another engine wrote them."""
    if session.engine.name != "native":
        return None
    block = session.order.block_bytes
    all_count = sum(piece.size_bytes // block for piece in pieces)
    compared = wrong = start = 0
    first: int | None = None
    for piece in pieces:
        for index, is_right in _compared(session, piece, max(1, all_count // COMPARED_COUNT)):
            compared += 1
            if not is_right:
                wrong += 1
                first = start + index * block if first is None else first
        start += piece.size_bytes
    return Proof(all_count, compared, wrong, first)


def _compared(session: Session, piece: Piece, step: int) -> Iterator[tuple[int, bool]]:
    """Block numbers of one file, evenly spread, the first and the last among them, and whether each is right."""
    count = piece.size_bytes // session.order.block_bytes
    contents = Contents(piece.seed, count)
    session.host.drop_cache(piece.path)
    descriptor = session.host.open_file(piece.path, write=False, direct=False)
    try:
        for index in sorted({*range(0, count, step), max(0, count - 1)}):
            session.tell("run", f"comparing what was written, {format_size(index * session.order.block_bytes)}")
            yield index, contents.has(index, _read(descriptor, piece.path, index * session.order.block_bytes))
    finally:
        os.close(descriptor)


def _read(descriptor: int, path: str, offset: int) -> bytes:
    try:
        os.lseek(descriptor, offset, os.SEEK_SET)
        return os.read(descriptor, COMPARED_BYTES)
    except OSError as error:
        place = Target(path, TargetKind.FILE).shown
        raise io_problem(error.errno, operation="read", place=place, offset_bytes=offset, phase="measure") from error


@dataclass(slots=True)
class Contents:
    """The blocks that the core can have written into one file of `count` blocks, in about the order of the file.

    Which run of the engine it was is found from the first block that is known.
    """

    seed: int
    count: int
    _run: int | None = None
    _serials: dict[bytes, int] = field(default_factory=dict)

    def has(self, index: int, data: bytes) -> bool:
        """Whether the data are the beginning of a block that may stand at that place."""
        found = self._found(index, data[:8])
        if found is None or len(data) < COMPARED_BYTES:
            return False
        run, serial = found
        # A block from behind is one that was written elsewhere: the drive has begun again at its beginning.
        return serial <= index + _AHEAD_COUNT and data == block_start(self.seed, run, serial, COMPARED_BYTES)

    def _found(self, index: int, word: bytes) -> tuple[int, int] | None:
        near = range(max(0, index - _NEAR_COUNT), index + _NEAR_COUNT)
        runs = range(1, _RUN_COUNT) if self._run is None else (self._run,)
        for run in runs:
            for serial in near:
                if first_word(self.seed, run, serial) == word:
                    self._run = run
                    return run, serial
        if self._run is None:
            return None
        serial_ = self._everywhere(self._run).get(word)
        return None if serial_ is None else (self._run, serial_)

    def _everywhere(self, run: int) -> dict[bytes, int]:
        """All blocks of the run, by their first words: a buffer that lay waiting may come late."""
        if not self._serials:
            made = range(self.count + _AHEAD_COUNT)
            self._serials = {first_word(self.seed, run, serial): serial for serial in made}
        return self._serials
