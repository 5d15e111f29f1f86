"""What a figure is called and what it means, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from graycard.agree.measured import Measured
from graycard.model import Cache, Durability, Pattern, short_size
from graycard.units import format_duration, percent

_CACHE = {
    Cache.BYPASS: "past the page cache",
    Cache.COLD: "through the page cache, emptied first",
    Cache.WARM: "through the page cache",
}
_FLUSH = {
    Durability.NONE: "no flush",
    Durability.AT_END: "flushed at the end",
    Durability.EACH_WRITE: "flushed after each write",
}


def named(group: Sequence[Measured]) -> tuple[Measured, ...]:
    """The figures with names that tell them apart: the tool, and after it its side or what differs."""
    figures = list(group)
    for tell in (_side, _load, _cache, _zeros, _file):
        figures = _told_apart(figures, [tell(figure) for figure in figures])
    return tuple(_told_apart(figures, [f"no. {number}" for number in range(1, len(figures) + 1)]))


def _told_apart(figures: Sequence[Measured], words: Sequence[str]) -> list[Measured]:
    """The words added to each name that another one has, where they are not the same for all of that name."""
    differ = {figure.name: set[str]() for figure in figures}
    for figure, told in zip(figures, words, strict=True):
        differ[figure.name].add(told)
    return [
        replace(figure, name=_with(figure.name, told)) if told and len(differ[figure.name]) > 1 else figure
        for figure, told in zip(figures, words, strict=True)
    ]


def _with(name: str, told: str) -> str:
    return f"{name.removesuffix(')')}, {told})" if name.endswith(")") else f"{name} ({told})"


def _side(figure: Measured) -> str:
    return figure.side


def _load(figure: Measured) -> str:
    return figure.task.label


def _cache(figure: Measured) -> str:
    if not figure.states("cache"):
        return ""
    # Emptying the page cache of a file means nothing to writing it.
    return _CACHE[Cache.WARM if figure.writes and figure.through_cache else figure.task.cache]


def _zeros(figure: Measured) -> str:
    return _data(figure.task.compressible_ratio) if figure.states("compressible_ratio") else ""


def _file(figure: Measured) -> str:
    return figure.result.target.shown


def means(figure: Measured) -> str:
    """What it is a figure of: "best of 5 runs, QD8, past the page cache, no flush, incompressible, 1G file"."""
    task = figure.task
    stated = {
        "depth_count": f"QD{task.depth_count}",
        "cache": _cache(figure),
        "durability": _FLUSH[task.durability] if figure.writes else "",
        "compressible_ratio": _data(task.compressible_ratio),
        "span_bytes": f"{short_size(task.span_bytes)} file",
    }
    told = [words for name, words in stated.items() if words and figure.states(name)]
    time = [f"at most {format_duration(task.time_ns)}"] if task.time_ns and figure.states("time_ns") else []
    wanted = [name for name in stated if not figure.states(name) and not (name == "durability" and not figure.writes)]
    missing = [f"not stated: {', '.join(_FIELDS[name] for name in wanted)}"] if wanted else []
    return ", ".join((_aggregate(figure), *told, *time, *missing))


_FIELDS = {
    "depth_count": "depth",
    "cache": "cache",
    "durability": "flush",
    "compressible_ratio": "data",
    "span_bytes": "file size",
}


def _aggregate(figure: Measured) -> str:
    count = figure.rate.n_count
    if figure.origin.aggregate:
        return figure.origin.aggregate.of(count)
    return "single run" if count <= 1 else f"mean of {count} runs"


def _data(ratio: float) -> str:
    return f"{percent(ratio)} zeros" if ratio else "incompressible data"


def thing(group: Sequence[Measured]) -> str:
    """What all figures of a group are of: "SEQ1M QD8 read", or "sequential read" where block or depth differ."""
    labels = {figure.task.label for figure in group}
    if len(labels) == 1:
        return labels.pop()
    stated = next((figure for figure in group if figure.states("pattern")), None)
    task = group[0].task
    pattern = "" if stated is None else "sequential " if stated.task.pattern is Pattern.SEQUENTIAL else "random "
    return f"{pattern}{'mix of reads and writes' if task.read_ratio is not None else task.operation.value}"
