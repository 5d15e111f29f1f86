"""Sentences of other rooms in the words of a plan file."""

from __future__ import annotations

import re

_OPTION = re.compile(r"--([a-z][a-z-]*)")
_KEYS = {"runs": "pairs", "read": "operations", "write": "operations", "preset": "presets"}


def in_plan_words(says: str) -> str:
    """Options of the command line become keys of the plan file: “use --size 8MiB” is “use size 8MiB” there."""
    return _OPTION.sub(lambda match: _KEYS.get(match[1], match[1]), says)
