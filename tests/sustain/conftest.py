"""A test of a drive of known truth, in a folder of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from graycard.engines.simulated import VirtualClock
from graycard.measurement import Event
from graycard.model import Fact, Result, Target, TargetKind
from graycard.sustain import Order, Sustained, Wish, make_order, sustain
from tests.cli.conftest import run
from tests.cli.fakes import FACTS, FakeHost
from tests.faults.conftest import cli
from tests.sustain.drive import Drive, Rate

__all__ = ["cli", "run"]


@dataclass
class Tested:
    """A test on its way or over: what was stored, told and shown."""

    folder: Path
    engine: Drive
    host: FakeHost
    order: Order
    stored: list[Result] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    shown: list[Sustained] = field(default_factory=list)
    strike: Callable[[Event], None] = lambda _: None

    def save(self, result: Result) -> None:
        """Keep it."""
        self.stored.append(result)

    def hear(self, event: Event) -> None:
        """Remember it, and strike."""
        self.events.append(event)
        self.strike(event)

    def carry_out(self) -> Sustained:
        """Test; whatever happens, nothing may stay in the folder."""
        try:
            return sustain(
                self.order,
                engine=self.engine,
                host=self.host,
                keeper=self,
                clock=self.engine.clock,
                on_event=self.hear,
                so_far=self.shown.append,
            )
        finally:
            assert list(self.folder.iterdir()) == []


Make = Callable[..., Tested]


@pytest.fixture
def tested(tmp_path: Path) -> Make:
    """`tested(rate, facts=…, drive options…, wish options…)`: a test of a drive that writes at that rate."""

    def make(
        rate: Rate, *facts: Fact, drive: dict[str, Any] | None = None, piece: int | None = None, **wish: Any
    ) -> Tested:
        folder = tmp_path / "drive"
        folder.mkdir()
        names = {each.name for each in facts}
        host = FakeHost(known=(*(each for each in FACTS if each.name not in names), *facts))
        order = make_order(Target(str(folder), TargetKind.FOLDER), Wish(seed=1, **wish), host.known)
        order = replace(order, piece_bytes=piece) if piece else order
        return Tested(folder, Drive(VirtualClock(), rate, **(drive or {})), host, order)

    return make
