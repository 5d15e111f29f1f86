"""What a report tells: the headline, the figures and their intervals, the method, and the command that repeats it."""

from __future__ import annotations

import dataclasses
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graycard.cli.main import main
from graycard.facts import fact
from graycard.model import (
    Action,
    Cache,
    Comparison,
    Durability,
    Estimate,
    Likeness,
    Operation,
    Pace,
    Plan,
    Report,
    Result,
    Transfer,
    Verdict,
)
from graycard.report.charts import charts_of
from graycard.report.page import Note, Table, Tone
from graycard.report.printable import printable
from graycard.report.story import Picture, Story, story_of
from graycard.report.story.headline import NOTHING, headline
from graycard.report.story.method import command
from graycard.report.story.words import task_words
from tests import strategies
from tests.cli.fakes import fake_app
from tests.report import shows
from tests.report.examples import BAD, GOOD, RANDOM, RATE, SEQUENTIAL, check, estimate, result, summary
from tests.report.svgs import REPORTS


def strings(value: object) -> Iterator[str]:
    """Every text below a value of dataclasses and tuples."""
    if isinstance(value, str):
        yield value
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from strings(getattr(value, field.name))
    elif isinstance(value, tuple):
        for each in value:
            yield from strings(each)


def pictures(told: Story) -> list[str]:
    return [part.chart_name for section in told.sections for part in section.parts if isinstance(part, Picture)]


def comparison(verdict: Likeness, ratio: Estimate | None, **changes: object) -> Comparison:
    base = Comparison(
        task_label="RND4K QD64 write",
        base="ext4",
        other="exFAT",
        base_ids=("id-RND4K QD64 write",),
        other_ids=("b",),
        base_rate=RATE,
        other_rate=RATE,
        ratio=ratio,
        verdict=verdict,
        says="RND4K QD64 write: says.",
        threshold_ratio=0.05,
        paired=True,
        randomised=True,
    )
    return dataclasses.replace(base, **changes)


def ratio(value: float, low: float, high: float) -> Estimate:
    return estimate(value, low, high, "ratio")


def test_one_measurement_is_told_by_what_it_reads_and_writes() -> None:
    found = headline(shows.one_drive())
    shape = r"Reads 2\d{3} MB/s ± [0-9.]+ %; writes (\d{3}) MB/s ± [0-9.]+ % after the first 3[0-9.]+ GB\."
    assert re.fullmatch(shape, found), found


def test_swings_and_stalls_stand_beside_the_figure() -> None:
    results = shows.one_drive().results
    assert ", swinging between " in headline(Report("", results[2:3]))
    assert ", with stalls of up to 900 ms" in headline(Report("", results[3:]))


def test_a_figure_that_failed_a_check_is_no_headline_where_another_is_there() -> None:
    good = result(RANDOM, summary(estimate(40e6, 39e6, 41e6, "bytes/s"), check(Verdict.PASS, "fine")))
    bad = result(SEQUENTIAL, summary(RATE, check(Verdict.FAIL, "cached")))
    bad = dataclasses.replace(bad, task=dataclasses.replace(SEQUENTIAL, operation=Operation.WRITE))
    assert headline(Report("", (bad, good))) == "Writes 40.0 MB/s ± 2.5 %."
    assert headline(Report("", (bad,))) == "Writes 512 MB/s ± 3 %, which failed a check."


def test_failed_checks_are_counted_in_the_lead() -> None:
    failed = [note for note in story_of(Report("", (GOOD, BAD))).lead if note.tone is Tone.FAILED]
    assert failed == [
        Note("1 of 2 figures failed a check and cannot be trusted; see the marks.", Tone.FAILED, "FAILED")
    ]


def test_the_surest_large_difference_is_the_headline() -> None:
    comparisons = (
        comparison(Likeness.SLOWER, ratio(0.85, 0.82, 0.88)),
        comparison(Likeness.FASTER, ratio(1.06, 1.02, 1.10), other="btrfs"),
        comparison(Likeness.SLOWER_SIZE_UNCERTAIN, ratio(0.2, 0.05, 0.97)),
    )
    found = headline(Report("", (BAD,), comparisons))
    assert found == "exFAT is at least 12 % slower than ext4 for random writes of 4 KiB (RND4K QD64 write)."
    faster = comparison(Likeness.FASTER, ratio(3.3, 3.1, 3.5))
    assert headline(Report("", (), (faster,))) == "exFAT is at least 3.1 times as fast as ext4 for RND4K QD64 write."


@pytest.mark.parametrize(
    ("verdicts", "told"),
    [
        ((Likeness.SAME,), "ext4 and exFAT do the same within 5 % in the one task."),
        ((Likeness.SAME, Likeness.SAME), "ext4 and exFAT do the same within 5 % in all 2 tasks."),
        ((Likeness.SAME, Likeness.CANNOT_TELL), "Whether ext4 and exFAT differ in speed cannot be told yet."),
        ((Likeness.SLOWER_SIZE_UNCERTAIN,), "ext4 and exFAT differ in speed, but how much is uncertain."),
        ((Likeness.NOT_COMPARABLE,), "ext4 and exFAT cannot be compared."),
        ((Likeness.NOT_COMPARABLE, Likeness.SAME), "ext4 and exFAT do the same where comparable."),
    ],
)
def test_without_a_sure_difference_the_headline_says_what_is_known(verdicts: tuple[Likeness, ...], told: str) -> None:
    assert headline(Report("", (), tuple(comparison(each, ratio(0.99, 0.97, 1.01)) for each in verdicts))) == told


def with_failed(report: Report, labels: set[str], other: str) -> Report:
    """The report, a check of these tasks failed on the other side of these comparisons."""
    comparisons = tuple(
        dataclasses.replace(each, failed_ids=each.other_ids)
        if each.task_label in labels and each.other.startswith(other)
        else each
        for each in report.comparisons
    )
    return dataclasses.replace(report, comparisons=comparisons)


def test_what_failed_a_check_is_no_headline_no_first_figure_and_no_verdict() -> None:
    whole = shows.two_formats()
    assert "RND4K QD1 write" in headline(whole)
    report = with_failed(whole, {"RND4K QD1 write"}, "exFAT")
    told = story_of(report)
    assert "RND4K QD64 read" in told.headline
    assert "exFAT (FUSE) against ext4, 4 tasks: slower in 3, a check failed in 1." in [note.text for note in told.lead]
    assert "RND4K QD1 write" not in told.figures[0].name
    (table,) = [part for part in told.sections[1].parts if isinstance(part, Table)][:1]
    (row,) = [row for row in table.rows if row.tone is Tone.FAILED]
    assert (row.cells[0], row.cells[1][:2], row.cells[2][:2]) == ("RND4K QD1 write", "18", "! ")
    verdicts = [part.text for part in told.sections[1].parts if isinstance(part, Note) and part.tone is Tone.FAILED]
    assert [text.split(":")[0] for text in verdicts] == ["! A check failed", "! RND4K QD1 write"]
    drawn = next(chart for chart in charts_of(report) if chart.name == "ratios")
    assert "RND4K QD1 write: failed: −68 %" in drawn.says


def test_why_a_rate_is_not_that_of_the_comparison_is_said_where_a_first_run_was_told_apart() -> None:
    whole = shows.two_formats()

    def detail(report: Report) -> str:
        return next(section.detail for section in story_of(report).sections if section.key == "rates")

    assert "first run" not in detail(whole)
    found = whole.results[0].summary
    assert found is not None
    steadiness = dataclasses.replace(found.steadiness, first_run=RATE)
    first = dataclasses.replace(whole.results[0], summary=dataclasses.replace(found, steadiness=steadiness))
    assert "a comparison keeps it with its pair" in detail(
        dataclasses.replace(whole, results=(first, *whole.results[1:]))
    )


def test_what_is_sure_stands_large_before_what_may_be_nothing() -> None:
    doubtful = comparison(Likeness.CANNOT_TELL, ratio(0.1, 0.01, 1.4), other="NTFS")
    vague = comparison(Likeness.SLOWER_SIZE_UNCERTAIN, ratio(0.2, 0.05, 0.97), other="btrfs")
    sure = comparison(Likeness.SLOWER, ratio(0.85, 0.82, 0.88))
    told = story_of(Report("", (), (doubtful, vague, sure))).figures
    assert [figure.name.split(":")[0] for figure in told] == ["exFAT", "btrfs", "NTFS"]


def test_where_every_comparison_failed_the_headline_says_so() -> None:
    whole = shows.two_formats()
    failed = with_failed(whole, {each.task_label for each in whole.comparisons}, "")
    assert headline(failed) == "ext4, exFAT (FUSE) and btrfs cannot be compared: in each task a figure failed a check."
    assert {figure.tone for figure in story_of(failed).figures} == {Tone.FAILED}


def test_each_pair_of_set_ups_is_counted_in_the_lead() -> None:
    told = [note.text for note in story_of(shows.two_formats()).lead]
    assert told[0] == "exFAT (FUSE) against ext4, 4 tasks: slower in 4."
    assert told[1].startswith("btrfs against ext4, 4 tasks: slower in 2, ")


def test_nothing_is_told_as_nothing() -> None:
    assert headline(Report("", ())) == NOTHING
    empty = dataclasses.replace(GOOD, summary=None)
    assert headline(Report("", (empty,))) == "No run was finished."
    assert story_of(Report("", (empty,))).figures == ()


def test_a_history_is_told_by_its_newest_result() -> None:
    report = shows.over_time()
    assert headline(report) == report.histories[0].says
    (section,) = story_of(report).sections
    (table,) = (part for part in section.parts if isinstance(part, Table))
    assert [row.cells[-1] for row in table.rows[:3]] == ["regression", "regression", "usual"]


@pytest.mark.parametrize("name", REPORTS)
def test_no_figure_stands_without_its_interval(name: str) -> None:
    for each in story_of(REPORTS[name]()).figures:
        assert "±" in each.interval or " to " in each.interval


def test_a_single_run_is_called_so_wherever_it_stands() -> None:
    alone = shows.measured(shows.SEQ_READ, 2e9, runs=1)
    told = story_of(Report("", (alone,)))
    assert "(single run)" in told.headline
    assert [each.interval for each in told.figures] == ["single run"]
    tables = [part for section in told.sections for part in section.parts if isinstance(part, Table)]
    assert all("single run" in " ".join(row.cells) for table in tables for row in table.rows)


@pytest.mark.parametrize("report", [*(make() for make in REPORTS.values()), shows.many(80), Report("", (GOOD, BAD))])
def test_every_picture_is_a_chart_and_every_chart_has_its_place(report: Report) -> None:
    assert sorted(pictures(story_of(report))) == sorted(chart.name for chart in charts_of(report))


def test_of_many_measurements_six_are_told_in_detail_and_all_are_there() -> None:
    told = story_of(shows.many(80))
    further = next(section for section in told.sections if section.key == "further")
    assert {section.key for section in told.sections if re.fullmatch(r"measurement-\d+", section.key)} == {
        f"measurement-{number}" for number in range(1, 7)
    }
    (table,) = (part for part in further.parts if isinstance(part, Table))
    assert len(table.rows) == 80 - 6 * 4


def test_the_method_is_three_sentences() -> None:
    for report in (shows.one_drive(), shows.two_formats(), Report("", ())):
        told = story_of(report).method
        assert len(told) == 3
        assert all(each.endswith(".") for each in told)
    assert "paired" in story_of(shows.two_formats()).method[1]
    assert "Welch" in story_of(Report("", (), (comparison(Likeness.SAME, None, paired=False),))).method[1]
    foreign = dataclasses.replace(GOOD, origin=dataclasses.replace(GOOD.origin, tool="fio"))
    assert story_of(Report("", (foreign,))).method[0].startswith("Figures of fio are as that tool gives them")


def test_the_colophon_names_version_seeds_dates_and_ids() -> None:
    told = {field.name: field.value for field in story_of(shows.one_drive()).colophon}
    assert told["With"] == "graycard 0.1.0"
    assert told["Seeds"] == "81, 82, 83, 84"
    assert told["Measured"] == "2026-11-30 13:40 UTC"
    assert told["Stored as"] == "m1"
    assert "Seed" not in {field.name for field in story_of(Report("", ())).colophon}


@pytest.mark.parametrize("place", range(4))
def test_the_command_makes_a_plan_of_the_same_task(
    place: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = shows.one_drive().results[place]
    durability = Durability.EACH_WRITE if made.task.operation is Operation.WRITE else Durability.NONE
    task = dataclasses.replace(
        made.task, span_bytes=1 << 26, byte_limit=1 << 26, durability=durability, cache=Cache.COLD
    )
    folder = tmp_path / "a b'c"
    folder.mkdir()
    found = dataclasses.replace(made, task=task, target=dataclasses.replace(made.target, path=str(folder)))
    program, *words = shlex.split(command(found))
    assert program == "graycard"
    assert main([*words, "--plan", "--json"], fake_app(tmp_path)) == 0
    plan = msgspec.convert(json.loads(capsys.readouterr().out)["plan"], Plan)
    assert plan.tasks == (task,)
    assert plan.seed == task.seed
    assert plan.target.path == str(folder)
    assert (plan.repeat.min_count, plan.repeat.max_count) == (len(made.runs), len(made.runs))


def test_tasks_are_called_by_their_load() -> None:
    assert task_words(SEQUENTIAL) == "sequential reads of 1 MiB"
    assert task_words(RANDOM) == "random writes of 4 KiB"
    assert task_words(dataclasses.replace(RANDOM, unstated=("block_bytes",))) == "random writes"
    assert task_words(dataclasses.replace(RANDOM, transfer=Transfer("rsync", Action.COPY))) == "rsync copy"


@settings(max_examples=60, deadline=None)
@given(st.lists(strategies.results, max_size=3), strategies.texts)
def test_any_results_have_a_story_and_charts_and_all_their_words_are_printable(
    results: list[Result], title: str
) -> None:
    report = Report(title, tuple(results))
    told = story_of(report)
    for text in strings(told):
        assert all(c.isprintable() or c in "\u2068\u2069" for c in text)
    assert sorted(pictures(told)) == sorted(chart.name for chart in charts_of(report))
    assert not title or told.title == printable(title)


@settings(max_examples=60, deadline=None)
@given(st.lists(strategies.nouns(Comparison), max_size=4))
def test_any_comparisons_have_a_story_and_charts(comparisons: list[Comparison]) -> None:
    report = Report("", (), tuple(comparisons))
    told = story_of(report)
    assert {chart.name for chart in charts_of(report)} <= set(pictures(told))
    for text in strings(told):
        assert all(c.isprintable() or c in "\u2068\u2069" for c in text)


PLAYED = dataclasses.replace(SEQUENTIAL, pace=Pace(25.0, 11 << 20), variant="prores-422-hq/uhd/25", worker_count=3)


def played(*counts: tuple[int | None, int | None]) -> Result:
    """Three streams in runs of 1500 frames that came, with so many dropped and late ones."""
    (first, *_) = shows.one_drive().results[0].runs
    runs = tuple(
        dataclasses.replace(
            first,
            repeat_index=index,
            samples=dataclasses.replace(first.samples, ops_count=1500, dropped_count=dropped, late_count=late),
        )
        for index, (dropped, late) in enumerate(counts)
    )
    return dataclasses.replace(GOOD, task=PLAYED, runs=runs)


@pytest.mark.parametrize(
    ("counts", "says"),
    [
        (((3, 4), (0, 8)), "3 of 3003 frames dropped, 12 late"),
        (((0, 0), (0, 0)), "none of 3000 frames dropped, none late"),
        (((None, None), (0, 0)), "3000 frames, dropped ones not counted"),
    ],
)
def test_of_paced_frames_it_is_told_how_many_came_in_time(counts: tuple[tuple[int, int], ...], says: str) -> None:
    told = story_of(Report("", (played(*counts),)))
    assert told.headline == f"3 streams of prores-422-hq/uhd/25 play: {says}."
    assert says in told.figures[0].detail
    (line,) = [
        note for section in told.sections for note in section.parts if isinstance(note, Note) and says in note.text
    ]
    assert line.tone is (Tone.CAVEAT if "12 late" in says else Tone.PLAIN)
    assert not any("graycard measure" in field.value for field in told.colophon)


def test_copies_come_after_plain_loads_and_a_mix_is_not_called_reading() -> None:
    copy = dataclasses.replace(GOOD, task=dataclasses.replace(SEQUENTIAL, transfer=Transfer("rsync", Action.COPY)))
    mix = dataclasses.replace(GOOD, task=dataclasses.replace(RANDOM, read_ratio=0.7))
    alone, together = (headline(Report("", results)) for results in ((mix,), (mix, copy, GOOD)))
    assert alone.startswith("Reads and writes together ")
    assert together.startswith("Reads ")
    assert "; rsync copy at " in together
    assert "together" not in together


def test_what_a_test_told_of_the_network_stands_in_the_set_up() -> None:
    found = dataclasses.replace(GOOD, facts=(*GOOD.facts, fact("retransmit_count", 12, "iperf3")))
    assert "Network, as tested" in set(strings(story_of(Report("", (found,)))))
