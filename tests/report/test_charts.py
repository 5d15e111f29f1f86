"""The charts: what they show and in which words, that they fit, and that two colours are told apart."""

from __future__ import annotations

import dataclasses
import itertools
import sys
import threading

import pytest

from graycard.errors import Problem
from graycard.model import Comparison, Era, Estimate, History, Likeness, Report, Standing
from graycard.report.charts import Chart, charts_of, drawing_soon, svg
from graycard.report.charts.choice import RATES_OF_MANY_COUNT, SPEED_COUNT
from graycard.report.charts.history import history_chart
from graycard.report.charts.rates import rates_chart
from graycard.report.charts.ratios import ratios_chart
from graycard.report.charts.theme import ARMS, DARK, GRAY, INK, MUTED, RED, themed
from tests.report import shows
from tests.report.examples import BAD, GOOD, estimate, result
from tests.report.svgs import REPORTS, charts, colours, drawn, root_of, texts

NAMES = [(report, chart.name) for report in REPORTS for chart in charts(report)]
PAPER, DARK_PAPER = "#ffffff", "#17191d"


@pytest.mark.parametrize(("report", "chart"), NAMES)
def test_a_drawing_is_plain_svg_that_fits_and_has_no_links_or_scripts(report: str, chart: str) -> None:
    for narrow, most in ((False, 740), (True, 360)):
        root = root_of(drawn(report, chart, narrow=narrow))
        assert float(root.attrib["width"]) <= most
        tags = {each.tag.split("}")[1] for each in root.iter()}
        assert tags <= {"svg", "g", "path", "line", "text", "tspan", "rect", "title"}
        attributes = {name for each in root.iter() for name in each.attrib}
        assert not {name for name in attributes if name.startswith("on") or "href" in name or name == "id"}


@pytest.mark.parametrize(("report", "chart"), NAMES)
def test_all_colours_are_of_the_theme_so_that_a_page_can_make_them_dark(report: str, chart: str) -> None:
    for narrow in (False, True):
        assert colours(drawn(report, chart, narrow=narrow)) <= set(DARK)
    assert colours(drawn(report, chart, dark=True)) <= set(DARK.values())


def test_a_text_in_the_data_that_looks_like_a_colour_stays_as_it_is() -> None:
    found = themed({"data": {"values": [{"name": INK}]}, "mark": {"color": INK}}, "sans-serif", dark=True)
    assert found["data"] == {"values": [{"name": INK}]}
    assert found["mark"] == {"color": DARK[INK]}


def luminance(colour: str) -> float:
    """Relative luminance, WCAG 2.2."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_texts_and_marks_stand_out_from_the_paper() -> None:
    for colour in (INK, MUTED, RED):
        assert contrast(colour, PAPER) >= 4.5
        assert contrast(DARK[colour], DARK_PAPER) >= 4.5
    for colour in ARMS:
        assert contrast(colour, PAPER) >= 3
        assert contrast(DARK[colour], DARK_PAPER) >= 3


# Machado, Oliveira and Fernandes (IEEE TVCG 15, 2009), severity 1.0, on linear RGB.
BLINDNESS = {
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritan": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def seen(colour: str, matrix: tuple[tuple[float, ...], ...]) -> tuple[float, ...]:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    mixed = [max(0.0, sum(weight * part for weight, part in zip(row, linear, strict=True))) for row in matrix]
    return lab(tuple(mixed))


def lab(linear: tuple[float, ...]) -> tuple[float, ...]:
    """CIE 1976 L*a*b* of linear sRGB, D65."""
    red, green, blue = linear
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883
    fx, fy, fz = ((each ** (1 / 3)) if each > 0.008856 else 7.787 * each + 16 / 116 for each in (x, y, z))
    return (116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz))


@pytest.mark.parametrize("kind", BLINDNESS)
def test_reading_and_writing_and_the_first_three_set_ups_are_told_apart_without_some_cones(kind: str) -> None:
    for palette in (ARMS[:3], [DARK[each] for each in ARMS[:3]]):
        for one, other in itertools.combinations(palette, 2):
            gaps = zip(seen(one, BLINDNESS[kind]), seen(other, BLINDNESS[kind]), strict=True)
            # 2.3 is a just noticeable difference (Mahy, Van Eycken and Oosterlinck, 1994): five times that.
            assert sum((a - b) ** 2 for a, b in gaps) ** 0.5 > 11.5, (one, other)


def test_bars_carry_their_figures_and_a_failed_one_is_marked() -> None:
    words = texts(drawn("one drive", "rates"))
    assert "SEQ1M QD8 read" in words
    assert sum("MB/s ±" in each for each in words) == 4
    assert [each for each in words if each.startswith("failed: ")]
    assert "2,000 MB/s" in words


def test_a_figure_without_an_interval_says_so_and_has_no_line() -> None:
    alone = result(
        GOOD.task, GOOD.summary and dataclasses.replace(GOOD.summary, rate=estimate(5e8, None, None, "b", 1))
    )
    with_line, without = (rates_chart("rates", [each], ["a"]) for each in (GOOD, alone))
    assert with_line is not None
    assert without is not None
    assert "500 MB/s single run" in texts(svg(without))
    count = {name: len(list(root_of(svg(each)).iter())) for name, each in (("with", with_line), ("without", without))}
    assert count["without"] < count["with"]


def test_a_report_of_many_results_says_how_many_are_drawn() -> None:
    found = charts_of(shows.many(100))
    assert len(found) <= 16
    assert sum(each.name.startswith("speed-") for each in found) == SPEED_COUNT // 4
    rates = next(each for each in found if each.name == "rates")
    assert f"the first {RATES_OF_MANY_COUNT} of 100" in rates.title


def test_a_cliff_swings_and_stalls_are_told_where_they_are() -> None:
    told = [word for number in range(1, 5) for word in texts(drawn("one drive", f"speed-1-{number}"))]
    assert any(word.startswith("falls to ") and "GB" in word for word in told)
    assert any(word.startswith("swings, ") and word.endswith("every 2.00 s") for word in told)
    assert any(word.startswith("▲ stall of ") for word in told)
    assert told.count("MB/s") == 4
    assert any(word.endswith(" s") for word in told)


def test_latencies_stand_on_a_logarithmic_axis_with_their_percentiles() -> None:
    words = texts(drawn("one drive", "latency-1"))
    assert {"100 µs", "1 ms", "10 ms"} <= set(words)
    assert {"p50", "p99", "p99.9", "max"} <= set(words)
    assert sum(word.startswith("p50 ") and "±" in word for word in words) == 4


def comparison(ratio: Estimate | None, verdict: Likeness = Likeness.SLOWER) -> Comparison:
    return Comparison(
        "SEQ1M QD8 read",
        "A",
        "B",
        ("a",),
        ("b",),
        None,
        None,
        ratio,
        verdict,
        "says",
        0.05,
        paired=True,
        randomised=True,
    )


def test_a_ratio_is_a_change_with_its_interval_beside_the_band_that_does_not_matter() -> None:
    found = ratios_chart("ratios", [comparison(estimate(0.8, 0.75, 0.85, "ratio"))])
    assert found is not None
    words = texts(svg(found))
    assert "−20 % (−25 to −15 %)" in words
    assert "same" in words
    assert any("within 5 %" in word for word in words)


@pytest.mark.parametrize("value", [1e-6, 0.02, 0.5, 0.999, 1.0, 1.001, 2.0, 40.0, 1e6])
def test_ratios_of_any_size_are_drawn(value: float) -> None:
    for ratio in (estimate(value, value * 0.9, value * 1.1, "ratio"), estimate(value, None, None, "ratio", 1)):
        found = ratios_chart("ratios", [comparison(ratio)])
        assert found is not None
        assert "SEQ1M QD8 read" in texts(svg(found, narrow=True))


def test_what_has_no_ratio_is_not_drawn() -> None:
    assert ratios_chart("ratios", [comparison(None, Likeness.NOT_COMPARABLE)]) is None
    assert ratios_chart("ratios", [comparison(estimate(0.0, 0.0, 0.0, "ratio"))]) is None


def test_a_history_marks_eras_and_what_is_not_usual() -> None:
    words = texts(drawn("over time", "history-1"))
    assert any(word.startswith("kernel version: 6.12.9") for word in words)
    assert sum(word.startswith("regression: ") for word in words) == 1
    assert sum(word.startswith("unusual: ") for word in words) == 1


def test_histories_of_few_or_equal_entries_are_drawn() -> None:
    (history,) = shows.over_time().histories
    first = history.eras[0].entries[0]
    zero = dataclasses.replace(
        first, rate_bytes_per_s=0.0, rate_low_bytes_per_s=None, rate_high_bytes_per_s=None, expected=None
    )
    for entries in ((first,), (zero,), (first, first), (zero, first)):
        report = Report("", (), (), (History("task", "drive", (Era(()), Era(entries)), "says"),))
        (chart,) = charts_of(report)
        assert "MB/s" in texts(svg(chart))
    assert charts_of(Report("", (), (), (History("task", "drive", (Era(()),), "says"),))) == ()


def test_results_without_runs_get_their_bars_alone() -> None:
    assert [each.name for each in charts_of(Report("", (GOOD, BAD)))] == ["rates"]
    assert charts_of(Report("", (dataclasses.replace(GOOD, summary=None),))) == ()
    assert charts_of(Report("", ())) == ()


def test_every_picture_has_words() -> None:
    for report in REPORTS:
        for chart in charts(report):
            assert len(chart.says) > 20
            assert chart.says.endswith(".")


def test_drawing_without_its_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(Problem, match=r"pip install 'graycard\[report\]'"):
        svg(charts("over time")[0])


def test_where_not_all_bars_have_room_whole_tasks_are_left_out_and_no_set_up() -> None:
    results = shows.two_formats().results
    arms = [each.trial.configuration if each.trial else "" for each in results]
    found = rates_chart("rates", results, arms, limit=8)
    assert found is not None
    assert found.title.endswith(", the first 2 of 4 tasks")
    assert all(found.says.count(arm) == 2 for arm in arms)
    fewer = rates_chart("rates", results, arms, limit=2)
    assert fewer is not None
    assert fewer.title.endswith(", the first 2 of 12")


def test_a_failed_bar_is_gray_in_its_own_panel_alone() -> None:
    first, *others = shows.two_formats().results
    failed = first.summary and dataclasses.replace(first.summary, checks=(BAD.summary.checks if BAD.summary else ()))
    results = [dataclasses.replace(first, summary=failed), *others]
    found = rates_chart("rates", results, [each.trial.configuration if each.trial else "" for each in results])
    assert found is not None
    fills = [each.attrib.get("fill") for each in root_of(svg(found)).iter()]
    assert {colour: fills.count(colour) for colour in (*ARMS[:3], GRAY)} == {
        ARMS[0]: 3,
        ARMS[1]: 4,
        ARMS[2]: 4,
        GRAY: 1,
    }


def test_a_result_that_is_not_counted_is_hollow_and_does_not_stretch_the_axis() -> None:
    (history,) = shows.over_time().histories
    era = history.eras[0]
    cached = dataclasses.replace(era.entries[3], standing=Standing.NOT_COUNTED, rate_bytes_per_s=9e9)
    eras = (dataclasses.replace(era, entries=(*era.entries[:3], cached, *era.entries[4:])), *history.eras[1:])
    before, after = (
        svg(chart)
        for each in (history.eras, eras)
        if (chart := history_chart("history", dataclasses.replace(history, eras=each)))
    )
    assert [word for word in texts(after) if word.endswith("00")] == [w for w in texts(before) if w.endswith("00")]
    hollow = [
        each
        for each in root_of(after).iter()
        if each.get("stroke") == GRAY and each.get("fill") in {None, "transparent"}
    ]
    assert len(hollow) == 1


def test_the_engine_that_draws_is_started_beside_other_work_and_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[str] = []
    monkeypatch.setattr(
        "graycard.report.charts.drawing.svg", lambda chart: threads.append(threading.current_thread().name)
    )
    with drawing_soon():
        pass
    assert threads == ["start drawing"]


def test_where_no_charts_can_be_drawn_that_is_told_by_who_wants_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with drawing_soon(), pytest.raises(Problem, match="extra packages"):
        svg(Chart("c", "", "", {}, {}))
