"""The entry point: arguments in, an exit code out, and never a traceback.

0     done                                2     the command line is wrong
1–40  a Problem, see errors.py            70    a defect of graycard itself
130   stopped by Ctrl-C or SIGTERM        141   whoever read the output went away
"""

from __future__ import annotations

import gc
import io
import os
import sys
import traceback
from collections.abc import Iterable, Sequence

import rich_click as click
from click.exceptions import Exit, NoArgsIsHelpError

from graycard import __version__
from graycard.cli.app import App, system_app
from graycard.cli.lazy import Command, LazyGroup
from graycard.cli.options import global_options
from graycard.cli.stop import stop_on_signals
from graycard.errors import Interrupted, Problem

USAGE_EXIT = 2
DEFECT_EXIT = 70
PIPE_EXIT = 141  # 128 + SIGPIPE, as a shell would tell it

# The list of commands, by what they are for; the order of help and of the documentation.
PANELS: dict[str, dict[str, Command]] = {
    "Measure": {
        "measure": Command(
            "graycard.cli.measure:measure_command", "How fast is this drive or share, really, and how sure is that?"
        ),
        "info": Command("graycard.cli.info:info_command", "What it is: format, link, medium, free space, load, heat."),
        "volumes": Command(
            "graycard.cli.volumes:volumes_command", "All mounted volumes, and why one cannot be measured."
        ),
        "calibrate": Command(
            "graycard.cli.calibrate:calibrate_command", "What the instrument itself reaches on this computer."
        ),
    },
    "Look at results": {
        "results": Command(
            "graycard.cli.results:results_group",
            "List, show, search, label, tag, export, merge or remove stored results.",
        ),
        "report": Command("graycard.cli.report:report_command", "A page, PDF or table to show other people."),
        "compare": Command(
            "graycard.cli.compare:compare_command", "Which is slower, by how much, how sure, and what differs?"
        ),
        "history": Command(
            "graycard.cli.history:history_command", "How a drive did over time, and when its set-up changed."
        ),
        "experiment": Command(
            "graycard.cli.experiment:experiment_group",
            "Several set-ups measured in turns and compared: formats, systems, cables.",
        ),
    },
    "Other tools": {
        "import": Command("graycard.cli.import_:import_command", "Read the results of other tools."),
        "note": Command(
            "graycard.cli.note:note_command",
            "Store figures that are typed in: AJA, Blackmagic, ATTO, a video of a dialog.",
        ),
        "agree": Command("graycard.cli.agree:agree_command", "Why tools disagree, and which is nearest the truth."),
    },
    "Media": {
        "formats": Command("graycard.cli.formats:formats_command", "Video formats with their rates and sources."),
        "fits": Command("graycard.cli.fits:fits_command", "Which formats a measured drive plays and records."),
        "play": Command(
            "graycard.cli.play:play_command",
            "Will it play or record, and how many streams? Tried with real, paced streams.",
        ),
        "sustain": Command("graycard.cli.sustain:sustain_command", "What remains when the drive's cache is full."),
        "offload": Command(
            "graycard.cli.offload:offload_command",
            "Copy a camera card to up to three places, verified, with an ASC MHL.",
        ),
        "verify": Command("graycard.cli.verify:verify_command", "Compare a folder with its ASC MHL manifests."),
    },
    "Network": {
        "why": Command(
            "graycard.cli.why:why_command", "Why is copying to this share slow? Not proven yet: see docs/diagnosis.md."
        ),
        "watch": Command("graycard.cli.watch:watch_command", "What holds a copy back that another program makes now."),
        "copy": Command("graycard.cli.copy:copy_command", "The same bytes by every method, in turns, both ways."),
        "link": Command("graycard.cli.link:link_command", "What the network alone carries, and how long a byte takes."),
        "agent": Command("graycard.cli.agent:agent_command", "The far end of a link, where ssh cannot start it."),
    },
    "Housekeeping": {
        "clean": Command("graycard.cli.clean:clean_command", "Remove what a killed run has left."),
        "completion": Command("graycard.cli.completion:completion_command", "Completion for your shell."),
    },
}
COMMANDS = {name: command for panel in PANELS.values() for name, command in panel.items()}
click.rich_click.COMMAND_GROUPS = {
    "graycard": [{"name": title, "commands": list(panel)} for title, panel in PANELS.items()]
}


@click.group(
    cls=LazyGroup,
    commands_at=COMMANDS,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "show_default": True,
        "token_normalize_func": lambda token: token.replace("_", "-"),
    },
)
@click.version_option(__version__, message="graycard %(version)s")
@global_options(from_environment=True)
def cli() -> None:
    """Measure what a drive or a network share really delivers, and how far the figure can be trusted.

    Start with `graycard measure PATH`: it says what it will do before it does it.
    """


def run() -> None:
    """The program `graycard`."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal of few characters (ASCII, a Windows code page) gets escapes instead of a failure.
        sys.stdout.reconfigure(errors="backslashreplace")
    stop_on_signals()
    try:
        code = main(sys.argv[1:], system_app())
    except KeyboardInterrupt:  # a signal while the last words were said
        code = Interrupted.exit_code
    # The interpreter looks for cycles among all that was loaded before it ends: 40 ms, and a second on a busy machine.
    gc.freeze()
    sys.exit(code)


def main(arguments: Sequence[str], app: App) -> int:
    """Carry out one command line and give its exit code; every failure is one line on stderr."""
    try:
        _invoke(arguments, app)
        if sys.stdout:
            sys.stdout.flush()
    except Exit as leaving:
        return leaving.exit_code
    except NoArgsIsHelpError as error:
        click.echo(error.format_message())
    except click.UsageError as error:
        return _fail(_usage(error), USAGE_EXIT)
    except Problem as problem:
        return _fail(str(problem), problem.exit_code, getattr(problem, "__notes__", ()))
    except (KeyboardInterrupt, EOFError, click.Abort) as stopping:
        return _fail("stopped", Interrupted.exit_code, getattr(stopping, "__notes__", ()))
    except BrokenPipeError:
        return _leave_the_pipe()
    except Exception as error:
        raise SystemExit(_defect(error)) from error
    return 0


def _invoke(arguments: Sequence[str], app: App) -> None:
    if os.environ.get("_GRAYCARD_COMPLETE"):
        # The shell asks for completions; click answers and exits.
        cli.main(list(arguments), prog_name="graycard", obj=app)
    with cli.make_context("graycard", list(arguments), obj=app) as context:
        cli.invoke(context)


def _usage(error: click.UsageError) -> str:
    command = error.ctx.command_path if error.ctx else "graycard"
    message = " ".join(error.format_message().split())
    joint = " See" if message.endswith("?") else "; see"
    return f"{message.rstrip('.')}{joint} {command} --help"


def _fail(message: str, exit_code: int, notes: Iterable[str] = ()) -> int:
    """Say what failed, then what else there is to say of it, as what could not be cleaned up."""
    from graycard.report.printable import printable

    for line in (f"graycard: {message}", *notes):
        _complain(printable(line))
    if os.environ.get("GRAYCARD_DEBUG") == "1":
        _complain(traceback.format_exc().rstrip())
    return exit_code


def _defect(error: Exception) -> int:
    what = f"internal error: {type(error).__name__}: {error}"
    return _fail(f"{what}; please report it, with the output of GRAYCARD_DEBUG=1", DEFECT_EXIT)


def _complain(line: str) -> None:
    """Write to stderr; when that is gone too, nobody is left to tell."""
    try:
        click.echo(line, err=True)
    except OSError:
        return


def _leave_the_pipe() -> int:
    """Point stdout at nothing, so that the interpreter's last flush does not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return PIPE_EXIT
