"""What a history watches of a set-up: the columns of a stored result, and what of them changed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from operator import attrgetter

from graycard.differences import differences
from graycard.facts import fact
from graycard.model import Difference, Fact, FactValue, short_size
from graycard.store import ResultRow
from graycard.units import format_duration

# Who measured, and how long on how large a file.
_SETTINGS = ("tool", "tool_version", "engine", "span_bytes", "time_ns")
# Columns that hold facts of these names. What differs from reading to reading (space, load, temperature) is not
# watched: it would cut every history to pieces.
_FACTS = (
    "bus",
    "link_bits_per_s",
    "device_model",
    "file_system",
    "encryption",
    "compression",
    "mount_options",
    "os_name",
    "kernel_version",
    "protocol_version",
    "engine_settings",
    "allocation_unit_bytes",
    "cpu_model",
    "file_system_id",
)

Setup = tuple[FactValue, ...]

_VALUES = attrgetter(*_SETTINGS, *_FACTS)


def setup_of(row: ResultRow) -> Setup:
    """The watched values of a result, None where one is not known."""
    found: Setup = _VALUES(row)
    return found


def filled(setup: Setup, before: Setup) -> Setup:
    """The set-up with what was known before in place of what is not known now: not knowing is no change."""
    return tuple(known if value is None else value for value, known in zip(setup, before, strict=True))


# All tasks of a measurement share their set-up.
@lru_cache(maxsize=1024)
def changes(base: Setup, other: Setup) -> tuple[Difference, ...]:
    """What differs, the largest suspect first; the order and the naming words of mount options are no difference."""
    return (*differences(_facts(base), _facts(other)), *_settings_changes(base, other))


def _facts(setup: Setup) -> tuple[Fact, ...]:
    tool, version, engine = setup[:3]
    found = [fact(name, value, "store") for name, value in zip(_FACTS, setup[len(_SETTINGS) :], strict=True)]
    own = tool == "graycard"
    program = " ".join(str(part) for part in (tool, None if own else version, engine) if part)
    found.append(fact("measured_by", program, "store"))
    if own:
        found.append(fact("graycard_version", version, "store"))
    return tuple(found)


def _settings_changes(base: Setup, other: Setup) -> Iterator[Difference]:
    (old_span, old_time), (new_span, new_time) = base[3:5], other[3:5]
    if old_span != new_span:
        says = f"size of the test file: {_size(old_span)} against {_size(new_span)}"
        yield Difference("software", "span_bytes", "bytes", old_span, new_span, says)
    if old_time != new_time:
        says = f"length of a run: {_time(old_time)} against {_time(new_time)}"
        yield Difference("software", "time_ns", "ns", old_time, new_time, says)


def _size(value: FactValue) -> str:
    return short_size(value) if isinstance(value, int) else "not known"


def _time(value: FactValue) -> str:
    return format_duration(value) if isinstance(value, int) else "without limit"
