"""The words of a verdict: which figure is said of which side, and never "no difference"."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graycard.compare.words import Sides, size, span, than, verdict
from graycard.model import Estimate, Likeness
from graycard.stats.judge import Judged

BY_HOLM = "; the direction by Holm's test"
SIDES = Sides("A", "B", paired=True)


def judged(likeness: Likeness, value: float, low: float | None, high: float | None, more: int | None = 6) -> Judged:
    ratio = Estimate(value, low, high, "ratio", 6, 0.95 if low is not None else None, "test")
    return Judged(ratio, ratio, 0.01, likeness, 0.04, more, None, ())


@pytest.mark.parametrize(
    ("ratio", "words"),
    [
        (0.81, "19 % slower"),
        (1.25, "25 % faster"),
        (0.9996, "<0.1 % slower"),
        (1.0, "as fast"),
        (1.999, "100 % faster"),
        (3.14, "3.1 times as fast"),
        (0.0001, "100 % slower"),
    ],
)
def test_a_ratio_in_words(ratio: float, words: str) -> None:
    assert size(ratio) == words


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0.75, 0.88, "12 to 25 % slower"),
        (1.02, 1.05, "2 to 5 % faster"),
        (0.96, 1.02, "4 % slower to 2 % faster"),
        (2.1, 3.4, "2.1 to 3.4 times as fast"),
        (1.5, 3.4, "50 % faster to 3.4 times as fast"),
        (1.0, 1.02, "as fast to 2 % faster"),
        (0.797, 0.802, "19.8 to 20.3 % slower"),
        (3.101, 3.109, "3.101 to 3.109 times as fast"),
    ],
)
def test_an_interval_in_words(low: float, high: float, words: str) -> None:
    assert span(low, high) == words


def test_what_it_is_compared_to() -> None:
    assert than(0.81, "A") == "19 % slower than A"
    assert than(3.1, "A") == "3.1 times as fast as A"


@pytest.mark.parametrize(
    ("likeness", "value", "low", "high", "says"),
    [
        (Likeness.SLOWER, 0.81, 0.75, 0.88,
         "B is at least 12 % slower than A (19 % slower, 95 % interval 12 to 25 %)"),
        (Likeness.FASTER, 1.3, 1.2, 1.4, "B is at least 20 % faster than A (30 % faster, 95 % interval 20 to 40 %)"),
        (Likeness.FASTER, 3.4, 3.1, 3.8,
         "B is at least 3.1 times as fast as A (3.4 times as fast, 95 % interval 3.1 to 3.8 times)"),
        (Likeness.SLOWER_SIZE_UNCERTAIN, 0.97, 0.95, 0.99,
         "B is slower than A, size uncertain (3 % slower, 95 % interval 1 to 5 %)"),
        (Likeness.SLOWER_SIZE_UNCERTAIN, 0.98, 0.955, 1.005,
         f"B is slower than A, size uncertain (2 % slower, 95 % interval 4.5 % slower to 0.5 % faster{BY_HOLM})"),
        (Likeness.SAME, 1.01, 0.99, 1.02,
         "B is the same as A within 3 % (1 % faster, 95 % interval 1 % slower to 2 % faster)"),
        (Likeness.CANNOT_TELL, 0.99, 0.96, 1.02,
         "cannot tell yet: B could be 4 % slower to 2 % faster than A; 6 more pairs would show a difference of 3 %"),
        (Likeness.CANNOT_TELL, 1.1, 1.6e-6, 772024.0,
         "cannot tell yet: the runs differ so much that B may be far slower or far faster than A"),
        (Likeness.CANNOT_TELL, 0.8, None, None,
         "cannot tell: B was 20 % slower than A, but so few figures have no interval"),
    ],
)  # fmt: skip
def test_the_sentence(likeness: Likeness, value: float, low: float | None, high: float | None, says: str) -> None:
    assert verdict(SIDES, judged(likeness, value, low, high), 0.03) == says


def test_the_outlook_counts_pairs_or_runs() -> None:
    found = judged(Likeness.CANNOT_TELL, 1.0, 0.5, 2.5, more=1)
    assert verdict(SIDES, found, 0.05).endswith("times as fast as A; 1 more pair would show a difference of 5 %")
    unpaired = Sides("A", "B", paired=False)
    assert verdict(unpaired, found, 0.05).endswith("; 1 more run of each would show a difference of 5 %")
    never = replace(found, more_count=None)
    assert verdict(unpaired, never, 0.05).endswith("; not even 1000 more runs of each would show a difference of 5 %")


def test_no_ratio_is_said_to_be_none() -> None:
    nothing = replace(judged(Likeness.CANNOT_TELL, 1.0, None, None), ratio=None, together=None)
    assert verdict(SIDES, nothing, 0.03) == "cannot tell: a run moved nothing, so there is no ratio of B to A"
