"""Dates as the C function ctime writes them: "Sun Nov 21 03:38:06 2010"."""

from __future__ import annotations

import re
from datetime import UTC, datetime

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_CTIME = re.compile(r"[A-Z][a-z]{2} {1,3}([A-Z][a-z]{2}) {1,3}(\d{1,2}) {1,3}(\d{1,2}):(\d{2}):(\d{2}) {1,3}(\d{4})")


def ctime(text: str) -> datetime | None:
    """The first such date in the text; None without one. It is local time taken as UTC: add the caveat LOCAL_TIME."""
    match = _CTIME.search(text)
    if not match or match[1] not in _MONTHS:
        return None
    day, hour, minute, second, year = map(int, match.groups()[1:])
    try:
        return datetime(year, _MONTHS.index(match[1]) + 1, day, hour, minute, second, tzinfo=UTC)
    except ValueError:
        return None
