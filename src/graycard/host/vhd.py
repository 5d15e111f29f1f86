"""The footer that makes a fixed VHD of a plain image: Microsoft, Virtual Hard Disk Image Format Specification 1.0."""

from __future__ import annotations

import struct
import uuid
from datetime import UTC, datetime

FOOTER_BYTES = 512
# "Fixed" disks end at 2040 GB, where their geometry does (specification, "Hard Disk Footer Format").
MOST_BYTES = 2040 << 30
_FOOTER = struct.Struct(">8sIIQI4sI4sQQHBBII16sB427x")
_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
_RESERVED, _VERSION, _NO_OFFSET, _FIXED = 2, 0x0001_0000, 0xFFFF_FFFF_FFFF_FFFF, 2
_CREATOR, _CREATOR_VERSION, _HOST = b"win ", 0x000A_0000, b"Wi2k"
_MOST_SECTORS = 65535 * 16 * 255


def footer(size_bytes: int, made_at: datetime, disk_id: uuid.UUID) -> bytes:
    """512 bytes that follow the `size_bytes` of the disk; its checksum is the complement of the sum of its bytes."""
    blank = _packed(size_bytes, made_at, disk_id, 0)
    return _packed(size_bytes, made_at, disk_id, ~sum(blank) & 0xFFFF_FFFF)


def geometry(size_bytes: int) -> tuple[int, int, int]:
    """Cylinders, heads, sectors: the algorithm of the specification's appendix."""
    total = min(size_bytes // 512, _MOST_SECTORS)
    if total >= 65535 * 16 * 63:
        return total // 255 // 16, 16, 255
    sectors, heads = 17, max(4, (total // 17 + 1023) // 1024)
    if total // 17 >= heads * 1024 or heads > 16:
        sectors, heads = 31, 16
    if total // sectors >= heads * 1024:
        sectors, heads = 63, 16
    return total // sectors // heads, heads, sectors


def _packed(size_bytes: int, made_at: datetime, disk_id: uuid.UUID, checksum: int) -> bytes:
    seconds = int((made_at - _EPOCH).total_seconds())
    head = (b"conectix", _RESERVED, _VERSION, _NO_OFFSET, seconds, _CREATOR, _CREATOR_VERSION, _HOST)
    return _FOOTER.pack(*head, size_bytes, size_bytes, *geometry(size_bytes), _FIXED, checksum, disk_id.bytes, 0)
