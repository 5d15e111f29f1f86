"""The section of what a measurement is enough for: formats that it plays and records."""

from __future__ import annotations

from collections.abc import Sequence

from graycard.media import HEADROOM_RATIO, Format, by_measurement, choose, fit, known_formats
from graycard.model import Operation, Result
from graycard.report.fits import Fits, fits_parts
from graycard.report.story.parts import Section

# Few rows: a report shows where the border lies, the command shows all.
_ROWS_COUNT = 12


def enough_section(results: Sequence[Result]) -> Section | None:
    """What the newest suitable results of one set-up are enough for; None where none of them decides anything."""
    chosen = choose(by_measurement(results), tuple(Operation))
    if not any(basis.undecided is None for basis in chosen.bases):
        return None
    formats = _around_the_border(known_formats(), max(each.sustained_bytes_per_s or 0.0 for each in chosen.bases))
    fits = tuple(fit(each, basis) for each in formats for basis in chosen.bases)
    found = Fits(chosen, formats, fits, 1, HEADROOM_RATIO)
    return Section("enough", "What it is enough for", "", tuple(fits_parts(found)))


def _around_the_border(formats: tuple[Format, ...], rate_bytes_per_s: float) -> tuple[Format, ...]:
    """The largest formats that pass and the first that do not."""
    passing = sum(1 for each in formats if each.bytes_per_s <= rate_bytes_per_s)
    end = min(len(formats), max(passing + 2, _ROWS_COUNT))
    return formats[max(0, end - _ROWS_COUNT) : end]
