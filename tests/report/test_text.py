"""The text that users read and paste, line by line."""

from __future__ import annotations

import dataclasses

import pytest

from graycard.checks import CHECKS
from graycard.model import Report, Result, Steady, Verdict
from graycard.protocols import Renderer
from graycard.report.lines import page_lines
from graycard.report.matters import MATTERS
from graycard.report.page import Note, Tone
from graycard.report.printable import cell_width
from graycard.report.renderers import RENDERERS, TextRenderer
from tests.report.examples import BAD, GOOD, RANDOM, RATE, check, estimate, result, summary


def lines(*results: Result, width: int = 120, title: str = "") -> list[str]:
    report = Report(title, results)
    return TextRenderer(width_count=width).render(report).decode().splitlines()


def test_a_clean_result_on_120_columns() -> None:
    assert lines(GOOD) == [
        "/mnt/ssd",
        "ext4 on Samsung 990, nvme · graycard 0.1.0, native · 2026-11-30 13:40 UTC",
        "",
        "Task                Rate                     IOPS      p50      p99      max  Runs  Steadiness",
        "SEQ1M QD8 read  512 MB/s ± 3 % (497 to 528)   488  1.23 ms  3.40 ms  12.3 ms     7  steady",
        "",
        "Checks: 1 passed.",
    ]


WRITE_ROW = "RND4K QD64 write  ! 48.3 MB/s ± 9.1 % (44.1 to 52.9)  46.1"


def test_failed_checks_come_first_and_the_figure_is_shown_and_marked() -> None:
    assert lines(GOOD, BAD)[3:] == [
        "Task                     Rate                         IOPS      p50      p99      max  Runs  Steadiness",
        "SEQ1M QD8 read       512 MB/s ± 3 %   (497 to 528)     488  1.23 ms  3.40 ms  12.3 ms     7  steady",
        f"{WRITE_ROW}  1.23 ms  3.40 ms  12.3 ms     7  first run differs",
        "",
        "! A check failed: this figure is not what it claims to be.",
        "FAILED   RND4K QD64 write: Only 3 % of the bytes came from the device: the page cache served the rest.",
        "caveat   RND4K QD64 write: This is a virtual machine: the host may cache.",
        "caveat   RND4K QD64 write: target of ±5.0% not reached after 20 runs: ±9.1%.",
        "caveat   RND4K QD64 write: The first run was 41 % faster than the others; it is not in the figure.",
        "Not known: whether the drive moved the bytes (1 of 2 tasks).",
        "Checks: 1 passed, 1 failed, 1 with a caveat, 1 unknown.",
    ]


def test_80_columns_take_two_lines_a_row() -> None:
    assert lines(GOOD, BAD, width=80)[3:13] == [
        "Task                     Rate                         IOPS  Runs",
        "SEQ1M QD8 read       512 MB/s ± 3 %   (497 to 528)     488     7",
        "    latency p50 1.23 ms  p99 3.40 ms  max 12.3 ms  steady",
        f"{WRITE_ROW}     7",
        "    latency p50 1.23 ms  p99 3.40 ms  max 12.3 ms  first run differs",
        "",
        "! A check failed: this figure is not what it claims to be.",
        "FAILED   RND4K QD64 write: Only 3 % of the bytes came from the device: the page",
        "         cache served the rest.",
        "caveat   RND4K QD64 write: This is a virtual machine: the host may cache.",
    ]


def test_a_very_narrow_terminal_takes_a_line_a_figure() -> None:
    assert lines(GOOD, width=30)[5:10] == [
        "SEQ1M QD8 read",
        "  Rate 512 MB/s ± 3 % (497 to",
        "  528)",
        "  IOPS 488",
        "  p50 1.23 ms",
    ]


@pytest.mark.parametrize("width", [20, 30, 40, 60, 80, 100, 120, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    hostile = dataclasses.replace(BAD, target=dataclasses.replace(BAD.target, path="/mnt/" + "很長" * 400))
    assert max(cell_width(line) for line in lines(GOOD, hostile, width=width)) <= width


def test_a_sentence_of_all_tasks_is_printed_once() -> None:
    caveat = check(Verdict.CAVEAT, "This is a virtual machine.")
    both = [result(task, summary(estimate(1e6, 0.9e6, 1.1e6, "bytes/s"), caveat)) for task in (GOOD.task, RANDOM)]
    assert lines(*both)[-2:] == [
        "caveat   all tasks: This is a virtual machine.",
        "Checks: 2 with a caveat.",
    ]


def test_normal_runs_are_one_quiet_line_and_no_caveat() -> None:
    says = "7 of 7 runs were normal; a fault that hits up to 35 % of runs could have been missed."
    both = [result(task, summary(RATE, caveats=("Slow.", says))) for task in (GOOD.task, RANDOM)]
    assert lines(*both)[7:] == ["caveat   all tasks: Slow.", f"note     all tasks: {says}"]
    assert lines(result(found=summary(RATE, caveats=(says,))))[5:] == ["", f"note     {says}"]
    (line,) = page_lines((Note(says, Tone.QUIET, "note"),), 120)
    assert {span.tone for span in line} == {Tone.QUIET}


def told(count: int, *sentences: str) -> list[str]:
    """The caveats below a table of `count` tasks, of which the first ones say these sentences."""
    tasks = [dataclasses.replace(GOOD.task, depth_count=number + 1) for number in range(count)]
    says = [(sentence,) for sentence in sentences] + [()] * (count - len(sentences))
    shown = lines(*(result(task, summary(RATE, caveats=each)) for task, each in zip(tasks, says, strict=True)))
    return [line.removeprefix("caveat   ") for line in shown if line.startswith("caveat")]


def test_it_is_told_whom_a_sentence_is_about() -> None:
    assert told(1, "Slow.") == ["Slow."]
    assert told(2, "Slow.", "Slow.") == ["all tasks: Slow."]
    assert told(2, "5 % off.", "7 % off.") == ["all tasks, for example SEQ1M QD1 read: 5 % off."]
    assert told(3, "Slow.") == ["SEQ1M QD1 read: Slow."]
    assert told(3, "Slow.", "Slow.") == ["SEQ1M QD1 read, SEQ1M QD2 read: Slow."]
    assert told(3, "5 % off.", "7 % off.") == ["SEQ1M QD1 read (SEQ1M QD2 read similar): 5 % off."]
    assert told(9, *["Slow."] * 5) == ["SEQ1M QD1 read and 4 more: Slow."]
    assert told(9, *(f"{number} % off." for number in range(5))) == ["SEQ1M QD1 read (4 more similar): 0 % off."]


def test_what_is_not_known_stands_in_one_line_below_the_caveats() -> None:
    names = ("physically_possible", "temperature", "of_a_later_version")
    unknown = [check(Verdict.UNKNOWN, "It cannot be told.", name) for name in names]
    found = [summary(RATE, *unknown, caveats=("Slow.",)), summary(RATE, *unknown[:2])]
    shown = lines(*(result(task, each) for task, each in zip((GOOD.task, RANDOM), found, strict=True)))
    assert shown[7:] == [
        "caveat   SEQ1M QD8 read: Slow.",
        "Not known: the speed of the link, the drive's temperature, of a later version (1 of 2 tasks).",
        "Checks: 5 unknown.",
    ]


def test_every_check_has_words_for_not_known() -> None:
    assert tuple(MATTERS) == tuple(each.__name__ for each in CHECKS)


def test_nothing_measured_is_still_a_caveat() -> None:
    nothing = summary(estimate(0.0, None, None, "bytes/s", n_count=0), caveats=("No run lasted long enough.",))
    assert lines(result(found=nothing))[-1] == "caveat   No run lasted long enough."


def test_scatter_is_said_once_beside_the_word_in_the_table() -> None:
    says = "The runs differ by 53 %: 60.0 MB/s to 110 MB/s (1 of 4 more than 20 % slower than the median)."
    short = "Target of ± 5 % not reached after 20 runs: ± 21 %."
    found = summary(RATE, caveats=(says, short), steady=Steady.SCATTERED, says=says)
    assert lines(result(found=found))[4].endswith("  scattered")
    assert lines(result(found=found))[6:] == [f"caveat   {says}", f"caveat   {short}"]


def test_a_single_run_says_so() -> None:
    alone = result(found=summary(estimate(512e6, None, None, "bytes/s", n_count=1)))
    assert lines(alone)[4] == "SEQ1M QD8 read  512 MB/s single run   488  1.23 ms  3.40 ms  12.3 ms     1  steady"


def test_a_range_is_not_printed_as_an_interval() -> None:
    two = dataclasses.replace(estimate(512e6, 480e6, 544e6, "bytes/s", n_count=2), level_ratio=None)
    assert "512 MB/s range (480 to 544)" in lines(result(found=summary(two)))[4]


def test_a_result_without_a_finished_run_shows_no_figure() -> None:
    assert lines(result(found=None))[4] == "SEQ1M QD8 read     — no finished run"


def test_unknown_latency_is_a_dash_and_never_zero() -> None:
    bare = summary(estimate(512e6, 497e6, 528e6, "bytes/s"), steady=Steady.UNKNOWN)
    bare = dataclasses.replace(bare, latency_ns=())
    assert lines(result(found=bare))[4] == (
        "SEQ1M QD8 read  512 MB/s ± 3 % (497 to 528)   488    —    —    —     7  unknown"
    )


def test_the_title_and_each_measurement_have_a_heading() -> None:
    other = dataclasses.replace(GOOD, measurement_id="m2", target=dataclasses.replace(GOOD.target, path="/mnt/hdd"))
    shown = lines(GOOD, other, title="Two drives")
    assert shown[0] == "Two drives"
    assert [line for line in shown if line.startswith("/mnt")] == ["/mnt/ssd", "/mnt/hdd"]


def test_the_renderers_are_named_and_typed() -> None:
    assert {each.name: each.media_type for each in RENDERERS} == {
        "json": "application/json",
        "markdown": "text/markdown",
        "text": "text/plain",
    }


@pytest.mark.parametrize("renderer", RENDERERS, ids=lambda each: each.name)
def test_an_empty_report_renders(renderer: Renderer) -> None:
    assert isinstance(renderer.render(Report("", ())), bytes)


def test_a_long_mark_stands_apart_from_its_sentence() -> None:
    (line,) = page_lines((Note("a file", Tone.FAILED, "NOT WRITTEN"),), 120)
    assert "".join(span.text for span in line) == "NOT WRITTEN a file"
