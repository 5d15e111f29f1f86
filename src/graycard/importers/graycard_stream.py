"""Large documents of graycard's own, result by result: an export of 1,000 results may be longer than memory is large.

graycard writes `id` and `measurement_id` first in each result, and quotes inside of texts are escaped: so these bytes
begin a result and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import BinaryIO

import msgspec

from graycard.codec import Document, decode
from graycard.errors import ImportProblem
from graycard.importers.graycard import check_schema, sound
from graycard.model import Result

_START = re.compile(rb'\{\s*"id"\s*:\s*"(?:[^"\\]|\\.)*"\s*,\s*"measurement_id"\s*:')
_CHUNK_BYTES = 8 << 20
# A result of a day in slots of 10 ms is as long as this; anything longer is no result.
_MOST_BYTES = 512 << 20
# What may lie between two chunks of what begins a result.
_JOINT_BYTES = 4096
_BETWEEN = b", \t\r\n"


def each_result(file: BinaryIO) -> Iterator[Result]:
    """The results of an open document at its beginning, one at a time; ImportProblem says where it does not fit.

    Holds no more than the longest result and 8 MiB. Only for documents in the order in which graycard writes them.
    """
    check_schema(file.read(_JOINT_BYTES))
    file.seek(0)
    number = 0
    for number, (piece, is_last) in enumerate(_pieces(file), 1):
        try:
            # The last one with all that stands behind it, for that must be whole, too.
            found = decode(b'{"results":[' + piece, Document).results[0] if is_last else decode(piece, Result)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise ImportProblem(f"Result {number} of the document is damaged ({error}): export it again") from error
        yield sound(found, number)
    if not number:
        raise ImportProblem("The document holds no results as graycard writes them: export some with graycard results")


def _pieces(file: BinaryIO) -> Iterator[tuple[bytes, bool]]:
    """Each result as it stands there, and whether it is the last one."""
    held, is_begun = b"", False
    while chunk := file.read(_CHUNK_BYTES):
        held += chunk
        starts = [match.start() for match in _START.finditer(held)]
        for start, end in pairwise(starts):
            yield held[start:end].rstrip(_BETWEEN), False
        is_begun = is_begun or bool(starts)
        held = held[starts[-1] :] if starts else held if is_begun else held[-_JOINT_BYTES:]
        if len(held) > _MOST_BYTES:
            raise ImportProblem(f"A result of the document is longer than {_MOST_BYTES >> 20} MiB: export it again")
    if is_begun:
        yield held, True
