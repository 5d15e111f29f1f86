"""Whatever the two sides hold: no crash, and B beside A is the mirror of A beside B."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from graycard.compare import compare
from graycard.model import Arm, Comparison, Likeness, Result
from graycard.report.comparisons import comparisons_page
from graycard.report.markdown import page_markdown
from graycard.report.renderers import page_text
from tests.compare.made import measured, trialled
from tests.strategies import nouns

MIRROR = {
    Likeness.SLOWER: Likeness.FASTER,
    Likeness.FASTER: Likeness.SLOWER,
    Likeness.SLOWER_SIZE_UNCERTAIN: Likeness.FASTER_SIZE_UNCERTAIN,
    Likeness.FASTER_SIZE_UNCERTAIN: Likeness.SLOWER_SIZE_UNCERTAIN,
}
# The nouns are large: making a failing one smaller takes longer than reading it.
QUICKLY = settings(
    max_examples=25,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
rates = st.lists(st.floats(0, 1e5), min_size=1, max_size=8)


def mirrored(there: Comparison, back: Comparison) -> None:
    assert back.verdict is MIRROR.get(there.verdict, there.verdict)
    assert (back.ratio is None) == (there.ratio is None)
    assert back.says
    if there.ratio and back.ratio:
        assert back.ratio.value == pytest.approx(1 / there.ratio.value, rel=1e-9)
        assert (back.ratio.low is None) == (there.ratio.low is None)
        if there.ratio.high and back.ratio.low:
            assert back.ratio.low == pytest.approx(1 / there.ratio.high, rel=1e-6)


def both_ways(base: Result, other: Result) -> None:
    a, b = Arm("A", (base,)), Arm("B", (other,))
    (there,), (back,) = compare(a, (b,)), compare(b, (a,))
    mirrored(there, back)


@given(rates, rates)
def test_unpaired_verdicts_are_mirrored(base: list[float], other: list[float]) -> None:
    both_ways(measured("a", base), measured("b", other))


@given(rates, rates)
def test_paired_verdicts_are_mirrored(base: list[float], other: list[float]) -> None:
    both_ways(trialled("a", base, is_base=True), trialled("b", other, is_base=False))


# The ticks of a run are the engine's own; tests/stats has what they may look like.
anything = st.builds(
    lambda result, runs: replace(result, runs=runs), nouns(Result), rates.map(lambda each: measured("x", each).runs)
)


@QUICKLY
@given(st.lists(anything, max_size=2), st.lists(anything, max_size=2), st.booleans())
def test_any_results_can_be_compared(base: list[Result], other: list[Result], has_runs: bool) -> None:
    if not has_runs:
        base, other = ([replace(each, runs=()) for each in side] for side in (base, other))
    if base and other:
        other[0] = replace(other[0], task=base[0].task, origin=base[0].origin)
    found = compare(Arm("A", tuple(base)), (Arm("B", tuple(other)),))
    assert len(found) >= max(len({each.id for each in side}) > 0 for side in (base, other))
    assert all(each.says.endswith(".") for each in found)
    assert page_text(comparisons_page(found)) or not found


@QUICKLY
@given(st.lists(nouns(Comparison), max_size=3))
def test_any_comparisons_can_be_shown(found: list[Comparison]) -> None:
    page = comparisons_page(found)
    text, markdown = page_text(page), page_markdown(page)
    assert "\x1b" not in text
    assert "\x1b" not in markdown
