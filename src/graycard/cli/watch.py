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
from graycard.diagnosis.watching import Sight, sight_of, watch_it
from graycard.errors import Interrupted, RunProblem
from graycard.measurement import Event, OnEvent
from graycard.model.copying import Place as Where
from graycard.protocols import Progress


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

    PID is the number of the program, PATH a mounted share. It goes on until the copy ends, or Ctrl-C. Nothing is
    written and nothing is measured beside the copy, so less can be known than by graycard why.
    """
    place = server_place(server, ssh_config)
    sight = sight_of(target, app.host())
    refuse_closed_store(app)
    repeat = command_line(
        "watch", target, {"--server": server, "--time": f"{time_ns / 1e9:g}s", "--ssh-config": ssh_config}
    )
    frame = Frame.now("watch", app.clock.utc_now(), sight.name, place.host if place else None, repeat, None)
    say(app, (f"Watching {sight.name} until it ends, or Ctrl-C. Nothing is written.",))
    try:
        with display(quiet=app.quiet) as on_event:
            carry_out(lambda stop: _watch(app, sight, place, time_ns, on_event, stop))
    except HangingError:
        raise Interrupted("stopped; the other end does not answer any more") from None
    if sight.timeline is None:
        says = (
            f"nothing was moved by {sight.name} over a connection that can be seen; was it copying, and as this user?"
        )
        raise RunProblem(says, errno=None, offset_bytes=None, phase="measure")
    case = case_of_sight(frame, sight)
    try:
        show(why_page(case), case, form)
    finally:
        keep(app, case)


def _watch(app: App, sight: Sight, place: Where | None, time_ns: int, on_event: OnEvent, stop: Stop) -> None:
    def hear(progress: Progress) -> None:
        stop.look()
        on_event(Event("run", f"watching {sight.name}", app.clock.monotonic_ns(), None, None, progress))

    if place is None:
        watch_it(sight, None, time_ns, hear)
        return
    far, _processes = children_now(reaching(place))
    with far:
        watch_it(sight, far, time_ns, hear)
