"""The compiled driver, once a session."""

from __future__ import annotations

import pytest

from tests.native.build import Driver, build, compiler


@pytest.fixture(scope="session")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Driver:
    """The core with its driver, in the test build."""
    return build(tmp_path_factory.mktemp("core"), compiler())
