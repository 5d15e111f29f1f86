"""The whole of it on one page: ceilings in turns, the copy with both ends sampled, other ways, changes that confirm."""

from __future__ import annotations

import contextlib
import os
import random
from collections.abc import Callable

import psutil

from graycard.agent.wire import MOST_SILENCE_S
from graycard.copying.data import Data, census, make_data
from graycard.copying.grounds import near_ground
from graycard.copying.removal import Removals
from graycard.diagnosis.asked import MIB, Asked
from graycard.diagnosis.ceilings import (
    FIRST_DISK_BYTES,
    STREAMS,
    measure_back,
    measure_idle,
    measure_network,
    measure_server_disk,
    measure_source,
)
from graycard.diagnosis.changes import tried
from graycard.diagnosis.ground import Ground
from graycard.diagnosis.material import Material
from graycard.diagnosis.near import Scope, program_of_mount
from graycard.diagnosis.places import far_facts, near_facts, server_addresses, share_facts, way
from graycard.diagnosis.serving import used_facts
from graycard.diagnosis.trials import trials_for
from graycard.diagnosis.watched import Copied, Going, Watch, copy_for, watched_copy
from graycard.errors import Problem, RunProblem, TargetProblem
from graycard.facts import fact, value
from graycard.link import FarEnd
from graycard.link.far_end import inside
from graycard.link.flow import flow
from graycard.measurement import Event, OnEvent
from graycard.model import Action
from graycard.model.copying import CopyTask, Place, Scheme
from graycard.model.diagnosis import Diagnosis
from graycard.protocols import Clock, CopyMethod, Host, Progress
from graycard.scratch import Elsewhere, Scratch
from graycard.transfer import COPY_METHODS, OWN
from graycard.why import judge
from graycard.why.vocabulary import MOVED

ROUND_COUNT = 2
LOOPBACK_NS = 400_000_000
CARRIED_RATIO = 0.8
LEAST_BYTES, MOST_BYTES = 64 * MIB, 2048 * MIB
UNKNOWN_BYTES = 1024 * MIB
_CALIBRATE = "measuring the instrument's own ceiling"
_MOUNT = next(method for method in OWN if method.name == "graycard 1 MiB")


class Study:
    """A diagnosis on its way. `material` holds what was found so far, whatever ends it.

    RunProblem when the other end, the network or a copy fails; what `on_event` raises ends it, too.
    """

    def __init__(self, asked: Asked, far: FarEnd | None, without: frozenset[int], host: Host, clock: Clock,
                 on_event: OnEvent) -> None:  # fmt: skip
        """`without` are the processes that carry the conversation with the far end."""
        self._asked, self._far, self._without = asked, far, without
        self._host, self._clock, self._on_event = host, clock, on_event
        self._disk_bytes = FIRST_DISK_BYTES
        self._keeper = ""
        self._removals = Removals()
        self.material = Material(asked)
        self._peer = ""
        self._server: frozenset[str] = frozenset()
        self._chance = random.Random(f"{asked.seed}/why")

    @property
    def has_figures(self) -> bool:
        """Whether anything was measured that is worth showing."""
        return bool(self.material.timelines or self.material.tried.network or self.material.copies)

    def abandon(self) -> None:
        """End the far end and have the folders removed, while a call on the share holds whoever carries this out."""
        self._removals.abandon()
        if self._far is not None:
            self._far.close()

    def carry_out(self) -> Diagnosis:
        """Measure, judge, confirm."""
        try:
            with contextlib.ExitStack() as opened:
                self._measure(opened)
        except (Problem, KeyboardInterrupt) as ending:
            self._tell_who_removes(ending)
            raise
        return judge(self.material.evidence())

    def _measure(self, opened: contextlib.ExitStack) -> None:
        asked = self._asked
        self._facts()
        self._first_look()
        removals = opened.enter_context(self._removals)
        near = opened.enter_context(near_ground(asked.into, removals))
        data = census(asked.source) if asked.source else self._made(near)
        self.material.file_count, self.material.total_bytes = data.file_count, data.total_bytes
        back = near.make_tree("back")
        ground = Ground(asked.share, data, back, asked.is_upload, opened, removals, self._keep, asked.server_folder)
        self._round(0, data, ground)
        self._copy(ground)
        self._round(1, data, ground)
        self._others(ground)
        self._confirm(ground)

    def _keep(self, names: Elsewhere) -> None:
        """Should this end be gone, the far one removes that folder where it lies below the one that it was given."""
        if self._far is not None and self._asked.server_folder is not None:
            self._far.ask("keep", folder=names.name, marker=names.marker)
            self._keeper = (
                f"The agent on {self._far.name} removes what lies below {self._asked.server_folder.path} by itself, "
                f"{MOST_SILENCE_S:.0f} s after it has last heard of this end."
            )

    def _tell_who_removes(self, ending: BaseException) -> None:
        """Where this end could not remove all, the far one does its part when it hears nothing any more."""
        if self._keeper and getattr(ending, "__notes__", None):
            ending.add_note(self._keeper)

    def _facts(self) -> None:
        self._tell("prepare", "looking at both ends")
        asked, material = self._asked, self.material
        material.near = near_facts(self._host.facts(self._host.resolve(asked.into)))
        shared = self._host.facts(self._host.resolve(asked.share.path)) if asked.share.scheme is Scheme.PATH else ()
        material.path = tuple(share_facts(asked.share, shared))
        if self._far is not None:
            found, self._peer = way(self._far)
            material.far = far_facts(self._far)
            material.path = (*material.path, *found, fact("loopback_bytes_per_s", self._loopback(), "graycard why"))
        self._server = server_addresses(asked.share, self._far, (*material.path, *shared))

    def _loopback(self) -> float:
        with inside() as here:
            moved = flow(
                here, Action.SEND, 1, LOOPBACK_NS, lambda _elapsed, _moved: self._tell("calibrate", _CALIBRATE)
            )
        return moved.moved_bytes * 1e9 / max(1, moved.elapsed_ns)

    def _first_look(self) -> None:
        """What is needed to choose how much is copied."""
        if self._far is None:
            return
        self._tell("idle", "round trips with nothing else on the way")
        measure_idle(self._far, self.material.tried)
        self._network(1)
        self._server_disk()

    def _made(self, near: Scratch) -> Data:
        size = self._asked.size_bytes or self._size()
        folder, begun = near.make_tree("data"), self._clock.monotonic_ns()

        def making(done: int) -> None:
            self._tell("layout", "making the data", done, self._clock.monotonic_ns() - begun)

        return make_data("large", folder, size, self._asked.seed, making)

    def _size(self) -> int:
        """What the network moves in the time of the copy, which ends with that time: a swing must be seen whole."""
        carried = self.material.tried.ceilings().network
        wanted = int(carried.value * self._asked.copy_ns / 1e9) if carried else UNKNOWN_BYTES
        # The data lie at this end, and perhaps come back to it: a third of what is free leaves room for both.
        room = psutil.disk_usage(self._asked.into).free // 3
        return max(LEAST_BYTES, min(MOST_BYTES, wanted, room)) // MIB * MIB

    def _round(self, number: int, data: Data, ground: Ground) -> None:
        """Each layer once, in an order of its own."""
        works: list[Callable[[], None]] = [lambda: self._source(data), lambda: self._mount(ground)]
        if self._far is not None:
            works += [lambda: self._network(1), lambda: self._network(STREAMS), self._server_disk]
            works += [lambda: self._back(1 if number == 0 else STREAMS)]
        for work in self._chance.sample(works, len(works)):
            work()

    def _network(self, streams: int) -> None:
        if self._far is not None:
            hear = self._hearing(f"the network alone, {streams} stream{'s' if streams > 1 else ''}")
            measure_network(self._far, self.material.tried, self._asked.action, streams, hear)

    def _back(self, streams: int) -> None:
        if self._far is not None:
            other = Action.RECEIVE if self._asked.is_upload else Action.SEND
            measure_back(self._far, self.material.tried, other, streams, self._hearing("the network alone, backwards"))

    def _server_disk(self) -> None:
        if self._far is None or self._asked.server_folder is None:
            return
        hear = self._hearing("the server's disk alone")
        read = not self._asked.is_upload
        self._disk_bytes = measure_server_disk(self._far, self.material.tried, self._disk_bytes, hear, read=read)

    def _source(self, data: Data) -> None:
        if not data.is_folder and self._asked.is_upload:
            hear = self._hearing("this computer's disk alone")
            measure_source(data.path, self.material.tried, self._host.drop_cache, hear)

    def _mount(self, ground: Ground) -> None:
        """The share in blocks of 1 MiB, where it is mounted."""
        if self._asked.share.scheme is Scheme.PATH and self._asked.is_upload:
            found = self._short(_MOUNT, self._asked.share, ground, "the share in blocks of 1 MiB")
            self.material.tried.mount.append(found.rate_bytes_per_s)

    def _copy(self, ground: Ground) -> None:
        """The copy in question, with both ends sampled."""
        asked = self._asked
        if not asked.is_upload:
            asked.tool.run(ground.reference(asked.share), self._progress("copying what is read back"))
        task = ground.task(asked.share)
        self._drop(task)
        watch = Watch(self._scope(ground), self._far, self._peer, self._interface(), self.material.cost)
        says = f"copying {'to' if asked.is_upload else 'from'} there by {asked.tool.name}"
        going = self.material.going = Going(asked.tool.name, watch)
        try:
            copied, timeline = watched_copy(going, asked.tool, task, asked.copy_ns, self._progress(says))
        except (Problem, KeyboardInterrupt):
            self.material.take_partly()
            raise
        self.material.going = None
        self.material.timelines.append(timeline)
        there = self._far if watch.lost is None else None
        used = used_facts(there, self._peer, watch.samples(), self.material.path, watch.counted)
        self.material.path = (*self.material.path, *used)
        self.material.copies.setdefault(asked.tool.name, []).append(copied)
        if not copied.is_whole:
            self.material.total_bytes = copied.moved_bytes
        if watch.lost is not None:
            raise watch.lost
        ground.tidy(asked.share, task)

    def _scope(self, ground: Ground) -> Scope:
        file_system = value(self.material.path, "file_system")
        program = program_of_mount(str(file_system) if file_system else None)
        return Scope(os.getpid(), self._server, self._without, program, ground.data.path)

    def _interface(self) -> str | None:
        found = value(self.material.path, "network_interface")
        return None if found is None else str(found)

    def _others(self, ground: Ground) -> None:
        """Other ways to the same folder, each once and short; one that fails is told and left out."""
        for place, method in self._asked.others:
            try:
                found = self._short(method, place, ground, f"the same by {method.name}")
            except (RunProblem, TargetProblem) as problem:
                self.material.says.append(str(problem))
                continue
            self.material.copies.setdefault(method.name, []).append(found)

    def _short(self, method: CopyMethod, place: Place, ground: Ground, says: str) -> Copied:
        """A short copy for comparison, not sampled."""
        task = ground.task(place)
        self._drop(task)
        try:
            found, _points = copy_for(method, task, self._asked.short_ns, self._progress(says), self._wire)
        except Problem:
            ground.tidy(place, task)
            raise
        # Whoever stops it waits for one removal alone: the folder goes with all that is in it.
        ground.tidy(place, task)
        return found

    def _is_on_the_way(self) -> bool:
        """Whether the interface with this computer's address carried the copy: routes may lead elsewhere."""
        line = next(iter(self.material.timelines), None)
        way = "sent" if self._asked.is_upload else "received"
        carried = sum(line.known(f"near.interface_{way}_bytes")) if line else 0.0
        return line is not None and carried >= CARRIED_RATIO * sum(line.known(MOVED)) > 0

    def _wire(self) -> int | None:
        """Bytes that the interface on the way has moved in the copy's direction."""
        found = psutil.net_io_counters(pernic=True).get(self._interface() or "")
        if found is None:
            return None
        return int(found.bytes_sent if self._asked.is_upload else found.bytes_recv)

    def _drop(self, task: CopyTask) -> None:
        if task.source.scheme is Scheme.PATH and os.path.isfile(task.source.path):
            self._host.drop_cache(task.source.path)

    def _confirm(self, ground: Ground) -> None:
        """Try what would confirm the first finding."""
        if not self._asked.confirms:
            return
        of_wire = self._is_on_the_way()
        finding = next(iter(judge(self.material.evidence()).findings), None)

        def copy(method: CopyMethod, place: Place) -> float:
            found = self._short(method, place, ground, f"trying {method.name}")
            # A tool that reads ahead in large steps shows its own progress too coarsely for a few seconds.
            counted = found.wire_bytes_per_s if of_wire else None
            return found.rate_bytes_per_s if counted is None else counted

        if finding is None:
            return
        for trial in trials_for(finding, self._asked, COPY_METHODS, copy, is_of_wire=of_wire):
            self._tell("confirm", f"trying {trial.change.value}")
            try:
                self.material.outcomes.append(tried(trial))
            except (RunProblem, TargetProblem) as problem:
                self.material.says.append(str(problem))

    def _hearing(self, says: str) -> Callable[[int, int], None]:
        return lambda elapsed_ns, moved: self._tell("run", says, moved, elapsed_ns)

    def _progress(self, says: str) -> Callable[[Progress], None]:
        return lambda progress: self._tell("run", says, progress.moved_bytes, progress.elapsed_ns)

    def _tell(self, phase: str, says: str, moved: int | None = None, elapsed_ns: int = 0) -> None:
        progress = None if moved is None else Progress(elapsed_ns, 0, moved, 0)
        self._on_event(Event(phase, says, self._clock.monotonic_ns(), None, None, progress))
