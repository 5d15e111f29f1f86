"""Latency of the tasks of one measurement: how the operations spread over a logarithmic axis, percentiles marked."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from graycard.model import Histogram, Percentile, Result, Run
from graycard.report.charts.chart import Chart
from graycard.report.charts.marks import Spec, coloured, note_mark, quantitative, row_texts, values
from graycard.report.charts.theme import BLUE, INK, NARROW, ORANGE, WIDE
from graycard.report.figures import plus_minus
from graycard.report.printable import NAME_WIDTH, shorten
from graycard.stats.latency import merge, upper_ns
from graycard.units import format_duration

SHOWN_COUNT = 8
# From top to bottom of a row: a line of text, the shape, the names of the percentiles.
_ROW_PX = 76
_TEXT_PX = 19
_SHAPE_PX = 26
_BELOW_PX = 26
_BINS_PER_DECADE = 24
# The coarsest buckets that are used: each twice as long as the one before.
_ERROR_RATIO = 0.5
# Names of percentiles nearer to each other than this would overlap.
_NAME_PX = 38
_MARKED = {50.0: "p50", 99.0: "p99", 99.9: "p99.9", 100.0: "max"}
# Decades: whole numbers of ns, µs, ms or s.
_LABELS = (
    "datum.value < 1e3 ? datum.value + ' ns' : datum.value < 1e6 ? datum.value / 1e3 + ' µs' : "
    "datum.value < 1e9 ? datum.value / 1e6 + ' ms' : datum.value / 1e9 + ' s'"
)


@dataclass(frozen=True, slots=True)
class _Row:
    """One task: its operations of all runs, and its published percentiles."""

    name: str
    kind: int
    histogram: Histogram
    percentiles: tuple[Percentile, ...]

    def told(self, *percentiles: float) -> str:
        """Percentiles in words: "p50 1.23 ms ± 2 %, p99 3.40 ms ± 4 %"."""
        return ", ".join(_words(each) for each in self.percentiles if each.percentile in percentiles)


def latency_chart(name: str, results: Sequence[Result], names: Sequence[str]) -> Chart | None:
    """The latencies of `results`, at most 8, called `names`; None where no run has a histogram."""
    known = list(_rows(results, names))
    shown = known[:SHOWN_COUNT]
    if not shown:
        return None
    of = f", the first {len(shown)} of {len(known)} tasks" if len(known) > len(shown) else ""
    says = "; ".join(f"{row.name}: {row.told(50.0, 99.0) or 'no percentiles'}" for row in shown)
    wide, narrow = (_spec(shown, width) for width in (WIDE, NARROW))
    return Chart(name, f"How long each operation took{of}", f"Distributions of latency. {says}.", wide, narrow)


def has_latency(result: Result) -> bool:
    """Whether there is a distribution to draw."""
    return result.summary is not None and any(map(_histogram, result.runs))


def _histogram(run: Run) -> Histogram | None:
    """The latencies of a run, where they are some and their buckets have a width that can be."""
    found = run.samples.latency
    is_sound = found is not None and any(each.count for each in found.counts) and found.error_ratio <= _ERROR_RATIO
    return found if is_sound else None


def _rows(results: Sequence[Result], names: Sequence[str]) -> Iterator[_Row]:
    for result, name in zip(results, names, strict=True):
        histograms = [each for run in result.runs if (each := _histogram(run))]
        if histograms and result.summary:
            kind = 0 if result.task.operation.value == "read" else 1
            yield _Row(name, kind, merge(histograms), result.summary.latency_ns)


def _words(percentile: Percentile) -> str:
    name = _MARKED[percentile.percentile]
    return f"{name} {format_duration(percentile.latency.value)} {plus_minus(percentile.latency)}"


def _spec(rows: Sequence[_Row], width: int) -> Spec:
    low, high = _range(rows)
    scale = {"type": "log", "domain": [low, high], "nice": False}
    places = [10.0**power for power in range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)]
    axis = {"title": None, "values": places, "labelExpr": _LABELS, "labelFlush": True}
    height = _ROW_PX * len(rows)
    y_scale = {"domain": [0, height], "nice": False, "zero": False, "reverse": True}
    y = {"axis": None, "scale": y_scale}
    shape: Spec = {
        "data": values(list(_bins(rows))),
        "mark": {"type": "rect", "opacity": 0.8},
        "encoding": {
            "x": quantitative("start", axis=axis, scale=scale),
            "x2": {"field": "end"},
            "y": quantitative("top", **y),
            "y2": {"field": "bottom"},
            "color": coloured((BLUE, ORANGE)),
        },
    }
    told = (50.0, 99.0) if width > NARROW else (99.0,)
    lines = [{"name": shorten(row.name, NAME_WIDTH), "told": row.told(*told), "y": at} for row, at in _places(rows)]
    texts = row_texts(lines, width)
    for each in texts:
        each["data"] = values(lines)
        each["encoding"]["y"] = quantitative("y")
    return {
        "width": width,
        "height": height,
        "layer": [shape, *_marks(rows, _NAME_PX * math.log(high / low) / width), *texts],
    }


def _places(rows: Sequence[_Row]) -> Iterator[tuple[_Row, int]]:
    """Each row with the y of its line of text, which `row_texts` draws a little above."""
    return ((row, number * _ROW_PX + _TEXT_PX) for number, row in enumerate(rows))


def _range(rows: Sequence[_Row]) -> tuple[float, float]:
    lows = [row.histogram.counts[0].low_ns for row in rows]
    highs = [upper_ns(row.histogram.counts[-1].low_ns, row.histogram.error_ratio) for row in rows]
    highs += [row.histogram.max_ns for row in rows if row.histogram.max_ns]
    low = max(1.0, min(lows))
    return low / 1.2, max(low, *highs) * 1.2


def _bins(rows: Sequence[_Row]) -> Iterator[Spec]:
    """Shares of the operations in bins of equal ratio, each row to its own height."""
    for number, row in enumerate(rows):
        counts: Counter[int] = Counter()
        for bucket in row.histogram.counts:
            middle = (max(1, bucket.low_ns) + upper_ns(bucket.low_ns, row.histogram.error_ratio)) / 2
            counts[math.floor(math.log10(max(1.0, middle)) * _BINS_PER_DECADE)] += bucket.count
        most = max(counts.values())
        bottom = (number + 1) * _ROW_PX - _BELOW_PX
        for place, count in counts.items():
            start, end = (10 ** (edge / _BINS_PER_DECADE) for edge in (place, place + 1))
            top = bottom - max(0.5, _SHAPE_PX * count / most)
            yield {"start": start, "end": end, "top": top, "bottom": bottom, "kind": row.kind}


def _marks(rows: Sequence[_Row], apart: float) -> Iterator[Spec]:
    """The percentiles as ticks under each shape, with their names where these are `apart` (a difference of logs)."""
    data = []
    for number, row in enumerate(rows):
        bottom = (number + 1) * _ROW_PX - _BELOW_PX
        for each in row.percentiles:
            if each.percentile in _MARKED and each.latency.value > 0:
                name = _MARKED[each.percentile]
                data.append(
                    {"x": each.latency.value, "y": bottom - 8, "y2": bottom + 5, "text": name, "at": bottom + 12}
                )
    yield {
        "data": values(data),
        "mark": {"type": "rule", "color": INK, "strokeWidth": 1.5},
        "encoding": {"x": quantitative("x"), "y": quantitative("y"), "y2": {"field": "y2"}},
    }
    text = note_mark("text")
    text["encoding"] |= {"x": quantitative("x"), "y": quantitative("at")}
    yield {"data": values(_named(data, apart)), **text}


def _named(data: Sequence[Spec], apart: float) -> list[Spec]:
    """The marks whose names do not run into the one before."""
    kept: list[Spec] = []
    for each in data:
        if not kept or kept[-1]["at"] != each["at"] or math.log(each["x"] / kept[-1]["x"]) >= apart:
            kept.append(each)
    return kept
