"""Reads graycard's own JSON back: what `results export` and --json write."""

from __future__ import annotations

import re

import msgspec

from graycard.codec import Document, decode
from graycard.errors import ImportProblem
from graycard.importers.sound import fault
from graycard.model import SCHEMA, Result

_SCHEMA = re.compile(rb'"schema"\s*:\s*"graycard/(\d+)"')


class GraycardImporter:
    """graycard's own documents; the results come back as they were, ids and all."""

    name = "graycard"

    def recognises(self, head: bytes) -> bool:
        """Whether the document names graycard's schema near its beginning."""
        return _SCHEMA.search(head[:4096]) is not None

    def read(self, data: bytes) -> tuple[Result, ...]:
        """The results of the document; ImportProblem says where it does not fit."""
        check_schema(data)
        try:
            results = decode(data, Document).results
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise ImportProblem(f"graycard's document is damaged ({error}): export it again") from error
        if not results:
            raise ImportProblem("The document holds no results: export some with graycard results export")
        return tuple(sound(result, number) for number, result in enumerate(results, 1))


def check_schema(data: bytes) -> None:
    """ImportProblem where the document is of a schema that this graycard does not read."""
    found = _SCHEMA.search(data)
    version = f"graycard/{found[1].decode()}" if found else SCHEMA
    if version != SCHEMA:
        raise ImportProblem(f"The document is of schema {version}, this graycard reads {SCHEMA}: update graycard")


def sound(result: Result, number: int) -> Result:
    """The result, number `number` of its document; ImportProblem where something in it is impossible."""
    wrong = fault(result)
    if wrong:
        raise ImportProblem(f"Result {number} of the document is damaged ({wrong}): export it again")
    return result
