"""When a fact counts as different, and the line that says so. Each rule takes the fact's name and both set-ups."""

from __future__ import annotations

from collections.abc import Callable

from graycard.facts import TERMS, number, value
from graycard.model import Fact, FactValue
from graycard.readable import fact_title, quantity
from graycard.units import format_size

Facts = tuple[Fact, ...]
Rule = Callable[[str, Facts, Facts], str | None]

# Two readings of a level that lie closer together than these tell nothing about the set-up.
USED_RATIO = 0.05
LOAD_COUNT = 1.0
TEMPERATURE_CELSIUS = 10.0
SIGNAL_DBM = 10.0
SIZE_RATIO = 0.01
WEAR_RATIO = 0.1
FRAGMENTS_FACTOR = 10
FRAGMENTS_COUNT = 100
# SLC caches shrink and flash is cleaned more often from about here on; disks reach their inner tracks.
FULL_RATIOS = (0.8, 0.9)
# Options and words that name the volume or the job and cannot change its speed.
_NAMING_KEYS = frozenset(
    [
        "allow_other",
        "default_permissions",
        "directory",
        "fd",
        "filename",
        "gid",
        "group_id",
        "jobname",
        "name",
        "resgid",
        "resuid",
        "rootmode",
        "rw",
    ]
) | {"seclabel", "subvol", "subvolid", "uid", "user_id"}
_LINE_LENGTH = 90
# Larger than any block or cluster (exFAT's are 32 MiB at most).
_VOLUME_BYTES = 64 << 20


def any_change(name: str, base: Facts, other: Facts) -> str | None:
    """Known on both sides and not equal."""
    ours, theirs = value(base, name), value(other, name)
    if ours is None or theirs is None or ours == theirs:
        return None
    return _line(name, base, other)


def another(noun: str) -> Rule:
    """A rule for an id: unequal ids say only that it is another one."""

    def compares(name: str, base: Facts, other: Facts) -> str | None:
        return f"another {noun}" if any_change(name, base, other) else None

    return compares


def apart(least: float) -> Rule:
    """A rule for a number: more than `least` between the two."""

    def compares(name: str, base: Facts, other: Facts) -> str | None:
        ours, theirs = number(base, name), number(other, name)
        if ours is None or theirs is None or abs(ours - theirs) <= least:
            return None
        return _line(name, base, other)

    return compares


def apart_by_share(least_ratio: float) -> Rule:
    """A rule for a number: more than this share of the larger one between the two."""

    def compares(name: str, base: Facts, other: Facts) -> str | None:
        ours, theirs = number(base, name), number(other, name)
        if ours is None or theirs is None or abs(ours - theirs) <= least_ratio * max(abs(ours), abs(theirs)):
            return None
        return _line(name, base, other)

    return compares


def crosses_full(name: str, base: Facts, other: Facts) -> str | None:
    """A volume more than 80 or 90 % full against one that is not; a step of a few points across counts for nothing."""
    ours, theirs = number(base, name), number(other, name)
    if ours is None or theirs is None or abs(ours - theirs) <= USED_RATIO:
        return None
    crossed = [limit for limit in FULL_RATIOS if (ours > limit) != (theirs > limit)]
    if not crossed:
        return None
    return f"{_line(name, base, other)}: one is more than {quantity(crossed[-1], 'ratio')} full"


def crosses_limit(name: str, base: Facts, other: Facts) -> str | None:
    """More than 10 °C apart, or the drive's own limit reached on one side."""
    ours, theirs = number(base, name), number(other, name)
    if ours is None or theirs is None:
        return None
    hot = [at >= limit for at, facts in ((ours, base), (theirs, other)) if (limit := _limit(facts)) is not None]
    if abs(ours - theirs) <= TEMPERATURE_CELSIUS and len(set(hot)) < 2:
        return None
    return _line(name, base, other)


def fragments(name: str, base: Facts, other: Facts) -> str | None:
    """Ten times as many pieces, and a hundred at least."""
    ours, theirs = number(base, name), number(other, name)
    if ours is None or theirs is None:
        return None
    few, many = sorted((ours, theirs))
    return _line(name, base, other) if many >= max(FRAGMENTS_COUNT, FRAGMENTS_FACTOR * few) else None


def share(name: str, base: Facts, other: Facts) -> str | None:
    """Another share or pool; the path of a device says only where it was plugged in."""
    both = (value(base, name), value(other, name))
    if any(isinstance(each, str) and each.startswith("/dev/") for each in both):
        return None
    return any_change(name, base, other)


def options(name: str, base: Facts, other: Facts) -> str | None:
    """A list of options as a set, only those named that one side lacks; what names a volume or a job is left out."""
    return _options(name, base, other, ",")


def settings(name: str, base: Facts, other: Facts) -> str | None:
    """As `options`; a job of fio's is a list with blanks in between, "ioengine=libaio bs=1M"."""
    is_job = any("=" in str(value(facts, name)) for facts in (base, other))
    return _options(name, base, other, None if is_job else ",")


def _options(name: str, base: Facts, other: Facts, separator: str | None) -> str | None:
    ours, theirs = value(base, name), value(other, name)
    if not isinstance(ours, str) or not isinstance(theirs, str):
        return None
    left, right = _set(ours, separator), _set(theirs, separator)
    if left.keys() == right.keys():
        return None
    only = [", ".join(word for word in side if word not in rest) for side, rest in ((left, right), (right, left))]
    return f"{fact_title(name)}: {_short(only[0] or 'none')} against {_short(only[1] or 'none')}"


def _set(text: str, separator: str | None) -> dict[str, None]:
    words = (word.strip() for word in text.split(separator))
    return dict.fromkeys(word for word in words if word and word.partition("=")[0] not in _NAMING_KEYS)


def _limit(facts: Facts) -> float | None:
    return number(facts, "temperature_limit_celsius")


def _line(name: str, base: Facts, other: Facts) -> str:
    ours, theirs = (_short(_shown(name, value(facts, name))) for facts in (base, other))
    return f"{fact_title(name)}: {ours} against {theirs}"


def _shown(name: str, found: FactValue) -> str:
    """Sizes of volumes in one unit: a power of two must not look like another kind of size than its neighbour."""
    if TERMS[name].unit == "bytes" and isinstance(found, (int, float)) and found >= _VOLUME_BYTES:
        return format_size(found)
    return quantity(found, TERMS[name].unit)


def _short(text: str) -> str:
    return text if len(text) <= _LINE_LENGTH else f"{text[: _LINE_LENGTH - 1]}…"
