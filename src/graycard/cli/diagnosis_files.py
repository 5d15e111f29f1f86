"""Diagnoses in files: what `why --json` wrote, or `results export`."""

from __future__ import annotations

import re

import msgspec

from graycard.codec import Document, decode
from graycard.errors import ImportProblem
from graycard.model.diagnosis import Case
from graycard.report.printable import printable

_HEAD_BYTES = 4096
# Half an hour with both ends sampled is 3 MB.
_MOST_BYTES = 64 << 20
# What `why --json` writes near its beginning, and what `results export` does where there are diagnoses.
_ONE = re.compile(rb'"command"\s*:\s*"(?:why|watch)"')
_SEVERAL = re.compile(rb'"diagnoses"\s*:\s*\[\s*\{')


def with_diagnoses(path: str) -> Document | None:
    """The document in the file, where it has diagnoses; None for any other file.

    ImportProblem where it cannot be read, is damaged, or is too large to be read whole.
    """
    try:
        with open(path, "rb") as file:
            head = file.read(_HEAD_BYTES)
            if not _ONE.search(head) and not _SEVERAL.search(head):
                return None
            data = head + file.read(_MOST_BYTES)
    except OSError as error:
        raise ImportProblem(f"{printable(path)} cannot be read ({error.strerror}); check the file") from error
    if len(data) > _MOST_BYTES:
        raise ImportProblem(f"{printable(path)} is too large to read diagnoses from: export them alone")
    return _document(data, printable(path), is_one=_SEVERAL.search(head) is None)


def _document(data: bytes, shown: str, *, is_one: bool) -> Document:
    # The importers are many, and most reports are of stored results.
    from graycard.importers.graycard import check_schema

    try:
        check_schema(data)
        return Document(diagnoses=(decode(data, Case),)) if is_one else decode(data, Document)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ImportProblem(f"{shown} is a damaged diagnosis ({error}): write or export it again") from error
