"""Typed figures as results: what was said of the settings in their fields, what was not in `unstated`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from graycard.agree.tools import encodes
from graycard.cli.note_figures import Rate, Row
from graycard.cli.note_tools import ATTO, CONTINUOUS, ONE_TIME, Tool
from graycard.codec import encode
from graycard.facts import fact
from graycard.importers.imported import NO_TARGET, Figures, imported, measurement_id, result_id
from graycard.model import Aggregate, Cache, Fact, IoTask, Operation, Origin, Pattern, Result, Target
from graycard.units import percent, significant

_SOURCE = "graycard note"
_PASSES = "It ran continuously; whether the figure is of one pass or of several was not noted."
_COMPRESSES = "ATTO's usual data compress well, and drives that compress are faster with them; they were not noted."


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What was said beside the figures; None was not said. `mode` is ONE_TIME or CONTINUOUS."""

    tool_version: str | None = None
    file_bytes: int | None = None
    codec: str | None = None
    resolution: str | None = None
    mode: str | None = None
    cache: Cache | None = None
    depth_count: int | None = None
    compressible_ratio: float | None = None
    aggregate: Aggregate | None = None
    device: str | None = None


def noted(
    tool: Tool, rows: Sequence[Row], settings: Settings, *, target: Target | None, at: datetime
) -> tuple[Result, ...]:
    """A result for each figure, one measurement for all. Equal notes of one time have equal ids.

    ImportProblem for a figure that is no quantity.
    """
    place = target or NO_TARGET
    content = b"\n".join(encode(each) for each in (tool, tuple(rows), settings, place))
    whole = measurement_id(content, _SOURCE, at.isoformat())
    figures = [each for row in rows for each in _figures(row)]
    return tuple(_result(tool, settings, figure, place, at, whole, count) for count, figure in enumerate(figures, 1))


@dataclass(frozen=True, slots=True)
class _Figure:
    operation: Operation
    rate: Rate
    frames: float | None
    block_bytes: int | None


def _figures(row: Row) -> Iterator[_Figure]:
    if row.read:
        yield _Figure(Operation.READ, row.read, row.read_frames, row.block_bytes)
    if row.write:
        yield _Figure(Operation.WRITE, row.write, row.write_frames, row.block_bytes)


def _result(
    tool: Tool, settings: Settings, figure: _Figure, target: Target, at: datetime, whole: str, count: int
) -> Result:
    aggregate = settings.aggregate or tool.aggregate
    return imported(
        result_id(whole, count),
        Origin(tool.name, settings.tool_version, None, "figures typed in", aggregate),
        _task(tool, settings, figure),
        Figures(
            rate_bytes_per_s=figure.rate.bytes_per_s,
            ops_per_s=figure.frames,
            # Of how many runs an aggregate is, none of these tools says.
            run_count=0 if aggregate else 1,
        ),
        measurement=whole,
        created_at=at,
        target=target,
        facts=tuple(_facts(settings)),
        caveats=tuple(_caveats(tool, settings, figure)),
    )


def _task(tool: Tool, settings: Settings, figure: _Figure) -> IoTask:
    mode = settings.mode or tool.mode
    limit = settings.file_bytes if mode == ONE_TIME else None
    missing = {
        "pattern": not tool.is_sequential,
        "block_bytes": figure.block_bytes is None,
        "span_bytes": settings.file_bytes is None,
        "depth_count": settings.depth_count is None,
        "worker_count": True,
        "time_ns": True,
        "byte_limit": limit is None,
        "cache": settings.cache is None,
        "durability": True,
        "compressible_ratio": settings.compressible_ratio is None,
    }
    return IoTask(
        figure.operation,
        Pattern.SEQUENTIAL,
        figure.block_bytes or 1,
        settings.file_bytes or 1,
        depth_count=settings.depth_count or 1,
        byte_limit=limit,
        cache=settings.cache or Cache.BYPASS,
        compressible_ratio=settings.compressible_ratio or 0.0,
        unstated=tuple(name for name, absent in missing.items() if absent),
    )


def _facts(settings: Settings) -> Iterator[Fact]:
    told = {
        "engine_settings": settings.codec and f"codec {settings.codec}",
        "test_resolution": settings.resolution,
        "test_mode": settings.mode,
        "device_name": settings.device,
    }
    yield from (fact(name, value, _SOURCE) for name, value in told.items() if value)


def _caveats(tool: Tool, settings: Settings, figure: _Figure) -> Iterator[str]:
    if figure.rate.unsure_ratio:
        yield (
            f"{tool.name} does not say whether its units count by 1000 or 1024; 1000 is taken here, "
            f"the other would be {percent(figure.rate.unsure_ratio)} more."
        )
    if encodes(tool.name, settings.codec or ""):
        codec = f"with {settings.codec}" if settings.codec else "with a codec that was not noted"
        yield f"{tool.name} encodes each frame {codec} and then reads too low; set it to 16-bit RGB."
    if figure.frames:
        yield f"Its operations are frames: {significant(figure.frames)} a second."
    if tool.mode is None and settings.mode == CONTINUOUS and settings.aggregate is None:
        yield _PASSES
    if tool == ATTO and settings.compressible_ratio is None:
        yield _COMPRESSES
