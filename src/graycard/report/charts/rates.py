"""Rates as bars with their 95 % intervals: one panel for all tasks, or one a task where set-ups stand side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from graycard.model import Estimate, Result
from graycard.report.charts.chart import Chart
from graycard.report.charts.marks import (
    MARK_DY,
    ROW_PX,
    TITLE_RATIO,
    Spec,
    axis,
    coloured,
    interval,
    quantitative,
    row_texts,
    rows_y,
    values,
)
from graycard.report.charts.theme import GRAY, NARROW, WIDE, arm_colour, colour_of
from graycard.report.figures import plus_minus, rate
from graycard.report.names import task_names
from graycard.report.notes import has_failed
from graycard.report.printable import NAME_WIDTH, short_name, shorten

SHOWN_COUNT = 24
_BAR_PX = 12


@dataclass(frozen=True, slots=True)
class Bar:
    """One row: its name, its estimate of bytes/s, its colour and whether a check failed."""

    name: str
    rate: Estimate
    colour: str
    failed: bool

    @property
    def told(self) -> str:
        """The figure in words: "2100 MB/s ± 3 %"."""
        return f"{'failed: ' if self.failed else ''}{rate(self.rate)} {plus_minus(self.rate)}"


@dataclass(frozen=True, slots=True)
class Panel:
    """Bars on one axis, under a title where there are several."""

    title: str
    bars: tuple[Bar, ...]


def rates_chart(name: str, results: Sequence[Result], arms: Sequence[str], limit: int = SHOWN_COUNT) -> Chart | None:
    """The rates of `results`; `arms` names the set-up of each. None where nothing was measured.

    At most `limit` bars; the title tells how many are left out. Where set-ups stand side by side, whole tasks are:
    nobody would miss a set-up that is not drawn.
    """
    told = [(result, arm) for result, arm in zip(results, arms, strict=True) if result.summary]
    if not told:
        return None
    shown, left_out = _chosen(told, limit)
    panels = tuple(_panels(shown))
    several = len({arm for _, arm in shown}) > 1
    title = "Rate of each task by set-up" if several else "Rate of each task"
    title += " with its 95 % interval" if any(bar.rate.level_ratio for panel in panels for bar in panel.bars) else ""
    title += left_out
    says = "; ".join(_said(panel) for panel in panels)
    return Chart(name, title, f"Bars. {says}.", _spec(panels, WIDE), _spec(panels, NARROW))


def _chosen(told: list[tuple[Result, str]], limit: int) -> tuple[list[tuple[Result, str]], str]:
    """What is drawn, and in words how much that is of all; tasks of all set-ups as far as one fits, else the first."""
    if len(told) <= limit:
        return told, ""
    bars = Counter(result.task.label for result, _ in told)
    kept = [label for label, room in zip(bars, accumulate(bars.values()), strict=True) if room <= limit]
    if not kept or len({arm for _, arm in told}) == 1:
        return told[:limit], f", the first {limit} of {len(told)}"
    return [each for each in told if each[0].task.label in kept], f", the first {len(kept)} of {len(bars)} tasks"


def _panels(shown: Sequence[tuple[Result, str]]) -> Iterator[Panel]:
    results = [result for result, _ in shown]
    arms = list(dict.fromkeys(arm for _, arm in shown))
    if len(arms) == 1:
        names = task_names(results)
        bars = (_bar(each, name, colour_of(each.task.operation)) for each, name in zip(results, names, strict=True))
        yield Panel("", tuple(bar for bar in bars if bar))
        return
    by_label: dict[str, list[Bar]] = {}
    for result, arm in shown:
        if bar := _bar(result, short_name(arm), arm_colour(arms.index(arm))):
            by_label.setdefault(short_name(result.task.label), []).append(bar)
    yield from (Panel(label, tuple(bars)) for label, bars in by_label.items())


def _bar(result: Result, name: str, colour: str) -> Bar | None:
    if result.summary is None:
        return None
    failed = has_failed(result)
    return Bar(name, result.summary.rate, GRAY if failed else colour, failed)


def _said(panel: Panel) -> str:
    bars = ", ".join(f"{bar.name} {bar.told}" for bar in panel.bars)
    return f"{panel.title}: {bars}" if panel.title else bars


def _spec(panels: Sequence[Panel], width: int) -> Spec:
    drawn = [_panel(panel, width) for panel in panels]
    # Each panel numbers its own colours: a failed bar is gray in its own panel alone.
    own = {"scale": {"color": "independent"}}
    return drawn[0] if len(drawn) == 1 else {"vconcat": drawn, "resolve": own}


def _panel(panel: Panel, width: int) -> Spec:
    largest = max(max(bar.rate.value, bar.rate.high or 0) for bar in panel.bars) / 1e6
    ticks = axis("MB/s", 5 if width > NARROW else 3)
    x = quantitative("rate", axis=ticks, scale={"domain": [0, largest or 1], "nice": False})
    colours = list(dict.fromkeys(bar.colour for bar in panel.bars))
    bars: Spec = {
        "mark": {"type": "bar", "height": _BAR_PX, "yOffset": MARK_DY},
        "encoding": {"x": x, "color": coloured(colours)},
    }
    data = [_datum(row, bar, colours) for row, bar in enumerate(panel.bars)]
    layers = [bars, *interval("low", "high"), *row_texts(data, width, 0.46)]
    return {
        "width": width,
        "height": {"step": ROW_PX},
        "data": values(data),
        "encoding": {"y": rows_y()},
        "layer": layers,
        **({"title": {"text": panel.title, "limit": int(width * TITLE_RATIO)}} if panel.title else {}),
    }


def _datum(row: int, bar: Bar, colours: Sequence[str]) -> Spec:
    low, high = (None if end is None else end / 1e6 for end in (bar.rate.low, bar.rate.high))
    place = {"row": row, "kind": colours.index(bar.colour)}
    return {
        **place,
        "name": shorten(bar.name, NAME_WIDTH),
        "told": bar.told,
        "rate": bar.rate.value / 1e6,
        "low": low,
        "high": high,
    }
