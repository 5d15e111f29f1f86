"""docs/commands.md and the program name the same commands and options."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from graycard.cli.main import cli
from graycard.errors import Problem

PAGE = (Path(__file__).parent.parent.parent / "docs" / "commands.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (graycard[a-z ]*)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))


def commands(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    yield name, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for child in command.list_commands(context):
            found = command.get_command(context, child)
            assert found is not None
            yield from commands(found, f"{name} {child}")


TREE = dict(commands(cli, "graycard"))


def options(command: click.Command) -> set[str]:
    given = (param for param in command.params if isinstance(param, click.Option))
    return {name for option in given for name in option.opts if name.startswith("--")}


def documented(section: str) -> set[str]:
    cells = re.findall(r"^\| (`-.*?) \|", section, re.MULTILINE)
    return {name for cell in cells for name in re.findall(r"--[a-z0-9-]+", cell)}


def test_every_command_has_its_section_and_every_section_its_command() -> None:
    assert set(SECTIONS) == set(TREE)


@pytest.mark.parametrize("name", TREE)
def test_every_option_is_documented_and_exists(name: str) -> None:
    assert documented(SECTIONS[name]) - {"--help"} == options(TREE[name])


@pytest.mark.parametrize("name", TREE)
def test_every_command_and_option_has_a_help_text(name: str) -> None:
    command = TREE[name]
    assert command.help
    for param in command.params:
        if isinstance(param, click.Option):
            assert param.help, param.name


def test_every_exit_code_is_documented() -> None:
    for kind in Problem.__subclasses__():
        assert f"| {kind.exit_code} |" in PAGE, kind.__name__
