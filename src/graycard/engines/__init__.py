"""Engines carry out a task and count. ENGINES are those a user may name; `simulated` is for tests."""

from __future__ import annotations

from collections.abc import Callable

from graycard.engines.native import NativeEngine
from graycard.protocols import Engine, Host


def _fio(_: Host) -> Engine:
    # It reads fio's results by the importers, whose loading only those should wait for who use fio.
    from graycard.engines.fio import FioEngine

    return FioEngine()


ENGINES: tuple[tuple[str, Callable[[Host], Engine]], ...] = (("native", NativeEngine), ("fio", _fio))


def engine_named(name: str, host: Host) -> Engine:
    """A new engine of that name; KeyError for one that is not in ENGINES."""
    return dict(ENGINES)[name](host)
