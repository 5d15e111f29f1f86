"""The names that graycard gives: it makes, and ever removes, no others."""

from __future__ import annotations

import re
import secrets

MARKER = "owner.json"
_PREFIX = ".graycard-"
_ID_BYTES = 8
_FOLDER = re.compile(re.escape(_PREFIX) + rf"([0-9a-f]{{{2 * _ID_BYTES}}})")
_WORD = r"[a-z][a-z0-9-]{0,39}"
_FILE = re.compile(_WORD + r"\.graycard")


def new_id() -> str:
    """A random id for a folder."""
    return secrets.token_hex(_ID_BYTES)


def folder_name(folder_id: str) -> str:
    """The name of the folder of that id."""
    return _PREFIX + folder_id


def id_of(name: str) -> str | None:
    """The id in a folder's name, or None if graycard makes no such names."""
    match = _FOLDER.fullmatch(name)
    return match[1] if match else None


def test_file(word: str) -> str:
    """The name of a test file, as "read.graycard" for "read". ValueError unless it is one plain lower-case word."""
    if not re.fullmatch(_WORD, word):
        raise ValueError(f"“{word}” is no plain word")
    return f"{word}.graycard"


def is_test_file(name: str) -> bool:
    """Whether graycard gives such names to test files."""
    return bool(_FILE.fullmatch(name))
