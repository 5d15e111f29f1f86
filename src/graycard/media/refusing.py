"""Why no result decides what a drive is enough for, and the command that would measure the right thing."""

from __future__ import annotations

from collections.abc import Sequence

from graycard.media.choosing import Chosen
from graycard.model import Operation

_DOING = {Operation.READ: "playing", Operation.WRITE: "recording"}
_OPTION = {Operation.READ: "--read", Operation.WRITE: "--write"}
_REASONS_COUNT = 2


def nothing_decides(chosen: Chosen, name: str) -> str:
    """Why no result of `name` says anything about streaming."""
    if not chosen.refused:
        return f"{name} has no results of reading or writing large blocks in order; {_command(())}"
    return f"{name} decides nothing: {_why(chosen, tuple(Operation))}; {_command(())}"


def nothing_tells(chosen: Chosen, operation: Operation) -> str:
    """Why there is nothing about one direction, where there is about the other."""
    why = _why(chosen, (operation,))
    return f"no result tells of {_DOING[operation]}{f': {why}' if why else ''}; {_command((operation,))}"


def _why(chosen: Chosen, operations: Sequence[Operation]) -> str:
    """One sentence about the refused results: the first reasons, each with a task that it holds for."""
    told = {each.reason: each.task_label for each in reversed(chosen.refused) if each.operation in operations}
    said = [f"{label} {reason}" for reason, label in reversed(told.items())]
    left = len(said) - _REASONS_COUNT
    more = [f"{left} more reason{'s' if left > 1 else ''}"] if left > 0 else []
    return ", and ".join(said[:_REASONS_COUNT] + more)


def _command(operations: Sequence[Operation]) -> str:
    option = f" {_OPTION[operations[0]]}" if operations else ""
    return f"graycard measure PATH --preset standard{option} measures that, graycard play PATH with real streams"
