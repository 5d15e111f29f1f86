"""Which figure is nearest the truth for which question, and the command that would decide."""

from __future__ import annotations

import math
import os
import shlex
from collections.abc import Hashable, Sequence

from graycard.agree.measured import Measured
from graycard.agree.swallowing import gain_nothing
from graycard.agree.tools import REPEATS_ONE_BLOCK, encodes
from graycard.facts import value
from graycard.model import Aggregate, Cache, Operation, Pattern, TargetKind, short_size

# Figures this near each other answer the question alike: as compare's threshold.
_ALIKE = 0.03
# A file this many times smaller may lie in a cache that the larger one does not fit into.
_FAR_SMALLER = 2
_NEEDED = ("cache", "compressible_ratio")


def nearest(group: Sequence[Measured]) -> str:
    """Sentences: which figure is nearest to what the drive itself delivers, or that it cannot be told and why."""
    if len(group) < 2:
        return "Nothing stands beside this figure, so nothing can be told of it."
    loads: dict[Hashable, list[Measured]] = {}
    for figure in group:
        known = figure.states("block_bytes", "depth_count")
        loads.setdefault((figure.task.block_bytes, figure.task.depth_count) if known else None, []).append(figure)
    told = [_of_load(figures, group, several=len(loads) > 1) for figures in loads.values()]
    return " ".join((*told, *_of_memory(group)))


def _of_load(figures: Sequence[Measured], group: Sequence[Measured], *, several: bool) -> str:
    question = f"what the drive delivers{_at(figures[0]) if several else ''}"
    faults = {id(figure): faults_of(figure, group) for figure in figures}
    sound = [figure for figure in figures if not faults[id(figure)]]
    if not sound:
        told = "; ".join(f"{figure.name} {faults[id(figure)][0]}" for figure in figures)
        return f"For {question} no figure can be taken: {told}."
    fewest = min(len(_unknown(figure)) for figure in sound)
    best = [figure for figure in sound if len(_unknown(figure)) == fewest]
    if all("the cache" in _unknown(figure) for figure in best):
        names = " and ".join(figure.name for figure in best)
        return f"For {question} it cannot be told: {names} may or may not have gone through the page cache."
    doubt = f", as far as it is stated ({', '.join(_unknown(best[0]))} is not)" if fewest else ""
    if len(best) == 1:
        return " ".join(
            (f"For {question} {best[0].name} is nearest{doubt}: {_merits(best[0])}.", *_limits(best[0], group))
        )
    names = " and ".join(figure.name for figure in best)
    rates = [math.log(figure.rate.value) for figure in best]
    if max(rates) - min(rates) <= math.log1p(_ALIKE):
        return f"For {question} {names} agree{doubt}; either may be taken."
    return f"For {question} it cannot be told which of {names} is nearest: none of them has a known fault{doubt}."


def _at(figure: Measured) -> str:
    if not figure.states("block_bytes", "depth_count"):
        return " at a block or depth that is not stated"
    depth = figure.task.depth_count
    what = "one request at a time" if depth == 1 else f"{depth} requests in flight"
    return f" with {what} of {short_size(figure.task.block_bytes)}"


def faults_of(figure: Measured, group: Sequence[Measured]) -> list[str]:
    """What makes a figure another one than the drive's own, in words that follow its name; unstated is no fault.

    What others of the group tell of the same place counts, too.
    """
    settings = str(value(figure.facts, "engine_settings") or "")
    told = (
        (figure.failed, "failed a check"),
        (figure.caveat(("not_from_memory", "within_link")) is not None, "is faster than the drive can be"),
        (bool(figure.through_cache) and not figure.flushes, "goes through the page cache"),
        (figure.flushes is False, "does not wait until the data are on the drive"),
        (_moves_zeros(figure) and not gain_nothing(figure, group), "moves data that compress"),
        (figure.origin.aggregate is Aggregate.BEST, "gives the best of its runs"),
        (encodes(figure.origin.tool, settings), "may encode its data first"),
        (figure.origin.tool in REPEATS_ONE_BLOCK, "repeats one block of data"),
    )
    return [words for applies, words in told if applies]


def _moves_zeros(figure: Measured) -> bool:
    return figure.states("compressible_ratio") and figure.task.compressible_ratio > 0


def _unknown(figure: Measured) -> list[str]:
    names = (*_NEEDED, "durability") if figure.writes else _NEEDED
    words = {"cache": "the cache", "compressible_ratio": "the data", "durability": "the flush"}
    return [words[name] for name in names if not figure.states(name)]


def _merits(figure: Measured) -> str:
    flush = ["waits for the flush"] if figure.flushes else []
    cache = ["bypasses the page cache"] if figure.through_cache is False else []
    runs = [f"is of {figure.rate.n_count} runs"] if figure.rate.n_count > 1 else []
    plain = ["moves data that do not compress"] if figure.states("compressible_ratio") else []
    data = ["moves data that nothing here is known to compress"] if _moves_zeros(figure) else plain
    parts = [*cache, *flush, *data, *runs] or ["has no known fault"]
    return f"it {', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else f"it {parts[0]}"


def _limits(figure: Measured, group: Sequence[Measured]) -> list[str]:
    """What keeps even the nearest figure from being sure."""
    told = []
    spans = [each.task.span_bytes for each in group if each.states("span_bytes")]
    if figure.states("span_bytes") and figure.task.span_bytes * _FAR_SMALLER <= max(spans):
        sizes = f"{short_size(figure.task.span_bytes)}, not {short_size(max(spans))}"
        told.append(f"is of a smaller file ({sizes}), of which a cache of the drive holds more")
    if figure.rate.n_count == 1:
        told.append("is a single run, so how far it varies is not known")
    return [f"But it {'; it '.join(told)}."] if told else []


def _of_memory(group: Sequence[Measured]) -> list[str]:
    """The other question that a buffered figure answers."""
    buffered = [figure.name for figure in group if figure.through_cache and not figure.flushes]
    if not buffered:
        return []
    what = "reads through the page cache sees" if not group[0].writes else "writes without waiting for the drive sees"
    return [f"For what a program that {what}: {' and '.join(buffered)}."]


def decide(group: Sequence[Measured]) -> str:
    """The graycard command that measures this thing on the drive itself, with intervals."""
    sound = [figure for figure in group if figure.states("block_bytes", "depth_count") and not faults_of(figure, group)]
    chosen = next(iter(sound), None) or next((each for each in group if each.states("block_bytes")), group[0])
    task = chosen.task
    words = ["graycard", "measure", _place(group), "--read" if task.operation is Operation.READ else "--write"]
    if any(figure.states("pattern") for figure in group):
        first = next(figure for figure in group if figure.states("pattern"))
        words.append("--sequential" if first.task.pattern is Pattern.SEQUENTIAL else "--random")
        words += ["--block", _size(task.block_bytes)] if chosen.states("block_bytes") else []
        words += ["--depth", str(task.depth_count)] if chosen.states("depth_count") else []
    spans = [figure.task.span_bytes for figure in group if figure.states("span_bytes")]
    words += ["--size", _size(max(spans))] if spans and max(spans) >= task.block_bytes else []
    if all(figure.through_cache for figure in group) and task.cache is not Cache.BYPASS:
        words += ["--cache", "cold"]
    words += ["--cross-check"] if any(figure.origin.tool == "fio" for figure in group) else []
    return " ".join(words)


def _size(size_bytes: int) -> str:
    short = short_size(size_bytes)
    return str(size_bytes) if short.endswith("B") else f"{short}iB"


def _place(group: Sequence[Measured]) -> str:
    """The folder, where it is known and the same for all that tell it."""
    known = [
        figure.result.target
        for figure in group
        if figure.result.target.path.startswith(("/", "\\")) or (figure.result.target.path[1:3] in {":\\", ":/"})
    ]
    folders = {
        os.path.dirname(target.path) if target.kind is TargetKind.FILE else target.path
        for target in known
        if not target.path.startswith("/dev/")
    }
    return shlex.quote(folders.pop()) if len(folders) == 1 else "PATH"
