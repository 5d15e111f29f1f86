"""Fixtures for all tests, and the rule for tests that need root."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

# How long an example takes is a matter of what else the machine does; what does not end is ended by pytest-timeout.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")

pytest_plugins = ["bed.loops"]


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip tests marked root for an ordinary user, but never where CI=true: there they must run."""
    if item.get_closest_marker("root") and os.geteuid() != 0 and os.environ.get("CI") != "true":
        pytest.skip("needs root; CI=true makes this a failure")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that may take minutes begin first, so that no processor waits for the last of them."""
    items.sort(key=lambda item: item.get_closest_marker("timeout") is None)


@pytest.fixture(scope="session", autouse=True)
def temporary_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A folder for temporary files of each process that runs tests: runs of others are entered elsewhere.

    Not below pytest's own, which is closed to other users, nor may that come to lie in this one.
    """
    tmp_path_factory.getbasetemp()
    before = tempfile.gettempdir()
    folder = tempfile.mkdtemp(prefix="graycard-tests-")
    os.chmod(folder, 0o755)
    tempfile.tempdir = os.environ["TMPDIR"] = folder
    yield
    tempfile.tempdir = os.environ["TMPDIR"] = before
    shutil.rmtree(folder)


def pytest_configure() -> None:
    """Started by nohup or as a background job the tests would inherit ignored signals, and so would what they start."""
    usual = {"SIGINT": signal.default_int_handler, "SIGHUP": signal.SIG_DFL}
    for name, handler in usual.items():
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)
