"""Little's law: the time that all requests took together, over the time that passed, is the mean number in flight.

J. D. C. Little, A Proof for the Queuing Formula L = λW, Operations Research 9 (1961).
"""

from __future__ import annotations

from graycard.checks.evidence import CheckEvidence, io_time_ns
from graycard.checks.verdicts import Found, by_run, caveat, fails, passes, unknown
from graycard.model import Check, Durability, Run, Samples
from graycard.units import format_duration, significant

# A mean depth below 80 % of the asked one is another load (trap 32). Sound runs reach 99 %.
DEPTH_TOLERANCE_RATIO = 0.2
# More in flight than asked is impossible; 5 % is for two stamps that are not taken at the same instant.
DEPTH_EXCESS_RATIO = 0.05
# Starting threads and rings takes up to a millisecond; in a run of 20 it is at most a twentieth.
SHORTEST_NS = 20_000_000
# Their latency of a write ends before the flush that follows it; the native core's ends after it.
FLUSH_APART_ENGINES = frozenset({"fio"})


def littles_law(evidence: CheckEvidence) -> Check:
    """Mean depth from rate and latency against the depth that was asked for."""
    return by_run("littles_law", evidence, _judge, "count", DEPTH_TOLERANCE_RATIO)


def _judge(evidence: CheckEvidence, run: Run) -> Found:
    asked, samples = evidence.task.depth_count, run.samples
    if evidence.task.pace is not None:
        return passes("Frames were asked for at a fixed rate, so no depth was to be held.")
    io_ns = io_time_ns(evidence, run)
    if samples.latency is None or io_ns is None:
        return unknown("The depth cannot be checked: the engine gave no latencies.", None, asked)
    if io_ns < SHORTEST_NS:
        return unknown(f"A run of {format_duration(io_ns)} is too short to check the depth.", None, asked)
    return _compare(evidence, samples, _in_flight_ns(evidence, samples) / io_ns, io_ns)


def _in_flight_ns(evidence: CheckEvidence, samples: Samples) -> int:
    """Sum of all latencies; a flush after a write keeps the write's place in the queue."""
    total_ns = samples.latency.sum_ns if samples.latency else 0
    apart = evidence.engine in FLUSH_APART_ENGINES and evidence.task.durability is Durability.EACH_WRITE
    if apart and samples.flush_latency is not None:
        total_ns += samples.flush_latency.sum_ns
    return total_ns


def _compare(evidence: CheckEvidence, samples: Samples, mean: float, io_ns: int) -> Found:
    asked = evidence.task.depth_count
    shown = f"{significant(mean)} requests were in flight on average, {asked} were asked for"
    if mean > asked * (1 + DEPTH_EXCESS_RATIO):
        return fails(f"{shown}: more than possible, so the times are wrong; do not use this figure.", mean, asked)
    if mean >= asked * (1 - DEPTH_TOLERANCE_RATIO):
        return passes(f"{shown}.", mean, asked)
    if samples.ops_count < 2 * asked:
        says = f"only {samples.ops_count} requests were made, too few to hold {asked} in flight"
        return caveat(f"{shown}: {says}; use a larger file or more time.", mean, asked)
    if mean >= asked * (1 - DEPTH_TOLERANCE_RATIO) * (1 - _draining_share(samples, io_ns)):
        return passes(f"{shown}; the queue ran empty at the end of a short run.", mean, asked)
    return _short(evidence, samples, mean, shown)


def _short(evidence: CheckEvidence, samples: Samples, mean: float, shown: str) -> Found:
    asked = evidence.task.depth_count
    if not evidence.bypasses:
        says = "in the page cache requests take less time than what lies between them"
        return caveat(f"{shown}: {says}; use --cache bypass to hold the depth at the drive.", mean, asked)
    flushes = evidence.is_write and evidence.task.durability is not Durability.NONE
    if flushes and samples.flush_ns is None and samples.flush_latency is None:
        return unknown(f"{shown}; the engine does not tell the flush apart, so this proves nothing.", mean, asked)
    if asked == 1:
        says = "the computer spent the rest of the time between the requests, so the drive can do more"
        return fails(f"{shown}: {says}; close other programs and measure again.", mean, asked)
    return fails(f"{shown}: this is not the load that was asked for; use a smaller depth or more workers.", mean, asked)


def _draining_share(samples: Samples, io_ns: int) -> float:
    """Share of the time in which nothing new was issued; the slowest request stands in where it was not timed."""
    slowest_ns = samples.latency.max_ns if samples.latency else None
    draining_ns = samples.drain_ns if samples.drain_ns is not None else slowest_ns or 0
    return min(1.0, draining_ns / io_ns)
