"""`graycard watch`: what holds a copy back that another program makes now."""

from __future__ import annotations

import rich_click as click

from graycard.cli.app import App
from graycard.cli.diagnoses import keep, refuse_closed_store
from graycard.cli.live import display
from graycard.cli.options import DURATION, global_options, shows_data
from graycard.cli.screen import say, show
from graycard.cli.why import reaching, server_place
from graycard.cli.why_case import Frame, case_of_sight, command_line
from graycard.cli.why_page import why_page
from graycard.cli.worker import HangingError, Stop, carry_out
from graycard.diagnosis import children_now
from graycard.diagnosis.sight import Ending, Sight, sight_of
from graycard.diagnosis.watching import watch_it
from graycard.errors import Interrupted, Problem, RunProblem
from graycard.measurement import Event, OnEvent
from graycard.model.copying import Place as Where
from graycard.protocols import Progress
from graycard.units import format_duration

# When it is said that nothing is copied.
WAITING_NS = 5_000_000_000


@click.command("watch")
@click.argument("target", metavar="PID|PATH")
@click.option("--server", metavar="USER@HOST:/PATH", help="Look at the server, too: PATH is the share's folder there.")
@click.option("--time", "time_ns", type=DURATION, default="5m", metavar="TIME", help="Watch no longer than this.")
@click.option("--ssh-config", metavar="FILE", help="Configuration for ssh in place of your own.")
@shows_data
@global_options()
@click.pass_obj
def watch_command(
    app: App, target: str, server: str | None, time_ns: int, ssh_config: str | None, form: str | None
) -> None:
    """Watch a copy that another program makes now, and find out what holds it back.

    PID is the number of the program, PATH a mounted share or a folder on it; the copy may begin later. It goes on
    until the copy ends, or Ctrl-C. Nothing is written and nothing is measured beside the copy, so less can be known
    than by graycard why.
    """
    place = server_place(server, ssh_config)
    sight = _looked_for(app, target)
    refuse_closed_store(app)
    repeat = command_line(
        "watch", target, {"--server": server, "--time": f"{time_ns / 1e9:g}s", "--ssh-config": ssh_config}
    )
    frame = Frame.now("watch", app.clock.utc_now(), sight.where, place.host if place else None, repeat, None)
    say(app, (f"Watching {sight.words} until it ends, or Ctrl-C. Nothing is written.",))
    try:
        with display(quiet=app.quiet) as on_event:
            carry_out(lambda stop: _watch(app, sight, place, time_ns, on_event, stop))
    except HangingError:
        raise Interrupted("stopped; the other end does not answer any more") from None
    if sight.timeline is None:
        raise _nothing_seen(sight, time_ns)
    case = case_of_sight(frame, sight)
    try:
        show(why_page(case), case, form)
    finally:
        keep(app, case)


def _looked_for(app: App, target: str) -> Sight:
    """Who is watched. A share whose server is gone may hold the call that asks for it."""
    try:
        return carry_out(lambda stop: sight_of(target, app.host(), stop.look))
    except HangingError:
        raise Interrupted(f"stopped, but {target} does not answer; is its server there?") from None


def _nothing_seen(sight: Sight, time_ns: int) -> Problem:
    """What to say where no copy was seen."""
    if sight.ending is Ending.STOPPED:
        return Interrupted(f"stopped; {sight.nothing} meanwhile")
    when = f"in {format_duration(time_ns)}" if sight.ending is Ending.TIME else "until it ended"
    advice = "start the copy, then watch again" if sight.has_connection else "is that what copies, and to a share?"
    return RunProblem(f"{sight.nothing} {when}; {advice}", errno=None, offset_bytes=None, phase="measure")


def _watch(app: App, sight: Sight, place: Where | None, time_ns: int, on_event: OnEvent, stop: Stop) -> None:
    def hear(progress: Progress) -> None:
        stop.look()
        says = f"watching {sight.words}"
        if not sight.has_begun and progress.elapsed_ns > WAITING_NS:
            says = f"{sight.nothing} yet; waiting for a copy, Ctrl-C ends"
        on_event(Event("run", says, app.clock.monotonic_ns(), None, None, progress))

    if place is None:
        watch_it(sight, None, time_ns, hear)
        return
    far, _processes = children_now(reaching(place, stop))
    with far:
        watch_it(sight, far, time_ns, hear)
