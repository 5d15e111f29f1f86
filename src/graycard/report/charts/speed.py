"""Speed over time: blocks of time, run after run, with cliffs, swings and stalls told where they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from graycard.model import Phase, Result, Summary
from graycard.report.charts.blocks import Stretch, blocks, is_telling, stalls_of, stretches
from graycard.report.charts.chart import Chart
from graycard.report.charts.marks import Spec, axis, note_mark, quantitative, text_mark, values
from graycard.report.charts.theme import HAIRLINE, INK, NARROW, PALE, RED, WIDE, colour_of
from graycard.report.figures import plus_minus, rate
from graycard.units import format_duration, format_rate, format_size

SHOWN_RUNS_COUNT = 12
_HEIGHT_PX = 160
_GUTTER_PX = 44
# A block every 3 pixels: finer cannot be seen.
_BLOCK_PX = 3
_SHOWN_STALLS_COUNT = 8
# Room above the curve, in which the words stand.
_HEADROOM_RATIO = 1.2
_ABOVE_PX = -15


def speed_chart(name: str, result: Result, title: str) -> Chart | None:
    """The rate over the time of the first 12 runs of `result`; None where that is not known, or under a second."""
    if result.summary is None or not is_telling(result.runs):
        return None
    everything = stretches(result.runs)
    shown = everything[:SHOWN_RUNS_COUNT]
    published = f"{rate(result.summary.rate)} {plus_minus(result.summary.rate)}"
    of = f"; the first {len(shown)} of {len(everything)} runs" if len(everything) > len(shown) else ""
    short_count = len(result.runs) - len(everything)
    of += f"; {short_count} of {len(result.runs)} runs are too short to show" if short_count else ""
    says = f"Speed over time, {title}: {published}. {result.summary.steadiness.says}"
    wide, narrow = (_spec(result, result.summary, shown, width) for width in (WIDE, NARROW))
    return Chart(name, f"{title}: {published}{of}", says, wide, narrow)


def _spec(result: Result, summary: Summary, shown: Sequence[Stretch], width: int) -> Spec:
    plot_px = width - _GUTTER_PX
    data = list(_data(shown, plot_px // _BLOCK_PX))
    top = max(*(each["high"] for each in data), summary.rate.value / 1e6) * _HEADROOM_RATIO or 1.0
    end_s = shown[-1].origin_s + shown[-1].duration_s
    layers = [*_curve(colour_of(result.task.operation), end_s, top, width), _published(summary)]
    layers += [_bounds(shown), _unit()]
    layers += _cliffs(shown, summary.steadiness.phases, end_s)
    layers += _swings(summary)
    layers += _stalls(shown, summary, end_s)
    return {"width": plot_px, "height": _HEIGHT_PX, "data": values(data), "layer": layers}


def _data(shown: Sequence[Stretch], limit: int) -> Iterator[Spec]:
    """Each block at its start, and the last of a run once more at its end."""
    for stretch, own in blocks(shown, limit):
        for each in own:
            yield {"run": stretch.run_index, "x": each.start_s, "mean": each.mean, "low": each.low, "high": each.high}
        last = own[-1]
        yield {"run": stretch.run_index, "x": last.end_s, "mean": last.mean, "low": last.low, "high": last.high}


def _curve(colour: str, end_s: float, top: float, width: int) -> list[Spec]:
    """Between the slowest and the fastest slot of each block a pale area, their mean a line."""
    scale = {"domain": [0, end_s], "nice": False}
    x = quantitative("x", axis=axis("s", 6 if width > NARROW else 3, grid=False), scale=scale)
    extent = {"minExtent": _GUTTER_PX - 2, "maxExtent": _GUTTER_PX - 2}
    y_axis = {"title": None, "tickCount": 3, "labelOverlap": False, **extent}
    y = {"axis": y_axis, "scale": {"domain": [0, top], "nice": False}}
    run = {"field": "run", "type": "nominal"}
    return [
        {
            "mark": {"type": "area", "interpolate": "step-after", "color": PALE[colour]},
            "encoding": {"x": x, "y": quantitative("low", **y), "y2": {"field": "high"}, "detail": run},
        },
        {
            "mark": {"type": "line", "interpolate": "step-after", "color": colour, "strokeWidth": 1.5},
            "encoding": {"x": x, "y": quantitative("mean", **y), "detail": run},
        },
    ]


def _published(summary: Summary) -> Spec:
    return {
        "data": values([{"rate": summary.rate.value / 1e6}]),
        "mark": {"type": "rule", "color": INK, "strokeWidth": 1, "strokeDash": [2, 3]},
        "encoding": {"y": quantitative("rate")},
    }


def _unit() -> Spec:
    mark = note_mark("text", align="left", dy=_ABOVE_PX)
    mark["encoding"] |= {"x": {"value": -_GUTTER_PX}, "y": {"value": 0}}
    return {"data": values([{"text": "MB/s"}]), **mark}


def _bounds(shown: Sequence[Stretch]) -> Spec:
    """Where each run begins, with its number; nothing where there is one run."""
    data = [
        {"x": each.origin_s, "text": f"{'' if place else 'run '}{each.run_index + 1}"}
        for place, each in enumerate(shown if len(shown) > 1 else ())
    ]
    rule = {
        "mark": {"type": "rule", "color": HAIRLINE},
        "encoding": {"x": quantitative("x"), "y": {"value": _ABOVE_PX}, "y2": {"value": _HEIGHT_PX}},
    }
    text = note_mark("text", align="left", dx=4, dy=_ABOVE_PX)
    text["encoding"] |= {"x": quantitative("x"), "y": {"value": 0}}
    return {"data": values(data), "layer": [rule, text]}


def _cliffs(shown: Sequence[Stretch], phases: Sequence[Phase], end_s: float) -> Iterator[Spec]:
    """Where the level changes for good; in words in the first run that does."""
    data = []
    for stretch in shown:
        own = [phase for phase in phases if phase.run_index == stretch.run_index]
        for before, after in pairwise(own):
            x = stretch.origin_s + after.start_ns / 1e9
            verb = "falls" if after.rate.value < before.rate.value else "rises"
            says = f"{verb} to {format_rate(after.rate.value)} after {format_size(after.start_bytes)}"
            data.append({"x": x, "text": says})
    if data:
        rule = {
            "data": values(data),
            "mark": {"type": "rule", "color": INK, "strokeWidth": 1},
            "encoding": {"x": quantitative("x")},
        }
        yield rule
        yield _words(data[0], end_s)


def _words(datum: Spec, end_s: float) -> Spec:
    """Words at a place of the time axis, on the side where there is more room."""
    left = datum["x"] > end_s / 2
    mark = text_mark("text", align="right" if left else "left", dx=-6 if left else 6, fontSize=12, fontWeight=600)
    mark["encoding"] |= {"x": quantitative("x"), "y": {"value": 10}}
    return {"data": values([datum]), **mark}


def _swings(summary: Summary) -> Iterator[Spec]:
    found = summary.steadiness.undulation
    if found is None:
        return
    levels = (found.low_bytes_per_s, found.high_bytes_per_s)
    yield {
        "data": values([{"level": level / 1e6} for level in levels]),
        "mark": {"type": "rule", "color": INK, "strokeWidth": 1},
        "encoding": {"y": quantitative("level")},
    }
    every = "" if found.period_ns is None else f" every {format_duration(found.period_ns)}"
    low, high = (format_rate(level) for level in levels)
    yield _words({"x": 0, "text": f"swings, {low.removesuffix(' MB/s')} to {high}{every}"}, 1.0)


def _stalls(shown: Sequence[Stretch], summary: Summary, end_s: float) -> Iterator[Spec]:
    """The longest stalls as triangles on the axis, and the longest of all in words."""
    if summary.stalls is None or not summary.stalls.count:
        return
    found = sorted((stall for each in shown for stall in stalls_of(each)), key=lambda stall: -stall[1])
    if not found:
        return
    marks = [{"x": at + length / 2} for at, length in found[:_SHOWN_STALLS_COUNT]]
    yield {
        "data": values(marks),
        "mark": {"type": "point", "shape": "triangle-up", "filled": True, "size": 50, "color": RED, "opacity": 1},
        "encoding": {"x": quantitative("x"), "y": {"value": _HEIGHT_PX - 5}},
    }
    at, length = found[0]
    yield _words({"x": at + length / 2, "text": f"▲ stall of {format_duration(length * 1e9)}"}, end_s)
