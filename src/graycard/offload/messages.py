"""What the thread that reads hands to those that hash and write, in order; and the inboxes it goes through."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from graycard.offload.items import FileFound, Item
from graycard.offload.meter import Meter
from graycard.offload.slabs import Slab

# An inbox holds so many messages; those with much data are also bounded by the slabs.
INBOX_COUNT = 8
# Files up to this size are read whole and handed over many at a time: a message costs as much as writing one of them.
SMALL_BYTES = 1 << 20
BATCH_BYTES = 4 << 20
BATCH_COUNT = 64


@dataclass(frozen=True, slots=True)
class Small:
    """A small file with all its bytes."""

    file: FileFound
    data: bytes


@dataclass(frozen=True, slots=True)
class Opened:
    """A large file begins."""

    file: FileFound


@dataclass(frozen=True, slots=True)
class Piece:
    """The next bytes of the large file; who gets it lets go of the slab."""

    slab: Slab
    bytes_count: int


@dataclass(frozen=True, slots=True)
class Closed:
    """The large file ends; where it is not whole, nobody may keep it."""

    is_whole: bool


Batch = list[Item | Small]
Message = Batch | Opened | Piece | Closed


class Inbox:
    """What one thread hands to one other, in order; None is the end. Once it is closed it holds up nobody."""

    def __init__(self) -> None:
        self._messages: deque[Message | None] = deque()
        self._changed = threading.Condition()
        self._is_closed = False

    def put(self, message: Message | None) -> None:
        """Add a message; waits for room. Once it is closed, the message is let go."""
        with self._changed:
            while len(self._messages) >= INBOX_COUNT and not self._is_closed:
                self._changed.wait()
            if not self._is_closed:
                self._messages.append(message)
                self._changed.notify()
                return
        _let_go(message)

    def get(self) -> Message | None:
        """The next message; waits for it. None once it is closed."""
        with self._changed:
            while not self._messages and not self._is_closed:
                self._changed.wait()
            if self._is_closed:
                return None
            message = self._messages.popleft()
            self._changed.notify()
            return message

    def close(self) -> None:
        """Let go of all that is in it, and of all that comes; any thread may."""
        with self._changed:
            left, self._is_closed = tuple(self._messages), True
            self._messages.clear()
            self._changed.notify_all()
        for message in left:
            _let_go(message)


def send(message: Message | None, inboxes: Sequence[Inbox]) -> None:
    """Put a message into each inbox; waits for room."""
    if isinstance(message, Piece):
        message.slab.lend(len(inboxes))
    for inbox in inboxes:
        inbox.put(message)


def received(inbox: Inbox, meter: Meter) -> Iterator[Message]:
    """The messages as they come. When the receiver leaves early, the inbox is closed."""
    message: Message | None = None
    try:
        while True:
            with meter.waiting():
                message = inbox.get()
            if message is None:
                return
            yield message
            _let_go(message)
            message = None
    finally:
        _let_go(message)
        inbox.close()


def _let_go(message: Message | None) -> None:
    if isinstance(message, Piece):
        message.slab.let_go()
