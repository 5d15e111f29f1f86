"""A report in pieces. CSV and JSON hold every run: these are read result by result, as they are written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from graycard.cli.app import App
from graycard.cli.report_sides import is_bare
from graycard.codec import encode
from graycard.model import Report, Result
from graycard.report.csv_table import CsvRenderer
from graycard.report.forms import FORMS, ReportJson
from graycard.store import Store

_Kept = TypeVar("_Kept")


def pieces_of(app: App, report: Report, form: str) -> Iterator[bytes]:
    """What the form's `render` gives, of results that came with the figures of their runs alone."""
    renderer = next(each for each in FORMS if each.name == form)
    if isinstance(renderer, CsvRenderer):
        yield from renderer.pieces(_each(app, report.results, Store.latencies, lambda result: result))
    elif isinstance(renderer, ReportJson) and report.diagnosis is None:
        yield from renderer.pieces(report, _each(app, report.results, Store.text, encode))
    else:
        yield renderer.render(report)


def _each(
    app: App, results: Sequence[Result], read: Callable[[Store, str], _Kept], given: Callable[[Result], _Kept]
) -> Iterator[_Kept]:
    """What is stored of each result, or `given` for those of files, which have come whole."""
    if not app.has_store:
        yield from map(given, results)
        return
    with app.open_store() as store:
        for result in results:
            stored = is_bare(result) and store.knows(result.id)
            yield read(store, result.id) if stored else given(result)
