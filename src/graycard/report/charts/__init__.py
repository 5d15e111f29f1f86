"""Charts of a report: what there is to draw, as Vega-Lite descriptions, and their drawing as SVG."""

from graycard.report.charts.chart import Chart
from graycard.report.charts.choice import charts_of
from graycard.report.charts.drawing import drawing_soon, svg

__all__ = ["Chart", "charts_of", "drawing_soon", "svg"]
