"""Whether written data are on the medium: what still waits in memory, how long the flush took, discards."""

from __future__ import annotations

from collections.abc import Iterator

from graycard.checks.evidence import CheckEvidence, device_bytes, points_of
from graycard.checks.presence import compressed_bytes
from graycard.checks.provenance import LEAST_RATIO, device_ratio
from graycard.checks.verdicts import Found, by_run, caveat, fails, passes, single, unknown, worst
from graycard.facts import change, number, value
from graycard.model import Check, Durability, Fact, Operation, Run
from graycard.units import format_duration, format_rate, format_size, percent

# Pages of the whole system that wait: 2 % of what was written, and some MB that any system has in motion.
LEFT_RATIO = 0.02
LEFT_BYTES = 4 << 20
# A flush that reaches a flash chip or a disk takes longer than 50 µs; one that is dropped on the way returns in a few
# (traps 14 and 25). Drives that keep their cache without power may answer as fast, and rightly: so it is a caveat.
FLUSH_NS = 50_000
# A link carries at most its ceiling; 5 % for its rounding.
LINK_RATIO = 1.05
# Discards of the measured file's own bookkeeping are a few blocks.
DISCARD_BYTES = 1 << 20


def on_medium(evidence: CheckEvidence) -> Check:
    """Share of the written bytes that the device has taken when the clock stops."""
    name, unit, tolerance = "on_medium", "ratio", 1 - LEAST_RATIO
    if not evidence.is_write:
        return single(name, passes("Nothing was to be written."), unit, tolerance)
    return by_run(name, evidence, _judge, unit, tolerance)


def _judge(evidence: CheckEvidence, run: Run) -> Found:
    if evidence.task.durability is Durability.NONE:
        return worst((_unflushed(evidence, run), *_discarding(run)))
    return worst((_flushed(evidence, run), *_flush_time(evidence, run), *_discarding(run)))


def _unflushed(evidence: CheckEvidence, run: Run) -> Found:
    """No flush was asked for: direct writes are at least with the drive, others may be anywhere."""
    left, ratio = _left_bytes(run), _taken_ratio(evidence, run)
    if _is_left(run, left, ratio):
        return fails(f"{_waiting(run, left, ratio)}; use --durability at_end to time the flush as well.", ratio, 1.0)
    if evidence.bypasses:
        says = "The data may still be in the drive's own cache, since no flush was asked for; use --durability at_end "
        return caveat(says + "for the speed of safe storage.", ratio, 1.0)
    says = (
        "The data may still be in memory, since no flush was asked for; use --durability at_end for the drive's speed."
    )
    return caveat(says, ratio, 1.0)


def _flushed(evidence: CheckEvidence, run: Run) -> Found:
    left, ratio = _left_bytes(run), _taken_ratio(evidence, run)
    if _is_left(run, left, ratio):
        return fails(
            f"{_waiting(run, left, ratio)}, although a flush was made; the file system does not flush.", ratio, 1.0
        )
    if run.samples.flush_ns is None and run.samples.flush_latency is None:
        return unknown(
            "Whether the data were flushed inside the timed part cannot be told: the engine does not say.", ratio, 1.0
        )
    if ratio is None:
        why = "fewer are stored than were written" if compressed_bytes(evidence) else "no device counts its bytes"
        return unknown(f"The system flushed without an error, but {why}, so the medium cannot be seen.", None, 1.0)
    return passes("All data were with the drive, and flushed, before the clock stopped.", ratio, 1.0)


def _taken_ratio(evidence: CheckEvidence, run: Run) -> float | None:
    """The device's bytes over the written ones; None without a device, and where the file is stored compressed."""
    return None if compressed_bytes(evidence) else device_ratio(evidence, run)


def _left_bytes(run: Run) -> float | None:
    """How much of the file waits in memory after the run; None when unknown.

    Where the system does not tell that of one file: how much more waits than before the run, of all files.
    """
    own = number(run.after, "file_dirty_bytes")
    if own is not None:
        return own
    before, after = _waiting_bytes(run.before), _waiting_bytes(run.after)
    return after - before if before is not None and after is not None else None


def _waiting_bytes(facts: tuple[Fact, ...]) -> float | None:
    dirty, writing = number(facts, "dirty_bytes"), number(facts, "writeback_bytes")
    return dirty + (writing or 0.0) if dirty is not None else None


def _is_left(run: Run, left: float | None, ratio: float | None) -> bool:
    """Bytes that the device has not taken, or, where no device counts, pages that wait.

    The pages may be the whole system's: another program may have left them, so the device's word goes first.
    """
    if ratio is not None:
        return ratio < LEAST_RATIO and run.samples.moved_bytes * (1 - ratio) > LEFT_BYTES
    return left is not None and left > max(LEFT_RATIO * run.samples.moved_bytes, LEFT_BYTES)


def _waiting(run: Run, left: float | None, ratio: float | None) -> str:
    missing = run.samples.moved_bytes * (1 - ratio) if ratio is not None else left or 0.0
    share = percent(missing / run.samples.moved_bytes) if run.samples.moved_bytes else "0 %"
    return f"{format_size(missing)} ({share} of what was written) had not reached the drive when the clock stopped"


def _flush_time(evidence: CheckEvidence, run: Run) -> Iterator[Found]:
    """A flush too fast to be true: nothing was asked of the drive, or a cache answered for it."""
    shortest_ns = run.samples.flush_ns
    if evidence.task.durability is Durability.EACH_WRITE:
        latency = run.samples.flush_latency
        shortest_ns = latency.sum_ns // latency.ops_count if latency and latency.ops_count else None
    if shortest_ns is None:
        return
    if shortest_ns < FLUSH_NS and value(evidence.facts, "write_cache") == "write back":
        says = (
            f"A flush took {format_duration(shortest_ns)}, too short for a drive with a cache of its own to empty it; "
        )
        yield caveat(says + "the data are safe only if the drive keeps them without power.", shortest_ns, FLUSH_NS)
    yield from _faster_than_link(evidence, run)


def _faster_than_link(evidence: CheckEvidence, run: Run) -> Iterator[Found]:
    link, waiting = number(evidence.facts, "link_ceiling_bytes_per_s"), points_of(run, "dirty_bytes")
    flush_ns, after = run.samples.flush_ns, _waiting_bytes(run.after)
    if not link or not waiting or not flush_ns or after is None:
        return
    flushed = waiting[-1] - after
    rate = flushed * 1e9 / flush_ns
    if flushed > LEFT_BYTES and rate > link * LINK_RATIO:
        says = f"The flush moved {format_rate(rate)} over a link of {format_rate(link)}: a cache took the data; "
        yield caveat(says + "write more than that cache holds.", rate, link)


def _discarding(run: Run) -> Iterator[Found]:
    discarded, written = change(run.before, run.after, "device_discarded_bytes"), device_bytes(run, Operation.WRITE)
    if discarded is not None and discarded > max(DISCARD_BYTES, LEFT_RATIO * (written or 0.0)):
        says = f"The drive discarded {format_size(discarded)} of deleted files during the run, which slows it; "
        yield caveat(says + "wait a minute and repeat.", discarded, 0)
