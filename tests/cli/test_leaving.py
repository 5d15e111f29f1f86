"""The end of the program: when all is said, nothing is computed any more."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import atexit, gc, sys
from graycard.cli import main
atexit.register(lambda: print(len(gc.get_objects()), gc.get_freeze_count()))
sys.argv = ["graycard", "formats", "prores", "uhd", "25"]
main.run()
"""


def test_the_interpreter_has_nothing_to_go_through_at_its_end() -> None:
    """Objects, not time: a collection goes through all that are not frozen, tens of thousands otherwise."""
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    open_count, frozen_count = map(int, done.stdout.splitlines()[-1].split())
    assert open_count < 1000
    assert frozen_count > 10_000
