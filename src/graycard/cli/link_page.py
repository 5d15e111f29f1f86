"""What `graycard link` shows: rates both ways, round trips idle and under load, and what they mean."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from graycard.facts import number, value
from graycard.link import LinkReport
from graycard.link.results import percentile
from graycard.model import SCHEMA, Fact, Result
from graycard.report.page import Block, Field, Note, Page, Tone
from graycard.report.printable import printable
from graycard.report.results import results_page
from graycard.units import format_duration, significant

# A queue that adds less is not felt; from here on calls and small files wait for a copy (see docs/method.md).
BLOAT_NS = 30_000_000
HEAVY_BLOAT_NS = 200_000_000


@dataclass(frozen=True, slots=True)
class RoundTrips:
    """Round trips with nothing else on the way."""

    count: int
    median_ns: float
    p95_ns: float
    max_ns: float


@dataclass(frozen=True, slots=True)
class LinkDocument:
    """What `link --json` prints. `says` are the sentences of --plan, or about the link as a whole."""

    schema: str = SCHEMA
    results: tuple[Result, ...] = ()
    idle: RoundTrips | None = None
    refused_count: int = 0
    says: tuple[str, ...] = ()


def document_of(results: tuple[Result, ...], report: LinkReport | None) -> LinkDocument:
    """The document of a test; `report` is None where another program tested, or the test ended early."""
    idle = _round_trips(report.idle_ns) if report and report.idle_ns else None
    return LinkDocument(
        results=results, idle=idle, refused_count=report.refused_count if report else 0, says=_says(results, report)
    )


def link_page(results: tuple[Result, ...], report: LinkReport | None) -> Page:
    """The figures of each test, then the way and the round trips."""
    return (
        *results_page(results),
        *_way(results[0].facts if results else ()),
        *_trips(results, report),
        *(Note(printable(sentence), Tone.CAVEAT) for sentence in _says(results, report)),
    )


def _round_trips(idle_ns: tuple[int, ...]) -> RoundTrips:
    return RoundTrips(len(idle_ns), percentile(idle_ns, 0.5), percentile(idle_ns, 0.95), float(max(idle_ns)))


def _way(facts: tuple[Fact, ...]) -> Iterator[Block]:
    interface = value(facts, "network_interface")
    if interface:
        yield Field("Interface", printable(f"{interface}{_negotiated(facts)}"))
    mtu, path = number(facts, "mtu_bytes"), number(facts, "path_mtu_bytes")
    if mtu:
        way = f", {path:.0f} on the whole way" if path and path != mtu else ""
        yield Field("Largest packet", f"{mtu:.0f} bytes{way}")
    far = value(facts, "far_end")
    if far:
        yield Field("Far end", printable(str(far)))


def _negotiated(facts: tuple[Fact, ...]) -> str:
    bits, duplex = number(facts, "link_bits_per_s"), value(facts, "duplex")
    parts = [f"{significant(bits / 1e6)} Mbit/s" if bits else "speed not known", f"{duplex} duplex" if duplex else ""]
    return ", " + ", ".join(part for part in parts if part)


def _trips(results: tuple[Result, ...], report: LinkReport | None) -> Iterator[Block]:
    if report is None or not report.idle_ns:
        return
    idle = _round_trips(report.idle_ns)
    spread = f"median {format_duration(idle.median_ns)}, p95 {format_duration(idle.p95_ns)}"
    yield Field("Round trip, idle", f"{spread}, max {format_duration(idle.max_ns)}")
    for result in results:
        loaded = number(result.facts, "loaded_round_trip_ns")
        if loaded is not None:
            yield Field(f"Round trip, {result.task.label}", f"p95 {format_duration(loaded)}")


def _says(results: tuple[Result, ...], report: LinkReport | None) -> tuple[str, ...]:
    return (*_bloat(results), *_lopsided(results), *_many_streams(results), *_refused(report))


def _bloat(results: tuple[Result, ...]) -> Iterator[str]:
    worst = max(results, key=lambda result: number(result.facts, "loaded_round_trip_ns") or 0.0, default=None)
    if worst is None:
        return
    idle, loaded = (number(worst.facts, name) for name in ("round_trip_ns", "loaded_round_trip_ns"))
    if idle is None or loaded is None or loaded - idle < BLOAT_NS:
        return
    much = "far too much" if loaded - idle >= HEAVY_BLOAT_NS else "noticeable"
    yield (
        f"Under load a round trip takes {format_duration(loaded)} instead of {format_duration(idle)} "
        f"({worst.task.label}): a queue on the way fills up, which is {much} for whatever else uses this link."
    )


def _rate(result: Result) -> float:
    return result.summary.rate.value if result.summary else 0.0


def _one_stream(results: tuple[Result, ...]) -> list[Result]:
    return [each for each in results if each.task.transfer and (each.task.transfer.stream_count or 1) == 1]


def _lopsided(results: tuple[Result, ...]) -> Iterator[str]:
    """One direction far slower than the other."""
    singles = _one_stream(results)
    if len(singles) == 2 and min(map(_rate, singles)) * 1.5 < max(map(_rate, singles)):
        slow, fast = sorted(singles, key=_rate)
        ratio = _rate(fast) / max(_rate(slow), 1.0)
        yield f"{slow.task.label} is {ratio:.1f} times slower than {fast.task.label}: look at cable, port and duplex."


def _many_streams(results: tuple[Result, ...]) -> Iterator[str]:
    """Several streams reach much more than one: the window or a processor holds one back, not the wire."""
    for single in _one_stream(results):
        more = [
            other
            for other in results
            if other is not single
            and other.task.operation is single.task.operation
            and _rate(other) > 1.3 * _rate(single) > 0
        ]
        if more:
            best = max(more, key=_rate)
            yield (
                f"{best.task.label} carries {_rate(best) / _rate(single):.1f} times what {single.task.label} does: one "
                "stream is held back by its window, by loss or by a processor, not by the wire."
            )


def _refused(report: LinkReport | None) -> Iterator[str]:
    if report and report.refused_count:
        yield f"The far end turned away {report.refused_count} connections that did not know the token."
