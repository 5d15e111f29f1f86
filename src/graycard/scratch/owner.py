"""Who made a folder: written into it, so that a later run can prove that it may be removed."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from hashlib import blake2b

import msgspec
import psutil

from graycard import __version__

SCHEMA = "graycard-owner/1"
# psutil gives the boot time in whole seconds on Linux; a process number is not used again this soon.
START_TOLERANCE_S = 2.0


class State(StrEnum):
    """elsewhere: made on another machine, so whether it still runs cannot be known here."""

    ALIVE = "alive"
    DEAD = "dead"
    ELSEWHERE = "elsewhere"


@dataclass(frozen=True, slots=True)
class Owner:
    """The process that made a folder, as its marker says.

    `started_s` counts from the boot of the machine, not by the wall clock, which may be set while a run goes on;
    with the process number it also tells a process from one before the last boot. `machine`: see `this_machine`.
    `user` is the numeric user, `folder_user` the owner that the file system gave the folder (they differ on exFAT or
    on a share that maps users); both None where the system has no such numbers. `experiment_id` is given for a folder
    of images, which outlives the process: a later one takes it over to go on with the experiment.
    """

    schema: str
    id: str
    pid: int
    started_s: float
    machine: tuple[str, ...]
    user: int | None
    folder_user: int | None
    created_at: datetime
    graycard_version: str
    experiment_id: str | None = None


def this_machine() -> tuple[str, ...]:
    """Hashes of the host name with each hardware address: one in common means the same computer.

    Two computers on one share must never pass for one, or a folder in use could be removed: a host name alone is not
    enough, and some addresses (of virtual adapters) are the same everywhere. If the name changes, or all adapters do,
    a folder is only left and told.
    """
    adapters = psutil.net_if_addrs().values()
    addresses = {each.address for adapter in adapters for each in adapter if each.family == psutil.AF_LINK}
    known = {address for address in addresses if address.strip("0:-")} or {""}
    return tuple(sorted(_hashed(f"{platform.node()}/{address.lower()}") for address in known))


def _hashed(text: str) -> str:
    return blake2b(text.encode(), digest_size=8).hexdigest()


def this_user() -> int | None:
    """The numeric user, or None where the system has none (Windows)."""
    return os.geteuid() if hasattr(os, "geteuid") else None


def started_s(pid: int) -> float | None:
    """When a process began, in seconds since boot; None if there is none, or only its remains (a zombie)."""
    try:
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            return None
        return process.create_time() - psutil.boot_time()
    except psutil.NoSuchProcess:
        return None


def this_process() -> tuple[int, float]:
    """Number of the running process, and when it began in seconds since boot."""
    process = psutil.Process()
    return process.pid, process.create_time() - psutil.boot_time()


def this_owner(folder_id: str, folder_user: int | None = None, experiment_id: str | None = None) -> Owner:
    """The running process as the owner of a folder."""
    pid, began_s = this_process()
    user, now = this_user(), datetime.now(UTC)
    return Owner(SCHEMA, folder_id, pid, began_s, this_machine(), user, folder_user, now, __version__, experiment_id)


def state(owner: Owner) -> State:
    """Whether the owner still runs. Never "dead" without proof."""
    if not set(owner.machine) & set(this_machine()):
        return State.ELSEWHERE
    return State.ALIVE if is_running(owner.pid, owner.started_s) else State.DEAD


def is_this_process(owner: Owner) -> bool:
    """Whether the running process itself is the owner."""
    return owner.pid == os.getpid() and state(owner) is State.ALIVE


def is_running(pid: int, began_s: float) -> bool:
    """Whether that number still is the process that began then; one that may not be looked at counts as running."""
    try:
        found_s = started_s(pid)
    except psutil.AccessDenied:
        return True
    return found_s is not None and abs(found_s - began_s) < START_TOLERANCE_S


def encode(owner: Owner) -> bytes:
    """The marker's text."""
    return msgspec.json.format(msgspec.json.encode(owner), indent=2) + b"\n"


def decode(data: bytes, folder_id: str) -> Owner | None:
    """The owner of the folder of that id, or None if this is no marker of graycard's for it."""
    try:
        owner = msgspec.json.decode(data, type=Owner)
    except msgspec.DecodeError:
        return None
    return owner if owner.schema == SCHEMA and owner.id == folder_id else None
