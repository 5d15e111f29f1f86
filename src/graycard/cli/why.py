"""`graycard why`: which layer holds a copy back, measured at each layer and at both ends, and what to change first."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable

import rich_click as click

from graycard.cli.app import App
from graycard.cli.copy import left_at
from graycard.cli.diagnoses import keep, refuse_closed_store
from graycard.cli.live import display
from graycard.cli.options import DURATION, MOST_SEED, SEED, SIZE, Place, global_options, shows_data
from graycard.cli.screen import say, show
from graycard.cli.why_case import Frame, WhyPlanDocument, case_of, command_line
from graycard.cli.why_page import why_page
from graycard.cli.worker import HangingError, Stop, StoppableClock, carry_out
from graycard.copying import census, parse_place
from graycard.diagnosis import Asked, Study, children_now, tool_for
from graycard.errors import Interrupted, PlanProblem, Problem, StoreProblem
from graycard.link import FarEnd, by_ssh
from graycard.measurement import Event, OnEvent
from graycard.model import Action
from graycard.model.copying import Place as Where
from graycard.model.copying import Scheme
from graycard.report.page import Note
from graycard.report.printable import printable
from graycard.transfer import COPY_METHODS
from graycard.units import format_duration, format_size

LEAST_TIME_NS, MOST_TIME_NS = 20_000_000_000, 1_800_000_000_000
# tmpfs on every Linux (shm_overview(7)).
MEMORY_FOLDER = os.path.join("/dev", "shm")


@click.command("why")
@click.argument("share", type=Place())
@click.option("--server", metavar="USER@HOST:/PATH", help="Look at the server, too: PATH is the share's folder there.")
@click.option("--tool", metavar="NAME", help="The copy tool in question; the usual one of the share without it.")
@click.option("--via", multiple=True, metavar="PLACE", help="Another address of the same folder, to compare with.")
@click.option("--from", "is_back", is_flag=True, help="Copying from the share is what is slow.")
@click.option("--source", metavar="PATH", type=Place(), help="Copy this file or folder instead of data that are made.")
@click.option("--size", type=SIZE, metavar="SIZE", help="How much data to make; as much as the time allows without it.")
@click.option("--time", "time_ns", type=DURATION, default="90s", metavar="TIME", help="How long all of it may take.")
@click.option("--into", metavar="PATH", type=Place(), help="Folder on this computer for what is made or comes back.")
@click.option("--ssh-config", metavar="FILE", help="Configuration for ssh in place of your own.")
@click.option("--seed", type=SEED, metavar="N", help="Seed of the data and of the order; drawn without it.")
@click.option("--no-confirm", is_flag=True, help="Do not try changes that would confirm the answer.")
@click.option("--plan", "plan_only", is_flag=True, help="Say what would be done, and stop.")
@shows_data
@global_options()
@click.pass_obj
def why_command(
    app: App,
    share: str,
    server: str | None,
    tool: str | None,
    via: tuple[str, ...],
    is_back: bool,
    source: str | None,
    size: int | None,
    time_ns: int,
    into: str | None,
    ssh_config: str | None,
    seed: int | None,
    no_confirm: bool,
    plan_only: bool,
    form: str | None,
) -> None:
    """Find out why copying to SHARE is slow: network, server's disk, protocol, server's processor, or copy tool.

    SHARE is a folder on a mounted share, smb://user@nas/share/folder or user@nas:/folder. Each layer is measured with
    the same bytes, a copy is watched at both ends, and where it can be done a change confirms the answer. Without
    --server nobody looks at the server, and it says what cannot be known.
    """
    there = parse_place(share, ssh_config)
    far_place = server_place(server, ssh_config)
    others = tuple((place, tool_for(COPY_METHODS, place, None)) for place in _others(there, far_place, via, ssh_config))
    asked = Asked(
        share=there,
        tool=tool_for(COPY_METHODS, there, tool),
        action=Action.RECEIVE if is_back else Action.SEND,
        into=os.path.abspath(into) if into else os.getcwd(),
        source=_source(source, size),
        size_bytes=size,
        time_ns=_time(time_ns),
        others=others,
        server_folder=far_place if far_place and far_place.path else None,
        memory_folder=Where(Scheme.SSH, MEMORY_FOLDER, far_place.host, far_place.user, ssh_config=ssh_config)
        if far_place
        else None,
        seed=secrets.randbelow(MOST_SEED) if seed is None else seed,
        confirms=not no_confirm,
    )
    says = _announcement(asked, far_place)
    if plan_only:
        show(tuple(Note(printable(sentence)) for sentence in says), WhyPlanDocument(says=says), form)
        return
    refuse_closed_store(app)
    say(app, says)
    options = {
        "--server": server,
        "--tool": tool,
        "--via": via,
        "--from": is_back,
        "--source": source,
        "--size": f"{size}B" if size else None,
        "--time": f"{time_ns / 1e9:g}s",
        "--into": into,
        "--ssh-config": ssh_config,
        "--no-confirm": no_confirm,
        "--seed": asked.seed,
    }
    repeat = command_line("why", share, options)
    host = far_place.host if far_place else None
    frame = Frame.now("why", app.clock.utc_now(), there.shown, host, repeat, asked.seed)
    _diagnose(app, asked, far_place, frame, form)


def server_place(text: str | None, ssh_config: str | None) -> Where | None:
    """The server as a place; its path is "" where only a computer was named."""
    if text is None:
        return None
    place = parse_place(text, ssh_config)
    if place.scheme is Scheme.SSH:
        return place
    if place.scheme is not Scheme.PATH or "/" in text:
        raise click.UsageError(f"--server “{text}” is not understood; write user@nas:/path/of/the/share")
    user, _at, host = text.rpartition("@")
    return Where(Scheme.SSH, "", host, user or None, ssh_config=ssh_config)


def _others(there: Where, server: Where | None, via: tuple[str, ...], ssh_config: str | None) -> tuple[Where, ...]:
    """Other ways to the same folder: those that were named, and the server's own by ssh."""
    named = tuple(parse_place(each, ssh_config) for each in via)
    if server is None or not server.path or Scheme.SSH in {there.scheme, *(each.scheme for each in named)}:
        return named
    return (*named, server)


def _source(source: str | None, size: int | None) -> str | None:
    if source is None:
        return None
    if size is not None:
        raise click.UsageError("--size is for data that are made; leave it out with --source")
    return census(os.path.abspath(source)).path


def _time(time_ns: int) -> int:
    if not LEAST_TIME_NS <= time_ns <= MOST_TIME_NS:
        raise PlanProblem("--time is for the whole of it: give 20 s to 30 min")
    return time_ns


def _announcement(asked: Asked, server: Where | None) -> tuple[str, ...]:
    way = "from" if not asked.is_upload else "to"
    size = format_size(asked.size_bytes) if asked.size_bytes else "as much as the time allows, 2 GiB at most,"
    data = asked.source or f"{size} made in {asked.into}"
    looks = (
        f"An agent started by ssh on {server.host} tests the network and looks at the server"
        + (f", and tests its disk in a folder of its own below {server.path} (1 GiB at most)." if server.path else ".")
        if server
        else "Nobody looks at the server (--server), so its disk and its processor cannot be told apart."
    )
    others = ", ".join(f"{tool.name} {way} {place.shown}" for place, tool in asked.others)
    beside = f" ({others})" if others else ""
    copies = (
        f"Copies {data} {way} {asked.share.shown} by {asked.tool.name}, for {format_duration(asked.copy_ns)} at most, "
        f"and shorter ones for comparison{beside}: about {format_duration(asked.time_ns)} in all. What is written lies "
        "in folders of its own, which are removed."
    )
    return (copies, looks)


def _diagnose(app: App, asked: Asked, server: Where | None, frame: Frame, form: str | None) -> None:
    """Study it; when that ends early, show and keep what is known until then before the problem passes on."""
    studies: list[Study] = []
    try:
        with display(quiet=app.quiet) as on_event:
            carry_out(lambda stop: _study(app, asked, server, studies, on_event, stop))
    except HangingError:
        _conclude_partly(app, studies, frame, form, "Ctrl-C, while the share did not answer.")
        for study in studies:
            study.abandon()
        raise Interrupted(f"stopped, but {asked.share.shown} does not answer; {left_at(asked.share)}") from None
    except KeyboardInterrupt:
        _conclude_partly(app, studies, frame, form, "Ctrl-C.")
        raise
    except Problem as problem:
        _conclude_partly(app, studies, frame, form, str(problem))
        raise
    _conclude(app, studies[0], frame, form, is_whole=True)


def _conclude_partly(app: App, studies: list[Study], frame: Frame, form: str | None, ending: str) -> None:
    """What is known where `ending` ended it, if anything is."""
    if not studies:
        return
    studies[0].material.take_partly()
    if not studies[0].has_figures:
        return
    studies[0].material.says.append(f"What ended it: {ending}")
    try:
        _conclude(app, studies[0], frame, form, is_whole=False)
    except StoreProblem as problem:
        say(app, (str(problem),))


def _conclude(app: App, study: Study, frame: Frame, form: str | None, *, is_whole: bool) -> None:
    """Show and keep it; the one does not depend on the other."""
    case = case_of(frame, study.material, is_whole=is_whole)
    try:
        show(why_page(case), case, form)
    finally:
        keep(app, case)


def _study(app: App, asked: Asked, server: Where | None, studies: list[Study], on_event: OnEvent, stop: Stop) -> None:
    def hear(event: Event) -> None:
        stop.look()
        on_event(event)

    clock = StoppableClock(app.clock, stop)
    if server is None:
        studies.append(Study(asked, None, frozenset(), app.host(), clock, hear))
        studies[0].carry_out()
        return
    hear(Event("prepare", f"starting the far end on {server.host}", clock.monotonic_ns()))
    far, processes = children_now(reaching(server, stop))
    with far:
        studies.append(Study(asked, far, processes, app.host(), clock, hear))
        studies[0].carry_out()


def reaching(server: Where, stop: Stop) -> Callable[[], FarEnd]:
    """What starts the far end on that server; a stop ends waiting for it."""
    ssh = ("ssh", "-F", server.ssh_config) if server.ssh_config else ("ssh",)
    at = f"{server.user}@{server.host}" if server.user else str(server.host)
    return lambda: by_ssh(at, ssh, server.path, stop.look_first)
