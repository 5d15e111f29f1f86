"""Reads `fsutil fsinfo volumeinfo`, `ntfsinfo` and `sectorinfo` of Windows, one or several in a file, of one volume.

The words are those of English Windows; sectorinfo's names are the same in every language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from graycard.errors import ImportProblem
from graycard.importers.text import Text, lines, whole_number
from graycard.model import FactValue
from graycard.protocols import Reading
from graycard.readings.tree import number, told

_TOOL = "fsutil"
_PAIR = re.compile(r"^([A-Z][A-Za-z2 -]{3,60}?) {0,9}: {0,60}(\S.{0,200})$")
_SIGN = re.compile(
    r"^[ \t>]{0,16}(?:LogicalBytesPerSector|PhysicalBytesPerSectorFor\w{5,20}|NTFS Volume Serial Number"
    r"|Bytes Per Cluster|Max Component Length|File System Name) {0,9}:",
    re.MULTILINE,
)
_PROMPT = re.compile(r"fsutil {1,4}fsinfo {1,4}\w{6,12} {1,4}([A-Za-z]:)", re.IGNORECASE)
_COUNT = re.compile(r"(0x[0-9a-fA-F]{1,16}|\d[\d.,' ]{0,30})(?: *\(.{1,20}\))?")
_SIZES = (
    ("allocation_unit_bytes", "Bytes Per Cluster"),
    ("logical_block_bytes", "LogicalBytesPerSector"),
    ("logical_block_bytes", "Bytes Per Sector"),
    ("physical_block_bytes", "PhysicalBytesPerSectorForPerformance"),
    ("physical_block_bytes", "PhysicalBytesPerSectorForAtomicity"),
    ("physical_block_bytes", "Bytes Per Physical Sector"),
)
_FLAGS: dict[str, tuple[str, bool]] = {
    "No Seek Penalty": ("rotational", False),
    "Performs Normal Seeks": ("rotational", True),
    "Is ReadWrite": ("writable", True),
    "Is ReadOnly": ("writable", False),
}


class FsutilReader:
    """fsutil's facts of a volume."""

    name = "fsutil fsinfo"

    def recognises(self, head: bytes) -> bool:
        """Whether one of its names stands at the beginning of a line."""
        return bool(_SIGN.search(lines(head).plain))

    def read(self, data: bytes) -> tuple[Reading, ...]:
        """One reading. ImportProblem where it tells of two volumes."""
        text = lines(data)
        pairs, flags = _told(text)
        drives = {found[1].upper() for found in _PROMPT.finditer(text.plain)}
        if len(drives) > 1:
            raise ImportProblem(
                f"It tells of {len(drives)} volumes, {', '.join(sorted(drives))}: give it one file for each"
            )
        facts = told((*_facts(pairs), *((*_FLAGS[flag], f"{_TOOL}: {flag}") for flag in flags)))
        if not facts:
            raise ImportProblem(
                "fsutil's text tells nothing of the volume: keep the whole output of fsutil fsinfo ntfsinfo"
            )
        drive = next(iter(drives), None)
        names = tuple(name for name in (drive, _volume_name(pairs)) if name) or ("the volume",)
        return (Reading(names, facts, (drive, f"{drive}\\") if drive else ()),)


def _told(text: Text) -> tuple[dict[str, str], list[str]]:
    """The first value of each name, and the lines that are said without one."""
    pairs: dict[str, str] = {}
    flags: list[str] = []
    for line in text:
        words = line.text.strip()
        if pair := _PAIR.match(words):
            name, value = pair.groups()
            if name in pairs and name == "NTFS Volume Serial Number" and pairs[name] != value:
                raise ImportProblem("It tells of two volumes: give it one file for each")
            pairs.setdefault(name, value)
        elif words in _FLAGS:
            flags.append(words)
    return pairs, flags


def _facts(pairs: Mapping[str, str]) -> Iterator[tuple[str, FactValue, str]]:
    kind = pairs.get("File System Name") or ("NTFS" if "NTFS Volume Serial Number" in pairs else None)
    yield "file_system", kind.lower() if kind else None, f"{_TOOL} File System Name"
    yield "volume_name", _volume_name(pairs), f"{_TOOL} Volume Name"
    seen: set[str] = set()
    for fact, name in _SIZES:
        value = _count(pairs, name)
        if value and fact not in seen:
            seen.add(fact)
            yield fact, value, f"{_TOOL} {name}"
    cluster, total, free = (_count(pairs, name) for name in ("Bytes Per Cluster", "Total Clusters", "Free Clusters"))
    if cluster and total:
        yield "size_bytes", number({"it": total * cluster}, "it"), f"{_TOOL} Total Clusters"
        if free is not None and free <= total:
            yield "free_bytes", free * cluster, f"{_TOOL} Free Clusters"
            yield "used_ratio", 1 - free / total, f"{_TOOL} Free Clusters"


def _volume_name(pairs: Mapping[str, str]) -> str | None:
    return pairs.get("Volume Name")


def _count(pairs: Mapping[str, str], name: str) -> int | None:
    """A whole number in decimal, its thousands parted, or in hexadecimal; None for "<Not Supported>"."""
    match = _COUNT.fullmatch(pairs.get(name, ""))
    if not match:
        return None
    digits = match[1].strip()
    return int(digits, 16) if digits.startswith("0x") else whole_number(digits)
