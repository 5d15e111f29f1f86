"""One row of fio's text for people: what it read and wrote, in bytes and nanoseconds.

Up to 2.16 "KB" is 1024 bytes (1000 with kb_base=1000); since 2.17 "KiB" is 1024 and "kB" 1000. Figures have three
digits or more, so bytes are operations × block where that fits what is printed, and finer then.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import NamedTuple

from graycard.importers.fio_job import FioHalf, FioLatency

_AMOUNT = r"(\d{1,15}(?:\.\d{1,6})?)([A-Za-z]{0,6})"
_SIDE = r"\s{0,8}(read|write|mixed|trim) {0,2}: "
_OLD = re.compile(rf"{_SIDE}io={_AMOUNT}, bw={_AMOUNT}/s, iops={_AMOUNT} ?, runt= {{0,8}}(\d{{1,15}})msec")
_NEW = re.compile(rf"{_SIDE}IOPS={_AMOUNT}, BW={_AMOUNT}(?:/s)? \({_AMOUNT}(?:/s)?\)\({_AMOUNT}/(\d{{1,15}})msec\)")
_LATENCY = re.compile(
    rf"\s{{0,8}}(clat|lat) {{0,2}}\((nsec|usec|msec|sec)\): "
    rf"min= {{0,8}}{_AMOUNT}, max= {{0,8}}{_AMOUNT}, avg= {{0,8}}{_AMOUNT}"
)
_PERCENTILES = re.compile(r"\s{0,8}(\w{1,8}) percentiles \((nsec|usec|msec|sec)\)")
_PERCENTILE = re.compile(r"(\d{1,3}\.\d{1,6})th=\[[ >=]{0,12}(\d{1,18})\]")
_ISSUED = re.compile(r"\s{0,8}issued {0,6}(?:rwts?)? {0,6}: total=(?:r=)?(\d{1,18})[/,](?:w=)?(\d{1,18})")
_ERRORS = re.compile(r"\s{0,8}errors {0,6}: total=(\d{1,18})")
_BLOCKS = re.compile(rf"{_AMOUNT}-{_AMOUNT}")
_UNIT_NS = {"nsec": 1, "usec": 1000, "msec": 10**6, "sec": 10**9}


class Amount(NamedTuple):
    """A printed figure; `step` is one of its last digit."""

    value: float
    step: float


@dataclass(slots=True)
class _Side:
    """One direction as printed, each figure number and suffix. `kilos` are what K may mean where no "i" follows."""

    moved: tuple[str, str]
    rates: tuple[tuple[str, str], ...]
    iops: tuple[str, str]
    runtime_ms: int
    kilos: tuple[int, ...]
    latencies: dict[str, tuple[float, float, float]] = field(default_factory=dict)
    percentiles: dict[str, list[tuple[float, int]]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RowFigures:
    """What a row holds; None is a direction that is not there or moved nothing."""

    read: FioHalf | None
    write: FioHalf | None
    mixed: FioHalf | None
    error_count: int


class RowReader:
    """Takes the lines of one row and makes figures of them."""

    def __init__(self) -> None:
        self._sides: dict[str, _Side] = {}
        self._issued: dict[str, int] = {}
        self._error_count = 0
        self._side: _Side | None = None
        # Which percentiles are listed now, and their unit.
        self._listed: tuple[str, int] | None = None

    def take(self, text: str) -> None:
        """One line; most are passed over."""
        if text.lstrip().startswith("|"):
            self._take_percentiles(text)
        elif match := _OLD.match(text):
            moved, rate, iops = (match.group(i, i + 1) for i in (2, 4, 6))
            self._begin(match[1], _Side(_two(moved), (_two(rate),), _two(iops), int(match[8]), (1024, 1000)))
        elif match := _NEW.match(text):
            iops, *rates, moved = (_two(match.group(i, i + 1)) for i in (2, 4, 6, 8))
            self._begin(match[1], _Side(moved, tuple(rates), iops, int(match[10]), (1000,)))
        elif match := _PERCENTILES.match(text):
            self._listed = match[1], _UNIT_NS[match[2]]
        elif match := _LATENCY.match(text):
            self._take_latency(match)
        elif match := _ISSUED.match(text):
            reads, writes = int(match[1]), int(match[2])
            self._issued = {"read": reads, "write": writes, "mixed": reads + writes}
        elif match := _ERRORS.match(text):
            self._error_count = int(match[1])

    def figures(self, blocks: str | None) -> RowFigures:
        """What the lines so far say. `blocks` is the job's "4K-4K/4K-4K/4K-4K" or "(R) 4096B-4096B, (W) …"."""
        read, write, mixed = (self._half(name, blocks) for name in ("read", "write", "mixed"))
        return RowFigures(read, write, mixed, self._error_count)

    def _begin(self, name: str, side: _Side) -> None:
        self._side = self._sides[name] = side
        self._listed = None

    def _take_latency(self, match: re.Match[str]) -> None:
        if self._side:
            unit_ns = _UNIT_NS[match[2]]
            low, high, mean = (amount(match[i], match[i + 1]).value * unit_ns for i in (3, 5, 7))
            self._side.latencies[match[1]] = low, high, mean

    def _take_percentiles(self, text: str) -> None:
        if self._side and self._listed:
            name, unit_ns = self._listed
            found = [(float(level), int(value) * unit_ns) for level, value in _PERCENTILE.findall(text)]
            self._side.percentiles.setdefault(name, []).extend(found)

    def _half(self, name: str, blocks: str | None) -> FioHalf | None:
        side = self._sides.get(name)
        if side is None or not amount(*side.moved).value:
            return None
        for kilo in side.kilos:
            if exact := _exact(side, self._issued.get(name, 0), _block(blocks, name, kilo), kilo):
                return exact
        return _rounded(side, self._issued.get(name, 0))


def amount(number: str, suffix: str, kilo: int = 1000) -> Amount:
    """Figures such as ("4096", "MiB") and ("5733", "k"); `kilo` is what K is without "i". Bits become bytes."""
    prefix = suffix[:1].upper()
    power = "KMGTPE".find(prefix) + 1 if prefix else 0
    base = 1024 if suffix[1:2] == "i" and suffix[1:4] != "it" else kilo
    unit = float(base**power) / (8 if suffix.endswith("bit") or suffix == "b" else 1)
    decimals = len(number.partition(".")[2])
    return Amount(float(number) * unit, 10.0**-decimals * unit)


def _two(found: tuple[str | None, ...]) -> tuple[str, str]:
    return found[0] or "0", found[1] or ""


def _block(blocks: str | None, name: str, kilo: int) -> int | None:
    """The block of a direction; None where it has several, or is printed rounded."""
    found = _BLOCKS.findall(blocks or "")
    side = {"read": 0, "write": 1, "mixed": 0}.get(name, len(found))
    if side >= len(found) or (name == "mixed" and found[0] != found[min(1, len(found) - 1)]):
        return None
    low, low_suffix, high, high_suffix = found[side]
    if (low, low_suffix) != (high, high_suffix):
        return None
    value, step = amount(low, low_suffix, kilo)
    if value.is_integer() and float(low).is_integer():
        return int(value) or None
    # "65.5kB" are 65536 bytes, if they are any power of two.
    power = 1 << max(0, round(math.log2(value)) if value else 0)
    return power if abs(power - value) <= step else None


def _exact(side: _Side, issued: int, block: int | None, kilo: int) -> FioHalf | None:
    """The direction by its counted operations; None where they do not make the printed bytes."""
    moved = amount(*side.moved, kilo)
    if not issued or not block or abs(issued * block - moved.value) > moved.step:
        return None
    printed, counted = amount(*side.iops), issued * 1000 / side.runtime_ms if side.runtime_ms else None
    fits = counted is not None and abs(counted - printed.value) <= printed.step * 1.001
    return _made(side, issued * block, issued, counted if counted is not None and fits else printed.value, kilo)


def _rounded(side: _Side, issued: int) -> FioHalf:
    """The direction as printed, where blocks differ or operations of a ramp were counted, too."""
    kilo = side.kilos[0]
    moved, iops = round(amount(*side.moved, kilo).value), amount(*side.iops).value
    estimated = max(1, round(iops * side.runtime_ms / 1000))
    sure = issued > 0 and abs(estimated - issued) <= 0.02 * issued
    return _made(side, moved, issued if sure else estimated, iops, kilo, counts_ops=sure)


def _made(side: _Side, moved: int, ops: int, iops: float, kilo: int, *, counts_ops: bool = True) -> FioHalf:
    stated = min((amount(*rate, kilo) for rate in side.rates), key=lambda each: each.step)
    size = amount(*side.moved, kilo)
    # Bytes that are themselves rounded put the rate over the time off as well.
    slack = 0.0 if counts_ops else size.step * 1000 / max(1, side.runtime_ms)
    return FioHalf(
        moved_bytes=moved,
        runtime_ns=side.runtime_ms * 1_000_000,
        ops_count=ops,
        stated_bytes_per_s=stated.value,
        stated_ops_per_s=iops,
        completion=_latency(side, "clat", ops),
        total=_latency(side, "lat", ops),
        rounding_bytes_per_s=stated.step + slack,
        counts_ops=counts_ops,
    )


def _latency(side: _Side, name: str, ops: int) -> FioLatency | None:
    if name not in side.latencies:
        return None
    low, high, mean = side.latencies[name]
    listed = tuple(sorted(pair for pair in side.percentiles.get(name, ()) if 0 < pair[0] <= 100))
    return FioLatency(mean, round(low), round(high), ops, listed, None)
