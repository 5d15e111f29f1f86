"""What to say at the end of a measurement: one sentence for each task that stands out, one line for all others."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from graycard.model import Entry, Era, History, Standing

_STANDS_OUT = {Standing.UNUSUAL, Standing.REGRESSION, Standing.IMPROVEMENT}


@dataclass(frozen=True, slots=True)
class Standings:
    """Sentences. `loud` are of tasks that stand out, `quiet` tell that the others do not, or that nobody can say."""

    loud: tuple[str, ...] = ()
    quiet: tuple[str, ...] = ()


def standings(histories: Iterable[History], result_ids: Collection[str]) -> Standings:
    """How these results stand, each the newest of its history. Silent where the history is too short."""
    newest = [(history, history.eras[-1]) for history in histories if history.eras]
    ours = [(history, era, era.entries[-1]) for history, era in newest if era.entries[-1].result_id in result_ids]
    loud = tuple(f"{each.task_label}: {each.says}" for each, _, entry in ours if entry.standing in _STANDS_OUT)
    usual = [entry for _, _, entry in ours if entry.standing is Standing.USUAL]
    begun = [era for _, era, entry in ours if entry.standing is Standing.FIRST]
    return Standings(loud, (*_usual(usual, len(ours)), *_begun(begun)))


def _usual(entries: list[Entry], all_count: int) -> Iterator[str]:
    counts = sorted({entry.expected.n_count for entry in entries if entry.expected})
    if not counts:
        return
    earlier = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    who = "As usual" if len(entries) == all_count else f"{len(entries)} of {all_count} tasks are as usual"
    yield f"{who} ({earlier} earlier results)."


def _begun(eras: list[Era]) -> Iterator[str]:
    for says in dict.fromkeys("; ".join(change.says for change in era.changes) for era in eras if era.changes):
        yield f"First results since the set-up changed ({says}); graycard history shows those before."
