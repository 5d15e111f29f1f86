"""The name of a file system as users know it, and the real one behind "fuseblk"."""

from __future__ import annotations

import os

from graycard.host.linux.block import device_with_number
from graycard.host.linux.identity import identity_of, superblock_type
from graycard.host.linux.mounts import Mount
from graycard.host.linux.roots import HERE, Roots, names_in, read_text

_NAMES = {
    "exfat": "exFAT",
    "ntfs": "NTFS",
    "ntfs3": "NTFS",
    "vfat": "FAT",
    "msdos": "FAT",
    "hfsplus": "HFS+",
    "apfs": "APFS",
    "zfs": "ZFS",
    "fuse.zfs": "ZFS",
    "udf": "UDF",
}
# Programs that serve a fuseblk mount, for users who may not read the device.
_SERVERS = {"mount.exfat-fuse": "exFAT", "mount.exfat": "exFAT", "ntfs-3g": "NTFS", "mount.ntfs-3g": "NTFS"}


def file_system_name(mount: Mount, roots: Roots = HERE) -> str:
    """As "ext4", "exFAT", "NTFS", "fuse.sshfs"; "fuseblk" only where nothing tells what is behind it."""
    if mount.file_system != "fuseblk":
        return name_of_type(mount.file_system)
    return superblock_type(mount.source) or _by_identity(mount, roots) or _by_server(mount.source, roots) or "fuseblk"


def file_system_driver(mount: Mount, roots: Roots = HERE) -> str:
    """What serves the file system: "kernel", "kernel ntfs3" where there are several, "FUSE", "FUSE ntfs-3g"."""
    if not mount.fuse:
        return f"kernel {mount.file_system}" if name_of_type(mount.file_system) == "NTFS" else "kernel"
    subtype = mount.file_system.partition(".")[2]
    program = subtype or _server_of(mount.source, roots)
    return f"FUSE {program}" if program else "FUSE"


def name_of_type(kind: str) -> str:
    """The name for what the kernel, lsblk or findmnt calls a type: "exFAT" of "exfat", "NTFS" of "ntfs3"."""
    return _NAMES.get(kind, kind)


def _by_identity(mount: Mount, roots: Roots) -> str | None:
    device = device_with_number(mount.number, roots)
    found = identity_of(device, roots)[0].get("ID_FS_TYPE") if device else None
    return name_of_type(found) if found else None


def _by_server(source: str, roots: Roots) -> str | None:
    program = _server_of(source, roots)
    return _SERVERS[program] if program else None


def _server_of(source: str, roots: Roots) -> str | None:
    """The program of the process that was told to mount `source`, one of _SERVERS, by its command line."""
    for process in names_in(roots.proc):
        line = read_text(f"{roots.proc}/{process}/cmdline") if process.isdigit() else None
        words = (line or "").split("\0")
        if source in words[1:] and os.path.basename(words[0]) in _SERVERS:
            return os.path.basename(words[0])
    return None
