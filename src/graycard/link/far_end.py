"""The agent on the other computer: reached by the user's own ssh, or started there by hand.

By ssh its source is sent along, so nothing is installed over there; requests go over ssh's pipes, and when these close,
for whatever reason, the agent ends with all its connections. They may stay open though nobody is there any more (a
cable was pulled), so this end says every few seconds that it is, and an agent that hears nothing for half a minute
ends as well.
"""

from __future__ import annotations

import contextlib
import os
import queue
import secrets
import shlex
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import IO, Any

from graycard.agent.bundle import BOOT, bundle
from graycard.agent.traffic import without_delay
from graycard.agent.wire import (
    CONTROL,
    ECHO,
    HERE,
    HERE_EVERY_S,
    MOST_SILENCE_S,
    TOKEN_BYTES,
    VERSION,
    Header,
    WireError,
    packed_line,
    read_line,
)
from graycard.errors import RunProblem, TargetProblem
from graycard.report.printable import printable
from graycard.scratch import elsewhere

# Python starts within a second or two even on a small NAS; a person may have to type a password.
GREETING_S = 120.0
ANSWER_S = 30.0
CONNECT_S = 10.0
# By then it has ended, or is flushing a disk: it goes on to its end by itself.
ENDING_S = 0.5
LOOK_EVERY_S = 0.05
# What a shell says of a program that it does not know.
NOT_FOUND = 127

# Ends the program or connection behind a conversation; waits at most so many seconds for it to end by itself.
Ending = Callable[[float], None]
Look = Callable[[], None]


def nothing() -> None:
    """Nobody asks for a stop."""


class FarEnd:
    """A conversation with an agent. `address` is where its data port is reached; RunProblem when it ends early.

    `look` is called while an answer is waited for; what it raises ends the waiting.
    """

    def __init__(
        self, name: str, incoming: IO[bytes], outgoing: IO[bytes], ending: Ending, token: bytes = b"",
        look: Look = nothing,
    ) -> None:  # fmt: skip
        self.name = name
        self.address = ""
        self.port = 0
        self.token = token or secrets.token_bytes(TOKEN_BYTES)
        self.facts: dict[str, Any] = {}
        self.look = look
        self._outgoing = outgoing
        self._saying = threading.Lock()
        self._closed = threading.Event()
        self._owed_count = 0
        self._is_silent = False
        self._ending = ending
        self._answers: queue.Queue[dict[str, Any] | None] = queue.Queue()
        threading.Thread(target=self._listen, args=(incoming,), daemon=True, name="far end").start()

    def __enter__(self) -> FarEnd:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def greet(self, address: str) -> None:
        """Learn who is there, and open its data port for this run; TargetProblem where that fails."""
        names = elsewhere()
        self.facts = self.ask(
            "hello", patience_s=GREETING_S, silence_s=MOST_SILENCE_S, folder=names.name, marker=names.marker
        )
        if self.facts.get("version") != VERSION:
            raise TargetProblem(f"the agent on {self.name} is of another version; use the same graycard on both ends")
        if self.facts.get("may_write") is False:
            raise TargetProblem(
                f"the folder of the share that was named is not there on {self.name}, or may not be written to; name "
                "it as that computer knows it"
            )
        threading.Thread(target=self._keep_saying, daemon=True, name="here").start()
        self.port = int(self.ask("open", token=self.token.hex())["port"])
        self.address = self._reachable((str(self.facts.get("address") or ""), address))

    def ask(self, do: str, *, patience_s: float = ANSWER_S, **given: Any) -> dict[str, Any]:
        """The answer to a request; RunProblem where there is none, or the agent says that it failed."""
        try:
            self._say({"do": do, **given})
            self._owed_count += 1
            answer = self._answer(time.monotonic() + patience_s)
        except (OSError, ValueError):
            answer = None
        except queue.Empty:
            self._is_silent = True
            raise _gone(f"the agent on {self.name} does not answer; is the network or the computer down?") from None
        if answer is None:
            raise _gone(f"the agent on {self.name} has ended; look at the messages above, then repeat")
        if "error" in answer:
            raise _gone(f"the agent on {self.name} cannot do “{do}”: {printable(str(answer['error']))}")
        return answer

    def _answer(self, until: float) -> dict[str, Any] | None:
        """The answer to the last request; those of requests that were not waited for to the end come before it."""
        while True:
            self.look()
            with contextlib.suppress(queue.Empty):
                answer = self._answers.get(timeout=LOOK_EVERY_S)
                self._owed_count -= 1
                if answer is None or not self._owed_count:
                    return answer
            if time.monotonic() > until:
                raise queue.Empty

    def _say(self, request: dict[str, Any]) -> None:
        with self._saying:
            self._outgoing.write(packed_line(request))
            self._outgoing.flush()

    def _keep_saying(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            while not self._closed.wait(HERE_EVERY_S):
                self._say({"do": HERE})

    def connect(self, role: int, stream: int = 0, time_ms: int = 0) -> socket.socket:
        """A data connection; RunProblem where none comes about."""
        try:
            connection = socket.create_connection((self.address, self.port), CONNECT_S)
        except OSError as error:
            raise _gone(
                f"no data connection to {self.name} ({self.address}, port {self.port}): {error.strerror or error}; "
                "a firewall may be in between"
            ) from None
        connection.sendall(Header(self.token, role, stream, time_ms).packed())
        return connection

    def close(self) -> None:
        """Let the agent end."""
        self._closed.set()
        with contextlib.suppress(OSError, ValueError):
            self._say({"do": "bye"})
            self._outgoing.close()
        self._ending(0.0 if self._is_silent else ENDING_S)

    def _listen(self, incoming: IO[bytes]) -> None:
        try:
            while True:
                answer = read_line(incoming.readline)
                self._answers.put(answer)
                if answer is None:
                    return
        except (WireError, OSError, ValueError):
            self._answers.put(None)

    def _reachable(self, addresses: Sequence[str]) -> str:
        """The first address at which the data port takes a connection."""
        for address in filter(None, addresses):
            self.address = address
            self.ask("expect", role="echo", streams=1)
            with contextlib.suppress(RunProblem):
                self.connect(ECHO).close()
                return address
        raise TargetProblem(
            f"{self.name} is there, but its port {self.port} cannot be reached: a firewall is in between; let it "
            "through, or for graycard link open one port, start “graycard agent --port N” there, and give --agent N"
        )


def by_ssh(destination: str, ssh: Sequence[str] = ("ssh",), root: str = "", look: Look = nothing) -> FarEnd:
    """The agent on `destination` ("user@nas", or a name of the user's ssh configuration), by the program `ssh`.

    ssh may ask for a password or show why it failed: it keeps the terminal. TargetProblem where it cannot be started,
    the other computer has no Python, or its data port cannot be reached. `root` is the folder over there below which
    disk tests are allowed. `look` is `FarEnd.look`.
    """
    if destination.startswith("-"):
        raise TargetProblem(f"“{printable(destination)}” is no computer's name")
    command = (*ssh, destination, f"exec python3 -c {shlex.quote(BOOT)}")
    check = shlex.join((*ssh, destination, "python3 -V"))
    return _by_program(destination, command, _host_name(destination, ssh), root, look, check)


def inside() -> FarEnd:
    """The agent as a second process on this computer: what it reaches is the ceiling."""
    return _by_program("this computer", (sys.executable, "-c", BOOT), "127.0.0.1")


def _by_program(
    name: str, command: tuple[str, ...], address: str, root: str = "", look: Look = nothing, check: str = ""
) -> FarEnd:
    try:
        program = subprocess.Popen(_deaf(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    except OSError as error:
        why = f"{command[0]} cannot be started ({error.strerror}); install it, or use --agent"
        raise TargetProblem(why) from None
    incoming, outgoing = program.stdout, program.stdin
    if incoming is None or outgoing is None:
        raise TargetProblem(f"{command[0]} gave no pipes")
    far = FarEnd(name, incoming, outgoing, lambda patience_s: _end(program, patience_s), look=look)
    return _greeted(far, address, lambda: outgoing.write(bundle(root)), program, check)


def by_hand(host: str, port: int, token: bytes, look: Look = nothing) -> FarEnd:
    """The agent that a person started on `host` with “graycard agent”; TargetProblem where it does not let us in."""
    try:
        connection = socket.create_connection((host, port), CONNECT_S)
    except OSError as error:
        raise TargetProblem(f"no agent at {host}, port {port}: {error.strerror or error}; start it there") from None
    connection.settimeout(None)
    without_delay(connection)
    far = FarEnd(host, connection.makefile("rb"), connection.makefile("wb"), lambda _: connection.close(), token, look)
    return _greeted(far, host, lambda: connection.sendall(Header(token, CONTROL, 0, 0).packed()))


def _deaf(command: tuple[str, ...]) -> tuple[str, ...]:
    """Ctrl-C at a terminal reaches every program there; this one goes on, for the far end to tell what it has.

    It keeps the terminal, in which ssh may ask for a password.
    """
    if os.name != "posix" or shutil.which(command[0]) is None:
        return command
    return ("sh", "-c", "trap '' INT; exec \"$@\"", "sh", *command)


def _greeted(
    far: FarEnd, address: str, begin: Callable[[], object], program: subprocess.Popen[bytes] | None = None,
    check: str = "",
) -> FarEnd:  # fmt: skip
    """Greet it; where that fails everything is ended, and what the cause may be is said."""
    try:
        begin()
        far.greet(address)
    except BaseException as error:
        if program is not None and not isinstance(error, Exception):
            # Stopped before it has answered: there is nothing to say goodbye to.
            program.terminate()
        far.close()
        if isinstance(error, RunProblem | OSError):
            raise TargetProblem(_no_greeting(far.name, program, check)) from None
        raise
    return far


def _no_greeting(name: str, program: subprocess.Popen[bytes] | None, check: str) -> str:
    code = program.returncode if program else None
    if code == NOT_FOUND:
        return f"{name} has no python3: install it there, or measure with --iperf3"
    if program:
        return f"ssh reached no agent on {name} (exit code {code}); check with: {check}"
    return f"the agent on {name} did not let us in: is the token the one that it printed, and nobody else is connected?"


def _host_name(destination: str, ssh: Sequence[str]) -> str:
    """The computer's name or address, as the user's ssh configuration has it."""
    plain = destination.rsplit("@", 1)[-1]
    try:
        told = subprocess.run((*ssh, "-G", destination), capture_output=True, text=True, timeout=CONNECT_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return plain
    names = (line.split(" ", 1)[1] for line in told.stdout.splitlines() if line.startswith("hostname "))
    return next(names, plain)


def _end(program: subprocess.Popen[bytes], patience_s: float) -> None:
    """The agent ends when its pipes close; ssh is not waited for longer than a moment."""
    try:
        program.wait(patience_s)
    except subprocess.TimeoutExpired:
        program.terminate()
        program.wait()


def lost(error: OSError) -> RunProblem:
    """A connection that broke in the middle, as one sentence."""
    return _gone(
        f"a connection broke off ({error.strerror or error}); check the network and the other end, then repeat"
    )


def _gone(says: str) -> RunProblem:
    return RunProblem(says, errno=None, offset_bytes=None, phase="measure")
