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

    def resolve_command(
        self, ctx: plain_click.Context, args: list[str]
    ) -> tuple[str | None, plain_click.Command | None, list[str]]:
        """As click, and a name that is nearly right is told."""
        try:
            return super().resolve_command(ctx, args)
        except plain_click.UsageError as error:
            near = _nearest(args[0], self._commands_at)
            if near is None:
                raise
            raise plain_click.UsageError(f"No such command '{args[0]}'; did you mean {near}?", ctx) from error

    def format_help(self, ctx: plain_click.Context, formatter: plain_click.HelpFormatter) -> None:
        """The help of the group, with the brief words of its commands."""
        self._is_listing = True
        try:
            super().format_help(ctx, formatter)  # type: ignore[arg-type]  # rich-click asks for its own subclasses
        finally:
            self._is_listing = False


def _nearest(name: str, known: Mapping[str, Command]) -> str | None:
    # Only who mistypes waits for it.
    from difflib import get_close_matches

    return next(iter(get_close_matches(name, known, 1)), None)
