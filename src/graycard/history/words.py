"""The sentences of a history, and the names of what it is about."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from graycard.model import Difference, Standing, short_size
from graycard.stats.history import LEAST_COUNT, Expected, Placed
from graycard.store import ResultRow
from graycard.units import format_duration, format_rate, percent, significant

_ID_LENGTH = 8
_NUMERALS = {2: "second", 3: "third", 4: "fourth", 5: "fifth"}


def says(placed: Placed, rate_bytes_per_s: float, earlier_count: int) -> str:
    """One sentence on how a result stands to the `earlier_count` results of its set-up."""
    expected, off = placed.expected, placed.off_ratio
    if placed.standing is Standing.NOT_COUNTED:
        return "A check of this result failed, or it moved nothing: it is not counted."
    if placed.standing is Standing.FIRST:
        return "This is the first result of this set-up."
    if expected is None or off is None:
        return f"This is result {earlier_count + 1} of this set-up; one is judged from {LEAST_COUNT} earlier ones on."
    rate = format_rate(rate_bytes_per_s)
    if placed.standing is Standing.USUAL:
        return f"{rate} is as usual: {_band(expected)}."
    side = f"{percent(abs(off))} {'above' if off > 0 else 'below'}"
    if placed.standing is Standing.UNUSUAL:
        return f"{rate} is unusual, {side} the middle of what is expected ({_band(expected)}): repeat the measurement."
    change = "faster" if off > 0 else "slower"
    return (
        f"{rate} is {change} than before: the {_NUMERALS[placed.in_a_row]} result in a row beyond what is expected, "
        f"{side} its middle ({_band(expected)})."
    )


def since(changes: Sequence[Difference], off_ratio: float | None) -> str:
    """What to say of the first result after the set-up changed; `off_ratio` is against the expectation before."""
    what = "; ".join(change.says for change in changes)
    begun = f"This is the first result since the set-up changed ({what})"
    if off_ratio is None:
        return f"{begun}."
    side = "above" if off_ratio > 0 else "below"
    return f"{begun}; it is {percent(abs(off_ratio))} {side} the level before, and graycard compare tells how sure."


def device_words(row: ResultRow) -> str:
    """What people call the drive, its file system, and the beginnings of the ids that tell it from others."""
    name = row.device_model or row.device_name or row.target_path
    ids = (("device", row.device_id), ("volume", row.file_system_id))
    told = (f"{what} {id_[:_ID_LENGTH]}" for what, id_ in ids if id_)
    return " · ".join(part for part in (name, row.file_system, *told) if part)


def task_words(newest: Sequence[ResultRow]) -> list[str]:
    """A name for each history of one device, by its newest result: the label, and what tells it from its namesakes."""
    parts: tuple[Callable[[ResultRow], str], ...] = (_modes, _span, _time, _engine)
    names: list[str] = []
    for row in newest:
        alike = [each for each in newest if each.task_label == row.task_label]
        told = [part(row) for part in parts if len({part(each) for each in alike}) > 1]
        names.append(f"{row.task_label} ({', '.join(told)})" if told else row.task_label)
    return names


def _modes(row: ResultRow) -> str:
    return row.task_key.removeprefix(row.task_label).lstrip(", ").replace("_", " ")


def _span(row: ResultRow) -> str:
    return f"file of {short_size(row.span_bytes)}"


def _time(row: ResultRow) -> str:
    return f"runs of {format_duration(row.time_ns)}" if row.time_ns else "runs without a limit of time"


def _engine(row: ResultRow) -> str:
    return row.engine or "unknown engine"


def _band(expected: Expected) -> str:
    estimate = expected.estimate("bytes/s")
    low, high = (significant((bound or 0) / 1e6) for bound in (estimate.low, estimate.high))
    return f"{low} to {high} MB/s from the last {expected.count} results"
