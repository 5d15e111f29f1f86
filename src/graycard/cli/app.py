"""What a command works with, handed in as one value, so that tests bring their own machine, engine and clock.

Everything heavy is behind a call and imported there: `graycard --version` needs none of it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graycard.play import FrameIo
    from graycard.protocols import Clock, Engine, Host, VolumeMaker
    from graycard.store import Store


class SystemClock:
    """The machine's time."""

    def monotonic_ns(self) -> int:
        """Nanoseconds that never step back."""
        return time.monotonic_ns()

    def utc_now(self) -> datetime:
        """The wall clock in UTC."""
        return datetime.now(UTC)

    def sleep_ns(self, duration_ns: int) -> None:
        """Pause."""
        time.sleep(max(0, duration_ns) / 1e9)


def _volume_maker() -> VolumeMaker:
    from graycard.host import volume_maker

    return volume_maker()


def _frames() -> FrameIo:
    from graycard.engines.native_frames import NativeFrames

    return NativeFrames()


@dataclass(frozen=True, slots=True)
class App:
    """The machine, the engines by name, the time, what makes volumes, and what the global options say."""

    host: Callable[[], Host]
    engine: Callable[[str, Host], Engine]
    clock: Clock
    store_path: str | None = None
    quiet: bool = False
    volume_maker: Callable[[], VolumeMaker] = _volume_maker
    frames: Callable[[], FrameIo] = _frames

    def open_store(self) -> Store:
        """The store of results, made where there is none; StoreProblem where it cannot be opened."""
        from graycard.cli.screen import say
        from graycard.store import Store

        return Store(self.store_file, on_upgrade=lambda sentence: say(self, (sentence,)))

    @property
    def has_store(self) -> bool:
        """Whether there is a store already: who only reads makes none. What cannot be looked at is left to opening."""
        try:
            os.stat(self.store_file)
        except FileNotFoundError:
            return False
        except OSError:
            return True
        return True

    @property
    def store_file(self) -> str:
        """The file of the store, as an absolute path."""
        from graycard.store import default_path

        return os.path.abspath(self.store_path or default_path())


def system_app() -> App:
    """The real machine."""
    return App(host=_this_host, engine=_engine, clock=SystemClock())


def _this_host() -> Host:
    from graycard.host import this_host

    return this_host()


def _engine(name: str, host: Host) -> Engine:
    from graycard.engines import engine_named

    return engine_named(name, host)
