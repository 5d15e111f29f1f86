"""An offload, or the check of a folder, on its way: in a thread of its own, stopped by Ctrl-C, results kept at once."""

from __future__ import annotations

from collections.abc import Callable

from graycard.cli.app import App
from graycard.cli.attempt import Keeper
from graycard.cli.live import display
from graycard.cli.worker import HangingError, Stop, StoppableClock, carry_out
from graycard.errors import Interrupted
from graycard.measurement import Event, OnEvent
from graycard.offload import Job, Outcome, Place, check_folder, offload
from graycard.protocols import Clock, Host

# A file system that does not answer holds up the removal of what is not whole; nobody waits longer than this for it.
PATIENCE_S = 5.0
Work = Callable[[Keeper, Clock, OnEvent], None]


def carry_out_offload(app: App, host: Host, job: Job, outcome: Outcome) -> None:
    """Raises what `offload` does; Interrupted after Ctrl-C also where a volume does not answer."""

    def work(keeper: Keeper, clock: Clock, on_event: OnEvent) -> None:
        offload(job, outcome, host=host, keeper=keeper, clock=clock, on_event=on_event)

    _carry_out(app, work, "stopped, but a drive or share does not answer; what was not whole may be left as “.part”")


def carry_out_check(app: App, host: Host, place: Place, outcome: Outcome) -> None:
    """Raises what `check_folder` does; Interrupted after Ctrl-C also where the volume does not answer."""

    def work(keeper: Keeper, clock: Clock, on_event: OnEvent) -> None:
        check_folder(place, outcome, host=host, keeper=keeper, clock=clock, on_event=on_event)

    _carry_out(app, work, f"stopped, but {place.target.shown} does not answer; nothing was written there")


def _carry_out(app: App, work: Work, hanging: str) -> None:
    def stoppable(stop: Stop, on_event: OnEvent) -> None:
        def hear(event: Event) -> None:
            stop.look()
            on_event(event)

        # The store is for the thread that opens it.
        with app.open_store() as store:
            work(Keeper(store, {}), StoppableClock(app.clock, stop), hear)

    try:
        with display(quiet=app.quiet) as on_event:
            carry_out(lambda stop: stoppable(stop, on_event), PATIENCE_S)
    except HangingError:
        raise Interrupted(hanging) from None
