"""The figures of a sustained test as a page: the verdict with its evidence, then what was measured."""

from __future__ import annotations

from collections.abc import Iterator

from graycard.model import Estimate
from graycard.report.page import Block, Field, Heading, Note, Page, Tone
from graycard.report.printable import printable
from graycard.sustain import Figures, Kind, Sustained
from graycard.units import format_duration, format_rate, format_size, percent

_GOOD = {Kind.STEADY, Kind.LINK}


def sustain_page(found: Sustained) -> Page:
    """Heading, verdict, evidence, figures."""
    figures = found.figures
    heading = Heading(
        printable(found.results[0].target.path), f"Sustained writing of {format_size(figures.written_bytes)}"
    )
    tone = Tone.STRONG if figures.verdict in _GOOD else Tone.CAVEAT
    blocks: list[Block] = [heading, Note(printable(figures.says), tone)]
    blocks += (Note(printable(says), Tone.QUIET) for says in figures.because)
    if figures.ended:
        blocks.append(Note(f"The writing {printable(figures.ended)}.", Tone.QUIET))
    blocks += (Field(name, value) for name, value in _fields(figures))
    if figures.proof:
        failed = bool(figures.proof.wrong_count)
        blocks.append(Note(figures.proof.says, Tone.FAILED if failed else Tone.PLAIN, "FAILED" if failed else ""))
    if figures.recovery:
        blocks.append(Note(figures.recovery.says))
    return tuple(blocks)


def _fields(figures: Figures) -> Iterator[tuple[str, str]]:
    if figures.cache is not None:
        yield "burst", _rate(figures.burst)
        yield "fast for", _bytes(figures.cache)
    yield "sustained", _rate(figures.sustained)
    if figures.worst_second and figures.worst_at_ns is not None:
        at = format_duration(figures.worst_at_ns) if figures.worst_at_ns else "the beginning"
        worst = figures.worst_second.value
        yield "worst second", f"{format_rate(worst) if worst else 'nothing was written'}, at {at}"
    if figures.stalls:
        yield "stalls", _stalls(figures)
    if figures.undulation and figures.verdict is not Kind.UNDULATING:
        low, high = figures.undulation.low_bytes_per_s, figures.undulation.high_bytes_per_s
        yield "swings", f"{format_rate(low)} to {format_rate(high)}"
    yield "temperature", _temperature(figures)
    if figures.read_back:
        yield "read back", _rate(figures.read_back)


def _rate(rate: Estimate) -> str:
    half = rate.half_width_ratio
    return format_rate(rate.value) + (f" ± {percent(half)} within this run" if half is not None else " (single run)")


def _bytes(size: Estimate) -> str:
    return f"{format_size(size.value)} (95 %: {format_size(size.low or 0.0)} to {format_size(size.high or 0.0)})"


def _stalls(figures: Figures) -> str:
    found = figures.stalls
    if found is None or not found.count:
        return "none of 0.3 s or more"
    return f"{found.count} of 0.3 s or more, the longest {format_duration(found.longest_ns)}"


def _temperature(figures: Figures) -> str:
    low, high = figures.coolest_celsius, figures.hottest_celsius
    if low is None or high is None:
        return "unknown: the drive does not tell it"
    return f"{low:.0f} to {high:.0f} °C"
