"""Fixtures for all tests, and the rule for tests that need root."""

from __future__ import annotations

import os

import pytest

pytest_plugins = ["bed.loops"]


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip tests marked root for an ordinary user, but never where CI=true: there they must run."""
    if item.get_closest_marker("root") and os.geteuid() != 0 and os.environ.get("CI") != "true":
        pytest.skip("needs root; CI=true makes this a failure")
