"""One of ioping's statistics, from whichever of its outputs, and the task that it is of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from graycard.facts import fact
from graycard.importers.imported import UNKNOWN_TIME
from graycard.importers.rows import MOST_COUNT
from graycard.model import Cache, Durability, Fact, IoTask, Operation, Pattern

# ioping's own default.
_BLOCK_BYTES = 4096
_SECTOR_BYTES = 512
# Sizes are printed with three digits, rates of old versions with two.
_ROUNDING_RATIO = 0.05
# Half of the last digit where operations are whole.
_HALF_OPS = 0.5
_UNSTATED = ("pattern", "span_bytes", "cache", "durability", "compressible_ratio")
_MEDIUM = re.compile(r"(?:([\w.-]{1,40}) )?(/dev/\S{1,200})(?: .{0,40})?")


@dataclass(frozen=True, slots=True)
class Statistics:
    """Latencies are 0 where not given; `medium` is what stands in brackets: "ext4 /dev/vda 252.0 GiB"."""

    path: str
    medium: str
    operation: Operation
    request_count: int
    block_bytes: int | None
    elapsed_ns: int
    ops_per_s: float
    rate_bytes_per_s: float
    min_ns: float = 0.0
    mean_ns: float = 0.0
    max_ns: float = 0.0
    created_at: datetime = UNKNOWN_TIME
    states_operation: bool = True
    rounding_bytes_per_s: float = 0.0

    def with_spread(self, min_ns: float, mean_ns: float, max_ns: float) -> Statistics:
        """The same with the latencies of the line below."""
        return replace(self, min_ns=min_ns, mean_ns=mean_ns, max_ns=max_ns)

    def facts(self) -> Iterator[Fact]:
        """File system and device, as far as they are told."""
        match = _MEDIUM.fullmatch(self.medium)
        if not match:
            return
        if match[1]:
            yield fact("file_system", match[1], "ioping")
        yield fact("device_name", match[2].removeprefix("/dev/"), "ioping")


def task(each: Statistics) -> IoTask:
    """One request at a time; ioping's default is a random order, which -L changes without a word in the output."""
    block = each.block_bytes or _block(each)
    unstated = [*_UNSTATED, *(() if block else ("block_bytes",)), *(() if each.states_operation else ("operation",))]
    return IoTask(
        each.operation,
        Pattern.RANDOM,
        block or _BLOCK_BYTES,
        block or _BLOCK_BYTES,
        byte_limit=min(MOST_COUNT, max(1, each.request_count) * (block or _BLOCK_BYTES)),
        cache=Cache.COLD,
        durability=Durability.NONE,
        unstated=tuple(unstated),
    )


def whole_sectors(size_bytes: float) -> int | None:
    """The power of two that is meant by a size of few digits, else the next whole number of sectors; None below one."""
    if size_bytes > MOST_COUNT:
        return None
    power = 1 << max(0, round(size_bytes).bit_length() - 1)
    near = min((power, power * 2), key=lambda size: abs(size - size_bytes))
    if abs(near - size_bytes) <= _ROUNDING_RATIO * near:
        return near if near >= _SECTOR_BYTES else None
    return round(size_bytes / _SECTOR_BYTES) * _SECTOR_BYTES or None


def _block(each: Statistics) -> int | None:
    """Of an old version, which names no size: the only power of two that fits what is printed, else their ratio."""
    if each.ops_per_s > _HALF_OPS and each.rounding_bytes_per_s:
        low = (each.rate_bytes_per_s - each.rounding_bytes_per_s) / (each.ops_per_s + _HALF_OPS)
        high = (each.rate_bytes_per_s + each.rounding_bytes_per_s) / (each.ops_per_s - _HALF_OPS)
        meant = [1 << shift for shift in range(9, 31) if low <= 1 << shift <= high]
        if len(meant) == 1:
            return meant[0]
    return whole_sectors(each.rate_bytes_per_s / each.ops_per_s) if each.ops_per_s and each.rate_bytes_per_s else None
