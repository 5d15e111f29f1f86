"""Whether anybody else was on the drive: the device's bytes less our own, other programs' processor time, steal.

Foreign bytes are counted in both directions. In the task's own direction at least the asked bytes are ours, whatever
the process counters say. What bytes cannot show: a rival whose requests are many but tiny. Pressure (PSI) is not judged
by: it counts our own waiting too, and that is all of the time at depth 1.
"""

from __future__ import annotations

from graycard.checks.evidence import CheckEvidence, device_bytes, network_bytes, own_bytes
from graycard.checks.verdicts import Found, by_run, caveat, fails, passes, single, unknown, worst
from graycard.facts import change, value
from graycard.model import Check, Durability, Operation, Run
from graycard.units import format_size, percent

# Up to a twentieth the rate is off by less than the ±5 % that a standard measurement aims at; beyond a tenth it is off
# by more than that whatever the drive does with the mixture.
FOREIGN_CAVEAT_RATIO = 0.05
FOREIGN_FAIL_RATIO = 0.10
# Journal, inodes and superblock of the measured file itself: a commit is some ten blocks, and runs are seconds.
BOOKKEEPING_BYTES = 1 << 20
# Headers of TCP, IP and the protocol: 6 % of large requests, up to 10 % of 4 KiB ones.
NETWORK_HEADER_RATIO = 0.15
# Others may use processors as long as some are left: fewer than a tenth idle, and most of the rest not ours.
IDLE_RATIO = 0.1
OTHERS_CPU_RATIO = 0.5
# Time taken away by the hypervisor delays requests by as much.
STEAL_RATIO = 0.05


def alone_on_device(evidence: CheckEvidence) -> Check:
    """Share of the device's bytes that this measurement did not move."""
    return by_run("alone_on_device", evidence, _judge, "ratio", FOREIGN_CAVEAT_RATIO)


def _judge(evidence: CheckEvidence, run: Run) -> Found:
    return worst((_storage(evidence, run), *_surroundings(run)))


def _storage(evidence: CheckEvidence, run: Run) -> Found:
    if evidence.on_network:
        return _network(evidence, run)
    moved, foreign = _device_and_foreign(evidence, run)
    if moved is None or foreign is None:
        return unknown("Whether others used the drive cannot be told: no device counts its bytes.", None, 0.0)
    share = foreign / moved if moved else 0.0
    if share <= FOREIGN_CAVEAT_RATIO or foreign <= BOOKKEEPING_BYTES:
        return passes("Nobody else moved a notable number of bytes on the drive.", share, 0.0)
    return _busy(evidence, run, foreign, share)


def _busy(evidence: CheckEvidence, run: Run, foreign: float, share: float) -> Found:
    shown = f"{format_size(foreign)} on the drive ({percent(share)} of its traffic) were not this measurement's"
    own_doing = _own_doing(evidence)
    other_way, rival = (Operation.READ, "writer") if evidence.is_write else (Operation.WRITE, "reader")
    if own_doing and _foreign(evidence, run, other_way) <= BOOKKEEPING_BYTES:
        return caveat(f"{shown}; {own_doing}, so a second {rival} cannot be told from it.", share, 0.0)
    if share <= FOREIGN_FAIL_RATIO:
        return caveat(f"{shown}, so the drive alone is a little faster; close other programs.", share, 0.0)
    return fails(f"{shown}, so the figure is not the drive's full speed; close other programs and repeat.", share, 0.0)


def _own_doing(evidence: CheckEvidence) -> str | None:
    """Why the file system by itself writes or reads more than the data, or None."""
    if not evidence.is_write:
        ahead = "the program that serves the file system (FUSE) reads ahead on the device"
        return ahead if evidence.on_fuse else None
    if evidence.task.durability is Durability.EACH_WRITE:
        return "the file system logs every flush"
    if _says_yes(evidence, "copy_on_write"):
        return "the file system writes its tree and checksums anew with the data"
    if evidence.task.durability is Durability.NONE:
        return "data of an earlier run may have been written late"
    return None


def _says_yes(evidence: CheckEvidence, name: str) -> bool:
    """Whether a fact of the volume says yes."""
    return value(evidence.facts, name) is True


def _device_and_foreign(evidence: CheckEvidence, run: Run) -> tuple[float | None, float | None]:
    """All bytes of the device, and those that were not ours."""
    counted = [device_bytes(run, operation) for operation in Operation]
    known = [each for each in counted if each is not None]
    if len(known) != len(counted):
        return None, None
    return sum(known), sum(_foreign(evidence, run, operation) for operation in Operation)


def _foreign(evidence: CheckEvidence, run: Run, operation: Operation) -> float:
    own = own_bytes(evidence, run, operation) or 0.0
    if operation is evidence.task.operation:
        own = max(own, run.samples.moved_bytes)
    return max(0.0, (device_bytes(run, operation) or 0.0) - own)


def _network(evidence: CheckEvidence, run: Run) -> Found:
    """Foreign traffic on all interfaces together; it may have gone another way, so it never fails a figure."""
    carried, moved = network_bytes(run, evidence.task.operation), run.samples.moved_bytes
    if carried is None or not moved or evidence.server_is_here:
        return unknown(
            "Whether others used the network cannot be told: no interface counts the share's bytes.", None, 0.0
        )
    foreign = max(0.0, carried - moved * (1 + NETWORK_HEADER_RATIO))
    share = foreign / carried if carried else 0.0
    if share <= FOREIGN_CAVEAT_RATIO or foreign <= BOOKKEEPING_BYTES:
        return passes("The network carried little else; who else uses the server cannot be seen.", share, 0.0)
    says = f"{format_size(foreign)} on the network ({percent(share)}) were not this measurement's; "
    return caveat(says + "close other programs and repeat.", share, 0.0)


def _surroundings(run: Run) -> tuple[Found, ...]:
    """What else was going on; empty when quiet."""
    founds = []
    stolen = _share_of_cpu(run, "cpu_steal_ns")
    if stolen is not None and stolen > STEAL_RATIO:
        says = f"The hypervisor gave {percent(stolen)} of the processor time to other machines; repeat at a quiet hour."
        founds.append(caveat(says, stolen, 0.0))
    idle, own = _share_of_cpu(run, "cpu_idle_ns"), _share_of_cpu(run, "cpu_own_ns")
    if idle is not None and own is not None and idle < IDLE_RATIO and 1 - idle - own > OTHERS_CPU_RATIO:
        says = f"Other programs and the system used {percent(1 - idle - own)} of the processors; "
        founds.append(caveat(says + "close other programs and repeat.", 1 - idle - own, 0.0))
    return tuple(founds)


def only_measurement(evidence: CheckEvidence) -> Check:
    """Other graycard runs on the volume; apart from the bytes, which would hide them where they are many."""
    count = evidence.others_count
    if count is None:
        found = unknown("Whether another graycard run used this volume cannot be told.", None, 0.0)
    elif not count:
        found = passes("No other graycard run used this volume.", 0.0, 0.0)
    else:
        runs = "Another graycard run" if count == 1 else f"{count} other graycard runs"
        found = caveat(f"{runs} measured this volume at the same time; wait and repeat.", count, 0.0)
    return single("only_measurement", found, "count")


def _share_of_cpu(run: Run, name: str) -> float | None:
    part, whole = change(run.before, run.after, name), change(run.before, run.after, "cpu_total_ns")
    return part / whole if part is not None and whole else None
