"""What is put beside what, what may not be, and what is said of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graycard.compare import compare
from graycard.compare.caveats import NOT_PAIRED, NOT_RANDOMISED, alternating
from graycard.facts import fact
from graycard.model import (
    Aggregate,
    Arm,
    Cache,
    Comparison,
    Durability,
    Estimate,
    IoTask,
    Likeness,
    Operation,
    Origin,
    Pace,
    Result,
)
from tests.compare.made import MB, TASK, failed, measured, trialled, visited
from tests.made_results import a_summary

FAST = (100.0, 101.0, 99.0, 100.5, 99.5, 100.0)
SLOW = tuple(rate * 0.8 for rate in (101.0, 100.0, 99.0, 100.5, 100.0, 99.5))
WRITE = replace(TASK, operation=Operation.WRITE)


def one(base: Result, other: Result) -> Comparison:
    (found,) = compare(Arm("A", (base,)), (Arm("B", (other,)),))
    return found


def aggregate(name: str, rate_mb_per_s: float, kind: Aggregate | None = None) -> Result:
    """A figure of another tool, without runs."""
    rate = Estimate(rate_mb_per_s * MB, None, None, "bytes/s", 1, None, "single run")
    summary = replace(a_summary(), rate=rate)
    return replace(measured(name, ()), summary=summary, origin=Origin("other", "1", None, "x", kind))


def test_pairs_of_an_experiment() -> None:
    found = one(trialled("a", FAST, is_base=True), trialled("b", SLOW, is_base=False))
    assert (found.verdict, found.paired, found.randomised) == (Likeness.SLOWER, True, True)
    assert found.says == (
        "SEQ1M QD8 read: B is at least 20 % slower than A (20 % slower, 95 % interval 19.5 to 20.4 %)."
    )
    assert found.ratio is not None
    assert found.ratio.n_count == 6
    assert found.order_effect is not None
    assert NOT_PAIRED not in found.caveats
    assert found.detectable_ratio is not None
    assert (found.base_ids, found.other_ids) == (("e1-a",), ("e1-b",))
    assert found.threshold_ratio == 0.03


def test_pairs_are_equal_repeats_and_others_are_left_out() -> None:
    base = trialled("a", FAST, is_base=True)
    found = one(base, trialled("b", SLOW[:4], is_base=False))
    assert found.ratio is not None
    assert found.ratio.n_count == 4
    assert "2 runs without a partner left out." in found.caveats
    shifted = replace(base, runs=tuple(replace(run, repeat_index=run.repeat_index + 9) for run in base.runs))
    assert one(shifted, trialled("b", SLOW, is_base=False)).paired is False


def test_what_could_not_be_randomised_is_said() -> None:
    found = one(*visited("AAAAAABBBBBB"))
    assert (found.paired, found.randomised) == (True, False)
    assert NOT_RANDOMISED in found.caveats


def test_visits_in_turns_are_said_to_alternate() -> None:
    for order, stretch_count in (("AAABBBAAABBB", 4), ("AABBAABBAABB", 6)):
        found = one(*visited(order))
        assert (found.paired, found.randomised) == (True, False)
        assert alternating(stretch_count) in found.caveats
        assert "Alternating, but not randomised" in alternating(stretch_count)
        assert NOT_RANDOMISED not in found.caveats


def test_results_of_different_times_are_not_paired() -> None:
    for other in (measured("b", SLOW), trialled("b", SLOW, is_base=False, experiment="e2")):
        found = one(trialled("a", FAST, is_base=True), other)
        assert (found.paired, found.randomised, found.order_effect) == (False, False, None)
        assert found.caveats.count(NOT_PAIRED) == 1
        assert not any("The runs were not made in pairs" in caveat for caveat in found.caveats)
        assert found.verdict is Likeness.SLOWER


def test_results_of_one_load_are_pooled() -> None:
    halves = (measured("a", FAST[:3]), measured("b", FAST[3:], replace(TASK, seed=9, time_ns=5)))
    (found,) = compare(Arm("A", halves), (Arm("B", (measured("c", SLOW),)),))
    assert found.base_ids == ("a", "b")
    assert found.base_rate is not None
    assert found.base_rate.n_count == 6
    assert found.ratio == one(measured("a", FAST), measured("c", SLOW)).ratio


def test_a_result_named_twice_counts_once() -> None:
    base = measured("a", FAST)
    (found,) = compare(Arm("A", (base, base)), (Arm("B", (measured("c", SLOW),)),))
    assert found.base_ids == ("a",)


def test_pooled_set_ups_that_differ_are_named() -> None:
    facts = (fact("kernel_version", "6.1", "x"),), (fact("kernel_version", "6.9", "x"),)
    halves = (measured("a", FAST[:3], facts=facts[0]), measured("b", FAST[3:], facts=facts[1]))
    (found,) = compare(Arm("A", halves), (Arm("B", (measured("c", SLOW, facts=facts[0]),)),))
    assert "A pools 2 results whose set-ups differ: kernel version." in found.caveats


def test_a_first_run_that_differs_is_left_out_as_in_the_figure_itself() -> None:
    base = measured("a", (50.0, *FAST))
    found = one(base, measured("b", SLOW))
    assert "A: 1 first run that differed from the others left out." in found.caveats
    assert found.base_rate == (base.summary and base.summary.rate)
    assert found.ratio == one(measured("a", FAST), measured("b", SLOW)).ratio


def test_single_figures_give_a_ratio_without_an_interval() -> None:
    found = one(aggregate("a", 500), aggregate("b", 400))
    assert found.verdict is Likeness.CANNOT_TELL
    assert found.ratio is not None
    assert (found.ratio.value, found.ratio.low, found.chance_ratio) == (pytest.approx(0.8), None, None)
    assert "A holds no runs, so one figure of the tool that measured stands for them." in found.caveats
    assert found.says == ("SEQ1M QD8 read: cannot tell: B was 20 % slower than A, but so few figures have no interval.")


def test_a_run_that_moved_nothing_gives_no_ratio() -> None:
    found = one(measured("a", FAST), measured("b", (0.0, 1.0, 2.0)))
    assert (found.verdict, found.ratio) == (Likeness.CANNOT_TELL, None)


def test_a_failed_check_is_said_and_named() -> None:
    found = one(failed(measured("a", FAST)), measured("b", SLOW))
    assert found.caveats[0] == "A failed the check test; its results say why."
    assert found.failed_ids == ("a",)
    assert found.verdict is Likeness.SLOWER


def test_files_of_different_size_and_other_programs_are_caveats() -> None:
    other = measured("b", SLOW, replace(TASK, span_bytes=4 << 30), origin=Origin("fio", "3.33", "libaio"))
    found = one(measured("a", FAST), other)
    assert "The files differ in size: 1G in A, 4G in B; caches hold more of a small file." in found.caveats
    assert "A was measured by graycard native, B by fio libaio." in found.caveats
    assert [each.says for each in found.differences] == ["measured by: graycard native against fio 3.33 libaio"]


@pytest.mark.parametrize(
    ("base", "other", "reason"),
    [
        (TASK, replace(TASK, cache=Cache.WARM), "A bypasses the page cache, B goes through a warm page cache"),
        (
            replace(WRITE, durability=Durability.EACH_WRITE),
            replace(WRITE, durability=Durability.NONE),
            "A flushes after each write, B never flushes",
        ),
        (
            TASK,
            replace(TASK, compressible_ratio=0.5),
            "A moves data that are 0 % zeros, B moves data that are 50 % zeros",
        ),
        (
            replace(TASK, pace=Pace(25, 10**6), variant="custom"),
            replace(TASK, pace=Pace(24, 10**6), variant="custom"),
            "A waits for 25.0 frames of 1.00 MB a second, B waits for 24.0 frames of 1.00 MB a second",
        ),
    ],
)
def test_different_loads_are_not_compared(base: IoTask, other: IoTask, reason: str) -> None:
    found = one(measured("a", FAST, base), measured("b", SLOW, other))
    assert (found.verdict, found.ratio, found.chance_ratio) == (Likeness.NOT_COMPARABLE, None, None)
    assert found.says == f"{base.label}: not comparable: {reason}."
    assert found.base_rate is not None
    assert found.other_rate is not None


def test_what_a_tool_does_not_state_is_a_caveat_and_no_other_load() -> None:
    silent = replace(TASK, cache=Cache.WARM, unstated=("cache", "span_bytes"), span_bytes=1)
    found = one(measured("a", FAST), replace(measured("b", SLOW, silent), trouble="It was interrupted."))
    assert found.verdict is Likeness.SLOWER
    assert "B does not state cache, span: the loads may differ in that." in found.caveats
    assert "B: It was interrupted." in found.caveats
    assert not any("differ in size" in caveat for caveat in found.caveats)
    nothing = replace(measured("b", ()), summary=None, trouble="The drive went away.")
    assert one(measured("a", FAST), nothing).says.endswith(
        "not comparable: B has no finished run of it (The drive went away)."
    )


def test_a_flush_means_nothing_to_a_read() -> None:
    other = measured("b", SLOW, replace(TASK, durability=Durability.NONE))
    assert one(measured("a", FAST), other).verdict is Likeness.SLOWER


def test_the_best_of_several_stands_beside_no_mean() -> None:
    found = one(aggregate("a", 500, Aggregate.BEST), measured("b", SLOW))
    assert found.says.endswith("not comparable: A gives the best of its runs, B gives the mean of its runs.")
    both = one(aggregate("a", 500, Aggregate.BEST), aggregate("b", 400, Aggregate.BEST))
    assert "Both give the best of their runs, which grows with the number of runs." in both.caveats
    mixed = one(aggregate("a", 500, Aggregate.MEDIAN), measured("b", SLOW))
    assert "A gives the median of its runs, B the mean." in mixed.caveats


def test_tasks_of_one_side_alone_are_told_with_what_the_other_has() -> None:
    deep = replace(TASK, depth_count=64)
    base = Arm("A", (measured("a", FAST), measured("b", FAST, deep)))
    found = compare(base, (Arm("B", (measured("c", SLOW, replace(TASK, depth_count=1)), measured("d", SLOW))),))
    assert [each.says for each in found if each.verdict is Likeness.NOT_COMPARABLE] == [
        "SEQ1M QD64 read: not comparable: only A measured it; B measured SEQ1M QD1 read, SEQ1M QD8 read.",
        "SEQ1M QD1 read: not comparable: only B measured it; A measured SEQ1M QD8 read, SEQ1M QD64 read.",
    ]
    assert [each.task_label for each in found] == ["SEQ1M QD8 read", "SEQ1M QD64 read", "SEQ1M QD1 read"]
    assert found[2].base_rate is None
    (nothing,) = compare(Arm("A", (measured("a", FAST),)), (Arm("B", ()),))
    assert nothing.says == "SEQ1M QD8 read: not comparable: only A measured it; B has no result."


def test_a_result_is_not_compared_with_itself_nor_without_a_run() -> None:
    same = measured("a", FAST)
    assert one(same, same).says.endswith("not comparable: A and B are the same result.")
    unfinished = replace(measured("b", ()), summary=None)
    assert one(same, unfinished).says.endswith("not comparable: B has no finished run of it.")


def test_sizes_and_engines_of_one_side_are_tasks_of_their_own() -> None:
    def matrix(prefix: str, factor: float) -> tuple[Result, ...]:
        sizes = [replace(TASK, span_bytes=size << 30) for size in (1, 2)]
        native = [measured(f"{prefix}{task.span_bytes}", [rate * factor for rate in FAST], task) for task in sizes]
        fio = [replace(each, id=f"{each.id}-fio", origin=Origin("graycard", "1", "fio")) for each in native]
        return (*native, *fio)

    found = compare(Arm("A", matrix("a", 1.0)), (Arm("B", matrix("b", 0.8)[::-1]),))
    assert [each.task_label for each in found] == [
        "SEQ1M QD8 read of 1G (graycard native)",
        "SEQ1M QD8 read of 2G (graycard native)",
        "SEQ1M QD8 read of 1G (graycard fio)",
        "SEQ1M QD8 read of 2G (graycard fio)",
    ]
    assert all(each.verdict is Likeness.SLOWER for each in found)
    assert [each.other_ids[0].replace("b", "a") for each in found] == [each.base_ids[0] for each in found]


def test_all_that_is_shown_together_is_corrected_together() -> None:
    base = Arm("A", (trialled("a", FAST, is_base=True),))
    others = tuple(Arm(name, (trialled(name, SLOW, is_base=False),)) for name in "bcdef")
    alone, together = compare(base, others[:1])[0], compare(base, others)
    assert len(together) == 5
    assert alone.chance_ratio is not None
    assert together[0].chance_ratio == pytest.approx(5 * alone.chance_ratio)
    assert alone.ratio is not None
    assert together[0].ratio is not None
    assert together[0].ratio.half_width_ratio > alone.ratio.half_width_ratio
    assert [each.other for each in together] == list("bcdef")


def test_the_threshold_is_the_users() -> None:
    base, other = trialled("a", FAST, is_base=True), trialled("b", SLOW, is_base=False)
    (found,) = compare(Arm("A", (base,)), (Arm("B", (other,)),), 0.5)
    assert (found.verdict, found.threshold_ratio) == (Likeness.SAME, 0.5)
    assert "B is the same as A within 50 %" in found.says
    with pytest.raises(ValueError, match="threshold"):
        compare(Arm("A", (base,)), (Arm("B", (other,)),), 0.0)


def test_what_differs_is_that_of_the_two_set_ups() -> None:
    usb2 = (fact("link_bits_per_s", 480_000_000, "x"), fact("kernel_version", "6.9", "x"))
    usb3 = (fact("link_bits_per_s", 5_000_000_000, "x"), fact("kernel_version", "6.1", "x"))
    found = one(measured("a", FAST, facts=usb3), measured("b", SLOW, facts=usb2))
    assert [each.says for each in found.differences] == [
        "link: 5.00 Gbit/s against 480 Mbit/s",
        "kernel version: 6.1 against 6.9",
    ]


def test_what_one_side_alone_knows_is_a_caveat() -> None:
    found = one(measured("a", FAST, facts=(fact("bus", "usb", "x"),)), measured("b", SLOW, facts=()))
    assert "Known of one side alone, so perhaps different: bus." in found.caveats
    assert found.differences == ()
