"""Reads ioping: its text since 0.6, its batch columns (-B) and its JSON (-J).

Its rate is requests over the time inside requests, without the pauses between them ("requests completed in"). The text
does not tell the order of the offsets, nor how the caches were treated. Times are in words of their own: "1.74 ms"; in
old versions one unit stands at the end: "0.2/2.8/12.7/5.0 ms".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from graycard.errors import ImportProblem
from graycard.importers.imported import NO_TARGET, Figures, imported, measurement_id, result_id
from graycard.importers.ioping_columns import is_batch, totals
from graycard.importers.ioping_json import is_document, statistics
from graycard.importers.ioping_task import Statistics, task, whole_sectors
from graycard.importers.memory_speed import memory_speed
from graycard.importers.rows import bounded, half_step
from graycard.importers.text import lines, number
from graycard.model import Operation, Origin, Result, Target, TargetKind

TOOL = "ioping"
_NS = {"ns": 1.0, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9, "min": 60e9, "hour": 3600e9, "day": 86400e9}
_COUNTS = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9}
_BYTES = {"": 1.0, "K": 1024.0, "M": 1024.0**2, "G": 1024.0**3, "T": 1024.0**4}
_HEADER = re.compile(r"^--- (.{1,500}?)(?: \(([^()]{0,200})\))? ioping statistics ---$")
_COMPLETED = re.compile(
    r"^([\d.,]{1,15}) ?([kMG]?) requests completed in ([\d.,]{1,15}) (\w{1,4}),"
    r"(?: ([\d.,]{1,15}) ([KMGT]?)i?B (read|written),)? ([\d.,]{1,15}) ?([kMG]?) iops, ([\d.,]{1,15}) ([KMGT]?)i?B/s"
)
_SPREAD = re.compile(r"^min/avg/max/mdev = (\S.{1,100})$")
_REQUEST = re.compile(r"([\d.,]{1,12}) ?([KMGT]?)(?:iB|bytes|B) (?:(<<<|>>>)|from) .{1,300} request=")
_ERROR = re.compile(r"^ioping: (\S.{0,300}: \S.{0,200})$")


@dataclass(slots=True)
class _Reading:
    """What is known so far of the statistics that are being read."""

    name: str = ""
    medium: str = ""
    block_bytes: int | None = None
    writes: bool = False
    found: list[Statistics] = field(default_factory=list)


class IopingImporter:
    """ioping 0.6 to 1.3."""

    name = TOOL

    def recognises(self, head: bytes) -> bool:
        """Whether a text has ioping's statistics, its columns, its JSON or its error."""
        if is_document(head) or is_batch(head):
            return True
        # A mark that each of these lines has, for most files of other tools have none.
        if "ioping" not in lines(head).whole and "requests completed" not in lines(head).whole:
            return False
        return any(
            _COMPLETED.match(text) or _ERROR.match(text) or _HEADER.match(text)
            for text in (line.text.strip() for line in lines(head))
        )

    def read(self, data: bytes) -> tuple[Result, ...]:
        """A result for each of ioping's statistics; ImportProblem where it gives none."""
        if is_document(data):
            found = statistics(data)
        else:
            found = tuple(_text(data)) or totals(data)
        if not found:
            raise ImportProblem(_failure(data))
        whole = measurement_id(data, TOOL)
        return bounded((_result(each, whole, count) for count, each in enumerate(found, 1)), TOOL)


def _failure(data: bytes) -> str:
    error = next((match[1] for line in lines(data) if (match := _ERROR.match(line.text.strip()))), None)
    if error:
        return f"ioping failed: {error}; repeat it on a file or folder that is there"
    return "ioping's text holds no statistics: let it end (-c) or stop it with Ctrl-C, and keep its last lines"


def _text(data: bytes) -> list[Statistics]:
    reading = _Reading()
    for line in lines(data):
        text = line.text.strip()
        if header := _HEADER.match(text):
            reading.name, reading.medium = header[1], header[2] or ""
        elif request := _REQUEST.match(text):
            reading.block_bytes = round(_value(request[1], _BYTES[request[2]])) or None
            reading.writes = request[3] == ">>>"
        elif completed := _COMPLETED.match(text):
            reading.found.append(_statistics(completed, reading))
            reading.name, reading.medium, reading.block_bytes = "", "", None
        elif (spread := _SPREAD.match(text)) and reading.found:
            reading.found[-1] = reading.found[-1].with_spread(*_times(spread[1]))
    return reading.found


def _statistics(match: re.Match[str], reading: _Reading) -> Statistics:
    count, count_unit, time, time_unit, size, size_unit, verb, ops, ops_unit, rate, rate_unit = match.groups()
    requests, per_s = _value(count, _COUNTS[count_unit]), _value(ops, _COUNTS[ops_unit])
    moved = _value(size, _BYTES[size_unit]) if size else None
    block = reading.block_bytes or (whole_sectors(moved / requests) if moved and requests else None)
    # Operations are cut, not rounded, to three digits or whole ones.
    rounding = half_step(rate) * _BYTES[rate_unit] + 2 * half_step(ops) * _COUNTS[ops_unit] * (block or 0)
    return Statistics(
        path=reading.name,
        medium=reading.medium,
        operation=Operation.WRITE if verb == "written" or reading.writes else Operation.READ,
        request_count=round(requests),
        block_bytes=block,
        elapsed_ns=round((number(time) or 0) * _NS.get(time_unit, 0)),
        ops_per_s=per_s,
        rate_bytes_per_s=_value(rate, _BYTES[rate_unit]),
        rounding_bytes_per_s=rounding,
    )


def _value(text: str, unit: float) -> float:
    return (number(text) or 0.0) * unit


def _times(text: str) -> tuple[float, float, float]:
    """Lowest, mean and highest in ns; 0 for what cannot be read. Old versions name the unit once, at the end."""
    parts = [part.split() for part in text.split("/")]
    common = parts[-1][-1] if parts[-1] else ""
    values = [
        (number(part[0]) or 0.0) * _NS.get(part[1] if len(part) > 1 else common, 0.0) if part else 0.0
        for part in parts[:3]
    ]
    return (values[0], values[1], values[2]) if len(values) == 3 else (0.0, 0.0, 0.0)


def _result(each: Statistics, whole: str, count: int) -> Result:
    latency = {0.0: each.min_ns, 100.0: each.max_ns}
    return imported(
        result_id(whole, count),
        Origin(TOOL, None, None),
        task(each),
        Figures(
            rate_bytes_per_s=each.rate_bytes_per_s,
            ops_per_s=each.ops_per_s or None,
            latency_ns={percentile: value for percentile, value in latency.items() if value},
            mean_latency_ns=each.mean_ns or None,
            rounding_bytes_per_s=each.rounding_bytes_per_s,
        ),
        measurement=whole,
        created_at=each.created_at,
        target=Target(each.path, TargetKind.FOLDER) if each.path else NO_TARGET,
        facts=tuple(each.facts()),
        checks=(memory_speed(each.rate_bytes_per_s),),
        caveats=tuple(_caveats(each)),
    )


def _caveats(each: Statistics) -> Iterator[str]:
    yield "ioping counts the time inside requests only: the pauses between them are not in the rate."
    if each.request_count < 30:
        yield f"Only {each.request_count} requests were made: the figures of so few say little."
