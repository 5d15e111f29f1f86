"""What limits the meaning of a ratio, in plain sentences for the user."""

from __future__ import annotations

import math

from graycard.units import percent

UNPAIRED = "The runs were not made in pairs: whatever else changed between them is in the ratio, too."
ALIKE = "All pairs give the very same ratio, as figures do that were rounded or copied; the interval may be too narrow."


def nothing_moved(base_count: int, other_count: int) -> str:
    """So many runs of each side moved no data."""
    sides = ((base_count, "base"), (other_count, "other"))
    told = " and ".join(f"{count} {'run' if count == 1 else 'runs'} of the {side}" for count, side in sides if count)
    return f"{told} moved no data: there is no ratio."


def few_pairs(count: int) -> str:
    """Too few pairs for an interval."""
    pairs = "1 pair gives" if count == 1 else f"{count} pairs give"
    return f"{pairs} no interval, 3 give a wide one; 6 are a good start."


def few_runs(base_count: int, other_count: int) -> str:
    """Too few unpaired runs for an interval."""
    return f"{base_count} against {other_count} runs give no interval; each side needs 3."


def one_order(first_count: int, count: int) -> str:
    """Pairs whose order is not balanced enough to tell its effect apart."""
    if first_count in {0, count}:
        who = "base" if first_count else "other"
        return f"The {who} ran first in every pair: what only the second run of a pair suffers is in the ratio."
    told = f"The base ran first in {first_count} of {count} pairs"
    return f"{told}: what only the second run of a pair suffers is partly in the ratio."


def order_matters(log_ratio: float) -> str:
    """The second run of a pair does worse or better than the first."""
    how, advice = ("slower", ": rest longer between runs") if log_ratio < 0 else ("faster", "")
    return f"The second run of a pair was {_change(log_ratio)} {how} than the first{advice}. The ratio is free of it."


def level_changed(pair_index: int, log_ratio: float) -> str:
    """Both set-ups changed their level within the session."""
    how = "slower" if log_ratio < 0 else "faster"
    return (
        f"From about pair {pair_index + 1} on both were {_change(log_ratio)} {how}: something else changed meanwhile."
    )


def ranks_disagree(chance: float, log_ratio: float, *, shown: bool) -> str:
    """The ranks say otherwise than the interval; `shown` tells whether they show a difference."""
    found = f"by {_change(log_ratio)}" if abs(log_ratio) >= 0.0005 else "by next to nothing"
    verdict = f"show a difference {found}" if shown else "do not show a difference"
    return f"One or two odd pairs may decide here: ranks, which they cannot sway, {verdict} (chance {percent(chance)})."


def _change(log_ratio: float) -> str:
    return percent(abs(math.expm1(log_ratio)))
