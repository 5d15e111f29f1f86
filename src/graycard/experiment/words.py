"""Sentences of other rooms in the words of a plan file."""

from __future__ import annotations

import re

_OPTION = re.compile(r"--([a-z][a-z-]*)")
_KEYS = {"runs": "pairs", "read": "operations", "write": "operations", "preset": "presets"}


# Every experiment writes: an existing file that is only read cannot be a configuration.
_OR_READ_ONLY = re.compile(r", or use --read-only(?: FILE)?")
_READ_ONLY = re.compile(r"; [^;]*--read-only\b[^;.]*")
_WRITABLE = "; name a folder on a drive that can be written"


def in_plan_words(says: str) -> str:
    """Options of the command line become keys of the plan file: “use --size 8MiB” is “use size 8MiB” there."""
    writing = _READ_ONLY.sub(_WRITABLE, _OR_READ_ONLY.sub("", says))
    return _OPTION.sub(lambda match: _KEYS.get(match[1], match[1]), writing)


def of_its_volume(says: str, folder: str) -> str:
    """Of a volume that graycard made in `folder`: not where it was mounted, and what can be done about its size."""
    place = re.compile(rf"\b(in|of|on) {re.escape(folder)}/\.graycard-[^/]+/[^/:;]+\.mount\b")
    if not place.search(says):
        return says
    return place.sub(r"\1 its volume", says).replace(", or make room", ", or make the image larger")
