"""A run's folder on a server that is reached without a mount: its name, and the marker that proves whose it is.

Whoever makes it there gives it that marker, so that `clean` may remove it where the same folder is mounted.
"""

from __future__ import annotations

from dataclasses import dataclass

from graycard.scratch.names import MARKER, folder_name, new_id, test_file, tree_folder
from graycard.scratch.owner import encode, this_owner


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Names within the folder `name`: `marker_name` with the text `marker`; below `tree` all is the run's."""

    name: str
    marker: str
    marker_name: str = MARKER
    tree: str = tree_folder("copies")
    file: str = test_file("data")


def elsewhere() -> Elsewhere:
    """A new one, owned by this process. Which user it gets there is not known here."""
    folder_id = new_id()
    return Elsewhere(folder_name(folder_id), encode(this_owner(folder_id)).decode())
