"""Time: whether the clock can be trusted, whether the measurement was stopped, whether the runs were long enough."""

from __future__ import annotations

from collections.abc import Iterator

from graycard.checks.evidence import OUTSIDE_ENGINES, CheckEvidence
from graycard.checks.verdicts import Found, by_run, caveat, fails, largest, passes, smallest, unknown, worst
from graycard.facts import change, number
from graycard.model import Check, Run
from graycard.units import format_duration

# Two clocks of one machine differ by less than 50 parts in a million (trap 42), once both are disciplined; two readings
# one after the other differ by what may happen between them: on a busy machine the program pauses for some ms.
DRIFT_RATIO = 50e-6
READING_NS = 20_000_000
# A clock whose step or cost is a tenth of a request blurs its latency; one as coarse as the request tells nothing.
COARSE_RATIO = 0.1
# The run may end before the second reading, never after it; another tool rounds to milliseconds.
ROUNDING_NS = 2_000_000
# The watching thread looks ten times a second; half a second without it is no scheduling any more. A pause of a tenth
# of the run moves the rate by more than the precision aimed at.
GAP_NS = 500_000_000
GAP_RATIO = 0.1
# Shorter runs measure the start, the queue's filling and its draining.
SHORTEST_NS = 250_000_000
# A time is known to a thousandth when it is a thousand steps long (trap 43).
STEPS_COUNT = 1000


def clock_sound(evidence: CheckEvidence) -> Check:
    """Step and cost of the clock against a request, and the clock against the wall clock and against suspension."""
    return by_run("clock_sound", evidence, _clock, "ns", DRIFT_RATIO)


def not_interrupted(evidence: CheckEvidence) -> Check:
    """The longest time in which the measuring process did not run: stopped, suspended, starved."""
    return by_run("not_interrupted", evidence, _gap, "ns", GAP_RATIO, largest)


def latency_time(evidence: CheckEvidence) -> Check:
    """Whether each run was long enough for its figure."""
    return by_run("latency_time", evidence, _length, "ns", badness=smallest)


def _clock(evidence: CheckEvidence, run: Run) -> Found:
    passed_ns = change(run.before, run.after, "clock_monotonic_ns")
    if passed_ns is None:
        return _no_clock(run)
    founds = (*_suspended(run, passed_ns), *_disagreeing(run, passed_ns), *_coarse(evidence, run))
    if founds:
        return worst(founds)
    off_ns = (change(run.before, run.after, "clock_realtime_ns") or passed_ns) - passed_ns
    if number(evidence.instrument, "clock_step_ns") is None:
        return unknown(
            "This engine does not tell the smallest step of its clock, so latencies may be coarse.", off_ns, 0
        )
    return passes("The clock ran evenly and is fine enough.", off_ns, 0)


def _no_clock(run: Run) -> Found:
    first, last = number(run.before, "clock_monotonic_ns"), number(run.after, "clock_monotonic_ns")
    if first is not None and last is not None:
        return fails("The clock ran backwards; do not use this figure.", last - first, 0)
    return unknown("The clock cannot be checked: it was not read before and after the run.", None, 0)


def _suspended(run: Run, passed_ns: float) -> Iterator[Found]:
    slept_ns = (change(run.before, run.after, "clock_boottime_ns") or passed_ns) - passed_ns
    if slept_ns > _allowed_ns(passed_ns):
        says = f"The computer was suspended for {format_duration(slept_ns)} during the run; measure again."
        yield fails(says, slept_ns, 0)


def _disagreeing(run: Run, passed_ns: float) -> Iterator[Found]:
    """The run's own time must lie within the two readings; the wall clock may be set, which is no fault of the run."""
    longer_ns = run.samples.elapsed_ns - passed_ns
    if longer_ns > _allowed_ns(passed_ns, ROUNDING_NS):
        says = (
            f"The run claims {format_duration(run.samples.elapsed_ns)}, but only {format_duration(passed_ns)} passed; "
        )
        yield fails(says + "do not use this figure.", longer_ns, 0)
    real_ns = _signed_change(run, "clock_realtime_ns")
    if real_ns is not None and abs(real_ns - passed_ns) > _allowed_ns(passed_ns):
        says = (
            f"The wall clock moved {format_duration(abs(real_ns - passed_ns))} against the measuring clock: it was set "
        )
        yield caveat(
            says + "during the run, or a virtual machine keeps poor time; check the time service.",
            real_ns - passed_ns,
            0,
        )


def _coarse(evidence: CheckEvidence, run: Run) -> Iterator[Found]:
    latency = run.samples.latency
    if latency is None or not latency.ops_count:
        return
    mean_ns = latency.sum_ns / latency.ops_count
    for name, what in (("clock_step_ns", "steps"), ("clock_cost_ns", "takes")):
        found_ns = number(evidence.instrument, name)
        if found_ns is not None and found_ns > COARSE_RATIO * mean_ns:
            says = f"The clock {what} {format_duration(found_ns)}, a request {format_duration(mean_ns)}; "
            judge = fails if found_ns > mean_ns else caveat
            yield judge(
                says + "trust the rate more than the latencies, and check the system's clock source.", found_ns, 0
            )


def _gap(evidence: CheckEvidence, run: Run) -> Found:
    gap_ns, elapsed_ns = run.samples.gap_ns, run.samples.elapsed_ns
    if gap_ns is None:
        who = "another program" if evidence.engine in OUTSIDE_ENGINES else "the engine"
        return unknown(f"Whether the run was interrupted cannot be told: {who} did the I/O and kept no watch.", None, 0)
    shown = f"The measuring program did not run for {format_duration(gap_ns)}"
    if gap_ns <= GAP_NS:
        return passes("The measurement ran without a break.", gap_ns, 0)
    if gap_ns <= GAP_RATIO * elapsed_ns:
        return caveat(f"{shown}, a small part of the run; the slowest latencies may be the computer's.", gap_ns, 0)
    return fails(f"{shown} (stopped, suspended or starved), so the figure is too low; measure again.", gap_ns, 0)


def _length(evidence: CheckEvidence, run: Run) -> Found:
    elapsed_ns, step_ns = run.samples.elapsed_ns, number(evidence.instrument, "clock_step_ns")
    shown = f"The run took {format_duration(elapsed_ns)}"
    if step_ns is not None and elapsed_ns < STEPS_COUNT * step_ns:
        return fails(f"{shown}, too few steps of the clock; use a larger file or more time.", elapsed_ns, SHORTEST_NS)
    if elapsed_ns < SHORTEST_NS:
        return caveat(f"{shown}, which is too short for a firm figure; use more time.", elapsed_ns, SHORTEST_NS)
    return passes("The runs were long enough.", elapsed_ns, SHORTEST_NS)


def _allowed_ns(passed_ns: float, reading_ns: int = READING_NS) -> float:
    return reading_ns + DRIFT_RATIO * passed_ns


def _signed_change(run: Run, name: str) -> float | None:
    """A difference that may be negative: the wall clock can be set back."""
    first, last = number(run.before, name), number(run.after, name)
    return last - first if first is not None and last is not None else None
