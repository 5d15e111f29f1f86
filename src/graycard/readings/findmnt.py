"""Reads `findmnt -J` (util-linux): one reading for each mount."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from graycard.errors import ImportProblem
from graycard.importers.json_text import parse_json
from graycard.importers.text import lines
from graycard.model import FactValue
from graycard.protocols import Reading
from graycard.readings.mounts import linux_mount, reading, visible
from graycard.readings.sizes import is_rounded, share, size_bytes
from graycard.readings.tree import at, chains, text

_TOOL = "findmnt"
_SIGN = re.compile(r'"filesystems"\s{0,20}:')
_COLUMNS = re.compile(r"^TARGET .{0,500}\bSOURCE\b", re.MULTILINE)
_AS_TEXT = "findmnt's columns cannot be told apart where a name has blanks; give it -J: findmnt -J -b > findmnt.json"
# Of a bind mount or a subvolume: /dev/vda[/run/netns].
_FOLDER = re.compile(r"\[/[^\]]*\]$")


class FindmntReader:
    """findmnt's JSON."""

    name = "findmnt -J"

    def recognises(self, head: bytes) -> bool:
        """Whether it is findmnt's JSON, or its table, which is refused."""
        whole = lines(head).whole
        return bool(_SIGN.search(whole) or _COLUMNS.search(whole[:2000]))

    def read(self, data: bytes) -> tuple[Reading, ...]:
        """A reading for each place where something is mounted."""
        whole = lines(data).whole
        if not _SIGN.search(whole):
            raise ImportProblem(_AS_TEXT)
        tree = at(parse_json(whole, _TOOL), "filesystems")
        found = [_reading(chain[-1]) for chain in chains(tree, "children") if text(chain[-1], "target")]
        if not found:
            raise ImportProblem("findmnt's JSON lists no mount: run findmnt -J -b")
        return visible(found)


def _reading(row: dict[str, Any]) -> Reading:
    point = str(row["target"])
    source = _FOLDER.sub("", text(row, "source") or "")
    return reading(point, source, _facts(row, point, source))


def _facts(row: dict[str, Any], point: str, source: str) -> Iterator[tuple[str, FactValue, str]]:
    kind, options = text(row, "fstype"), text(row, "options")
    if kind:
        yield from linux_mount(source, point, kind, options or "", "findmnt")
    yield "volume_name", text(row, "label"), "findmnt label"
    yield "file_system_id", text(row, "uuid"), "findmnt uuid"
    yield "size_bytes", size_bytes(row, "size"), f"findmnt size{is_rounded(row, 'size')}"
    yield "free_bytes", size_bytes(row, "avail"), f"findmnt avail{is_rounded(row, 'avail')}"
    yield "used_ratio", share(row, "use%"), "findmnt use%"
