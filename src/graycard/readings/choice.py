"""Which of a document's devices or mounts is meant: by name, else by where the result was measured; never guessed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from graycard.errors import ImportProblem
from graycard.facts import value
from graycard.model import Result
from graycard.protocols import Reading

# More are counted instead of named.
_NAMED_COUNT = 8
_NAME_WIDTH = 60
# What lies here is usually a volume of its own: that the table knows only "/" says nothing of it.
_FOR_VOLUMES = ("/mnt/", "/media/", "/run/media/", "/Volumes/", "/net/")


@dataclass(frozen=True, slots=True)
class Document:
    """One document: its name as users know it, the reader, and what it tells of each thing."""

    file: str
    reader: str
    readings: tuple[Reading, ...]


def choose(document: Document, result: Result | None, device: str | None) -> Reading:
    """The reading that is meant: the only one, the one called `device`, or the one that the result lies on.

    ImportProblem with the choices where it cannot be told.
    """
    readings = document.readings
    if len(readings) == 1:
        return readings[0]
    if device is not None:
        found = _called(readings, device) or _holding(readings, device)
        if found is None:
            raise ImportProblem(f"{document.file} tells of no “{device}”: name one of {_choices(readings)} by --device")
        return found
    told = _told(readings, result) if result else None
    if told is not None:
        return told
    if _is_one(readings):
        return readings[0]
    raise ImportProblem(
        f"{document.file} tells of {len(readings)} things, and where the results were measured does not say which is "
        f"meant: name one of {_choices(readings)} by --device"
    )


def _told(readings: Sequence[Reading], result: Result) -> Reading | None:
    """By the device that was measured, else by the mount that holds the path."""
    path = result.target.path
    names = (path, value(result.facts, "device_name"), value(result.facts, "mount_point"))
    for name in names:
        if isinstance(name, str) and (found := _called(readings, name)):
            return found
    return _holding(readings, path)


def _called(readings: Iterable[Reading], name: str) -> Reading | None:
    """The only one of this name; of several that share it (a model) none, unless they are parts of one device."""
    wanted = name.strip().lower()
    found = [each for each in readings if wanted in {known.lower() for known in (*each.names, *each.mount_points)}]
    return found[0] if found and _is_one(found) else None


def _holding(readings: Iterable[Reading], path: str) -> Reading | None:
    """The one with the longest mount point that the path lies below."""
    if not path.startswith("/"):
        return None
    pairs = [(point, each) for each in readings for point in each.mount_points if _lies_below(point, path)]
    longest, found = max(pairs, key=lambda pair: len(pair[0]), default=("", None))
    return None if longest == "/" and path.startswith(_FOR_VOLUMES) else found


def _lies_below(point: str, path: str) -> bool:
    return path == point or path.startswith(point.rstrip("/") + "/")


def _is_one(readings: Sequence[Reading]) -> bool:
    """Whether all are of one device, which comes first, or say the same."""
    wholes = {each.whole for each in readings}
    if len(wholes) == 1 and None not in wholes:
        return True
    return len({tuple((fact.name, fact.value) for fact in each.facts) for each in readings}) == 1


def _choices(readings: Sequence[Reading]) -> str:
    named = list(_shown(readings))
    more = f" and {len(readings) - len(named)} more" if len(readings) > len(named) else ""
    return f"{', '.join(named)}{more}"


def _shown(readings: Sequence[Reading]) -> Iterator[str]:
    for each in readings[:_NAMED_COUNT]:
        name, point = each.names[0], next(iter(each.mount_points), None)
        shown = name if point is None or point == name else f"{name} ({point})"
        yield shown if len(shown) <= _NAME_WIDTH else f"{shown[: _NAME_WIDTH - 1]}…"
