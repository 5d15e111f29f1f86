"""Asking a person at the terminal for the figures and settings that the command line does not give."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import rich_click as click

from graycard.cli.note_figures import ABSENT, Rate, Row, block, rate
from graycard.cli.note_results import Settings
from graycard.cli.note_tools import CONTINUOUS, ONE_TIME, Tool
from graycard.units import parse_size

Answer = TypeVar("Answer")
_NOT_SHOWN = "Enter if it is not shown"


def ask_rows(tool: Tool) -> tuple[Row, ...]:
    """The figures: a pair, or one for each block size where the tool has such."""
    if not tool.binary_blocks:
        return (_ask_row(tool, None),)
    found: list[Row] = []
    while size := _ask("Block size (Enter at the end)", lambda text: block(text, tool)):
        found.append(_ask_row(tool, size))
    return tuple(found)


def ask_settings(tool: Tool, settings: Settings) -> Settings:
    """The settings with what was not said on the command line."""
    settings = replace(
        settings,
        tool_version=settings.tool_version or _ask(f"Version of {tool.name} ({_NOT_SHOWN})", str),
        file_bytes=settings.file_bytes or _ask(f"Size of the test file ({_NOT_SHOWN})", parse_size),
    )
    if not tool.has_frames:
        return settings
    return replace(
        settings,
        codec=settings.codec or _ask(f"Codec ({_NOT_SHOWN})", str),
        resolution=settings.resolution or _ask(f"Resolution ({_NOT_SHOWN})", str),
        mode=settings.mode or _ask("Run one time or continuous? (1/c, Enter if not known)", _mode),
    )


def _ask_row(tool: Tool, size: int | None) -> Row:
    unit = f" in {tool.unit}" if tool.unit else ", with its unit"
    read = _ask(f"Read{unit} ({_NOT_SHOWN})", lambda text: _rate(text, tool))
    return Row(size, read, _ask(f"Write{unit} ({_NOT_SHOWN})", lambda text: _rate(text, tool)))


def _rate(text: str, tool: Tool) -> Rate | None:
    return None if text == ABSENT else rate(text, tool)


def _mode(text: str) -> str:
    found = {"1": ONE_TIME, "o": ONE_TIME, "c": CONTINUOUS}.get(text[:1].lower())
    if found is None:
        raise ValueError("Answer 1 for one time or c for continuous.")
    return found


def _ask(question: str, read: Callable[[str], Answer]) -> Answer | None:
    """The answer, asked for again until it can be read; None for none."""
    while True:
        text = str(click.prompt(question, default="", show_default=False, err=True)).strip()
        if not text:
            return None
        try:
            return read(text)
        except ValueError as error:
            click.echo(str(error), err=True)
