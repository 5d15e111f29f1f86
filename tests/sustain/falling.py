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


@dataclass
class Falling:
    """The device, and the bytes that had reached it since it was armed when its rate changed."""

    device: RatedDevice
    changed_bytes: list[int] = field(default_factory=list)


@contextlib.contextmanager
def falling_device(tmp: Path, fast: int, slow: int, at_bytes: int, size: str = "1G") -> Iterator[Falling]:
    """`fast` bytes/s until `at_bytes` have been written to the device, `slow` from then on. Give them equal: steady."""
    with nbd_rated(tmp, fast, size) as device:
        falling, over = Falling(device), threading.Event()
        begun = device_bytes(device.loop, write=True)

        def watch() -> None:
            while not over.is_set():
                written = device_bytes(device.loop, write=True) - begun
                if written >= at_bytes:
                    (tmp / "rate").write_text(str(slow * 8))
                    falling.changed_bytes.append(written)
                    return
                time.sleep(_LOOK_S)

        watcher = threading.Thread(target=watch, name="falling")
        watcher.start()
        try:
            yield falling
        finally:
            over.set()
            watcher.join()
            (tmp / "rate").write_text("20G")
