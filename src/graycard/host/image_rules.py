"""What of an image can be judged beforehand, in the same sentences on every system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from graycard.errors import RunProblem
from graycard.model.image import Image
from graycard.units import format_size

MIB = 1 << 20
# Words in an option's value that could lead a program to another place than the image.
_LEADING_AWAY = {"device", "name", "file", "logdev", "rtdev", "offset", "journal_path"}
_MOUNT_LEADING_AWAY = {"loop", "offset", "sizelimit", "bind", "rbind", "move", "remount", "helper", "uhelper", "device"}


@dataclass(frozen=True, slots=True)
class Limits:
    """What a file system can be: least size of an image; least and largest allocation unit, each a power of two."""

    least_bytes: int
    least_unit_bytes: int
    most_unit_bytes: int


# FAT32 is told from FAT16 by its number of clusters: at least 65525 (Microsoft's FAT specification, 3.5).
LEAST_FAT32_CLUSTERS = 65525
_FAT_ENTRIES_BYTES = 8  # four in each of the two tables
_FAT_RESERVED_BYTES = 64 << 10
FAT32 = Limits(34 * MIB, 512, 64 << 10)


def refused_shape(image: Image, limits: Limits | None, known: Sequence[str]) -> str | None:
    """Why a file system of that name, size and allocation unit cannot be; one sentence."""
    if limits is None:
        return f"{image.file_system} cannot be made here; choose one of {', '.join(known)}"
    unit = image.allocation_unit_bytes
    least = limits.least_bytes
    if unit is not None and (unit & (unit - 1) or not limits.least_unit_bytes <= unit <= limits.most_unit_bytes):
        return (
            f"{image.file_system} has no allocation unit of {unit} bytes; choose a power of two from "
            f"{limits.least_unit_bytes} to {limits.most_unit_bytes}"
        )
    if image.file_system == "FAT32" and unit is not None:
        least = LEAST_FAT32_CLUSTERS * (unit + _FAT_ENTRIES_BYTES) + _FAT_RESERVED_BYTES
    if image.size_bytes < least:
        shown = format_size(image.size_bytes)
        return (
            f"{image.file_system} needs an image of at least {-(-least // MIB)} MiB, not {shown}; choose a larger size"
        )
    if image.size_bytes % MIB:
        return f"an image of {image.size_bytes} bytes is no whole number of MiB; choose a size such as 1GiB"
    return None


def refused_format_options(image: Image, program: str, valued: Sequence[str], bare: Sequence[str]) -> str | None:
    """Why the words may not be handed to `program`: only options that are known to touch the image alone."""
    words = list(image.format_options)
    while words:
        word = words.pop(0)
        option, joined, value = word.partition("=") if word.startswith("--") else (word, "", "")
        if option in bare and not joined:
            continue
        if option not in valued:
            known = " ".join((*valued, *bare)) or "none"
            return f"the option “{word}” is not handed on to {program}; leave it out (known here: {known})"
        if not joined and not words:
            return f"the option “{word}” of {program} needs a value; give it as the next word"
        value = value if joined else words.pop(0)
        if _leads_away(value, _LEADING_AWAY):
            return f"“{value}” could lead {program} to another place than the image; leave it out"
    return None


def refused_mount_options(image: Image) -> str | None:
    """Why an option of the mount is not allowed."""
    for option in image.mount_options:
        if not option or _leads_away(option, _MOUNT_LEADING_AWAY):
            return f"the mount option “{option}” could lead to another place than the image; leave it out"
    return None


def no_options(image: Image, system: str) -> str | None:
    """Why options are refused on a system where none are handed on."""
    for option in (*image.format_options, *image.mount_options):
        return f"the option “{option}” cannot be used on {system}; leave it out"
    return None


def failed(what: str, words: str, next_step: str, *, phase: str = "prepare") -> RunProblem:
    """A program could not do `what`; `words` are its own."""
    return RunProblem(f"{what} ({words}); {next_step}", errno=None, offset_bytes=None, phase=phase)


def _leads_away(value: str, keys: set[str]) -> bool:
    named = {part.partition("=")[0].strip().lower() for part in value.split(",")}
    return "/" in value or value.startswith("-") or bool(named & keys) or any(n.startswith("x-") for n in named)
