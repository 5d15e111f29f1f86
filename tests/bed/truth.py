"""A FUSE device of known truth: one file, a known service time, and a log of every request.

It speaks the kernel's protocol (include/uapi/linux/fuse.h) on /dev/fuse by itself, in a process of its own, so that the
time of each request's arrival and answer is stamped as near to the kernel as user space gets. `channels` requests are
served at once, the others wait their turn: 1 channel is a device of a known rate, many channels one of a known latency.
With many channels the service times are spread evenly over ±50 % of their mean: alike ones would answer, and so be
asked for, in bursts whose requests queue up unseen before the stamp of their arrival.
"""

from __future__ import annotations

import contextlib
import ctypes
import heapq
import multiprocessing
import os
import select
import stat
import struct
import time
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

NAME = "data"
NODE = 2
LOOKUP, FORGET, GETATTR, SETATTR, OPEN, READ, WRITE, STATFS, RELEASE, FSYNC = 1, 2, 3, 4, 14, 15, 16, 17, 18, 20
FLUSH, INIT, OPENDIR, READDIR, RELEASEDIR, ACCESS, INTERRUPT, DESTROY, BATCH_FORGET = 25, 26, 27, 28, 29, 34, 36, 38, 42
SILENT = {FORGET, INTERRUPT, BATCH_FORGET}
EMPTY = {SETATTR, RELEASE, FSYNC, FLUSH, RELEASEDIR, ACCESS}
ASYNC_READ, BIG_WRITES, ASYNC_DIO, MAX_PAGES = 1 << 0, 1 << 5, 1 << 15, 1 << 22
FOPEN_DIRECT_IO, FOPEN_PARALLEL_DIRECT_WRITES = 1 << 0, 1 << 6
LARGEST = 1 << 20
HEADER = struct.Struct("<IIQQIIIHH")
ENOENT, ENOSYS = 2, 38
SPIN_NS, DOZE_NS = 200_000, 500_000


@dataclass(frozen=True)
class Request:
    """One read or write as the device saw it; times of CLOCK_MONOTONIC."""

    write: bool
    offset: int
    size: int
    arrived_ns: int
    answered_ns: int


@dataclass(frozen=True)
class Device:
    """A mounted device: the path of its file and the pipe to its process."""

    path: str
    pipe: Connection

    def take_log(self) -> list[Request]:
        """The requests since the last call, in the order of their answers."""
        self.pipe.send("log")
        return [Request(*row) for row in self.pipe.recv()]


class Server:
    """The device's loop: read requests, answer each when its time has come."""

    def __init__(self, fd: int, size: int, service_ns: int, channels: int) -> None:
        self.fd = fd
        self.size = size
        self.service_ns = service_ns
        self.spread = 0.0 if channels == 1 else 1.0
        self.count = 0
        self.free_at = [0] * channels
        self.waiting: list[tuple[int, int, int, bool, int, int]] = []
        self.log: list[tuple[bool, int, int, int, int]] = []
        self.zeros = memoryview(bytes(LARGEST))

    def attributes(self, node: int) -> bytes:
        directory = node == 1
        mode = (stat.S_IFDIR | 0o755) if directory else (stat.S_IFREG | 0o644)
        size = 0 if directory else self.size
        return struct.pack("<6Q10I", node, size, size // 512, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)

    def reply(self, unique: int, payload: bytes | memoryview = b"", error: int = 0) -> None:
        with contextlib.suppress(FileNotFoundError):  # an interrupted request is gone
            os.writev(self.fd, (struct.pack("<IiQ", 16 + len(payload), -error, unique), payload))

    def handle(self, data: bytes) -> bool:
        """Answer or queue one request; False after DESTROY."""
        arrived = time.monotonic_ns()
        _, opcode, unique, node, *_ = HEADER.unpack_from(data)
        body = memoryview(data)[HEADER.size :]
        if opcode in (READ, WRITE):
            _, offset, size = struct.unpack_from("<QQI", body)
            self.queue(unique, offset, size, arrived, write=opcode == WRITE)
        elif opcode not in SILENT:
            self.answer_meta(opcode, unique, node, bytes(body))
        return opcode != DESTROY

    def queue(self, unique: int, offset: int, size: int, arrived: int, *, write: bool) -> None:
        start = max(arrived, heapq.heappop(self.free_at))
        self.count += 1
        # The golden ratio's multiples fill the interval evenly (additive recurrence, a low-discrepancy sequence).
        share = (self.count * 0.6180339887498949) % 1 - 0.5
        due = start + int(self.service_ns * (1 + self.spread * share))
        heapq.heappush(self.free_at, due)
        heapq.heappush(self.waiting, (due, unique, arrived, write, offset, size))

    def answer_meta(self, opcode: int, unique: int, node: int, body: bytes) -> None:
        attributes = self.attributes(node)
        if opcode == INIT:
            flags = ASYNC_READ | BIG_WRITES | ASYNC_DIO | MAX_PAGES
            self.reply(unique, struct.pack("<4I2H2I2H8I", 7, 31, 0, flags, 256, 192, LARGEST, 1, 256, 0, *[0] * 8))
        elif opcode == LOOKUP:
            if body.rstrip(b"\0") == NAME.encode():
                self.reply(unique, struct.pack("<4Q2I", NODE, 0, 3600, 3600, 0, 0) + self.attributes(NODE))
            else:
                self.reply(unique, error=ENOENT)
        elif opcode in (GETATTR, SETATTR):
            self.reply(unique, struct.pack("<Q2I", 3600, 0, 0) + attributes)
        elif opcode == OPEN:
            self.reply(unique, struct.pack("<Q2I", 1, FOPEN_DIRECT_IO | FOPEN_PARALLEL_DIRECT_WRITES, 0))
        elif opcode == OPENDIR:
            self.reply(unique, struct.pack("<Q2I", 1, 0, 0))
        elif opcode == STATFS:
            blocks = self.size // 4096 + 1
            self.reply(unique, struct.pack("<5Q10I", blocks, 0, 0, 2, 0, 4096, 255, 4096, *[0] * 7))
        elif opcode == READDIR or opcode in EMPTY:
            self.reply(unique)
        else:
            self.reply(unique, error=ENOSYS)

    def answer_due(self) -> None:
        while self.waiting and self.waiting[0][0] <= time.monotonic_ns():
            _, unique, arrived, write, offset, size = heapq.heappop(self.waiting)
            answered = time.monotonic_ns()
            self.reply(unique, struct.pack("<2I", size, 0) if write else self.zeros[:size])
            self.log.append((write, offset, size, arrived, answered))

    def serve(self, pipe: Connection) -> None:
        os.set_blocking(self.fd, False)
        poller = select.epoll()
        poller.register(self.fd, select.EPOLLIN)
        poller.register(pipe.fileno(), select.EPOLLIN)
        running = True
        while running:
            self.wait(poller)
            self.answer_due()
            running = self.read_requests() and self.obey(pipe)

    def wait(self, poller: select.epoll) -> None:
        """Sleep until a request comes or an answer is due; spin at the end, which a sleep would overshoot.

        The sleep is made of short ones: whoever has slept for long runs slowly at first, by 1 to 3 % of the time slept
        on a machine whose caches others fill meanwhile, and that would come on top of what the log tells.
        """
        if not self.waiting:
            poller.poll(0.5)
            return
        left_ns = self.waiting[0][0] - time.monotonic_ns()
        if left_ns > SPIN_NS:
            select.select([self.fd], [], [], min(left_ns - SPIN_NS, DOZE_NS) / 1e9)

    def read_requests(self) -> bool:
        while True:
            try:
                data = os.read(self.fd, LARGEST + 4096)
            except BlockingIOError:
                return True
            except FileNotFoundError:
                continue
            except OSError:  # ENODEV: unmounted
                return False
            if not self.handle(data):
                return False
            self.answer_due()

    def obey(self, pipe: Connection) -> bool:
        if pipe.poll():
            pipe.recv()
            pipe.send(self.log)
            self.log = []
        return True


def _serve(fd: int, size: int, service_ns: int, channels: int, pipe: Connection) -> None:
    Server(fd, size, service_ns, channels).serve(pipe)


def _mount(fd: int, where: str) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    options = f"fd={fd},rootmode=40000,user_id=0,group_id=0,allow_other,max_read={LARGEST}".encode()
    if libc.mount(b"truth", where.encode(), b"fuse.truth", 6, options):
        raise OSError(ctypes.get_errno(), "mount of the device of known truth", where)


@contextlib.contextmanager
def truth_device(where: Path, *, size: int, service_ns: int, channels: int = 1) -> Iterator[Device]:
    """Mount a device whose every request takes `service_ns`, `channels` at once; unmounted and ended at the end."""
    where.mkdir(exist_ok=True)
    fd = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
    ours, theirs = multiprocessing.Pipe()
    _mount(fd, str(where))
    process = multiprocessing.get_context("fork").Process(
        target=_serve, args=(fd, size, service_ns, channels, theirs), daemon=True
    )
    process.start()
    os.close(fd)
    try:
        yield Device(str(where / NAME), ours)
    finally:
        ctypes.CDLL(None).umount2(str(where).encode(), 2)
        process.join(3)
        if process.is_alive():
            process.kill()
            process.join()
