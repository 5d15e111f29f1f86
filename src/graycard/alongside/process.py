"""One run of another tool, as a child process that ends with a stop, and with graycard where that is killed."""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graycard.errors import RunProblem
from graycard.transfer.guard import guarded

if TYPE_CHECKING:
    from graycard.alongside.tools import Job

_LOOK_EVERY_S = 0.1
_GRACE_S = 0.5
_KILL_S = 5.0
_MOST_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Done:
    """How a program ended, and all that it wrote."""

    code: int
    output: bytes
    complaints: bytes

    @property
    def last_words(self) -> str:
        """The last line that it wrote on its error output, else on the other one."""
        said = (self.complaints.strip() or self.output.strip()).decode("utf-8", "replace").splitlines()
        line = said[-1] if said else "no reason given"
        return "".join(c if c.isprintable() else " " for c in line)[:_MOST_SHOWN].rstrip(".")

    def text(self, name: str, job: Job) -> bytes:
        """What an importer reads: the command line before it where the output does not tell what was done."""
        told = f"$ {name} {' '.join(job.arguments)}\n".encode() if job.tells_command else b""
        return told + self.output + (self.complaints if job.speaks_on_errors else b"") + b"\n"


def run(program: str, arguments: Sequence[str], folder: str, look: Callable[[], None]) -> Done:
    """Run it in `folder` to its end; what `look` raises stops it and passes through. RunProblem if it cannot start."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as complaints:
        # A session of its own: Ctrl-C reaches graycard alone, which then stops it.
        try:
            process = subprocess.Popen(
                [program, *arguments],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=complaints,
                start_new_session=True,
                env={**os.environ, "LC_ALL": "C"},
            )
        except OSError as error:
            raise RunProblem(
                f"{program} could not be started ({error.strerror}): check how it is installed",
                errno=error.errno,
                offset_bytes=None,
                phase="prepare",
            ) from error
        with guarded(process.pid):
            try:
                _wait(process, look)
            finally:
                _stop(process)
        output.seek(0)
        complaints.seek(0)
        return Done(process.returncode, output.read(), complaints.read())


def _wait(process: subprocess.Popen[bytes], look: Callable[[], None]) -> None:
    while process.poll() is None:
        look()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_LOOK_EVERY_S)


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End it if it still runs; one that hangs in the kernel is left to it."""
    for send, patience_s in ((process.terminate, _GRACE_S), (process.kill, _KILL_S)):
        if process.poll() is None:
            send()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(patience_s)
