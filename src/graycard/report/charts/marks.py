"""Pieces that several charts are built from, as parts of Vega-Lite descriptions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graycard.report.charts.theme import INK, MUTED

Spec = dict[str, Any]
Datum = Mapping[str, Any]

# A row is a line of text, and below it what is drawn.
ROW_PX = 48
# Titles are cut at this share of the width: vega takes a bold text for narrower than browsers draw it.
TITLE_RATIO = 0.94
_TEXT_DY = -9
_TEXT_PX = 13
_SLIM = " .,:;-_/()[]'!|"
MARK_DY = 12


def values(data: Sequence[Datum]) -> Spec:
    """Data that stand in the description itself."""
    return {"values": [dict(each) for each in data]}


def quantitative(field: str, **more: Any) -> Spec:
    """An encoding of a number."""
    return {"field": field, "type": "quantitative", **more}


def coloured(colours: Sequence[str]) -> Spec:
    """An encoding of colour by the number in `kind`: its place in `colours`."""
    places = list(range(len(colours)))
    return {"field": "kind", "type": "nominal", "legend": None, "scale": {"domain": places, "range": list(colours)}}


def rows_y() -> Spec:
    """Rows from top to bottom by the number in `row`: names may be alike, numbers are not."""
    return {"field": "row", "type": "ordinal", "axis": None, "sort": None, "scale": {"padding": 0}}


def row_texts(data: Sequence[Datum], width: int, name_share: float = 0.5) -> list[Spec]:
    """The line of text of each row: `name` at the left, `told` at the right, each shortened to its share.

    A limit makes vega measure each text some times, which is half of what a chart costs: there is one only where a text
    may be too long.
    """
    left = text_mark("name", align="left", dy=_TEXT_DY, fontWeight=500, **_limit(data, "name", width * name_share - 8))
    right = text_mark("told", align="right", dy=_TEXT_DY, **_limit(data, "told", width * (1 - name_share)))
    left["encoding"]["x"] = {"value": 0}
    right["encoding"]["x"] = {"value": width}
    return [left, right]


def _limit(data: Sequence[Datum], field: str, limit_px: float) -> Spec:
    widest = max((sum(map(_at_most_px, str(each[field]))) for each in data), default=0.0)
    return {"limit": int(limit_px)} if widest > limit_px else {}


def _at_most_px(character: str) -> float:
    """How wide a character can be in a sans of this size: few are wider than two thirds of its height."""
    is_slim = character.isascii() and (character in _SLIM or character.isdigit() or character.islower())
    return _TEXT_PX * (0.65 if is_slim and character not in "mw" else 1.0)


def text_mark(field: str, **mark: Any) -> Spec:
    """Text from a field."""
    encoding = {"text": {"field": field, "type": "nominal"}}
    return {"mark": {"type": "text", "baseline": "middle", **mark}, "encoding": encoding}


def interval(low: str, high: str, **mark: Any) -> list[Spec]:
    """A line from `low` to `high` of each row with a tick at both ends; rows without an interval have none."""
    known = [{"filter": f"isValid(datum.{low}) && isValid(datum.{high})"}]
    line: Spec = {
        "transform": known,
        "mark": {"type": "rule", "strokeWidth": 1.5, "color": INK, "yOffset": MARK_DY, **mark},
        "encoding": {"x": quantitative(low), "x2": {"field": high}},
    }
    ends: Spec = {
        "transform": [*known, {"fold": [low, high], "as": ["end", "place"]}],
        "mark": {"type": "tick", "thickness": 1.5, "size": 9, "color": INK, "yOffset": MARK_DY, **mark},
        "encoding": {"x": quantitative("place")},
    }
    return [line, ends]


def axis(unit: str, count: int = 4, **more: Any) -> Spec:
    """An axis of about `count` numbers whose last label carries the unit."""
    # datum.index goes from 0 at the first label to 1 at the last.
    labels = f"datum.label + (datum.index === 1 ? ' {unit}' : '')"
    return {"title": None, "tickCount": count, "labelExpr": labels, "labelFlush": True, "labelOverlap": False, **more}


def note_mark(field: str, **mark: Any) -> Spec:
    """A quieter text inside a chart."""
    return text_mark(field, color=MUTED, fontSize=12, **mark)
