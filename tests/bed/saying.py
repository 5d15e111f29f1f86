"""What a program under test says while it runs."""

from __future__ import annotations

import subprocess


def until_it_says(program: subprocess.Popen[str], words: str) -> None:
    """Read its notes up to the line with these words; where it ends without them, all that it said is the failure."""
    assert program.stderr is not None
    said = []
    for line in program.stderr:
        said.append(line)
        if words in line:
            return
    raise AssertionError("".join(said))
