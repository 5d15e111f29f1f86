"""Formats that the table lacks, where their frame follows from a formula or from the table's other rates and sizes."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from graycard.media.format import Confidence, Format, Kind
from graycard.media.formulas import FORMULAS
from graycard.media.rates import rate_text
from graycard.media.sizes import frame_size_text
from graycard.media.table import by_slug

# Whose frames have one size whatever the rate: exact formulas, and codecs whose tables show it (ProRes: 30 of 30
# cells of each size fit one number of bytes a frame; Blackmagic RAW and REDCODE of a ratio: rates scale with fps).
_ANY_RATE = {"ProRes", "DNxHR", "DNxHD", "Blackmagic RAW", "REDCODE RAW", "ARRIRAW"}


def derived(slug: str, pixels: tuple[int, int], rate: Fraction) -> Format | None:
    """The format at this size and rate, or None where its frame does not follow from what is known."""
    rows = by_slug().get(slug, ())
    if not rows:
        return None
    same_size = [each for each in rows if (each.width, each.height) == pixels]
    formula = FORMULAS.get(slug)
    if same_size and (formula or same_size[0].family in _ANY_RATE):
        return _at_rate(max(same_size, key=lambda each: each.frame_bytes), slug, rate)
    if formula:
        return _by_formula(rows[0], slug, pixels, rate)
    return None


def _at_rate(row: Format, slug: str, rate: Fraction) -> Format:
    """A row of this size at another rate. The largest frame of the rates: rounded figures differ by little."""
    key = f"{slug}/{frame_size_text(row.width or 0, row.height or 0)}/{rate_text(rate)}"
    other = "" if slug in FORMULAS and row.kind is Kind.CONSTANT else f"its frame as at {rate_text(row.rate)} fps"
    return replace(row, key=key, rate=rate, note="; ".join(part for part in (row.note, other) if part))


def _by_formula(row: Format, slug: str, pixels: tuple[int, int], rate: Fraction) -> Format:
    formula = FORMULAS[slug]
    return replace(
        row,
        key=f"{slug}/{frame_size_text(*pixels)}/{rate_text(rate)}",
        width=pixels[0],
        height=pixels[1],
        rate=rate,
        frame_bytes=formula.frame_bytes(*pixels),
        kind=Kind.CONSTANT if formula.decides else Kind.ESTIMATE,
        source=formula.source,
        confidence=Confidence.HIGH if formula.decides else Confidence.LOW,
        decides=formula.decides,
        note="by formula" if formula.decides else "by a rule of thumb, at the upper end",
    )
