"""Making a synthetic card: its folders and files, full of data that cannot be compressed."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial

from graycard.errors import io_problem
from graycard.model import Target, TargetKind
from graycard.offload.cards import CARDS
from graycard.offload.census import Census
from graycard.offload.items import FileFound
from graycard.protocols import Host

_PIECE_BYTES = 4 << 20


def planned(card: str, size_bytes: int) -> Census:
    """What the card will hold, by counting alone."""
    census, folders = Census(), {""}
    for each in CARDS[card].files(size_bytes):
        census.add(FileFound(each.path, each.size_bytes, 0))
        folders.add(os.path.dirname(each.path))
    census.folders_count = len(folders | set(CARDS[card].empty_folders))
    return census


def make_card(host: Host, root: str, card: str, size_bytes: int, on_made: Callable[[int], None]) -> None:
    """Fill the empty folder `root`. `on_made` is told the bytes written so far, and may raise. RunProblem.

    The pages of each file are dropped, so that the card is read from its drive as a real one; they are written back
    before that piece by piece, for a stop cannot cut a long flush short.
    """
    layout, done_bytes = CARDS[card], 0
    for folder in layout.empty_folders:
        os.makedirs(os.path.join(root, folder), exist_ok=True)
    for each in layout.files(size_bytes):
        path = os.path.join(root, *each.path.split("/"))
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "xb", buffering=0) as file:
                left = each.size_bytes
                while left:
                    left -= file.write(os.urandom(min(left, _PIECE_BYTES)))
                    on_made(done_bytes + each.size_bytes - left)
        except OSError as error:
            place = Target(path, TargetKind.FILE).shown
            raise io_problem(error.errno, operation="write", place=place, phase="layout") from error
        done_bytes += each.size_bytes
        host.write_back(path, partial(on_made, done_bytes))
        host.drop_cache(path)
