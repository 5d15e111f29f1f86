"""A mount as several programs tell of it, made into facts in one place, for Linux and for macOS."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graycard.host.linux.format_name import name_of_type
from graycard.host.linux.mounts import Mount
from graycard.host.linux.network import server_of
from graycard.host.macos_mounts import Mount as MacMount
from graycard.model import FactValue
from graycard.protocols import Reading
from graycard.readings.tree import told

Told = Iterator[tuple[str, FactValue, str]]
_OCTAL = re.compile(r"\\([0-7]{3})")


def linux_mount(source: str, point: str, kind: str, options: str, said: str) -> Told:
    """Facts of a mount on Linux; `said` is who says it, as "findmnt"."""
    mount = Mount(0, "", "/", point, tuple(options.split(",")), kind, source, ())
    yield "file_system", name_of_type(kind), f"{said}, type"
    yield "mount_point", point, f"{said}, target"
    yield "mount_source", source, f"{said}, source"
    yield "mount_options", options, f"{said}, options"
    if not mount.network:
        return
    version = mount.option("vers")
    protocol = {"cifs": "smb", "smb3": "smb", "nfs4": "nfs"}.get(kind, kind.removeprefix("fuse."))
    yield "bus", "network", f"{said}, type"
    yield "server", server_of(mount), f"{said}, source"
    yield "protocol_version", version, f"{said}, vers"
    yield "driver", f"{protocol} {version}" if version else protocol, f"{said}, type and vers"


def mac_mount(source: str, point: str, kind: str, flags: tuple[str, ...]) -> Told:
    """Facts of a mount on macOS, from a line of `mount`."""
    mount = MacMount(source, point, kind, flags)
    yield "file_system", kind, "mount, type"
    yield "mount_point", point, "mount, point"
    yield "mount_source", mount.shown_source, "mount, source"
    yield "mount_options", ", ".join(flags), "mount, flags"
    # Pseudo file systems as "map auto_home" are not local, and no share either.
    if mount.network and kind != "autofs":
        yield "bus", "network", "mount, no flag “local”"
        yield "server", mount.server, "mount, source"


def reading(point: str, source: str, facts: Told) -> Reading:
    """The reading of one mount."""
    name = source.rpartition("/")[2] if source.startswith("/dev/") else ""
    return Reading(tuple(each for each in (point, source, name) if each), told(facts), (point,), point)


def visible(readings: list[Reading]) -> tuple[Reading, ...]:
    """Of several mounts at one place the last, which lies over the others."""
    return tuple({each.mount_points[0]: each for each in readings}.values())


def plain(text: str) -> str:
    r"""A path of the kernel's tables, where blanks are \040."""
    return _OCTAL.sub(lambda match: chr(int(match[1], 8) & 0xFF), text)
