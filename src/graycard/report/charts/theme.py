"""The look of all charts: few colours that colour-blind readers tell apart, hairlines, figures at the marks.

Blue and orange differ for every kind of colour vision (after Okabe and Ito, 2008); no meaning hangs on colour alone.
"""

from __future__ import annotations

from typing import Any

from graycard.model import Operation

# Each colour in light; below what it becomes in the dark. All are different, so that a drawn chart can be recoloured.
INK = "#1c1e22"
MUTED = "#5f6672"
HAIRLINE = "#e2e4e8"
AXIS = "#b9bec7"
SHADE = "#eef0f3"
BLUE = "#2468a8"
ORANGE = "#c4560f"
GREEN = "#0e9a70"
PURPLE = "#8d4b94"
OCHRE = "#8a6a00"
GRAY = "#767c87"
RED = "#b42318"
PALE_BLUE = "#bcd3ea"
PALE_ORANGE = "#f0cdb4"

DARK = {
    INK: "#f0f1f3",
    MUTED: "#a6adb9",
    HAIRLINE: "#30343b",
    AXIS: "#575e69",
    SHADE: "#25292f",
    BLUE: "#6fb1ec",
    ORANGE: "#f59a5b",
    GREEN: "#9be3b0",
    PURPLE: "#cf93d6",
    OCHRE: "#d8b23f",
    GRAY: "#939aa6",
    RED: "#ff8f85",
    PALE_BLUE: "#27435d",
    PALE_ORANGE: "#5a3822",
}
ARMS = (BLUE, ORANGE, GREEN, PURPLE, OCHRE, GRAY)
PALE = {BLUE: PALE_BLUE, ORANGE: PALE_ORANGE}

WIDE = 720
NARROW = 340
SCHEMA_URL = "https://vega.github.io/schema/vega-lite/v6.json"


_SUBTITLE = {"subtitleColor": MUTED, "subtitleFontSize": 12, "subtitlePadding": 4}


def colour_of(operation: Operation) -> str:
    """Reading is blue, writing orange."""
    return BLUE if operation is Operation.READ else ORANGE


def arm_colour(index: int) -> str:
    """The colour of configuration number `index`; gray from the sixth on, for names tell them apart."""
    return ARMS[min(index, len(ARMS) - 1)]


def themed(specification: dict[str, Any], font: str, *, dark: bool) -> dict[str, Any]:
    """The description with the theme in it; in the dark, colours of the theme become their dark ones."""
    whole = {"$schema": SCHEMA_URL, "config": _config(font), **specification}
    return _recoloured(whole) if dark else whole


def _recoloured(value: Any) -> Any:
    """Everything but data, for a text in the data may look like a colour."""
    if isinstance(value, dict):
        return {key: item if key == "data" else _recoloured(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_recoloured(item) for item in value]
    return DARK.get(value, value) if isinstance(value, str) else value


def _config(font: str) -> dict[str, Any]:
    axis = {
        "domain": False,
        "ticks": False,
        "gridColor": HAIRLINE,
        "gridWidth": 1,
        "labelColor": MUTED,
        "labelFontSize": 12,
        "labelPadding": 6,
        "titleColor": MUTED,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "titlePadding": 6,
    }
    return {
        "aria": False,
        "background": None,
        "font": font,
        "padding": {"left": 0, "right": 1, "top": 4, "bottom": 2},
        "view": {"stroke": None},
        "axis": axis,
        "text": {"color": INK, "fontSize": 13},
        "title": {"color": INK, "fontSize": 14, "fontWeight": 600, "anchor": "start", "offset": 10, **_SUBTITLE},
        "concat": {"spacing": 26},
    }
