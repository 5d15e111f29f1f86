"""One measurement on its way: in a thread of its own, stopped by Ctrl-C, each result kept as soon as it is there."""

from __future__ import annotations

from dataclasses import dataclass, field

from graycard.cli.app import App
from graycard.cli.chosen import in_plan_order
from graycard.cli.worker import HangingError, Stop, StoppableClock, carry_out
from graycard.errors import Interrupted
from graycard.measurement import Event, Measurement, OnEvent, measure
from graycard.model import Plan, Result, TargetKind
from graycard.protocols import Engine, Host
from graycard.store import Store


@dataclass(slots=True)
class Keeper:
    """Saves each result in the store, and holds its newest state, so that a stopped measurement can be shown."""

    store: Store
    finished: dict[str, Result]

    def save(self, result: Result) -> None:
        """Store it; StoreProblem if that fails."""
        self.store.save(result)
        self.finished[result.id] = result


@dataclass(frozen=True, slots=True)
class Attempt:
    """A plan with all it needs. `finished` holds the newest state of every result by id."""

    app: App
    host: Host
    plan: Plan
    engines: tuple[Engine, ...]
    finished: dict[str, Result] = field(default_factory=dict)

    @property
    def results(self) -> tuple[Result, ...]:
        """What there is so far, the tasks in the order of the plan."""
        return in_plan_order(tuple(self.finished.values()))

    def carry_out(self, on_event: OnEvent) -> Measurement:
        """Measure. Raises what `measure` does; Interrupted after Ctrl-C also where the volume does not answer."""
        try:
            return carry_out(lambda stop: self._measured(on_event, stop))
        except HangingError:
            raise Interrupted(self._left_behind()) from None

    def _measured(self, on_event: OnEvent, stop: Stop) -> Measurement:
        def hear(event: Event) -> None:
            stop.look()
            on_event(event)

        # The store is for the thread that opens it.
        with self.app.open_store() as store:
            return measure(
                self.plan,
                engines=self.engines,
                host=self.host,
                keeper=Keeper(store, self.finished),
                clock=StoppableClock(self.app.clock, stop),
                on_event=hear,
            )

    def _left_behind(self) -> str:
        place = self.plan.target.shown
        if self.plan.target.kind is TargetKind.FILE:
            return f"stopped, but {place} does not answer; nothing was written there"
        return (
            f"stopped, but {place} does not answer, so what was made there is left; "
            f"when it answers again, graycard clean {place} removes it"
        )
