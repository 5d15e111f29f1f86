"""The real program in a process of its own, watched and disturbed from outside."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from graycard.store import ResultRow, Store

GRAYCARD = os.path.join(os.path.dirname(sys.executable), "graycard")
# Four tasks, one short run each, on two files of 8 MiB: about two seconds with the program's start.
QUICK = ("--preset", "quick", "--size", "8MiB", "--time", "50ms", "--runs", "1")
BRIEF = (*QUICK, "--read")  # two of the four tasks
# Enough runs to be met in the middle, each long enough (100 ms) to be heard of.
LONG = ("--preset", "quick", "--size", "8MiB", "--time", "150ms", "--runs", "40", "--max-time", "2min")
PATIENCE_S = 60
# The program, with each phase written into a pipe as it begins: a test can strike at the moment it wants. It waits for
# the test when the phase `held` begins for the first time, until there is something to be read from the second pipe.
TELLING = """
import contextlib, os
from graycard.cli import experiment_run, main, measure, play
shown, held = measure.display, {{"{held}"}}
@contextlib.contextmanager
def telling(*, quiet):
    with shown(quiet=quiet) as on_event:
        def tell(event):
            os.write({told}, (event.phase + "\\n").encode())
            if event.phase in held:
                held.clear()
                os.read({go_on}, 1)
            on_event(event)
        yield tell
measure.display = experiment_run.display = play.display = telling
main.run()
"""
_ZERO_RATE = re.compile(r"(?<![0-9.])0(?:\.0+)? [kMG]i?B/s")


@dataclass(frozen=True)
class Ended:
    """A process that has ended: what it said, and how long it took since it was started, or disturbed.

    `start_s` is the time that it took from its start to its first phase, where it tells its phases.
    """

    code: int
    out: str
    err: str
    took_s: float
    start_s: float | None = None

    @property
    def complaint(self) -> str:
        """The one sentence of the failure."""
        lines = [line for line in self.err.splitlines() if line.startswith("graycard: ")]
        assert len(lines) == 1, self.err
        return lines[0].removeprefix("graycard: ")

    def failed(self, code: int, *words: str) -> str:
        """Check that it failed as a program should: the exit code, one sentence with these words, no traceback."""
        assert self.code == code, (self.code, self.err, self.out)
        assert "Traceback" not in self.err + self.out
        assert "internal error" not in self.err
        for word in words:
            assert word in self.complaint, (word, self.err)
        self.shows_no_zero()
        return self.complaint

    def measured(self) -> None:
        """Check that it measured; on a busy machine a figure may fail a check, which is no fault."""
        assert self.code in (0, 21), (self.code, self.err, self.out)
        assert "Traceback" not in self.err + self.out
        assert "MB/s" in self.out
        self.shows_no_zero()

    def stopped_at_once(self) -> None:
        """Check that it ended within a second, and what a busy machine adds: its start tells that, mostly computing."""
        assert self.start_s is not None
        assert self.took_s < 1 + 2 * self.start_s, (self.took_s, self.start_s)

    def shows_no_zero(self) -> None:
        """A failure is never a rate of zero."""
        assert not _ZERO_RATE.search(self.out + self.err), (self.out, self.err)


class Program:
    """A started process. It is killed when its context ends."""

    def __init__(self, process: subprocess.Popen[bytes], folder: Path, phases: int | None, held: int | None) -> None:
        self.process = process
        self._folder = folder
        self._phases = phases
        self._held = held
        self._seen: list[str] = []
        self._since_s = time.monotonic()
        self._start_s: float | None = None

    def wait_for_phase(self, phase: str, count: int = 1) -> None:
        """Return when the phase is told for the `count`-th time."""
        assert self._phases is not None
        while self._seen.count(phase) < count:
            told = os.read(self._phases, 4096)
            assert told, f"ended before the phase {phase}: {self.err}"
            self._seen += told.decode().split()
            self._start_s = self._start_s or time.monotonic() - self._since_s

    def wait_for_next(self, phase: str) -> None:
        """Return when the phase is told once more."""
        self.wait_for_phase(phase, self._seen.count(phase) + 1)

    def release(self) -> None:
        """Let it go on from the phase in which it is held."""
        assert self._held is not None
        os.write(self._held, b"\n")

    def wait_for_words(self, words: str, patience_s: float = PATIENCE_S) -> None:
        """Return when stderr has the words."""
        end = time.monotonic() + patience_s
        while words not in self.err:
            assert time.monotonic() < end, f"“{words}” was not said: {self.err}"
            time.sleep(0.02)

    def send(self, number: signal.Signals) -> None:
        """Send a signal; `took_s` counts from here."""
        self._since_s = time.monotonic()
        self.process.send_signal(number)

    @property
    def err(self) -> str:
        """What stderr has so far."""
        return (self._folder / "err").read_text(errors="surrogateescape")

    def end(self, patience_s: float = PATIENCE_S) -> Ended:
        """Wait for the end."""
        code = self.process.wait(patience_s)
        took_s = time.monotonic() - self._since_s
        return Ended(code, (self._folder / "out").read_text(errors="surrogateescape"), self.err, took_s, self._start_s)


class Cli:
    """Starts the program with a store, a registry of runs and a home of the test's own, all below `folder`."""

    def __init__(self, folder: Path, prefix: Sequence[str] = ()) -> None:
        self.folder = folder
        self.store = folder / "store.db"
        self._prefix = tuple(prefix)
        self._count = 0
        (folder / "tmp").mkdir(parents=True)

    @contextlib.contextmanager
    def started(
        self,
        *arguments: str,
        telling: bool = False,
        held: str = "",
        terminal: bool = False,
        cwd: str | None = None,
        **more: str,
    ) -> Iterator[Program]:
        """The program under way; `more` are variables of the environment. With `terminal` its stderr is one.

        With `telling` it tells its phases, and waits for `release` at the beginning of the phase `held`.
        """
        self._count += 1
        folder = self.folder / f"program{self._count}"
        folder.mkdir()
        phases, told = os.pipe() if telling else (None, None)
        go_on, hold = os.pipe() if telling else (None, None)
        theirs = [each for each in (told, go_on) if each is not None]
        telling_program = TELLING.format(told=told, held=held, go_on=go_on)
        command = [sys.executable, "-c", telling_program] if telling else [GRAYCARD]
        with open(folder / "out", "wb") as out, written_to(folder / "err", terminal=terminal) as err:
            process = subprocess.Popen(
                [*self._prefix, *command, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env=self.environment(**more),
                cwd=cwd,
                pass_fds=theirs,
            )
        for each in theirs:
            os.close(each)
        try:
            yield Program(process, folder, phases, hold)
        finally:
            process.kill()
            process.wait()
            for each in (phases, hold):
                if each is not None:
                    os.close(each)

    def run(self, *arguments: str, cwd: str | None = None, **more: str) -> Ended:
        """Carry out a command line to its end."""
        with self.started(*arguments, cwd=cwd, **more) as program:
            return program.end()

    def measure(self, *arguments: str, **more: str) -> Ended:
        """Measure shortly; `arguments` win over the usual ones."""
        return self.run("measure", *BRIEF, *arguments, **more)

    def environment(self, **more: str) -> dict[str, str]:
        """No variable of the caller's but those that any program needs."""
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        own = {"HOME": str(self.folder), "TMPDIR": str(self.folder / "tmp"), "GRAYCARD_STORE": str(self.store)}
        return {**kept, **own, "COLUMNS": "120", **more}

    def stored(self) -> tuple[ResultRow, ...]:
        """The rows of the store; none where it was never made."""
        if not self.store.exists():
            return ()
        with Store(str(self.store)) as store:
            return store.rows()

    def stored_runs(self) -> int:
        """Runs in the store, each with figures of its own."""
        rows = self.stored()
        assert all(row.rate_bytes_per_s for row in rows), rows
        return sum(row.run_count for row in rows)


@contextlib.contextmanager
def written_to(path: Path, *, terminal: bool) -> Iterator[int]:
    """A descriptor whose text arrives in the file; it may be a terminal's. It is for a process started inside."""
    file = os.open(path, os.O_CREAT | os.O_WRONLY, 0o600)
    if not terminal:
        yield file
        os.close(file)
        return
    ours, theirs = os.openpty()
    threading.Thread(target=_copy, args=(ours, file), daemon=True).start()
    yield theirs
    os.close(theirs)


def _copy(source: int, sink: int) -> None:
    with contextlib.suppress(OSError):  # EIO: nobody has the terminal any more
        while text := os.read(source, 65536):
            os.write(sink, text)
    os.close(source)
    os.close(sink)


def left_in(folder: str) -> list[str]:
    """What graycard has left below a folder."""
    return sorted(str(path) for path in Path(folder).rglob("*graycard*"))
