"""A chart as SVG, by vl-convert: no browser, no network."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from graycard.errors import Problem
from graycard.report.charts.chart import Chart
from graycard.report.charts.theme import themed

VEGA_LITE = "6.4"
MISSING = "charts need the extra packages of reports, which are not installed; run: pip install 'graycard[report]'"
_NOTHING = Chart("nothing", "", "", {"data": {"values": [{}]}, "mark": "point"}, {})


@contextmanager
def drawing_soon() -> Iterator[None]:
    """Start the engine that draws while other things are done: that takes half a second, of another processor."""
    starting = threading.Thread(target=_start, name="start drawing")
    starting.start()
    try:
        yield
    finally:
        starting.join()


def _start() -> None:
    with suppress(Problem):
        svg(_NOTHING)


def svg(chart: Chart, *, dark: bool = False, narrow: bool = False, font: str = "sans-serif") -> bytes:
    """The chart as one SVG document in UTF-8. Problem where the extra `[report]` is not installed."""
    try:
        import vl_convert
    except ImportError:
        raise Problem(MISSING) from None
    specification = themed(chart.narrow if narrow else chart.specification, font, dark=dark)
    return vl_convert.vegalite_to_svg(specification, vl_version=VEGA_LITE, allowed_base_urls=[]).encode()
