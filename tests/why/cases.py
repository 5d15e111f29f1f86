"""Diagnoses of the scenes, as `graycard why` would store them."""

from __future__ import annotations

from datetime import UTC, datetime

from graycard.model import SCHEMA
from graycard.model.diagnosis import Case, Evidence, MonitorCost
from graycard.why import judge
from tests.why.causes import CAUSES

START = datetime(2026, 11, 30, 12, 30, tzinfo=UTC)


def a_case(
    id_: str = "d1",
    cause: str = "slow disk",
    *,
    evidence: Evidence | None = None,
    place: str = "/mnt/nas",
    is_whole: bool = True,
    says: tuple[str, ...] = (),
) -> Case:
    """The diagnosis of that cause, or of this evidence."""
    known = evidence or CAUSES[cause][0]()
    return Case(
        schema=SCHEMA,
        command="why",
        id=id_,
        created_at=START,
        tool_version="0.1.0",
        place=place,
        server="nas",
        repeat=f"graycard why {place} --server me@nas:/srv --time 90s --seed 7",
        seed=7,
        is_whole=is_whole,
        diagnosis=judge(known),
        evidence=known,
        cost=MonitorCost(0.005, 0.004),
        says=says,
    )
