"""Changes that may confirm a finding, as far as they can be tried without touching a setting."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from graycard.errors import RunProblem
from graycard.model import Estimate
from graycard.model.diagnosis import Change, Outcome
from graycard.units import format_rate

PAIR_COUNT = 2
_METHOD = "geometric mean of the pairs; the interval is from the lowest to the highest pair"
Rate = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Trial:
    """A change: how to copy without it and with it, each giving bytes/s, and both in words."""

    change: Change
    before: Rate
    after: Rate
    words: str
    base_words: str


def tried(trial: Trial) -> Outcome:
    """Copy without and with the change, without and with: the ratio of each pair. RunProblem where a copy fails."""
    pairs = []
    for number in range(PAIR_COUNT):
        # ABBA: what changes slowly meanwhile falls out.
        order = (trial.before, trial.after) if number % 2 == 0 else (trial.after, trial.before)
        rates = [each() for each in order]
        pairs.append(tuple(rates if number % 2 == 0 else reversed(rates)))
    ratios = [after / before for before, after in pairs if before > 0 and after > 0]
    if not ratios:
        raise RunProblem(
            "the change could not be tried: nothing was moved", errno=None, offset_bytes=None, phase="measure"
        )
    value = math.exp(sum(map(math.log, ratios)) / len(ratios))
    before, after = (sum(column) / len(column) for column in zip(*pairs, strict=True))
    says = f"Tried: {trial.words} has {format_rate(after)}, {trial.base_words} {format_rate(before)}."
    return Outcome(trial.change, Estimate(value, min(ratios), max(ratios), "ratio", len(ratios), None, _METHOD), says)


def together(works: Sequence[Rate], *, is_of_wire: bool) -> float:
    """Bytes/s of several copies at once, in all. RunProblem where one fails.

    `is_of_wire`: each work tells what went through the interface, which is that of all of them.
    """
    given: list[float] = []
    failed: list[BaseException] = []

    def run(work: Rate) -> None:
        try:
            given.append(work())
        except (RunProblem, KeyboardInterrupt) as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=(work,), daemon=True) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    return sum(given) / (len(given) if is_of_wire else 1)
