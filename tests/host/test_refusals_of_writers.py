"""Commands that write in any case do not offer an option that only measuring has."""

from __future__ import annotations

import pytest

from graycard.host.refusals import NOT_YOURS, READ_ONLY, SILENT_SHARE, for_writers


@pytest.mark.parametrize("why_not", [READ_ONLY, NOT_YOURS, SILENT_SHARE, "something else"])
def test_a_writer_offers_no_reading(why_not: str) -> None:
    told = for_writers(why_not)
    assert "--read-only" not in told
    assert told.split(";")[0] == why_not.split(";")[0]
