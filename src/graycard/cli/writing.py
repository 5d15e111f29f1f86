"""Writing a file that a user names: the whole of it or nothing, and never over another one unless that is asked for."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable

import rich_click as click

from graycard.cli.screen import put
from graycard.errors import Problem
from graycard.report.printable import printable

STDOUT = "-"


def refuse_existing(path: str, *, force: bool) -> None:
    """UsageError where `path` may not be written over; Problem where it is no file that could be replaced.

    Ask before the work as well as after it: nobody wants to wait for a report that cannot be kept.
    """
    if not os.path.lexists(path):
        return
    if os.path.exists(path) and not os.path.isfile(path):
        raise Problem(f"{printable(path)} is no file, so it cannot be replaced; name a file, or - for stdout")
    if not force:
        raise click.UsageError(f"{printable(path)} exists; name another file, or add --force to overwrite it")


def write(output: str, pieces: Iterable[bytes], *, force: bool) -> None:
    """Onto stdout, or as `write_file`."""
    if output != STDOUT:
        write_file(output, pieces, force=force)
        return
    for piece in pieces:
        put(piece)


def write_file(path: str, pieces: Iterable[bytes], *, force: bool) -> None:
    """The whole file or nothing: written beside it first, piece by piece, then put in its place.

    Problem where that fails; what making a piece raises ends it, too.
    """
    refuse_existing(path, force=force)
    # A name of its own, not one made longer: that of the file may be as long as the file system allows.
    part = os.path.join(os.path.dirname(path), f".graycard.{secrets.token_hex(8)}.part")
    try:
        _write_beside(part, path, pieces)
    except OSError as error:
        raise Problem(f"{printable(path)} cannot be written ({error.strerror}); name a file elsewhere") from error


def _write_beside(part: str, path: str, pieces: Iterable[bytes]) -> None:
    """Write `part` and put it in the place of `path`; whatever goes wrong, Ctrl-C too, leaves no `part`."""
    try:
        with open(part, "xb") as file:
            file.writelines(pieces)
            # A share or a quota may refuse the data as late as this.
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    finally:
        if os.path.lexists(part):
            os.unlink(part)
