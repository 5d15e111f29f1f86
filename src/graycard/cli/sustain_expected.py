"""The rate at which a test is likely to write: what was measured here before, else an assumption."""

from __future__ import annotations

from graycard.cli.app import App
from graycard.cli.earlier import history_of_facts
from graycard.errors import StoreProblem
from graycard.model import Fact
from graycard.sustain.words import ASSUMED, Expected


def expected_rate(app: App, facts: tuple[Fact, ...]) -> Expected:
    """The newest rate of sequential writing on this drive; where none is stored, or can be read, what is assumed."""
    if not app.has_store:
        return ASSUMED
    try:
        with app.open_store() as store:
            found = history_of_facts(store, facts, limit=1) or ()
    except StoreProblem:
        return ASSUMED
    entries = [
        history.eras[-1].entries[-1]
        for history in found
        if history.eras and history.task_label.startswith("SEQ") and " write" in history.task_label
    ]
    newest = max(entries, key=lambda entry: entry.created_at, default=None)
    if newest is None or not newest.rate_bytes_per_s:
        return ASSUMED
    return Expected(newest.rate_bytes_per_s, f"as measured on {newest.created_at:%Y-%m-%d}")
