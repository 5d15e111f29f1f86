"""The names that graycard gives: it makes, and ever removes, no others."""

from __future__ import annotations

import re
import secrets
from hashlib import blake2b

MARKER = "owner.json"
_PREFIX = ".graycard-"
_ID_BYTES = 8
_FOLDER = re.compile(re.escape(_PREFIX) + rf"([0-9a-f]{{{2 * _ID_BYTES}}})")
_WORD = r"[a-z][a-z0-9-]{0,39}"
_FILE = re.compile(_WORD + r"\.graycard")
_TREE = re.compile(rf"{_WORD}\.tree")
# Who takes over a folder of images adds the next marker: owner-2.json, owner-3.json, …
_NEXT_MARKER = re.compile(r"owner-([2-9]|[1-9][0-9]{1,5})\.json")
_IMAGE = re.compile(rf"({_WORD})(?:\.unfinished)?\.graycard\.(?:img|dmg|vhd)")
_MOUNT = re.compile(rf"({_WORD})\.mount")
_SLUG_LENGTH = 24


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


def tree_folder(word: str) -> str:
    """The name of a folder that may hold anything of the run's. ValueError unless it is one plain lower-case word."""
    if not re.fullmatch(_WORD, word):
        raise ValueError(f"“{word}” is no plain word")
    return f"{word}.tree"


def is_tree(name: str) -> bool:
    """Whether graycard gives such names to trees."""
    return bool(_TREE.fullmatch(name))


def marker_name(number: int) -> str:
    """The name of the marker of the first, second, … owner."""
    return MARKER if number == 1 else f"owner-{number}.json"


def marker_number(name: str) -> int | None:
    """The number of a marker by its name; None for other files."""
    match = _NEXT_MARKER.fullmatch(name)
    return 1 if name == MARKER else int(match[1]) if match else None


def volume_word(name: str) -> str:
    """One plain word for any name that a user gives to a volume: readable, and different for different names."""
    slug = re.sub("[^a-z0-9]+", "-", name.lower())[:_SLUG_LENGTH].strip("-")
    plain = slug if re.match("[a-z]", slug) else f"volume-{slug}".strip("-")
    return f"{plain}-{blake2b(name.encode('utf-8', 'surrogatepass'), digest_size=3).hexdigest()}"


def image_file(word: str, suffix: str, *, finished: bool = True) -> str:
    """The name of an image, as "exfat-1a2b3c.graycard.img"; another one while it is made."""
    return f"{word}{'' if finished else '.unfinished'}.graycard{suffix}"


def mount_folder(word: str) -> str:
    """The name of the folder where the image of that word is mounted."""
    return f"{word}.mount"


def image_word(name: str) -> str | None:
    """The word in the name of an image; None for other files."""
    match = _IMAGE.fullmatch(name)
    return match[1] if match else None


def mount_word(name: str) -> str | None:
    """The word in the name of a mount folder; None for other names."""
    match = _MOUNT.fullmatch(name)
    return match[1] if match else None
