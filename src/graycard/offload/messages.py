"""What the thread that reads hands to those that hash and write, in order; and the inboxes it goes through."""

from __future__ import annotations

import queue
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
Inbox = queue.Queue[Message | None]


def new_inbox() -> Inbox:
    """An inbox; None in it is the end."""
    return queue.Queue(INBOX_COUNT)


def send(message: Message | None, inboxes: Sequence[Inbox]) -> None:
    """Put a message into each inbox; waits for room."""
    if isinstance(message, Piece):
        message.slab.lend(len(inboxes))
    for inbox in inboxes:
        inbox.put(message)


def received(inbox: Inbox, meter: Meter) -> Iterator[Message]:
    """The messages as they come. When the receiver leaves early, the rest is taken in and let go."""
    message: Message | None = None
    is_over = False
    try:
        while True:
            with meter.waiting():
                message = inbox.get()
            if message is None:
                is_over = True
                return
            yield message
            _let_go(message)
            message = None
    finally:
        if not is_over:
            _let_go(message)
            while (rest := inbox.get()) is not None:
                _let_go(rest)


def _let_go(message: Message | None) -> None:
    if isinstance(message, Piece):
        message.slab.let_go()
