"""Memory that is read into once and written from by several threads; its amount is fixed, whatever the files' size."""

from __future__ import annotations

import mmap
import queue
import threading

SLAB_BYTES = 4 << 20
SLABS_COUNT = 8
# Where a call takes longer than this, less is asked for at a time, so that a stop need not wait for much.
_LONG_CALL_NS = 250_000_000
_SHORT_STEP_BYTES = 1 << 19


class Stride:
    """How much of one file is moved by a call: little at first, a slab where that is quick, little again where not."""

    def __init__(self) -> None:
        self.step_bytes = _SHORT_STEP_BYTES
        self._was_long = False

    def took(self, moved_bytes: int, call_ns: int) -> None:
        """A call moved so much in so long."""
        if call_ns > _LONG_CALL_NS:
            self.step_bytes, self._was_long = _SHORT_STEP_BYTES, True
        elif not self._was_long and call_ns * SLAB_BYTES < _LONG_CALL_NS * moved_bytes:
            self.step_bytes = SLAB_BYTES


class Slab:
    """One piece of memory, aligned to pages as direct I/O needs it. The last user to let go returns it to its pool."""

    def __init__(self, pool: queue.SimpleQueue[Slab], size_bytes: int) -> None:
        self.view = memoryview(mmap.mmap(-1, size_bytes))
        self._pool = pool
        self._lock = threading.Lock()
        self._users_count = 0

    def lend(self, users_count: int) -> None:
        """Hand it to so many users."""
        self._users_count = users_count
        if not users_count:
            self._pool.put(self)

    def let_go(self) -> None:
        """One user less."""
        with self._lock:
            self._users_count -= 1
            is_free = not self._users_count
        if is_free:
            self._pool.put(self)


class Slabs:
    """A pool of slabs."""

    def __init__(self, count: int = SLABS_COUNT, size_bytes: int = SLAB_BYTES) -> None:
        self._free: queue.SimpleQueue[Slab] = queue.SimpleQueue()
        for _ in range(count):
            self._free.put(Slab(self._free, size_bytes))

    def take(self) -> Slab:
        """A free slab; waits for one."""
        return self._free.get()
