"""What stands on a block device: UUID, label, type and partition table, as udev noted it or blkid(8) finds it."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping

from graycard.host.linux.block import Device
from graycard.host.linux.roots import HERE, Roots, read_text, read_word

_BLKID_S = 3.0
# Names in udev's database, and those that `blkid -p -o export` gives for the same.
_FROM_BLKID = {
    "UUID": "ID_FS_UUID",
    "LABEL": "ID_FS_LABEL",
    "TYPE": "ID_FS_TYPE",
    "PART_ENTRY_SCHEME": "ID_PART_ENTRY_SCHEME",
}


def identity_of(device: Device, roots: Roots = HERE) -> tuple[Mapping[str, str], str]:
    """Udev's properties of a device ("ID_FS_UUID", …), and where they were found.

    Where udev does not run, the superblock is read by blkid, which needs the right to read the device.
    """
    number = read_word(f"{device.folder}/dev") or ""
    path = f"{roots.run}/udev/data/b{number}"
    text = read_text(path)
    if text is not None:
        return parse_udev(text), path
    node = f"{roots.dev}/{device.name}"
    if not os.access(node, os.R_OK):
        return {}, "no udev, and the device may not be read"
    return parse_blkid(_blkid(node)), f"blkid -p {node}"


def parse_udev(text: str) -> dict[str, str]:
    """The E: lines of a file of udev's database."""
    pairs = (line[2:].partition("=") for line in text.split("\n") if line.startswith("E:"))
    return {name: value for name, _, value in pairs}


def parse_blkid(text: str) -> dict[str, str]:
    """The lines of `blkid -p -o export` under udev's names; backslashes before special characters are taken off."""
    pairs = (line.partition("=") for line in text.split("\n") if "=" in line)
    return {_FROM_BLKID[name]: value.replace("\\", "") for name, _, value in pairs if name in _FROM_BLKID}


def label_of(properties: Mapping[str, str]) -> str | None:
    r"""The volume's label: udev keeps it with blanks as \x20 in one property, and mangled in the other."""
    encoded = properties.get("ID_FS_LABEL_ENC")
    if encoded is None:
        return properties.get("ID_FS_LABEL")
    return re.sub(r"\\x([0-9a-f]{2})", lambda match: chr(int(match[1], 16)), encoded)


def superblock_type(node: str) -> str | None:
    """Name the file system, "exFAT" or "NTFS", by the eight bytes at offset 3 of the boot sector; None if unknown.

    Microsoft's exFAT specification, 3.1.2 FileSystemName; NTFS: OEM ID of the boot sector.
    """
    try:
        with open(node, "rb", buffering=0) as device:
            name = device.read(512)[3:11]
    except OSError:
        return None
    return {b"EXFAT   ": "exFAT", b"NTFS    ": "NTFS"}.get(name)


def _blkid(node: str) -> str:
    try:
        done = subprocess.run(["blkid", "-p", "-o", "export", node], capture_output=True, check=False, timeout=_BLKID_S)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "surrogateescape")
