"""After a stop nothing more is begun: no question to the volume, no run, no rest. Calls are counted, not time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from graycard.errors import Interrupted
from graycard.facts import fact
from graycard.measurement import Event
from tests.sustain.conftest import Make
from tests.sustain.drive import MB, S, falls

FAST_LINK = fact("link_bits_per_s", 10_000_000_000, "sysfs")
CACHE = falls(10_000 * MB, 400 * MB, 80 * MB)


class Counted:
    """Hands every call on, and writes its name down."""

    def __init__(self, of: Any, calls: list[str], names: tuple[str, ...] = ()) -> None:
        self._of, self._calls, self._names = of, calls, names

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._of, name)
        if not callable(found) or (self._names and name not in self._names):
            return found

        def called(*arguments: Any, **more: Any) -> Any:
            self._calls.append(name)
            return found(*arguments, **more)

        return called


MOMENTS: dict[str, Callable[[Event], bool]] = {
    "prepare": lambda event: event.phase == "prepare",
    "calibrate": lambda event: event.phase == "calibrate",
    "writing": lambda event: "writing, " in event.says and (event.progress.elapsed_ns if event.progress else 0) > 5 * S,
    "reading": lambda event: "reading back" in event.says,
    "rest": lambda event: event.phase == "rest",
    "second burst": lambda event: "second burst" in event.says,
    "cleanup": lambda event: event.phase == "cleanup",
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_after_a_stop_nothing_more_is_begun(tested: Make, moment: str) -> None:
    calls: list[str] = []
    test = tested(CACHE, FAST_LINK, drive={"recovers_ns": 30 * S}, hold_ns=20 * S)
    clock = test.engine.clock
    test.host = Counted(test.host, calls)
    test.engine = Counted(test.engine, calls, ("run", "ceiling"))
    test.engine.clock = Counted(clock, calls, ("sleep_ns",))
    asked = False

    def strike(event: Event) -> None:
        nonlocal asked
        if MOMENTS[moment](event):
            if not asked:
                calls.clear()
            asked = True
            raise KeyboardInterrupt

    test.strike = strike
    with pytest.raises(Interrupted):
        test.carry_out()
    assert asked
    assert calls == []
