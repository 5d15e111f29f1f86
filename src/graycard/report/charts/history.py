"""One set-up over time: each result with its interval, what was expected, and where a change began a new era."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from graycard.model import Entry, Era, History, Standing
from graycard.report.charts.chart import Chart
from graycard.report.charts.marks import Spec, coloured, note_mark, quantitative, values
from graycard.report.charts.theme import AXIS, BLUE, GRAY, GREEN, INK, NARROW, ORANGE, RED, SHADE, WIDE
from graycard.report.printable import printable, short_name, shorten
from graycard.units import format_rate

SHOWN_COUNT = 300
_HEIGHT_PX = 200
_GUTTER_PX = 44
_ABOVE_PX = -15
_CHANGE_LENGTH = 22
_TIME = "%Y-%m-%dT%H:%M:%SZ"
_COLOURS = (BLUE, ORANGE, RED, GREEN, GRAY)
_KINDS = {Standing.UNUSUAL: 1, Standing.REGRESSION: 2, Standing.IMPROVEMENT: 3, Standing.TOO_SHORT: 4}
_KINDS |= {Standing.FIRST: 4}
_TOLD = (Standing.UNUSUAL, Standing.REGRESSION, Standing.IMPROVEMENT)
# Room above and below the points, as a share of their range.
_MARGIN_RATIO = 0.15


def history_chart(name: str, history: History) -> Chart | None:
    """The newest 300 results of a history; None where there are none."""
    total = sum(len(era.entries) for era in history.eras)
    eras = tuple(_newest(history.eras))
    entries = [entry for era in eras for entry in era.entries]
    if not entries:
        return None
    of = f", the newest {len(entries)} of {total} results" if total > len(entries) else ""
    title = f"{short_name(history.task_label)} on {short_name(history.device)}{of}; the axis does not begin at 0"
    says = f"{title}: {len(entries)} results over time, {len(eras)} set-ups. {printable(history.says)}"
    return Chart(name, title, says, _spec(eras, WIDE), _spec(eras, NARROW))


def _newest(eras: Sequence[Era]) -> Iterator[Era]:
    left = SHOWN_COUNT
    kept = []
    for era in reversed(eras):
        if left and era.entries:
            entries = era.entries[-left:]
            left -= len(entries)
            kept.append(Era(entries, era.changes))
    yield from reversed(kept)


def _spec(eras: Sequence[Era], width: int) -> Spec:
    entries = [entry for era in eras for entry in era.entries]
    low, high = _range(entries)
    extent = {"minExtent": _GUTTER_PX - 2, "maxExtent": _GUTTER_PX - 2}
    y_axis = {"title": None, "tickCount": 4, "labelOverlap": False, **extent}
    y = quantitative("rate", axis=y_axis, scale={"domain": [low, high], "nice": False, "zero": False, "clamp": True})
    form = _date_form(entries[-1].created_at - entries[0].created_at)
    x_axis = {"title": None, "grid": False, "tickCount": 5 if width > NARROW else 3, "format": form, "labelFlush": True}
    x = {"field": "at", "type": "temporal", "axis": x_axis, "scale": {"type": "utc", "nice": False, "padding": 8}}
    told = {entry.standing: entry.result_id for entry in entries if entry.standing in _TOLD}
    half_way = entries[0].created_at + (entries[-1].created_at - entries[0].created_at) / 2
    data = [_datum(number, entry, told, half_way) for number, era in enumerate(eras) for entry in era.entries]
    layers = [_expected(x, y), *_intervals(x), *_points(x, y), *_changes(eras), _unit()]
    return {"width": width - _GUTTER_PX, "height": _HEIGHT_PX, "data": values(data), "layer": layers}


def _range(everything: Sequence[Entry]) -> tuple[float, float]:
    """Of the results that count: one that is not what it claims to be stands at the edge where it lies beyond."""
    entries = [entry for entry in everything if entry.standing is not Standing.NOT_COUNTED] or everything
    lows = [entry.rate_low_bytes_per_s or entry.rate_bytes_per_s for entry in entries]
    highs = [entry.rate_high_bytes_per_s or entry.rate_bytes_per_s for entry in entries]
    expected = [end for e in entries if e.expected for end in (e.expected.low, e.expected.high) if end is not None]
    low, high = min(*lows, *expected, *highs) / 1e6, max(*highs, *expected, *lows) / 1e6
    margin = (high - low or high) * _MARGIN_RATIO
    return max(0.0, low - margin), high + margin or 1.0


def _date_form(span: timedelta) -> str:
    """Months of a long history, days or times of a short one."""
    if span > timedelta(days=150):
        return "%b %Y"
    return "%-d %b" if span > timedelta(days=3) else "%-d %b %H:%M"


def _datum(era: int, entry: Entry, told: Mapping[Standing, str], half_way: datetime) -> Spec:
    """One entry; in words the newest of each standing that is not usual."""
    expected = entry.expected
    is_told = told.get(entry.standing) == entry.result_id
    return {
        "era": era,
        "at": f"{entry.created_at:{_TIME}}",
        "rate": entry.rate_bytes_per_s / 1e6,
        "low": _mega(entry.rate_low_bytes_per_s),
        "high": _mega(entry.rate_high_bytes_per_s),
        "expected_low": _mega(expected.low if expected else None),
        "expected_high": _mega(expected.high if expected else None),
        "kind": _KINDS.get(entry.standing, 0),
        "counted": entry.standing is not Standing.NOT_COUNTED,
        "below": expected is None or entry.rate_bytes_per_s < expected.value,
        "late": entry.created_at > half_way,
        "says": f"{entry.standing.value}: {format_rate(entry.rate_bytes_per_s)}" if is_told else "",
    }


def _mega(value: float | None) -> float | None:
    return None if value is None else value / 1e6


def _expected(x: Spec, y: Spec) -> Spec:
    """The prediction interval from the results before: where a usual result lies."""
    return {
        "transform": [{"filter": "isValid(datum.expected_low) && isValid(datum.expected_high)"}],
        "mark": {"type": "area", "color": SHADE, "interpolate": "step"},
        "encoding": {
            "x": x,
            "y": {**y, "field": "expected_low"},
            "y2": {"field": "expected_high"},
            "detail": {"field": "era", "type": "nominal"},
        },
    }


def _intervals(x: Spec) -> Iterator[Spec]:
    yield {
        "transform": [{"filter": "isValid(datum.low) && isValid(datum.high)"}],
        "mark": {"type": "rule", "strokeWidth": 1, "color": AXIS},
        "encoding": {"x": x, "y": quantitative("low"), "y2": {"field": "high"}},
    }


def _points(x: Spec, y: Spec) -> Iterator[Spec]:
    """A circle for each result, hollow where it is not counted, and words beside those that have some.

    The words stand away from the results before, and where there is more room.
    """
    yield {
        "transform": [{"filter": "!datum.counted"}],
        "mark": {"type": "point", "filled": False, "size": 36, "opacity": 1, "color": GRAY, "strokeWidth": 1.5},
        "encoding": {"x": x, "y": y},
    }
    yield {
        "transform": [{"filter": "datum.counted"}],
        "mark": {"type": "point", "filled": True, "size": 36, "opacity": 1},
        "encoding": {"x": x, "y": y, "color": coloured(_COLOURS)},
    }
    for is_below in (True, False):
        for is_late in (True, False):
            dx, dy = -5 if is_late else 5, 7 if is_below else -7
            sides = {"align": "right" if is_late else "left", "baseline": "top" if is_below else "bottom"}
            mark = note_mark("says", dx=dx, dy=dy, **sides)
            mark["encoding"] |= {"x": x, "y": y}
            where = f"datum.below === {str(is_below).lower()} && datum.late === {str(is_late).lower()}"
            yield {"transform": [{"filter": f"datum.says !== '' && {where}"}], **mark}


def _changes(eras: Sequence[Era]) -> Iterator[Spec]:
    """A line where a new era begins, with what changed on the side where there is more room."""
    starts = [era.entries[0].created_at for era in eras]
    end = eras[-1].entries[-1].created_at
    data = [
        {
            "at": f"{start:{_TIME}}",
            "text": shorten(_change(era), _CHANGE_LENGTH),
            "left": end - start < start - starts[0],
        }
        for start, era in zip(starts[1:], eras[1:], strict=True)
    ]
    at = {"field": "at", "type": "temporal"}
    yield {
        "data": values(data),
        "mark": {"type": "rule", "color": INK, "strokeWidth": 1, "strokeDash": [2, 3]},
        "encoding": {"x": at, "y": {"value": 0}, "y2": {"value": _HEIGHT_PX}},
    }
    for is_left in (True, False):
        mark = note_mark("text", align="right" if is_left else "left", dx=-6 if is_left else 6)
        mark["encoding"] |= {"x": at, "y": {"value": 8}}
        yield {"data": values([each for each in data if each["left"] is is_left]), **mark}


def _change(era: Era) -> str:
    if not era.changes:
        return "new set-up"
    more = f" +{len(era.changes) - 1}" if len(era.changes) > 1 else ""
    return printable(f"{era.changes[0].name.replace('_', ' ')}: {era.changes[0].other}") + more


def _unit() -> Spec:
    mark = note_mark("text", align="left", dy=_ABOVE_PX)
    mark["encoding"] |= {"x": {"value": -_GUTTER_PX}, "y": {"value": 0}}
    return {"data": values([{"text": "MB/s"}]), **mark}
