"""What all results of other tools have in common: a stable id, and figures of one run without an interval."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime

from graycard.model import Estimate

# For files that do not say when they were made. Whoever reads the file may put its date of change in its place.
UNKNOWN_TIME = datetime(1970, 1, 1, tzinfo=UTC)


def measurement_id(data: bytes) -> str:
    """The same file gives the same id, so that importing it twice stores it once."""
    return hashlib.sha256(data).hexdigest()[:12]


def single(value: float, unit: str, method: str = "single run") -> Estimate:
    """A figure that another tool gave, without an interval."""
    return Estimate(value, None, None, unit, 1, None, method)
