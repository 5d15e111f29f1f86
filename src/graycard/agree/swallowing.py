"""Whether zeros could gain anything where they were measured: a volume or a drive that compresses or drops them.

It is known that they gain nothing where the volume does not compress and one of these holds: the drive turns (no hard
disk compresses), what is written is encrypted above the drive, or data that do not compress gave the same figure there.
Of a drive without moving parts, a virtual disk and a share no fact says it; then it stays unknown.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence

from graycard.agree.measured import Measured
from graycard.facts import value
from graycard.model import TargetKind

# Nothing in them compresses, shares or drops blocks by itself; kinds as /proc/self/mountinfo and others write them.
_PLAIN = frozenset({"ext2", "ext3", "ext4", "xfs", "jfs", "exfat", "vfat", "fat", "fat16", "fat32", "msdos", "hfsplus"})
# The drive itself is there, not a controller, a server or a file that stands for it.
_DIRECT = frozenset({"ata", "sata", "sas", "usb", "firewire", "thunderbolt"})
# As compare's threshold.
_ALIKE = math.log1p(0.03)


def volume_compresses(figure: Measured) -> bool | None:
    """Whether the volume does, by graycard's probe, its setting or its kind; None where nothing tells."""
    told = value(figure.facts, "volume_compresses")
    if isinstance(told, bool):
        return told
    setting = value(figure.facts, "compression")
    if setting is not None:
        return setting != "off"
    kind = str(value(figure.facts, "file_system") or "").lower()
    return False if kind in _PLAIN else None


def gain_nothing(figure: Measured, group: Sequence[Measured]) -> bool:
    """Whether it is known that the figure's data, though they compress, gained nothing by it."""
    here = [each for each in group if each is figure or _same_place(each, figure)]
    volume = [told for each in here if (told := volume_compresses(each)) is not None]
    if not volume or any(volume):
        return False
    return any(_drive_keeps_all(each) for each in here) or any(_alike(figure, each) for each in here)


def _drive_keeps_all(figure: Measured) -> bool:
    encryption = value(figure.facts, "encryption")
    if encryption is not None and encryption != "off":
        return True
    is_real = value(figure.facts, "virtual_machine") in {None, "none"}
    return bool(is_real and value(figure.facts, "rotational") is True and value(figure.facts, "bus") in _DIRECT)


def _alike(figure: Measured, other: Measured) -> bool:
    """Whether the other moved data that do not compress, past the cache or flushed, and got as far as the figure."""
    random = other.states("compressible_ratio") and not other.task.compressible_ratio and not other.failed
    to_drive = other.through_cache is False or other.flushes is True
    same = figure.task.block_bytes == other.task.block_bytes and figure.task.depth_count == other.task.depth_count
    known = figure.states("block_bytes", "depth_count") and other.states("block_bytes", "depth_count")
    apart = abs(math.log(figure.rate.value / other.rate.value))
    return bool(random and to_drive and same and known and apart <= _ALIKE)


def _same_place(one: Measured, other: Measured) -> bool:
    """Whether both worked in one folder, or on one mount of one computer."""
    mounts = [value(each.facts, "mount_point") for each in (one, other)]
    ids = [value(each.facts, "file_system_id") for each in (one, other)]
    if mounts[0] and mounts == mounts[::-1] and ids[0] and ids == ids[::-1]:
        return True
    folder = _folder(one)
    return folder is not None and folder == _folder(other)


def _folder(figure: Measured) -> str | None:
    target = figure.result.target
    if not os.path.isabs(target.path):
        return None
    return os.path.dirname(target.path) if target.kind is TargetKind.FILE else target.path
