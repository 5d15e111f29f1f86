"""Whether the depth was ever real: requests that wait in a queue of the computer's own never load the drive.

Two witnesses: the time spent inside the calls that submit (a call that does the I/O itself blocks), and the device's
own mean depth. By Little's law at the device that is requests/s × the device's mean time for one, in the
task's requests whatever the kernel splits and merges; it is taken over the time in which the device had work at
all, so that a computer too busy to submit does not count as a shallow queue.
Tried with fio on ext4, on loop and virtio disks, depth 2 to 64, with and without six busy-looping programs on two
processors: the device's depth was 0.65 to 1.1 of the asked one, the submit share up to 0.50; through the page cache
with libaio the submit share was 0.97, in memory 0.63 to 0.98.
"""

from __future__ import annotations

from dataclasses import dataclass

from graycard.checks.evidence import (
    CheckEvidence,
    cpu_share,
    cpu_wait_share,
    device_bytes,
    io_time_ns,
    points_of,
)
from graycard.checks.presence import compressed_bytes
from graycard.checks.provenance import vouched_ratio
from graycard.checks.verdicts import Found, by_run, caveat, fails, passes, unknown
from graycard.facts import change, number
from graycard.model import Cache, Check, Durability, Run
from graycard.units import percent, significant

# Inside submit calls for more of the time than this: the calls do the I/O themselves (trap 33).
SUBMIT_SHARE_RATIO = 0.3
# With the device as witness of true depth, submitting may cost a busy processor's time; not nearly all of it.
SUBMIT_SHARE_SEEN_RATIO = 0.9
# The device must see at least half of the depth.
DEVICE_DEPTH_RATIO = 0.5
# An I/O thread that runs or waits to run for this share of the time is itself the limit.
BUSY_RATIO = 0.9
# Below one and a half, requests went one at a time, whatever else was busy.
ONE_AT_A_TIME_COUNT = 1.5
# Kernel, interrupt and wake-up for one request: longer than a request's whole way on ordinary computers (measured
# here: 20 to 30 µs). On devices faster than that a shallow queue at the device proves nothing.
SOFTWARE_NS = 30_000
# The device's time is a witness only when it moved these bytes: at least 90 % of them.
SEEN_RATIO = 0.9
# Fewer readings of a level than this give no mean; the last may be of a run that ends.
LEAST_POINTS_COUNT = 3


@dataclass(frozen=True, slots=True)
class Witness:
    """The mean depth that the device or the FUSE program saw, and the time a request spent elsewhere."""

    name: str
    mean_count: float
    elsewhere_ns: float | None


def depth_was_real(evidence: CheckEvidence) -> Check:
    """The asked depth against what reached the device."""
    return by_run("depth_was_real", evidence, _judge, "count", 1 - DEVICE_DEPTH_RATIO)


def _judge(evidence: CheckEvidence, run: Run) -> Found:
    asked = evidence.task.depth_count
    if asked <= 1 or evidence.task.pace is not None:
        return passes("One request at a time was asked for, so no queue was to be held.", 1, 1)
    if evidence.is_write and not evidence.bypasses:
        return _buffered_write(evidence, run)
    submit, witness = _submit_share(evidence, run), device_witness(evidence, run) or fuse_witness(run)
    if witness is None:
        return _without_witness(evidence, run, submit)
    if submit is not None and submit > SUBMIT_SHARE_SEEN_RATIO:
        return _blocking(asked, submit)
    return _compare(evidence, run, witness, submit)


def _buffered_write(evidence: CheckEvidence, run: Run) -> Found:
    asked, submit = evidence.task.depth_count, _submit_share(evidence, run)
    if submit is not None and submit > SUBMIT_SHARE_RATIO:
        return _blocking(asked, submit)
    says = f"The writes went to memory first, and the system chose how many went to the drive at once, not {asked}; "
    return caveat(says + "measure with --cache bypass to load the drive itself.", None, asked)


def _without_witness(evidence: CheckEvidence, run: Run, submit: float | None) -> Found:
    asked, reached = evidence.task.depth_count, vouched_ratio(evidence, run)
    if submit is not None and submit > SUBMIT_SHARE_RATIO:
        return _blocking(asked, submit)
    if not evidence.is_write and reached is not None and reached < SEEN_RATIO and not compressed_bytes(evidence):
        return _from_memory(evidence, reached)
    says = (
        f"Whether {asked} requests at a time reached the storage cannot be told: no device or server shows its queue."
    )
    return unknown(says, None, asked)


def _from_memory(evidence: CheckEvidence, reached: float) -> Found:
    """Requests that memory answered were in no queue of the drive."""
    asked = evidence.task.depth_count
    says = f"Only {percent(reached)} of the bytes came from the drive, so it never had {asked} requests at a time"
    if evidence.task.cache is Cache.WARM:
        return caveat(f"{says}: the depth is that of memory, as was asked for with --cache warm.", None, asked)
    if evidence.in_memory:
        return fails(f"{says}; choose a folder on a drive.", None, asked)
    return fails(f"{says}; use --cache bypass or a larger file.", None, asked)


def _blocking(asked: int, submit: float) -> Found:
    says = (
        f"{percent(submit)} of the time passed inside the calls that hand over requests: they were served one by one, "
    )
    return fails(says + f"never {asked} at a time; read the figure as one of depth 1.", 1, asked)


def _compare(evidence: CheckEvidence, run: Run, witness: Witness, submit: float | None) -> Found:
    asked, mean = evidence.task.depth_count, witness.mean_count
    limit = number(evidence.facts, "queue_limit_count")
    expected = min(asked, limit) if limit else asked
    shown = f"{witness.name} had {significant(mean)} requests at a time on average, {asked} were asked for"
    if mean < expected * DEVICE_DEPTH_RATIO:
        return _shallow(evidence, run, witness, shown, submit)
    if limit and limit < asked:
        return caveat(f"{shown}; it takes {limit:.0f} at once, so more depth changes nothing.", mean, asked)
    return passes(f"{shown}.", mean, asked)


def _shallow(evidence: CheckEvidence, run: Run, witness: Witness, shown: str, submit: float | None) -> Found:
    asked, mean = evidence.task.depth_count, witness.mean_count
    if witness.elsewhere_ns is not None and witness.elsewhere_ns <= SOFTWARE_NS:
        says = "it answers faster than this computer can ask, so the depth says little"
        return passes(f"{shown}: {says}.", mean, asked)
    serial = mean < ONE_AT_A_TIME_COUNT and submit is not None and submit > SUBMIT_SHARE_RATIO
    if _thread_is_limit(evidence, run) and not serial:
        says = "this computer's processor was too busy to ask faster"
        return caveat(f"{shown}: {says}; close other programs or use more workers.", mean, asked)
    if not evidence.bypasses:
        says = "the page cache chose what to ask for"
        return caveat(f"{shown}: {says}; measure with --cache bypass to load the drive itself.", mean, asked)
    if evidence.is_write and evidence.task.durability is Durability.EACH_WRITE:
        return caveat(f"{shown}: the flushes after each write wait for one another in the file system.", mean, asked)
    says = "the file system lets few requests through at a time"
    return fails(f"{shown}: {says}; read the figure as one of depth {max(1, round(mean))}.", mean, asked)


def device_witness(evidence: CheckEvidence, run: Run) -> Witness | None:
    """The device's mean depth in the task's requests, or None where it cannot be told."""
    names = ("device_ops_count", "device_queue_ns", "device_busy_ns")
    ops, queue_ns, busy_ns = (change(run.before, run.after, name) for name in names)
    moved, io_ns, samples = device_bytes(run, evidence.task.operation), io_time_ns(evidence, run), run.samples
    if not ops or queue_ns is None or io_ns is None or moved is None or not samples.ops_count:
        return None
    if moved < SEEN_RATIO * samples.moved_bytes:
        return None
    each_ns = queue_ns / ops
    elsewhere_ns = samples.latency.sum_ns / samples.ops_count - each_ns if samples.latency else None
    return Witness("The drive", samples.ops_count * each_ns / min(busy_ns or io_ns, io_ns), elsewhere_ns)


def fuse_witness(run: Run) -> Witness | None:
    """The mean number of requests that waited for the FUSE program."""
    points = points_of(run, "fuse_waiting_count")[:-1]
    if len(points) < LEAST_POINTS_COUNT:
        return None
    return Witness("The file system's program", sum(points) / len(points), None)


def _submit_share(evidence: CheckEvidence, run: Run) -> float | None:
    io_ns = io_time_ns(evidence, run)
    if run.samples.submit_ns is None or io_ns is None:
        return None
    return run.samples.submit_ns / (io_ns * max(1, evidence.task.worker_count))


def _thread_is_limit(evidence: CheckEvidence, run: Run) -> bool:
    busy = (cpu_share(evidence, run) or 0.0) + (cpu_wait_share(evidence, run) or 0.0)
    return busy > BUSY_RATIO
