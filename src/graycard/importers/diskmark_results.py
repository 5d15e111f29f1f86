"""Documents of the CrystalDiskMark family become results; what differs by tool is told by a Conduct."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from graycard.errors import ImportProblem
from graycard.facts import fact
from graycard.importers.diskmark_text import Document, Row, found
from graycard.importers.imported import (
    LOCAL_TIME,
    NO_TARGET,
    UNKNOWN_TIME,
    Figures,
    imported,
    measurement_id,
    result_id,
    sane,
    stated_time,
)
from graycard.importers.rows import bounded, refuse_long
from graycard.model import Aggregate, Cache, Check, Durability, Fact, IoTask, Operation, Origin, Result, Target, Verdict
from graycard.units import format_rate, significant

# One figure of a mean latency and one of operations may come from different runs, and a run has a slow beginning;
# what is more than a third off is neither.
IN_FLIGHT_TOLERANCE_RATIO = 1 / 3
# What a link carries at most, by the words people use: SATA III after its 8b/10b coding, USB 2.0's 480 Mbit/s.
LINKS: tuple[tuple[str, re.Pattern[str], float], ...] = (
    ("SATA", re.compile(r"\bm?SATA(?![\w-]*express)", re.IGNORECASE), 600e6),
    ("USB 2.0", re.compile(r"\bUSB ?2(?:\.0)?\b", re.IGNORECASE), 60e6),
)
_NO_RATE = "Line {} gives no rate that can be read: the text is damaged or cut short there."
_SUPPOSED = "The text has no header: {} is guessed from the shape of its lines."


@dataclass(frozen=True, slots=True)
class Reading:
    """What a tool's rules make of a row: the load, and the figures with what must be said of them."""

    task: IoTask
    figures: Figures
    checks: tuple[Check, ...] = ()
    caveats: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Conduct:
    """What a tool does that its text does not say. `target` and `facts` read the footer's own lines."""

    tool: str
    engine: Callable[[Document], str | None]
    aggregate: Callable[[Document], Aggregate | None]
    reading: Callable[[Document, Row], Reading]
    target: Callable[[Document], Target]
    facts: Callable[[Document], Iterator[Fact]]


def read(data: bytes, conduct: Conduct) -> tuple[Result, ...]:
    """All results of the tool in the text; ImportProblem where it holds no row."""
    # Hashed once: a file may hold many documents.
    refuse_long(data, conduct.tool)
    file = measurement_id(data, conduct.tool).encode()
    numbered = enumerate(found(data, conduct.tool), 1)
    results = bounded(
        (
            result
            for number, document in numbered
            for result in _results(document, conduct, measurement_id(file, number))
        ),
        conduct.tool,
    )
    if not results:
        raise ImportProblem(f"{conduct.tool}'s text holds no line with a result: copy the whole text")
    return results


def _results(document: Document, conduct: Conduct, whole: str) -> Iterator[Result]:
    count, aggregate = document.run_count, conduct.aggregate(document)
    aggregate = None if count == 1 else aggregate
    origin = Origin(conduct.tool, document.version, conduct.engine(document), _comment(document), aggregate)
    moment = stated_time(document.footer.get("Date", ""))
    facts, target = tuple(conduct.facts(document)), conduct.target(document)
    for number, row in enumerate(document.rows, 1):
        reading = conduct.reading(document, row)
        yield imported(
            result_id(whole, number),
            origin,
            reading.task,
            replace(reading.figures, run_count=count or (0 if aggregate else 1)),
            measurement=whole,
            created_at=moment[0] if moment else UNKNOWN_TIME,
            target=target,
            facts=facts,
            checks=(*reading.checks, *_checks(document, reading)),
            caveats=(*reading.caveats, *_caveats(document, conduct, local=bool(moment and moment[1]))),
            trouble=_NO_RATE.format(row.line_number) if row.rate_mb_per_s is None else None,
        )


def _comment(document: Document) -> str | None:
    return document.footer.get("Comment") or None


def _caveats(document: Document, conduct: Conduct, *, local: bool) -> Iterator[str]:
    if not document.headed and document.version is None:
        yield _SUPPOSED.format(conduct.tool)
    if local:
        yield LOCAL_TIME


def _checks(document: Document, reading: Reading) -> Iterator[Check]:
    figures, ops, latency_ns = reading.figures, reading.figures.ops_per_s, reading.figures.mean_latency_ns
    if ops and latency_ns and sane(ops, "ops/s") and sane(latency_ns, "ns"):
        yield in_flight(reading.task, ops, latency_ns)
    told = " ".join(document.footer.get(key, "") for key in ("Comment", "Device"))
    if figures.rate_bytes_per_s and (check := within_link(told, figures.rate_bytes_per_s)):
        yield check


def in_flight(task: IoTask, ops_per_s: float, mean_latency_ns: float) -> Check:
    """Little's law: operations a second × mean latency are the requests in flight, the depth."""
    measured, depth = ops_per_s * mean_latency_ns / 1e9, float(task.depth_count)
    verdict, says = Verdict.PASS, "Rate, latency and depth fit each other."
    if abs(measured - depth) > depth * IN_FLIGHT_TOLERANCE_RATIO:
        verdict = Verdict.CAVEAT
        says = (
            f"Its operations and latency mean {significant(measured)} requests in flight, not {task.depth_count}: "
            "they are not of the same run, or the depth was never reached; do not use the latency."
        )
    return Check("littles_law", depth, measured, "count", IN_FLIGHT_TOLERANCE_RATIO, verdict, says)


def within_link(told: str, rate_bytes_per_s: float) -> Check | None:
    """Whether the rate can pass the link that the text names; None where it names none, or two."""
    named = [(name, ceiling) for name, words, ceiling in LINKS if words.search(told)]
    if len(named) != 1:
        return None
    [(name, ceiling)] = named
    verdict, says = Verdict.PASS, f"{name} carries such a rate."
    if rate_bytes_per_s > ceiling:
        verdict = Verdict.CAVEAT
        says = (
            f"{name}, which the text names, carries {format_rate(ceiling)} at most: a cache in the computer's memory "
            "answered, or the link is another one."
        )
    return Check("within_link", ceiling, rate_bytes_per_s, "bytes/s", 0.0, verdict, says)


def task(document: Document, row: Row, block_bytes: int | None, unstated: tuple[str, ...]) -> IoTask:
    """The load of a row, read by direct I/O without a flush; a depth is per thread in all of these texts."""
    if row.operation is None:
        raise ImportProblem(
            f"line {row.line_number} does not say whether it reads or writes: copy the text with its [Read] and [Write]"
        )
    mixed = row.operation == "Mix"
    threads, span = row.thread_count or 1, document.span_bytes
    missing = {
        "block_bytes": block_bytes is None,
        "span_bytes": span is None,
        "read_ratio": mixed and row.read_percent is None,
    }
    return IoTask(
        operation=Operation.WRITE if row.operation == "Write" else Operation.READ,
        pattern=row.pattern,
        block_bytes=block_bytes or 1,
        span_bytes=span or block_bytes or 1,
        depth_count=(row.depth_count or 1) * threads,
        worker_count=threads,
        cache=Cache.BYPASS,
        durability=Durability.NONE,
        compressible_ratio=1.0 if document.zeros else 0.0,
        read_ratio=(0.5 if row.read_percent is None else min(row.read_percent, 100) / 100) if mixed else None,
        unstated=(*unstated, *(name for name, is_missing in missing.items() if is_missing)),
    )


def footer_facts(document: Document, tool: str) -> Iterator[Fact]:
    """Facts that all three texts tell alike."""
    footer = document.footer
    if document.used_ratio is not None:
        yield fact("used_ratio", document.used_ratio, f"{tool}: share in use")
    for key, name in (("Device", "device_model"), ("CPU", "cpu_model")):
        if footer.get(key):
            yield fact(name, footer[key], f"{tool}: {key}")
    settings = "; ".join(part for part in (_settings(document)) if part)
    if settings:
        yield fact("engine_settings", settings, f"{tool}: header and footer")


def _settings(document: Document) -> Iterator[str]:
    footer = document.footer
    yield document.edition
    yield f"profile {footer['Profile']}" if footer.get("Profile") else ""
    yield f"{document.run_count} runs" if document.run_count else ""
    yield footer.get("Mode", "")
    for name in ("Measure", "Interval", "Limit"):
        time_ns = document.time_ns(name)
        yield f"{name.lower()} {time_ns // 1_000_000_000} s" if time_ns is not None else ""


def no_target(_: Document) -> Target:
    """For texts that do not tell where was measured."""
    return NO_TARGET
