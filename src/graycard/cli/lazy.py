"""A group whose commands are imported when they are asked for, so that each command starts with only what it needs."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import rich_click as click


class LazyGroup(click.RichGroup):
    """`commands_at` maps a command's name to "module:attribute"."""

    def __init__(self, *arguments: Any, commands_at: Mapping[str, str], **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._commands_at = commands_at

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of the map."""
        return list(self._commands_at)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command."""
        place = self._commands_at.get(cmd_name)
        if place is None:
            return None
        module, attribute = place.split(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command
