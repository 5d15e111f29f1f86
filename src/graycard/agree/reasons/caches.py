"""Reasons of caches: a read from memory, a write that is not flushed, a file that a cache holds."""

from __future__ import annotations

from graycard.agree.beside import GUESSED, HALF_STATED, STATED, Beside, Cause, favours
from graycard.agree.measured import Measured
from graycard.facts import number
from graycard.model import Cache, Durability, short_size
from graycard.units import format_rate, format_size

# Memory moves tens of GB/s, disks tens of MB/s and up: the most that a cache can make of a figure.
_MEMORY_GAIN = 1000.0
# Reading ahead and writing behind turn one request at a time into many.
_BUFFERED_GAIN = 100.0
_FLUSH_GAIN = 100.0
# With direct I/O a flush waits for the drive's own cache alone.
_DRIVE_FLUSH_GAIN = 3.0
# A drive's own fast cache holds more of a small file.
_SMALL_GAIN = 10.0
_SIZES_APART = 2.0
_FROM_MEMORY = ("not_from_memory", "within_link")
_WAYS = {
    Cache.BYPASS: "bypasses the page cache",
    Cache.COLD: "goes through the page cache (emptied of the file before)",
    Cache.WARM: "goes through the page cache",
}


def cached(pair: Beside) -> Cause | None:
    """One went through the page cache and the other not; or one is faster than its link or a drive can be."""
    for one, rest, is_other in pair.each_way():
        if check := one.caveat(_FROM_MEMORY):
            says = f"Cached {_doing(one)}: {one.name} gives {format_rate(one.rate.value)}. {check.says}"
            certainty = STATED if not rest.caveat(_FROM_MEMORY) else GUESSED
            return Cause(_name(one), says, *favours(_MEMORY_GAIN, is_other=is_other), certainty)
    return _buffered(pair)


def _buffered(pair: Beside) -> Cause | None:
    for one, rest, is_other in pair.each_way():
        if one.through_cache and rest.through_cache is not True:
            certainty = STATED if rest.through_cache is False else HALF_STATED
            partner = _WAYS[rest.task.cache] if rest.through_cache is False else "does not say whether it does"
            what = "data may come from memory" if not one.writes else "data may still be in memory when its time ends"
            says = (
                f"Cached {_doing(one)}: {one.name} {_way(one)}, so {what} or be gathered to larger "
                f"requests; {rest.name} {partner}."
            )
            low, high = favours(_BUFFERED_GAIN, is_other=is_other)
            # Copying through memory can also cost: a fast drive is slower through the page cache.
            return Cause(_name(one), says, min(low, 0.5), max(high, 2.0), certainty)
    return _warmer(pair) or _unsaid(pair)


def _unsaid(pair: Beside) -> Cause | None:
    """One bypasses the page cache, the other does not say; most tools go through it unless they are told not to."""
    for one, rest, is_other in pair.each_way():
        if one.through_cache is None and rest.through_cache is False:
            says = (
                f"Cached {_doing(one)}: {one.name} does not say whether it goes through the page cache, as most do; "
                f"{rest.name} bypasses it."
            )
            low, high = favours(_BUFFERED_GAIN, is_other=is_other)
            return Cause(_name(one), says, min(low, 0.5), max(high, 2.0), HALF_STATED)
    return None


def _warmer(pair: Beside) -> Cause | None:
    """Both through the page cache, one of them without emptying it first."""
    if not pair.states("cache") or pair.base.writes:
        return None
    for one, rest, is_other in pair.each_way():
        if one.task.cache is Cache.WARM and rest.task.cache is Cache.COLD:
            says = f"Cached read: {one.name} does not empty the page cache before, {rest.name} does."
            return Cause(_name(one), says, *favours(_MEMORY_GAIN, is_other=is_other), STATED)
    return None


def _way(figure: Measured) -> str:
    """Emptying the page cache of a file means nothing to writing it."""
    return _WAYS[Cache.WARM if figure.writes and figure.through_cache else figure.task.cache]


def _doing(figure: Measured) -> str:
    return "write" if figure.writes else "read"


def _name(figure: Measured) -> str:
    return f"cached {_doing(figure)}"


def flush(pair: Beside) -> Cause | None:
    """One counts the flush at the end, or after each write, and the other does not."""
    for one, rest, is_other in pair.each_way():
        if one.flushes is False and rest.flushes is not False and one.writes and rest.writes:
            partner = "counts it" if rest.flushes else "does not say"
            certainty = STATED if rest.flushes else HALF_STATED
            most = _FLUSH_GAIN if one.through_cache is not False else _DRIVE_FLUSH_GAIN
            says = f"Flush: {one.name} ends before its data are on the drive, {rest.name} {partner}."
            # The flush of a file that went past the page cache tells nothing of one that went through it.
            expected = _of_flush(rest, is_other=is_other) if one.through_cache is rest.through_cache else None
            return Cause("flush", says, *favours(most, is_other=is_other), certainty, expected)
    return _flush_of_each(pair)


def _flush_of_each(pair: Beside) -> Cause | None:
    """Both count a flush, one after each write and the other once."""
    for one, rest, is_other in pair.each_way():
        ways = one.task.durability, rest.task.durability
        if one.flushes and rest.flushes and ways == (Durability.AT_END, Durability.EACH_WRITE):
            says = f"Flush: {rest.name} waits for the drive after each write, {one.name} once at its end."
            return Cause("flush", says, *favours(_FLUSH_GAIN, is_other=is_other), STATED)
    return None


def _of_flush(figure: Measured, *, is_other: bool) -> float | None:
    """The ratio that the flush makes, where all runs of the side that flushes tell its time."""
    runs = [run.samples for result in figure.results for run in result.runs]
    if not runs or any(run.flush_ns is None or run.flush_ns >= run.elapsed_ns for run in runs):
        return None
    whole = sum(run.elapsed_ns for run in runs)
    gain = whole / (whole - sum(run.flush_ns or 0 for run in runs))
    return gain if is_other else 1 / gain


def small_file(pair: Beside) -> Cause | None:
    """A file that memory holds, or a smaller one than the other's: the drive's own cache holds more of it."""
    if not pair.states("span_bytes"):
        return None
    for one, rest, is_other in pair.each_way():
        if one.task.span_bytes * _SIZES_APART <= rest.task.span_bytes:
            sizes = f"{short_size(one.task.span_bytes)}, {rest.name} one of {short_size(rest.task.span_bytes)}"
            memory = number(one.facts, "memory_bytes")
            fits = memory is not None and one.task.span_bytes < memory and one.through_cache is not False
            what = f"memory ({format_size(memory)}) holds" if fits and memory else "caches hold"
            says = f"File size: {one.name} uses a file of {sizes}; {what} more of a small file."
            most = _MEMORY_GAIN if fits else _SMALL_GAIN
            return Cause("file size", says, *favours(most, is_other=is_other), STATED if fits else HALF_STATED)
    return None
