"""Fixtures for all tests, and the rule for tests that need root."""

from __future__ import annotations

import os
import signal

import pytest

pytest_plugins = ["bed.loops"]


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip tests marked root for an ordinary user, but never where CI=true: there they must run."""
    if item.get_closest_marker("root") and os.geteuid() != 0 and os.environ.get("CI") != "true":
        pytest.skip("needs root; CI=true makes this a failure")


def pytest_configure() -> None:
    """Started by nohup or as a background job the tests would inherit ignored signals, and so would what they start."""
    usual = {"SIGINT": signal.default_int_handler, "SIGHUP": signal.SIG_DFL}
    for name, handler in usual.items():
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)
