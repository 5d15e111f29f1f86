"""What the hosts have in common that learn of a place from commands and calls: macOS and Windows."""

from __future__ import annotations

import stat
from abc import ABC, abstractmethod
from typing import Generic, Protocol, TypeVar

from graycard.host.portable import device_counters, network_counters, processor_counters
from graycard.host.refusals import neither, raw_device
from graycard.model import Fact, Target, TargetKind


class OnDisk(Protocol):
    """A place that knows its disk."""

    @property
    def disk(self) -> str | None:
        """As psutil names it; None where no single disk is known."""


PlaceT = TypeVar("PlaceT", bound=OnDisk)


class AskedHost(ABC, Generic[PlaceT]):
    """A target's place is found once: the counters are read before and after each run."""

    def __init__(self) -> None:
        self._places: dict[str, PlaceT] = {}

    def levels(self, target: Target) -> tuple[Fact, ...]:
        """None: neither system tells users dirty pages or requests in flight cheaply enough."""
        return ()

    @abstractmethod
    def _look(self, path: str) -> PlaceT:
        """Where the path lies now; TargetProblem."""

    @abstractmethod
    def _is_network(self, path: str) -> bool:
        """Whether it lies on a share; TargetProblem."""

    def _place(self, target: Target) -> PlaceT:
        if target.path not in self._places:
            self._places[target.path] = self._look(target.path)
        return self._places[target.path]

    def _shared_counters(self, target: Target) -> tuple[Fact, ...]:
        """The disk's bytes, network and processors."""
        return (*device_counters(self._place(target).disk), *network_counters(), *processor_counters())

    def _kind(self, real: str, mode: int) -> TargetKind:
        if stat.S_ISBLK(mode) or stat.S_ISCHR(mode):
            raise raw_device(real)
        if stat.S_ISREG(mode):
            return TargetKind.FILE
        if not stat.S_ISDIR(mode):
            raise neither(real)
        return TargetKind.SHARE if self._is_network(real) else TargetKind.FOLDER
