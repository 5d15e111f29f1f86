"""A copy over time: its speed, and in lanes below on the same axis what each slice of time was spent on."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby

from graycard.model import Estimate
from graycard.model.diagnosis import Case, Slices, Swing, Timeline, Waiting
from graycard.report.charts.chart import Chart
from graycard.report.charts.marks import Spec, axis, note_mark, quantitative, text_mark, values
from graycard.report.charts.theme import (
    BLUE,
    GRAY,
    HAIRLINE,
    INK,
    NARROW,
    ORANGE,
    PALE_BLUE,
    PURPLE,
    RED,
    WIDE,
)
from graycard.report.charts.waterfall import MOST_BYTES_PER_S
from graycard.report.figures import plus_minus, rate
from graycard.report.printable import short_name
from graycard.units import format_duration, format_rate, percent

COURSE = "course"
# What the copy moved in each step (the vocabulary of timelines).
_MOVED = "copy.moved_bytes"
_HEIGHT_PX = 140
_GUTTER_PX = 44
_BLOCK_PX = 3
_HEADROOM_RATIO = 1.2
_ABOVE_PX = -15
# The first lane stands below the labels of the axis.
_LANES_PX = _HEIGHT_PX + 46
_LANE_PX = 34
_BAND_PX = 9
_BAND_DY = 14
_LEAST_COUNT = 4
_COLOURS = {
    Waiting.NETWORK: BLUE,
    Waiting.NETWORK_STALLED: RED,
    Waiting.SERVER: ORANGE,
    Waiting.CLIENT: PURPLE,
    Waiting.UNKNOWN: GRAY,
}


def course_chart(case: Case) -> Chart | None:
    """The copy in question over time; None where that is not known, or shorter than a second."""
    timeline = next((each for each in case.evidence.timelines if each.tool == case.evidence.tool), None)
    if timeline is None or timeline.step_ns <= 0 or len(_known(timeline)) < _LEAST_COUNT:
        return None
    slices = case.diagnosis.slices
    spent = ", ".join(lane_words(slices, kind) for kind in kinds_of(slices)) if slices else ""
    copied = f": {_figure(case.rate)}" if case.rate else ""
    title = f"Speed of {short_name(timeline.tool)} over time{copied}"
    wide, narrow = (_spec(timeline, slices, case.diagnosis.swing, width) for width in (WIDE, NARROW))
    return Chart(COURSE, title, f"{title}. {f'Spent on: {spent}.' if spent else ''}", wide, narrow)


def _figure(found: Estimate) -> str:
    how = plus_minus(found)
    return f"{rate(found)} {how}" if how.startswith("±") else f"{rate(found)} ({how})"


def kinds_of(slices: Slices | None) -> tuple[Waiting, ...]:
    """What time was spent on at all."""
    return tuple(kind for kind in Waiting if slices and slices.ratio(kind) > 0)


def lane_words(slices: Slices, kind: Waiting) -> str:
    """One kind with its share and time: "network 62 % (12.4 s)"."""
    return f"{kind.value} {percent(slices.ratio(kind))} ({format_duration(slices.spent_ns(kind))})"


def _known(timeline: Timeline) -> list[tuple[int, float]]:
    """Number of the step and MB/s in it, where that is known."""
    per_s = 1e9 / timeline.step_ns
    return [
        (number, moved * per_s / 1e6)
        for number, moved in enumerate(timeline.values(_MOVED))
        if moved is not None and 0 <= moved * per_s <= MOST_BYTES_PER_S
    ]


def _spec(timeline: Timeline, slices: Slices | None, swing: Swing | None, width: int) -> Spec:
    plot_px = width - _GUTTER_PX
    step_s = timeline.step_ns / 1e9
    found = _known(timeline)
    end_s = max(timeline.step_count, len(slices.kinds) if slices else 0) * step_s
    data = list(_blocks(found, step_s, max(1, math.ceil(timeline.step_count / (plot_px // _BLOCK_PX)))))
    top = max(each["high"] for each in data) * _HEADROOM_RATIO or 1.0
    layers = [*_curve(end_s, top, width), _unit(), *_swing(swing)]
    layers += _lanes(slices, end_s, plot_px) if slices else []
    return {"width": plot_px, "height": _HEIGHT_PX, "data": values(data), "layer": layers}


def _blocks(found: Sequence[tuple[int, float]], step_s: float, size: int) -> Iterator[Spec]:
    """`size` steps each: mean, slowest and fastest of what is known; what is not known is a gap."""
    stretch, last = 0, -1
    for number, group in groupby(found, key=lambda each: each[0] // size):
        speeds = [speed for _, speed in group]
        stretch += number != last + 1
        last = number
        mean = math.fsum(speeds) / len(speeds)
        for place in (number, number + 1):
            at_s = place * size * step_s
            yield {"stretch": stretch, "x": at_s, "mean": mean, "low": min(speeds), "high": max(speeds)}


def _curve(end_s: float, top: float, width: int) -> list[Spec]:
    scale = {"domain": [0, end_s], "nice": False}
    x = quantitative("x", axis=axis("s", 6 if width > NARROW else 3, grid=False), scale=scale)
    extent = {"minExtent": _GUTTER_PX - 2, "maxExtent": _GUTTER_PX - 2}
    y_axis = {"title": None, "tickCount": 3, "labelOverlap": False, **extent}
    y = {"axis": y_axis, "scale": {"domain": [0, top], "nice": False}}
    stretch = {"field": "stretch", "type": "nominal"}
    return [
        {
            "mark": {"type": "area", "interpolate": "step-after", "color": PALE_BLUE},
            "encoding": {"x": x, "y": quantitative("low", **y), "y2": {"field": "high"}, "detail": stretch},
        },
        {
            "mark": {"type": "line", "interpolate": "step-after", "color": BLUE, "strokeWidth": 1.5},
            "encoding": {"x": x, "y": quantitative("mean", **y), "detail": stretch},
        },
    ]


def _unit() -> Spec:
    mark = note_mark("text", align="left", dy=_ABOVE_PX)
    mark["encoding"] |= {"x": {"value": -_GUTTER_PX}, "y": {"value": 0}}
    return {"data": values([{"text": "MB/s"}]), **mark}


def _swing(swing: Swing | None) -> Iterator[Spec]:
    """The two levels, and between which rates it swings, in words above the curve."""
    levels = (swing.low_bytes_per_s, swing.high_bytes_per_s) if swing else ()
    if swing is None or not all(0 <= level <= MOST_BYTES_PER_S for level in levels):
        return
    yield {
        "data": values([{"level": level / 1e6} for level in levels]),
        "mark": {"type": "rule", "color": INK, "strokeWidth": 1, "strokeDash": [2, 3]},
        "encoding": {"y": quantitative("level")},
    }
    low, high = (format_rate(level) for level in levels)
    every = f" every {format_duration(swing.period_ns)}" if swing.period_ns else ""
    words = {"text": f"swings, {low.removesuffix(' MB/s')} to {high}{every}"}
    mark = text_mark("text", align="left", fontSize=12, fontWeight=600, dy=_ABOVE_PX)
    mark["encoding"] |= {"x": {"value": 0}, "y": {"value": 0}}
    yield {"data": values([words]), **mark}


def _lanes(slices: Slices, end_s: float, plot_px: int) -> Iterator[Spec]:
    """A lane for each kind that there is: its name, its share, and where on the axis it was."""
    for place, kind in enumerate(kinds_of(slices)):
        y_px = _LANES_PX + place * _LANE_PX
        band_px = y_px + _BAND_DY
        yield _lane_text({"text": kind.value}, 0, y_px, align="left", fontWeight=500)
        share = f"{percent(slices.ratio(kind))}, {format_duration(slices.spent_ns(kind))}"
        yield _lane_text({"text": share}, plot_px, y_px, align="right")
        yield _band([{"x": 0.0, "x2": end_s}], band_px, HAIRLINE)
        yield _band(list(_stretches(slices, kind)), band_px, _COLOURS[kind])


def _lane_text(datum: Spec, x_px: int, y_px: int, **mark: object) -> Spec:
    text = text_mark("text", **mark)
    text["encoding"] |= {"x": {"value": x_px}, "y": {"value": y_px}}
    return {"data": values([datum]), **text}


def _band(data: Sequence[Spec], y_px: int, colour: str) -> Spec:
    return {
        "data": values(data),
        "mark": {"type": "rule", "color": colour, "strokeWidth": _BAND_PX},
        "encoding": {"x": quantitative("x"), "x2": {"field": "x2"}, "y": {"value": y_px}},
    }


def _stretches(slices: Slices, kind: Waiting) -> Iterator[Spec]:
    """From when to when the time went so, in s."""
    step_s, begin = slices.step_ns / 1e9, 0
    for found, group in groupby(slices.kinds):
        count = sum(1 for _ in group)
        if found is kind:
            yield {"x": begin * step_s, "x2": (begin + count) * step_s}
        begin += count
