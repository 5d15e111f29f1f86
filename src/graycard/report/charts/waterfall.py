"""The waterfall of a diagnosis: what each layer reaches alone, and how far it falls below the lowest before it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from graycard.model import Estimate
from graycard.model.diagnosis import Diagnosis, Step
from graycard.report.charts.chart import Chart
from graycard.report.charts.marks import (
    MARK_DY,
    ROW_PX,
    Spec,
    axis,
    coloured,
    interval,
    quantitative,
    row_texts,
    rows_y,
    values,
)
from graycard.report.charts.theme import BLUE, NARROW, ORANGE, SHADE, WIDE
from graycard.report.figures import rate
from graycard.report.printable import NAME_WIDTH, printable, shorten
from graycard.units import percent

WATERFALL = "waterfall"
_BAR_PX = 12
_COLOURS = (BLUE, ORANGE)
# Less is not worth a word.
_TOLD_RATIO = 0.01
# What lies outside is no rate of a copy, and no axis of a chart.
_LEAST_BYTES_PER_S, MOST_BYTES_PER_S = 1.0, 1e18


def waterfall_chart(diagnosis: Diagnosis) -> Chart | None:
    """A bar a layer, with its interval; None where no layer was measured alone."""
    steps = diagnosis.steps
    if not any(known(step.rate) for step in steps):
        return None
    says = "; ".join(f"{printable(step.label)}: {told(step, diagnosis)}" for step in steps)
    wide, narrow = (_spec(diagnosis, steps, width) for width in (WIDE, NARROW))
    return Chart(WATERFALL, "Rate of each layer alone, with its interval", f"Bars. {says}.", wide, narrow)


def known(found: Estimate | None) -> bool:
    """Whether there is a rate that can be drawn."""
    return found is not None and _LEAST_BYTES_PER_S <= found.value <= MOST_BYTES_PER_S


def told(step: Step, diagnosis: Diagnosis, *, short: bool = False) -> str:
    """The figure in words: "the limit: 31.3 MB/s, loses 67 %", or in short "limit: 31.3 MB/s −67 %"."""
    if step.rate is None or not known(step.rate):
        return "not measured"
    limit = ("limit: " if short else "the limit: ") if step.layer is diagnosis.layer else ""
    if not step.lost_ratio or step.lost_ratio < _TOLD_RATIO:
        return limit + rate(step.rate)
    lost = percent(step.lost_ratio)
    return f"{limit}{rate(step.rate)} −{lost}" if short else f"{limit}{rate(step.rate)}, loses {lost}"


def _spec(diagnosis: Diagnosis, steps: Sequence[Step], width: int) -> Spec:
    data = list(_data(diagnosis, steps, short=width <= NARROW))
    most = max(max(each["rate"] or 0, each["high"] or 0, each["before"] or 0) for each in data)
    # Roots: a disk that is 50 times as fast as the slowest layer leaves that one visible, and zero stays zero.
    scale = {"type": "sqrt", "domain": [0, most], "nice": False}
    x = quantitative("rate", axis=axis("MB/s", values=_ticks(most)), scale=scale)
    fallen: Spec = {
        "mark": {"type": "bar", "height": _BAR_PX, "yOffset": MARK_DY, "color": SHADE},
        "encoding": {"x": quantitative("before", scale=scale)},
    }
    bars: Spec = {
        "mark": {"type": "bar", "height": _BAR_PX, "yOffset": MARK_DY},
        "encoding": {"x": x, "color": coloured(_COLOURS)},
    }
    return {
        "width": width,
        "height": {"step": ROW_PX},
        "data": values(data),
        "encoding": {"y": {**rows_y(), "scale": {"padding": 0, "domain": [each["row"] for each in data]}}},
        "layer": [fallen, bars, *interval("low", "high"), *row_texts(data, width, 0.5)],
    }


def _ticks(most: float) -> list[float]:
    """Round figures near a quarter, a half and the whole of an axis of roots."""
    return [0.0, *dict.fromkeys(_round(most * ratio) for ratio in (1 / 16, 1 / 4, 1))]


def _round(figure: float) -> float:
    """The largest of 1, 2, 5, 10, 20 … that is not above it."""
    power = 10.0 ** math.floor(math.log10(figure))
    return power * max(each for each in (1, 2, 5) if each * power <= figure or each == 1)


def _data(diagnosis: Diagnosis, steps: Sequence[Step], *, short: bool) -> Iterator[Spec]:
    """`before` is the lowest of the layers above, where this one loses against it."""
    lowest: float | None = None
    for row, step in enumerate(steps):
        found = step.rate if step.rate is not None and known(step.rate) else None
        alone = found.value / 1e6 if found else None
        is_told = {"name": shorten(printable(step.label), NAME_WIDTH), "told": told(step, diagnosis, short=short)}
        falls = alone is not None and lowest is not None and bool(step.lost_ratio) and alone < lowest
        place = {"row": row, "kind": int(step.layer is diagnosis.layer), **is_told}
        yield {**place, "rate": alone, **_ends(found), "before": lowest if falls else None}
        lowest = min((each for each in (lowest, alone) if each is not None), default=None)


def _ends(found: Estimate | None) -> Spec:
    ends = {"low": found.low, "high": found.high} if found else {"low": None, "high": None}
    return {name: end / 1e6 if end is not None and 0 <= end <= MOST_BYTES_PER_S else None for name, end in ends.items()}
