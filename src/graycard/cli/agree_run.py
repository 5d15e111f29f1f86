"""`graycard agree --run`: another tool on the same volume, in turns with graycard, stopped by Ctrl-C."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from graycard.alongside import ROUNDS_COUNT, Bench, Tool, plan_for, run_in_turns, tool_named
from graycard.cli.app import App
from graycard.cli.live import display
from graycard.cli.options import MOST_SEED
from graycard.cli.screen import say
from graycard.cli.worker import HangingError, Stop, StoppableClock, carry_out
from graycard.errors import Interrupted, PlanProblem, TargetProblem
from graycard.measurement import Event, OnEvent
from graycard.model import Arm, Fact, Plan, TargetKind
from graycard.units import format_size

DEFAULT_SIZE_BYTES = 256 << 20
_SIZE_UNIT_BYTES = 2 << 20
_NO_FIGURE = "{} gave no figure: its runs were too short to be timed, or failed; give a larger --size, as 2GiB."
_A_FILE = "{} is a file, beside which nothing may be written: name its folder"


def arms_of_run(app: App, names: Sequence[str], path: str, size_bytes: int) -> tuple[Arm, ...]:
    """One arm for each tool with its results and graycard's; they are stored. Problems as for a measurement."""
    if size_bytes < _SIZE_UNIT_BYTES:
        raise PlanProblem(f"--size {format_size(size_bytes)} is too small for these tools; give 64MiB or more")
    size_bytes -= size_bytes % _SIZE_UNIT_BYTES
    host = app.host()
    tools = [tool_named(name) for name in dict.fromkeys(names)]
    target = host.resolve(path)
    if target.kind is TargetKind.FILE:
        raise PlanProblem(_A_FILE.format(target.shown))
    plans = [plan_for(tool, host, path, size_bytes, secrets.randbelow(MOST_SEED)) for tool in tools]
    volume = host.volume(plans[0][0].target)
    if volume.why_not:
        raise TargetProblem(f"{plans[0][0].target.shown} cannot be measured: {volume.why_not}")
    say(app, (_announcement(tool, size_bytes) for tool in tools))
    arms = tuple(_arm(app, tool, plan, facts, size_bytes) for tool, (plan, facts) in zip(tools, plans, strict=True))
    say(app, (_NO_FIGURE.format(arm.name) for arm in arms if not _measured(arm)))
    return arms


def _measured(arm: Arm) -> bool:
    """Whether the tool itself gave a figure."""
    return any(result.summary for result in arm.results if result.origin.tool != "graycard")


def _announcement(tool: Tool, size_bytes: int) -> str:
    return (
        f"{tool.name} and graycard run in turns, {ROUNDS_COUNT} rounds, on files of {format_size(size_bytes)} in a "
        "folder of graycard's own, which is removed."
    )


def _arm(app: App, tool: Tool, plan: Plan, facts: tuple[Fact, ...], size_bytes: int) -> Arm:
    with display(quiet=app.quiet) as on_event:
        try:
            return carry_out(lambda stop: _turns(app, tool, plan, facts, size_bytes, on_event, stop))
        except HangingError:
            raise Interrupted(
                f"stopped, but {plan.target.shown} does not answer; when it does, graycard clean removes what is left"
            ) from None


def _turns(
    app: App, tool: Tool, plan: Plan, facts: tuple[Fact, ...], size_bytes: int, on_event: OnEvent, stop: Stop
) -> Arm:
    def hear(event: Event) -> None:
        stop.look()
        on_event(event)

    # The store is for the thread that opens it.
    with app.open_store() as store:
        host = app.host()
        clock = StoppableClock(app.clock, stop)
        bench = Bench(host, app.engine("native", host), clock, store, store.add, hear, stop.look)
        return Arm(tool.name, run_in_turns(tool, plan, facts, size_bytes, bench))
