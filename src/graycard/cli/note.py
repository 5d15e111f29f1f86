"""`graycard note`: figures that stand only on a screen or on paper, typed in with the settings of their tool."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, TypeVar

import rich_click as click

from graycard.cli.app import App
from graycard.cli.chosen import written_beside
from graycard.cli.given_facts import STDIN, facts_option, read_given
from graycard.cli.listing import annotated_page
from graycard.cli.note_ask import ask_rows, ask_settings
from graycard.cli.note_figures import Row, rows, table
from graycard.cli.note_results import Settings, noted
from graycard.cli.note_tools import CONTINUOUS, ONE_TIME, Tool, tool_named
from graycard.cli.options import RATIO, SIZE, Place, global_options, shows_data
from graycard.cli.screen import counted, is_terminal, say, show
from graycard.codec import Document
from graycard.errors import ImportProblem
from graycard.importers.imported import stated_time
from graycard.model import Aggregate, Cache, Result, Target, TargetKind

Command = TypeVar("Command", bound=Callable[..., Any])
_MOST_TABLE_BYTES = 1 << 16


def _figures(command: Command) -> Command:
    """The options for the figures themselves."""
    options = (
        click.option("--read", "reads", multiple=True, metavar="RATE", help="The rate of reading, as 2500MB/s."),
        click.option("--write", "writes", multiple=True, metavar="RATE", help="The rate of writing."),
        click.option("--at", "blocks", multiple=True, metavar="SIZE", help="The block of the next --read and --write."),
        click.option("--table", type=Place(), metavar="FILE", help="Rows of several blocks from FILE; - is stdin."),
        click.option("--read-fps", type=click.FloatRange(0, min_open=True), metavar="N", help="Frames read a second."),
        click.option(
            "--write-fps", type=click.FloatRange(0, min_open=True), metavar="N", help="Frames written a second."
        ),
        click.option(
            "--aggregate",
            type=click.Choice([each.value for each in Aggregate]),
            help="What the figure is of several passes, where the tool says so.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def _settings(command: Command) -> Command:
    """The options for how the tool was set."""
    options = (
        click.option("--tool-version", metavar="TEXT", help="Version of the tool."),
        click.option("--file-size", type=SIZE, metavar="SIZE", help="Size of its test file, as 16GB."),
        click.option("--codec", metavar="TEXT", help="Codec that it was set to, as “16-bit RGB”."),
        click.option("--resolution", metavar="TEXT", help="Resolution that it was set to, as 3840x2160."),
        click.option("--one-time", "mode", flag_value=ONE_TIME, help="It ran one time."),
        click.option("--continuous", "mode", flag_value=CONTINUOUS, help="It ran until it was stopped."),
        click.option("--direct", "cache", flag_value="bypass", help="Its direct I/O was on, or its cache off."),
        click.option("--buffered", "cache", flag_value="warm", help="Its direct I/O was off."),
        click.option("--depth", type=click.IntRange(1, 65536), metavar="N", help="Its queue depth."),
        click.option("--compressible", type=RATIO, metavar="SHARE", help="Share of zeros in its data, as 0 or 50%."),
    )
    for option in reversed(options):
        command = option(command)
    return command


@click.command("note")
@click.argument("tool", type=tool_named)
@_figures
@_settings
@click.option("--path", type=Place(), metavar="PATH", help="The folder that was measured, wherever it is now.")
@click.option("--device", metavar="NAME", help="The device that was measured; chooses in what --facts says, too.")
@click.option("--date", metavar="TIME", help="When it was measured, as “2026-03-01 10:15”; else now.")
@click.option("--label", metavar="NAME", help="Give the measurement this label.")
@facts_option
@shows_data
@global_options()
@click.pass_obj
def note_command(app: App, /, tool: Tool, form: str | None, **given: Any) -> None:
    """Store figures that are typed in: of tools without a readable export, a screenshot or a video of a dialog.

    TOOL is aja (AJA System Test), blackmagic (Blackmagic Disk Speed Test), atto (ATTO Disk Benchmark), other, or the
    name of another tool. A rate without a unit is in the tool's own MB/s. For ATTO repeat --at, --read and --write, or
    give a --table whose first line names its columns: block write read. At a terminal it asks for missing figures.
    """
    settings = _said(given)
    typed = _typed(tool, given)
    if not typed:
        typed, settings = _asked(tool, settings)
    documents = read_given(given["facts"], given["device"])
    path = given["path"]
    target = Target(path, TargetKind.FOLDER) if path else None
    results = noted(tool, typed, settings, target=target, at=_time(app, given["date"]))
    _keep(app, tuple(documents.on(each) for each in results), given["label"], form)


def _said(given: dict[str, Any]) -> Settings:
    return Settings(
        tool_version=given["tool_version"],
        file_bytes=given["file_size"],
        codec=given["codec"],
        resolution=given["resolution"],
        mode=given["mode"],
        cache=Cache(given["cache"]) if given["cache"] else None,
        depth_count=given["depth"],
        compressible_ratio=given["compressible"],
        aggregate=Aggregate(given["aggregate"]) if given["aggregate"] else None,
        device=given["device"],
    )


def _typed(tool: Tool, given: dict[str, Any]) -> tuple[Row, ...]:
    """The figures of the command line, none where it has none. UsageError where they do not fit together."""
    reads, writes, blocks, path = given["reads"], given["writes"], given["blocks"], given["table"]
    if path and (reads or writes or blocks):
        raise click.UsageError("a --table has its own figures, so leave --at, --read and --write out")
    if path == STDIN and STDIN in given["facts"]:
        raise click.UsageError("only one thing can come through the pipe, so give - once")
    try:
        if path:
            return table(_table(path), tool)
        found = rows(tool, blocks, reads, writes) if reads or writes or blocks else ()
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    return _with_frames(found, given["read_fps"], given["write_fps"])


def _with_frames(found: Sequence[Row], read_fps: float | None, write_fps: float | None) -> tuple[Row, ...]:
    if read_fps is None and write_fps is None:
        return tuple(found)
    if len(found) != 1 or (read_fps and not found[0].read) or (write_fps and not found[0].write):
        raise click.UsageError("frames a second stand beside one rate: give --read or --write with its MB/s, too")
    return (replace(found[0], read_frames=read_fps, write_frames=write_fps),)


def _asked(tool: Tool, settings: Settings) -> tuple[tuple[Row, ...], Settings]:
    if not is_terminal(sys.stdin):
        raise click.UsageError("there is no figure to note; give --read, --write or --table")
    found = ask_rows(tool)
    if not any(row.read or row.write for row in found):
        raise click.UsageError("there is no figure to note; type the rate of reading or of writing")
    return found, ask_settings(tool, settings)


def _table(path: str) -> bytes:
    try:
        if path == STDIN:
            return sys.stdin.buffer.read(_MOST_TABLE_BYTES)
        with open(path, "rb") as file:
            return file.read(_MOST_TABLE_BYTES)
    except OSError as error:
        raise ImportProblem(f"{path} cannot be read ({error.strerror}); check the file") from error


def _time(app: App, text: str | None) -> datetime:
    """The time of measuring in UTC; one without a zone is this computer's."""
    if text is None:
        return app.clock.utc_now()
    found = stated_time(text)
    if found is None:
        raise click.UsageError(f"“{text}” is no time; write for example --date “2026-03-01 10:15”")
    when, is_local = found
    return when.replace(tzinfo=None).astimezone(UTC) if is_local else when


def _keep(app: App, results: tuple[Result, ...], label: str | None, form: str | None) -> None:
    if not results:
        raise click.UsageError("there is no figure to note; give --read or --write")
    whole = results[0].measurement_id
    with app.open_store() as store:
        new = store.add(results)
        if label:
            store.annotate(whole, label=label)
        beside = written_beside(store, results)
    show(annotated_page(results, beside), Document(results=results, annotations=beside), form)
    called = f"“{label}”" if label else whole[:8]
    stored = f"Stored {counted(len(new), 'result')} as {called}" if new else f"They are stored already, as {called}"
    say(app, (f"{stored}; graycard agree {label or whole[:8]} … sets them beside other figures.",))
