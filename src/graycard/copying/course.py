"""The whole of it on one page: data, folders at both ends, a first copy to read back, rounds in random order."""

from __future__ import annotations

import contextlib
import os
import random
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import xxhash

from graycard.copying.arms import CopyArm, Excluded
from graycard.copying.data import Data, census, make_data
from graycard.copying.grounds import FarGround, far_ground, near_ground
from graycard.copying.removal import Removals
from graycard.copying.results import checks_of, copy_task, result_of
from graycard.errors import Problem, RunProblem
from graycard.measurement import Event, OnEvent
from graycard.model import Check, Fact, Result, Run, Verdict
from graycard.model.copying import CopyTask, Place, Scheme
from graycard.protocols import Clock, Host, Progress
from graycard.scratch import Scratch

_SEVERITY = {Verdict.PASS: 0, Verdict.UNKNOWN: 1, Verdict.CAVEAT: 2, Verdict.FAIL: 3}
_READ_BYTES = 8 << 20


@dataclass(frozen=True, slots=True)
class CopyOptions:
    """`kind` names made-up data of `size_bytes`; None: the user's own. `into` is where it comes back to."""

    into: str
    kind: str | None = None
    size_bytes: int = 0
    run_count: int = 3
    verify: bool = False
    seed: int = 0


@dataclass(frozen=True, slots=True)
class CopyReport:
    """What a course gave. `failures` are methods that failed, with what they said."""

    results: tuple[Result, ...]
    excluded: tuple[Excluded, ...]
    failures: tuple[str, ...]


@dataclass(slots=True)
class _State:
    arm: CopyArm
    runs: list[Run] = field(default_factory=list)
    checks: list[tuple[Check, ...]] = field(default_factory=list)
    result: Result | None = None
    has_failed: bool = False


class Course:
    """A course of copies on its way. Each result is kept after each of its runs; a method that fails ends alone."""

    def __init__(
        self, host: Host, clock: Clock, keep: Callable[[Result], None], on_event: OnEvent, facts: tuple[Fact, ...]
    ) -> None:
        self._host = host
        self._clock = clock
        self._keep = keep
        self._on_event = on_event
        self._facts = facts
        self._id = secrets.token_hex(6)
        self._failures: list[str] = []
        self._removals = Removals()

    def abandon(self) -> None:
        """Have the folders removed, while a call on a share holds whoever carries this out."""
        self._removals.abandon()

    def carry_out(
        self,
        data: Data | None,
        destination: Place,
        arms: tuple[CopyArm, ...],
        excluded: tuple[Excluded, ...],
        options: CopyOptions,
    ) -> CopyReport:
        """Copy. `destination` is the place in whose folder everything happens; the arms' places reach the same."""
        states = [_State(arm) for arm in arms]
        with self._failures_told(), contextlib.ExitStack() as opened:
            removals = opened.enter_context(self._removals)
            near = opened.enter_context(near_ground(options.into, removals)) if needs_near(arms, options) else None
            data = data or self._made(near, options)
            back = near.make_tree("back") if near and any(not arm.is_upload for arm in arms) else ""
            others = dict.fromkeys(arm.place for arm in arms if arm.place != destination)
            ground = opened.enter_context(far_ground(destination, removals, tuple(others)))
            reference = self._reference(states, data, ground.tree)
            for repeat, index in self._order(len(states), options):
                state = states[index]
                if not state.has_failed:
                    self._turn(state, index, repeat, data, ground, reference, back, options)
            results = tuple(state.result for state in states if state.result)
            if not results:
                says = f"no copy came to its end; {self._failures[0]}"
                raise RunProblem(says, errno=None, offset_bytes=None, phase="measure")
        return CopyReport(results, excluded, tuple(self._failures))

    @contextlib.contextmanager
    def _failures_told(self) -> Iterator[None]:
        """What ends all of it is told with the methods that had failed before."""
        try:
            yield
        except Problem as problem:
            for each in self._failures:
                if each not in str(problem):
                    problem.add_note(each)
            raise

    def _order(self, count: int, options: CopyOptions) -> Iterator[tuple[int, int]]:
        for repeat in range(options.run_count):
            for index in random.Random(f"{options.seed}/{repeat}").sample(range(count), count):
                yield repeat, index

    def _made(self, near: Scratch | None, options: CopyOptions) -> Data:
        if near is None or options.kind is None:
            raise ValueError("made-up data need their kind, and a folder on this computer")
        return make_data(options.kind, near.make_tree("data"), options.size_bytes, options.seed, self._making)

    def _making(self, done_bytes: int) -> None:
        self._tell("layout", "making the data", None, None, Progress(0, 0, done_bytes, 0))

    def _reference(self, states: list[_State], data: Data, there: str) -> str | None:
        """A first copy at the far end, for those that read it back; None where nobody does. It is not measured."""
        if all(state.arm.is_upload for state in states):
            return None
        uploads = [state for state in states if state.arm.is_upload] or states
        name = "reference"
        for state in uploads:
            task = upload(state.arm.place, data, there, name)
            if state.arm.method.refuses(task):
                continue
            state.arm.method.run(task, self._hearing("layout", "copying what is read back", state.arm, 0))
            return name
        raise RunProblem("nothing here can copy to that place", errno=None, offset_bytes=None, phase="layout")

    def _turn(
        self,
        state: _State,
        index: int,
        repeat: int,
        data: Data,
        ground: FarGround,
        reference: str | None,
        back: str,
        options: CopyOptions,
    ) -> None:
        arm, name = state.arm, f"{index:02d}-{repeat:03d}"
        task = (
            upload(arm.place, data, ground.tree, name)
            if arm.is_upload
            else download(arm.place, data, ground.tree, str(reference), os.path.join(back, name))
        )
        self._drop(task)
        started_at = self._clock.utc_now()
        try:
            samples = arm.method.run(
                task, self._hearing("run", f"copying {'to' if arm.is_upload else 'from'} there", arm, repeat)
            )
            arrived = census(task.destination.path) if task.destination.scheme is Scheme.PATH else None
            equal = self._same_content(task) if options.verify and arrived else None
        except RunProblem as problem:
            state.has_failed = True
            self._failures.append(str(problem))
            self._tidy(arm, task, name, ground)
            return
        # Whoever stops it waits for one removal alone: the folder goes with all that is in it.
        self._tidy(arm, task, name, ground)
        state.runs.append(Run(index, repeat, started_at, samples, (), ()))
        state.checks.append(checks_of(data, self._facts, arm, arrived, equal=equal))
        io_task = copy_task(arm, data, is_cold=True)
        state.result = result_of(
            arm, io_task, tuple(state.runs), worst(state.checks), self._facts,
            measurement_id=self._id, index=index,
        )  # fmt: skip
        self._keep(state.result)

    def _tidy(self, arm: CopyArm, task: CopyTask, name: str, ground: FarGround) -> None:
        """Remove the copy, so that the next one finds the same space."""
        if task.is_upload:
            with contextlib.suppress(Problem):
                ground.remove(name, arm.place)
        else:
            _remove_here(task.destination.path)

    def _drop(self, task: CopyTask) -> None:
        """Nothing of the source may come from this computer's memory."""
        if task.source.scheme is not Scheme.PATH:
            return
        for path in files_of(task.source.path):
            self._host.drop_cache(path)

    def _same_content(self, task: CopyTask) -> bool | None:
        """Whether every file has the same XXH3 as its source, read from the medium; None where one end is no path.

        RunProblem where a file cannot be read.
        """
        if task.source.scheme is not Scheme.PATH:
            return None
        pairs = tuple(zip(files_of(task.source.path), files_of(task.destination.path), strict=False))
        for _source, copy in pairs:
            self._host.drop_cache(copy)
        return all(_hash(source) == _hash(copy) for source, copy in pairs)

    def _hearing(self, phase: str, says: str, arm: CopyArm, repeat: int) -> Callable[[Progress], None]:
        label = arm.name

        def hear(progress: Progress) -> None:
            self._tell(phase, says, label, repeat, progress)

        return hear

    def _tell(self, phase: str, says: str, label: str | None, repeat: int | None, progress: Progress | None) -> None:
        self._on_event(Event(phase, says, self._clock.monotonic_ns(), label, repeat, progress))


def needs_near(arms: tuple[CopyArm, ...], options: CopyOptions) -> bool:
    """Whether a folder on this computer is needed: for made-up data, and for what is copied back."""
    return options.kind is not None or any(not arm.is_upload for arm in arms)


def upload(place: Place, data: Data, there: str, name: str) -> CopyTask:
    """The task of copying the data to that name in the run's folder."""
    here = Place(Scheme.PATH, data.path)
    there_now = place.below(there, name)
    return CopyTask(here, there_now, data.is_folder, data.file_count, data.total_bytes, is_upload=True)


def download(place: Place, data: Data, there: str, name: str, here: str) -> CopyTask:
    """The task of copying that name in the run's folder back."""
    source = place.below(there, name)
    back = Place(Scheme.PATH, here)
    return CopyTask(source, back, data.is_folder, data.file_count, data.total_bytes, is_upload=False)


def worst(checks: list[tuple[Check, ...]]) -> tuple[Check, ...]:
    """Of each check the worst over the runs."""
    return tuple(max(column, key=lambda check: _SEVERITY[check.verdict]) for column in zip(*checks, strict=True))


def _hash(path: str) -> bytes:
    digest = xxhash.xxh3_128()
    try:
        with open(path, "rb") as file:
            while block := file.read(_READ_BYTES):
                digest.update(block)
    except OSError as error:
        says = f"{path} cannot be read back ({error.strerror})"
        raise RunProblem(says, errno=error.errno, offset_bytes=None, phase="measure") from error
    return digest.digest()


def files_of(path: str) -> list[str]:
    """The file, or all files of the folder, in an order that does not depend on the file system."""
    if not os.path.isdir(path):
        return [path]
    return sorted(os.path.join(parent, name) for parent, _folders, names in os.walk(path) for name in names)


def _remove_here(path: str) -> None:
    for file in files_of(path):
        with contextlib.suppress(OSError):
            os.unlink(file)
    with contextlib.suppress(OSError):
        for parent, _folders, _names in os.walk(path, topdown=False):
            os.rmdir(parent)
