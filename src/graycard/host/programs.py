"""Programs that change something, so that their failure and what they say of it matter."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

# Flushing a slow stick at its unmounting takes minutes; a program that needs more than this has hung.
LONGEST_S = 900.0
_ADMIN_FOLDERS = ("/usr/local/sbin", "/usr/sbin", "/sbin")
_MOST_SHOWN = 300
_HINTS = ("dmesg(1) may have more information",)  # mount(8) ends with it


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a program ended. `code` is None where it could not be started or has hung."""

    code: int | None
    output: bytes
    errors: str

    @property
    def done(self) -> bool:
        """Whether it did what it was asked to."""
        return self.code == 0

    @property
    def last_words(self) -> str:
        """What it said in the end, as one line: the last before any usage text, of its errors, else of its output."""
        lines = _told(self.errors) or _told(self.output.decode("utf-8", "replace"))
        line = lines[-1] if lines else f"no reason given, exit code {self.code}"
        return "".join(each if each.isprintable() else " " for each in line)[:_MOST_SHOWN].rstrip(".")


def _told(text: str) -> list[str]:
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    usage = next((at for at, line in enumerate(lines) if line.lower().startswith("usage:")), len(lines))
    return [line for line in lines[:usage] if not line.startswith(_HINTS)]


class Programs(Protocol):
    """How a maker of volumes reaches the system's programs; tests hand in their own."""

    def find(self, name: str) -> str | None:
        """The path of a program, or None."""
        ...

    def run(self, arguments: Sequence[str], *, handles: Sequence[int] = ()) -> Outcome:
        """Run one to its end; `handles` are descriptors that it inherits."""
        ...


class SystemPrograms:
    """The real ones. An ordinary user's PATH lacks the folders of mkfs, so they are searched as well."""

    def find(self, name: str) -> str | None:
        """The path of a program, or None."""
        return shutil.which(name, path=os.pathsep.join((os.environ.get("PATH", ""), *_ADMIN_FOLDERS)))

    def run(self, arguments: Sequence[str], *, handles: Sequence[int] = ()) -> Outcome:
        """Run in an empty folder, so that no word can name a file by chance, and out of reach of Ctrl-C."""
        found = self.find(arguments[0])
        if found is None:
            return Outcome(None, b"", f"{arguments[0]} is not installed")
        with tempfile.TemporaryDirectory(prefix="graycard-") as empty:
            try:
                done = subprocess.run(
                    [found, *arguments[1:]],
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    pass_fds=handles,
                    cwd=empty,
                    timeout=LONGEST_S,
                    check=False,
                    start_new_session=True,
                    env={**os.environ, "LC_ALL": "C"},
                )
            except subprocess.TimeoutExpired:
                return Outcome(None, b"", f"{arguments[0]} did not end within {LONGEST_S / 60:.0f} minutes")
            except OSError as error:
                return Outcome(None, b"", f"{arguments[0]} could not be started ({error.strerror})")
        return Outcome(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))
