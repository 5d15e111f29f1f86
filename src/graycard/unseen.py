"""What runs that were all normal cannot have seen: the statistics write the sentence, the report tells it apart."""

from __future__ import annotations

from graycard.units import percent

LEVEL_RATIO = 0.95


def missed_ratio(count: int) -> float:
    """The share of slow runs that `count` normal runs in a row still allow, with 95 % confidence: 1 - .05^(1/n).

    It is the exact (Clopper-Pearson) one-sided upper bound of a proportion of which none was seen.
    """
    return float(1 - (1 - LEVEL_RATIO) ** (1 / count))


def normal_runs(count: int) -> str:
    """With n normal runs, a fault that hits up to 1 - .05^(1/n) of runs could have been missed."""
    bound = percent(missed_ratio(count))
    return f"{count} of {count} runs were normal; a fault that hits up to {bound} of runs could have been missed."
