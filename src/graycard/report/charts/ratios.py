"""Comparisons as ratios with their intervals, beside the band within which a difference does not matter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from math import log

from graycard.model import Comparison, Estimate, Likeness
from graycard.report.charts.chart import Chart
from graycard.report.charts.marks import (
    MARK_DY,
    ROW_PX,
    TITLE_RATIO,
    Spec,
    coloured,
    interval,
    quantitative,
    row_texts,
    rows_y,
    values,
)
from graycard.report.charts.theme import AXIS, BLUE, GRAY, NARROW, ORANGE, SHADE, WIDE
from graycard.report.figures import change, change_interval
from graycard.report.printable import short_name
from graycard.units import percent

SHOWN_COUNT = 24
# Places that axes may mark, as ratios; the axis shows those inside its range that are far enough apart.
_PLACES = (
    0.01,
    0.02,
    0.05,
    0.1,
    0.2,
    0.3,
    0.5,
    0.7,
    0.8,
    0.9,
    1.0,
    1.1,
    1.25,
    1.5,
    2.0,
    3.0,
    5.0,
    10.0,
    20.0,
    50.0,
    100.0,
)
_LABEL_PX = 50
_COLOURS = (ORANGE, BLUE, GRAY)
_KINDS = {
    Likeness.SLOWER: 0,
    Likeness.SLOWER_SIZE_UNCERTAIN: 0,
    Likeness.FASTER: 1,
    Likeness.FASTER_SIZE_UNCERTAIN: 1,
}
# 'below' and 'above' as people say it: 0.8 is "−20 %", 3 is "3 ×".
_LABELS = (
    "datum.value === 1 ? 'same' : datum.value >= 2 ? format(datum.value, '.3~g') + ' ×' : "
    "(datum.value > 1 ? '+' : '−') + format(abs(datum.value - 1) * 100, '.3~g') + ' %'"
)


def ratios_chart(name: str, comparisons: Sequence[Comparison]) -> Chart | None:
    """The ratios of `comparisons`, at most 24; None where none has a ratio above 0."""
    known = [each for each in comparisons if each.ratio is not None and each.ratio.value > 0]
    shown = known[:SHOWN_COUNT]
    if not shown:
        return None
    title = "Difference in speed, with its 95 % interval"
    if len(known) > len(shown):
        title += f", the first {len(shown)} of {len(known)}"
    says = "; ".join(f"{_against(each)}, {short_name(each.task_label)}: {_told(each)}" for each in shown)
    return Chart(name, title, f"Ratios. {says}.", _spec(shown, WIDE), _spec(shown, NARROW))


def _against(comparison: Comparison) -> str:
    return f"{short_name(comparison.other)} against {short_name(comparison.base)}"


def _told(comparison: Comparison) -> str:
    """The change in words: "−23 % (−25 to −20 %)"; "failed: " before it where a check of a figure did."""
    ratio, failed = comparison.ratio, "failed: " if comparison.failed_ids else ""
    return "" if ratio is None else f"{failed}{change(ratio.value)} {change_interval(ratio)}".rstrip()


def _ends(ratio: Estimate | None) -> Iterator[float]:
    if ratio is not None:
        yield from (end for end in (ratio.low, ratio.value, ratio.high) if end is not None and end > 0)


def _spec(shown: Sequence[Comparison], width: int) -> Spec:
    ends = [end for each in shown for end in _ends(each.ratio)]
    margins = [side for each in shown for side in (1 - 2 * each.threshold_ratio, 1 + 2 * each.threshold_ratio)]
    domain = (min(*ends, *(side for side in margins if side > 0)) / 1.03, max(*ends, *margins) * 1.03)
    panels = [
        _panel(_against(each[0]), each, domain, width)
        for each in (tuple(group) for _, group in groupby(shown, key=lambda each: (each.base, each.other)))
    ]
    return panels[0] if len(panels) == 1 else {"vconcat": panels}


def _panel(title: str, shown: Sequence[Comparison], domain: tuple[float, float], width: int) -> Spec:
    threshold = shown[0].threshold_ratio
    axis = {"title": None, "values": _places(domain, width), "labelExpr": _LABELS, "labelFlush": False}
    x = quantitative("ratio", axis=axis, scale={"type": "log", "domain": list(domain), "nice": False})
    data = [_datum(row, each) for row, each in enumerate(shown)]
    point: Spec = {
        "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1, "yOffset": MARK_DY},
        "encoding": {"x": x, "color": coloured(_COLOURS)},
    }
    return {
        "title": {
            "text": title,
            "limit": int(width * TITLE_RATIO),
            "subtitle": f"gray: within {percent(threshold)}, too small to matter",
        },
        "width": width,
        "height": {"step": ROW_PX},
        "data": values(data),
        "encoding": {"y": rows_y()},
        "layer": [_band(threshold), _line(), *interval("low", "high"), point, *row_texts(data, width)],
    }


def _band(threshold: float) -> Spec:
    """Differences within the threshold, over the whole height."""
    low, high = max(1 - threshold, 1e-6), 1 + threshold
    return {
        "data": values([{"low": low, "high": high}]),
        "mark": {"type": "rect", "color": SHADE},
        "encoding": {"x": quantitative("low"), "x2": {"field": "high"}, "y": {"value": 0}, "y2": {"value": "height"}},
    }


def _line() -> Spec:
    return {
        "data": values([{"same": 1}]),
        "mark": {"type": "rule", "color": AXIS, "strokeWidth": 1.5},
        "encoding": {"x": quantitative("same"), "y": {"value": 0}, "y2": {"value": "height"}},
    }


def _places(domain: tuple[float, float], width: int) -> list[float]:
    """The places inside the domain that are far enough apart for their labels; 1 always."""
    low, high = domain
    apart = log(high / low) * _LABEL_PX / width
    kept = [1.0]
    inside = [place for place in _PLACES if log(place / low) >= apart / 2 and log(high / place) >= apart / 2]
    for place in sorted(inside, key=lambda place: abs(log(place))):
        if all(abs(log(place / other)) >= apart for other in kept):
            kept.append(place)
    return sorted(kept)


def _datum(row: int, comparison: Comparison) -> Spec:
    ratio = comparison.ratio
    known = ratio is not None and _has_interval(ratio)
    return {
        "row": row,
        "kind": 2 if comparison.failed_ids else _KINDS.get(comparison.verdict, 2),
        "name": short_name(comparison.task_label),
        "told": _told(comparison),
        "ratio": ratio.value if ratio else None,
        "low": ratio.low if ratio and known else None,
        "high": ratio.high if ratio and known else None,
    }


def _has_interval(ratio: Estimate) -> bool:
    """The range of two runs is none: it has no level."""
    return ratio.level_ratio is not None and ratio.low is not None and ratio.low > 0 and ratio.high is not None
