"""How long the tests may take: the suite that runs for each change, or the long tier (`make long`)."""

from __future__ import annotations

import os

LONG = os.environ.get("GRAYCARD_LONG_TESTS") == "1"


def examples(usual: int, more: int) -> int:
    """How many examples to try: `usual` in the suite, `more` in the long tier."""
    return more if LONG else usual
