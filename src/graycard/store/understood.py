"""What does not fit the nouns, told in a sentence."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from graycard.errors import StoreProblem


@contextmanager
def understood(what: str, next_step: str) -> Iterator[None]:
    """Turns what the codec and the blobs raise for values that do not fit the nouns into StoreProblem."""
    try:
        yield
    except (msgspec.MsgspecError, zlib.error, ValueError, TypeError) as error:
        raise StoreProblem(f"{what} ({error}): {next_step}") from error
