"""`--facts FILE` and `--device NAME`: what other programs say of a set-up, attached to results.

The readers, which know much of the operating systems, are imported only where there is something to read.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import rich_click as click

from graycard.cli.options import Place
from graycard.errors import ImportProblem
from graycard.model import Fact, Result

if TYPE_CHECKING:
    from graycard.readings import Document

Command = TypeVar("Command", bound=Callable[..., Any])
STDIN = "-"


@dataclass(frozen=True, slots=True)
class GivenFacts:
    """The documents, and which of several devices in them is meant, where the user says it."""

    documents: tuple[Document, ...] = ()
    device: str | None = None

    def of(self, result: Result) -> tuple[Fact, ...]:
        """What the documents say of a result's set-up; ImportProblem where it cannot be told of which device."""
        from graycard.readings import choose, marked

        return tuple(
            marked(each, os.path.basename(document.file))
            for document in self.documents
            for each in choose(document, result, self.device).facts
        )

    def on(self, result: Result) -> Result:
        """The result with them; itself where they say nothing new. ImportProblem as `of`."""
        if not self.documents:
            return result
        from graycard.readings import attached

        return attached(result, self.of(result))

    @property
    def shown(self) -> str:
        """The documents in words: "smart.json (smartctl -j) and lsblk.json (lsblk -J)"."""
        return " and ".join(f"{each.file} ({each.reader})" for each in self.documents)


def facts_option(command: Command) -> Command:
    """--facts, for what takes other programs' documents: the parameter `facts`, a tuple of paths."""
    option = click.option(
        "--facts",
        multiple=True,
        type=Place(),
        metavar="FILE",
        help="Attach what another program says of the set-up (smartctl -j, lsblk -J, …); - is stdin. May be repeated.",
    )
    return option(command)


def device_option(command: Command) -> Command:
    """--device, which names one of several devices or mounts in the documents: the parameter `device`."""
    option = click.option(
        "--device", metavar="NAME", help="Which device, mount or session is meant where FILE tells of several."
    )
    return option(command)


def read_given(files: Sequence[str], device: str | None) -> GivenFacts:
    """Read the documents. ImportProblem for one that cannot be read."""
    if not files:
        return GivenFacts((), device)
    from graycard.readings import read_document

    return GivenFacts(tuple(read_document(_content(file), _name(file)) for file in files), device)


def _name(file: str) -> str:
    return "stdin" if file == STDIN else file


def _content(file: str) -> bytes:
    from graycard.readings import LIMIT_BYTES

    try:
        if file == STDIN:
            return sys.stdin.buffer.read(LIMIT_BYTES + 1)
        with open(file, "rb") as opened:
            return opened.read(LIMIT_BYTES + 1)
    except OSError as error:
        raise ImportProblem(f"{_name(file)} cannot be read ({error.strerror}); check the file") from error
