"""Whether the figure is the drive's or the instrument's own: its ceiling, its processor, its waiting for one."""

from __future__ import annotations

from collections.abc import Iterator

from graycard.checks.evidence import CheckEvidence, cpu_share, cpu_wait_share, io_time_ns
from graycard.checks.verdicts import Found, by_run, caveat, fails, largest, passes, smallest, unknown, worst
from graycard.facts import number
from graycard.model import Cache, Check, Run
from graycard.units import percent, significant

# The instrument must be able to do three times the figure (its own work is then at most a third of the time even
# where nothing overlaps); below one and a half the figure is mostly the instrument's.
CEILING_RATIO = 3.0
CEILING_FAIL_RATIO = 1.5
# An I/O thread that computes nine tenths of the time has no time left for more requests.
CPU_RATIO = 0.9
# Ready threads without a processor: a tenth of the time shows in the figure, half of it decides it. A rival of equal
# right takes up to half from a thread that could use a whole processor; sleeping I/O threads lose far less.
WAIT_CAVEAT_RATIO = 0.1
WAIT_FAIL_RATIO = 0.5


def instrument_not_limit(evidence: CheckEvidence) -> Check:
    """The ceiling of null operations (and of the data generator in writing) over the measured requests/s."""
    return by_run("instrument_not_limit", evidence, _judge, "ratio", badness=_badness)


def _badness(found: Found) -> float:
    """The ceiling should be high, every other figure here low."""
    return smallest(found) if found.expected == CEILING_RATIO else largest(found)


def _judge(evidence: CheckEvidence, run: Run) -> Found:
    return worst((_ceiling(evidence, run), *_processor(evidence, run)))


def _ceiling(evidence: CheckEvidence, run: Run) -> Found:
    io_ns, ceiling = io_time_ns(evidence, run), _ceiling_ops_per_s(evidence)
    if not ceiling or io_ns is None or not run.samples.ops_count:
        says = "This engine tells no ceiling of its own, so it may be the limit; repeat with --engine native."
        return unknown(says, None, CEILING_RATIO)
    ratio = ceiling * io_ns / (run.samples.ops_count * 1e9)
    shown = f"The instrument alone manages {significant(ratio)} times the figure"
    if ratio >= CEILING_RATIO:
        return passes(f"{shown}.", ratio, CEILING_RATIO)
    says = f"{shown}, which is not enough to be sure (3 times): instrument-limited, the drive may be faster"
    advice = "try larger blocks, a smaller depth or more workers"
    judge = caveat if ratio >= CEILING_FAIL_RATIO else fails
    return judge(f"{says}; {advice}.", ratio, CEILING_RATIO)


def _ceiling_ops_per_s(evidence: CheckEvidence) -> float | None:
    """Null operations a second; when writing, no more than the blocks that can be filled with data."""
    ceiling = number(evidence.instrument, "ceiling_ops_per_s")
    generator = number(evidence.instrument, "generator_bytes_per_s")
    if ceiling is None or generator is None or not evidence.is_write:
        return ceiling
    return min(ceiling, generator / evidence.task.block_bytes * max(1, evidence.task.worker_count))


def _processor(evidence: CheckEvidence, run: Run) -> Iterator[Found]:
    busy, waiting = cpu_share(evidence, run), cpu_wait_share(evidence, run)
    if waiting is not None and waiting > WAIT_CAVEAT_RATIO:
        yield _starved(evidence, waiting)
    if busy is not None and busy > CPU_RATIO:
        says = f"The I/O threads computed {percent(busy)} of the time: the processor is the limit; "
        yield caveat(says + "the drive may be faster, try larger blocks or more workers.", busy, CPU_RATIO)


def _starved(evidence: CheckEvidence, waiting: float) -> Found:
    """Reading from memory is processor's work: threads that share a processor there are the load that was asked for."""
    shown = f"The measurement waited for a processor {percent(waiting)} of the time"
    if waiting > WAIT_FAIL_RATIO and evidence.task.cache is not Cache.WARM:
        says = f"{shown}, so the figure is the busy computer's, not the drive's (instrument-limited); "
        return fails(says + "close other programs and repeat.", waiting, WAIT_CAVEAT_RATIO)
    return caveat(f"{shown}, so the drive may be faster; close other programs and repeat.", waiting, WAIT_CAVEAT_RATIO)
