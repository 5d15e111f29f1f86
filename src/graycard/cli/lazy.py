"""A group whose commands are imported when they are asked for, so that each command starts with only what it needs."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple

import click as plain_click
import rich_click as click


class Command(NamedTuple):
    """Where a command is, as "module:attribute", and what the list of commands says of it."""

    place: str
    brief: str


class LazyGroup(click.RichGroup):
    """`commands_at` tells each command by its name. The list of commands is shown without importing them."""

    def __init__(self, *arguments: Any, commands_at: Mapping[str, Command], **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._commands_at = commands_at
        self._is_listing = False

    def list_commands(self, ctx: plain_click.Context) -> list[str]:
        """The names, in the order of the map."""
        return list(self._commands_at)

    def get_command(self, ctx: plain_click.Context, cmd_name: str) -> plain_click.Command | None:
        """Import the command."""
        command = self._commands_at.get(cmd_name)
        if command is None:
            return None
        if self._is_listing:
            return click.RichCommand(name=cmd_name, help=command.brief)
        module, attribute = command.place.split(":")
        found: plain_click.Command = getattr(import_module(module), attribute)
        return found

    def format_help(self, ctx: plain_click.Context, formatter: plain_click.HelpFormatter) -> None:
        """The help of the group, with the brief words of its commands."""
        self._is_listing = True
        try:
            super().format_help(ctx, formatter)  # type: ignore[arg-type]  # rich-click asks for its own subclasses
        finally:
            self._is_listing = False
