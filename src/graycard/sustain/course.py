"""The parts of a test in their order, and what is known after each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from graycard.errors import RunProblem, TargetProblem, io_problem
from graycard.model import Fact, Operation, Result, Target
from graycard.protocols import Progress
from graycard.scratch import Scratch
from graycard.sustain.curve import Curve, curve
from graycard.sustain.lookout import Lookout
from graycard.sustain.order import SECOND_NS
from graycard.sustain.outcome import Figures, Sustained, figures
from graycard.sustain.parts import Part, keep
from graycard.sustain.proof import Proof, prove
from graycard.sustain.reading import READ_BACK, Reading
from graycard.sustain.recovery import recovery
from graycard.sustain.session import Gauges, Session, carried, is_buffered, throttled_facts
from graycard.sustain.verdict import Evidence, judge
from graycard.sustain.writing import SUSTAINED, Piece, Writing
from graycard.units import format_duration

SECOND_BURST = "second burst"
# The second burst takes half of what filled the cache, if that is less than it may write.
_AGAIN_RATIO = 0.5


@dataclass(slots=True)
class Course:
    """One test on its way."""

    session: Session
    so_far: Callable[[Sustained], None]
    results: list[Result] = field(default_factory=list)
    written_bytes: int = 0
    _figures: Figures | None = None
    _curve: Curve | None = None
    _pieces: list[Piece] = field(default_factory=list)

    @property
    def has_figures(self) -> bool:
        """Whether anything was measured."""
        return self._figures is not None

    def outcome(self) -> Sustained:
        """What is known now; only where there are figures."""
        if self._figures is None:
            raise RunProblem(
                "nothing was written; look into the system log", errno=None, offset_bytes=None, phase="measure"
            )
        return Sustained(self.session.id, tuple(self.results), self._figures, tuple(self.session.notes))

    def carry_out(self, scratch: Scratch) -> None:
        """All parts. What ends one early is raised after its figures were kept."""
        self._write(scratch)
        self._read_back()
        self._burst_again()

    def _write(self, scratch: Scratch) -> None:
        session = self.session
        gauges = Gauges(session.host, session.order.target)
        hold_ns = session.order.hold_ns
        writing = Writing(session, scratch, gauges, Lookout(hold_ns) if hold_ns is not None else None)
        before, started_at = session.host.counters(session.order.target), session.clock.utc_now()
        gauges.feel(0, before)
        writing.write_on()
        self._pieces = writing.pieces
        samples = writing.joining.samples()
        if samples is not None and samples.moved_bytes:
            self.written_bytes = samples.moved_bytes
            found = curve(samples, session.order.depth_count)
            trouble = _words(writing.trouble)
            after = () if trouble or session.stopped else (*throttled_facts(session), *self._after())
            gauges.feel(samples.elapsed_ns, after)
            size = session.order.byte_limit if trouble else samples.moved_bytes
            task = session.order.task(Operation.WRITE, SUSTAINED, size, session.cache)
            file = () if trouble or session.stopped else self._file_facts()
            part = Part(0, task, samples, started_at, before, after, gauges.series(), file, found, trouble)
            self.results.append(keep(session, part))
            self._curve = found
            self._judge(None, writing.ended)
        _raise(session, writing.trouble)

    def _read_back(self) -> None:
        session = self.session
        reading = Reading(session, Gauges(session.host, session.order.target))
        before, started_at = session.host.counters(session.order.target), session.clock.utc_now()
        reading.read_back(self._pieces)
        samples = reading.joining.samples()
        proof, trouble = self._prove(reading.trouble)
        if samples is not None and samples.moved_bytes:
            task = session.order.task(Operation.READ, READ_BACK, samples.moved_bytes, session.cache)
            after = () if trouble or session.stopped else self._after()
            file = () if trouble or session.stopped else self._file_facts()
            checks = (proof.check(),) if proof else ()
            part = Part(
                1,
                task,
                samples,
                started_at,
                before,
                after,
                reading.gauges.series(),
                file,
                None,
                _words(trouble),
                checks,
            )
            result = keep(session, part)
            self.results.append(result)
            self._judge(result, self._figures.ended if self._figures else None, proof)
        _raise(session, trouble)

    def _prove(self, trouble: BaseException | None) -> tuple[Proof | None, BaseException | None]:
        """Compare, unless reading has failed or was stopped; what goes wrong then comes after the reading's figures."""
        if trouble or self.session.stopped:
            return None, trouble
        try:
            return prove(self.session, self._pieces), None
        except (RunProblem, TargetProblem, KeyboardInterrupt) as problem:
            return None, problem

    def _judge(self, read: Result | None, ended: str | None, proof: Proof | None = None) -> None:
        """The verdict with what is known now."""
        if self._curve is None:
            return
        written = self.results[0]
        run, summary = written.runs[0], written.summary
        read_rate = read.summary.rate if read and read.summary else None
        evidence = Evidence(
            facts=written.facts,
            run=run,
            checks=summary.checks if summary else (),
            is_buffered=is_buffered(self.session),
            read_bytes_per_s=read_rate.value if read_rate else None,
        )
        found = figures(self._curve, judge(self._curve, evidence), self.written_bytes, run.monitor, ended)
        self._figures = replace(found, read_back=read_rate, proof=proof)
        self.so_far(self.outcome())

    def _burst_again(self) -> None:
        """After a rest, write over the beginning of the first file, where the rate has fallen."""
        found, order = self._curve, self.session.order
        if found is None or found.fall is None or self._figures is None:
            return
        size = int(min(order.again_bytes, self._pieces[0].size_bytes, _AGAIN_RATIO * found.fall.at.value))
        size = size // order.block_bytes * order.block_bytes
        if size < order.block_bytes * order.depth_count:
            self.session.notes.append("The second burst was left out: no bytes were left for it.")
            return
        self._rest()
        self._write_again(size, found.sustained.rate.value)

    def _rest(self) -> None:
        left_ns = self.session.order.rest_ns
        while left_ns > 0:
            self.session.tell("rest", f"letting the drive rest, {format_duration(left_ns)} left")
            part_ns = min(left_ns, SECOND_NS)
            self.session.clock.sleep_ns(part_ns)
            left_ns -= part_ns

    def _write_again(self, size: int, sustained: float) -> None:
        session = self.session
        gauges = Gauges(session.host, session.order.target)
        task = replace(
            session.order.task(Operation.WRITE, SECOND_BURST, size, session.cache), seed=session.order.seed + 1
        )
        before, started_at = session.host.counters(session.order.target), session.clock.utc_now()

        def listen(progress: Progress) -> None:
            gauges.look(progress.elapsed_ns)
            session.tell("run", "writing a second burst", progress)

        done = carried(session, task, self._pieces[0].path, listen)
        samples = done.samples
        if samples is not None and samples.moved_bytes:
            trouble = _words(done.trouble)
            after = () if trouble or session.stopped else self._after()
            file = () if trouble or session.stopped else self._file_facts()
            task = replace(task, span_bytes=samples.moved_bytes, byte_limit=samples.moved_bytes)
            part = Part(2, task, samples, started_at, before, after, gauges.series(), file, None, trouble)
            self.results.append(keep(session, part))
            first = self.results[0].runs[0].samples
            judged = recovery(first, sustained, samples, session.order.rest_ns)
            if self._figures and not session.stopped:
                self._figures = replace(self._figures, recovery=judged)
            self.so_far(self.outcome())
        _raise(session, done.trouble)

    def _after(self) -> tuple[Fact, ...]:
        """The counters now. Nothing is asked of a volume after trouble or a stop: it may not answer any more."""
        self.session.look_for_others()
        return self.session.host.counters(self.session.order.target)

    def _file_facts(self) -> tuple[Fact, ...]:
        return self.session.host.file_facts(self._pieces[0].path) if self._pieces else ()


def _words(trouble: BaseException | None) -> str | None:
    return None if trouble is None or isinstance(trouble, KeyboardInterrupt) else f"Ended early: {trouble}"


def _raise(session: Session, trouble: BaseException | None) -> None:
    """What ended a part, now that its figures are kept; a place that went away is an error of the run from here on."""
    if session.stopped:
        raise KeyboardInterrupt
    if isinstance(trouble, TargetProblem):
        cause = trouble.__cause__
        if isinstance(cause, OSError) and cause.errno:
            place = Target(session.order.target.path, session.order.target.kind).shown
            raise io_problem(
                cause.errno, operation="open", place=f"a test file in {place}", phase="measure"
            ) from trouble
        raise RunProblem(str(trouble), errno=None, offset_bytes=None, phase="measure") from trouble
    if trouble is not None:
        raise trouble
