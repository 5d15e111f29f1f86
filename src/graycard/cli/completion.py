"""`graycard completion`: the shell's own completion of commands and options."""

from __future__ import annotations

import rich_click as click
from click.shell_completion import get_completion_class


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]), metavar="SHELL")
@click.pass_context
def completion_command(context: click.Context, shell: str) -> None:
    r"""Print the script that makes SHELL (bash, zsh or fish) complete graycard's commands and options.

    \b
    graycard completion bash >> ~/.bashrc
    graycard completion zsh >> ~/.zshrc
    graycard completion fish > ~/.config/fish/completions/graycard.fish
    """
    found = get_completion_class(shell)
    if found is None:
        raise click.UsageError(f"there is no completion for {shell}")
    click.echo(found(context.find_root().command, {}, "graycard", "_GRAYCARD_COMPLETE").source())
