"""One sitting at an experiment on its way: in a thread of its own, stopped by Ctrl-C, everything kept at once."""

from __future__ import annotations

from dataclasses import dataclass

from graycard.cli.app import App
from graycard.cli.worker import HangingError, Stop, StoppableClock, carry_out
from graycard.codec import encode
from graycard.errors import Interrupted
from graycard.experiment import Bench, Sitting
from graycard.experiment import carry_out as carry_out_experiment
from graycard.measurement import Event, OnEvent
from graycard.model import Result
from graycard.model.experiment import ExperimentRecord
from graycard.protocols import Engine, Host, VolumeMaker
from graycard.store import Filter, Store

# A volume is unmounted when all that was written to it is on the drive: that may take its time.
PATIENCE_S = 120.0


@dataclass(frozen=True, slots=True)
class StoreArchive:
    """Keeps results and the record in the store."""

    store: Store

    def save(self, result: Result) -> None:
        """Store a result; StoreProblem if that fails."""
        self.store.save(result)

    def save_record(self, record: ExperimentRecord) -> None:
        """Store the state of the experiment; StoreProblem if that fails."""
        self.store.save_experiment(record.id, record.plan.name, record.created_at, encode(record))


def stored_results(store: Store, experiment_id: str) -> tuple[Result, ...]:
    """All results of an experiment with their runs, the oldest first."""
    rows = store.rows(wanted=Filter(experiment_id=experiment_id))
    return tuple(store.load(row.id) for row in reversed(rows))


@dataclass(frozen=True, slots=True)
class ExperimentAttempt:
    """The machine and the tools for sittings."""

    app: App
    host: Host
    engine: Engine
    maker: VolumeMaker

    def sit(self, record: ExperimentRecord, on_event: OnEvent) -> Sitting:
        """One sitting from what is stored. Raises what `experiment.carry_out` does; Interrupted after Ctrl-C also where
        a volume does not answer.
        """
        try:
            return carry_out(lambda stop: self._sat(record, on_event, stop), PATIENCE_S)
        except HangingError:
            id_ = record.id[:8]
            raise Interrupted(
                "stopped, but a volume does not answer, so it is left as it is; "
                f"when it answers again, graycard experiment resume {id_} tidies up and goes on"
            ) from None

    def _sat(self, record: ExperimentRecord, on_event: OnEvent, stop: Stop) -> Sitting:
        def hear(event: Event) -> None:
            stop.look()
            on_event(event)

        # The store is for the thread that opens it.
        with self.app.open_store() as store:
            clock = StoppableClock(self.app.clock, stop)
            bench = Bench(self.host, self.engine, self.maker, clock, StoreArchive(store), hear)
            return carry_out_experiment(record, stored_results(store, record.id), bench)
