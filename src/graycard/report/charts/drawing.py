"""A chart as SVG, by vl-convert: no browser, no network."""

from __future__ import annotations

from graycard.report.charts.chart import Chart


def svg(chart: Chart, *, dark: bool = False, narrow: bool = False, font: str = "sans-serif") -> bytes:
    """The chart as one SVG document in UTF-8. Problem where the extra `[report]` is not installed."""
    raise NotImplementedError
