"""A real device whose rate changes when a set number of bytes has reached it."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.bed.rates import RatedDevice, device_bytes, nbd_rated

_LOOK_S = 0.002
_READ_BYTES = 1_000_000
_FIRST_BYTES = 8_000_000


@dataclass
class Falling:
    """The device, and the bytes that had reached it since it was armed when its rate changed, and how fast they came.

    The rate is from the first megabytes to the change, by the device's own count: the machine may have been busy.
    """

    device: RatedDevice
    changed_bytes: list[int] = field(default_factory=list)
    fast_bytes_per_s: float | None = None


@contextlib.contextmanager
def falling_device(tmp: Path, fast: int, slow: int, at_bytes: int, size: str = "1G") -> Iterator[Falling]:
    """`fast` bytes/s until `at_bytes` have been written to the device, `slow` from then on. Give them equal: steady.

    From the first megabyte that is read after that on there is no limit any more.
    """
    with nbd_rated(tmp, fast, size) as device:
        falling, over = Falling(device), threading.Event()
        watcher = threading.Thread(target=_watch, args=(falling, tmp / "rate", slow, at_bytes, over), name="falling")
        watcher.start()
        try:
            yield falling
        finally:
            over.set()
            watcher.join()
            (tmp / "rate").write_text("20G")


def _watch(falling: Falling, rate_file: Path, slow: int, at_bytes: int, over: threading.Event) -> None:
    loop = falling.device.loop
    first = _counted(loop, _FIRST_BYTES, over, write=True)
    begun_s = time.monotonic()
    second = _counted(loop, at_bytes - (first or 0), over, write=True)
    if first is None or second is None:
        return
    rate_file.write_text(str(slow * 8))
    falling.fast_bytes_per_s = second / (time.monotonic() - begun_s)
    falling.changed_bytes.append(first + second)
    if _counted(loop, _READ_BYTES, over, write=False) is not None:
        rate_file.write_text("20G")


def _counted(loop: str, wanted: int, over: threading.Event, *, write: bool) -> int | None:
    """What the device has moved from now on when it is `wanted` bytes; None if the test is over before."""
    begun = device_bytes(loop, write=write)
    while not over.is_set():
        moved = device_bytes(loop, write=write) - begun
        if moved >= wanted:
            return moved
        time.sleep(_LOOK_S)
    return None
