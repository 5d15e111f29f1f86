"""A camera card that was named where `--card KIND` takes destinations alone: nothing is written to it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import islice

from graycard.errors import PlanProblem
from graycard.model import Target

# What stands at the root of a card, by the documents that cards.py names; in small letters.
_AT_ROOT = ("digital_magazine.bin", "*.rdm", "*.rdc", "*.braw", "xdroot", "bpav", "mediapro.xml", "dcim")
_BELOW_ROOT = ("private/m4root", "private/avchd", "contents/clip", "contents/clips[0-9]*")
_CLIPS = frozenset((".r3d", ".braw", ".ari", ".arx", ".crm", ".dng", ".mxf", ".mov", ".mp4", ".mts"))
# A look, no search: so many names, in so many folders one in the other.
_MOST_NAMES_COUNT = 2000
_MOST_DEPTH_COUNT = 3
_MEANT = "--card takes no SOURCE: it makes a synthetic card, and copies that to each DEST"


def refuse_cards(destinations: Sequence[Target], *, says_where: bool) -> None:
    """PlanProblem where a destination is a card with clips, or where the first of several looks like a source.

    With `says_where` it was said where the synthetic card is made, so that all of them are destinations.
    """
    for target in destinations:
        if _is_card(target.path):
            raise PlanProblem(
                f"{target.shown} is a camera card with clips, to which nothing is written; {_MEANT}. "
                "Leave --card out to copy the card: graycard offload SOURCE DEST"
            )
    first = destinations[0]
    if len(destinations) > 1 and not says_where and _holds_clips(first.path):
        raise PlanProblem(
            f"{first.shown} holds clips, as what is to be copied does; {_MEANT}. "
            f"Leave --card out to copy it; if it is a destination, say so by --card-on {first.shown}"
        )


def _is_card(root: str) -> bool:
    """Whether it is laid out as cameras lay out their cards."""
    names = [name for _, name in islice(_names(root, 2), _MOST_NAMES_COUNT)]
    signs = _AT_ROOT + _BELOW_ROOT
    return any(fnmatchcase(name, sign) for name in names for sign in signs if name.count("/") == sign.count("/"))


def _holds_clips(root: str) -> bool:
    """Whether there is a clip near its root."""
    names = islice(_names(root, _MOST_DEPTH_COUNT), _MOST_NAMES_COUNT)
    return any(is_file and os.path.splitext(name)[1] in _CLIPS for is_file, name in names)


def _names(root: str, depth_count: int) -> Iterator[tuple[bool, str]]:
    """Whether it is a file, and its path below the root with “/” in small letters: first those nearest to the root."""
    folders = [""]
    for _ in range(depth_count):
        inner: list[str] = []
        for folder in folders:
            for entry in _entries(os.path.join(root, folder)):
                path = os.path.join(folder, entry.name)
                yield entry.is_file(follow_symlinks=False), path.replace(os.sep, "/").lower()
                if entry.is_dir(follow_symlinks=False):
                    inner.append(path)
        folders = inner


def _entries(folder: str) -> list[os.DirEntry[str]]:
    """What is in a folder; nothing where it cannot be read."""
    try:
        with os.scandir(folder) as entries:
            return sorted(islice(entries, _MOST_NAMES_COUNT), key=lambda entry: entry.name)
    except OSError:
        return []
