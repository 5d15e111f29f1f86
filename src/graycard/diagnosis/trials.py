"""Which changes can be tried here: those that a finding asks for, as far as the places and tools allow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from graycard.diagnosis.asked import Asked
from graycard.diagnosis.changes import Trial, together
from graycard.model.copying import Place, Scheme
from graycard.model.diagnosis import Change, Finding
from graycard.protocols import CopyMethod
from graycard.transfer.own import OWN

# (tool, place) -> bytes/s of a short copy
Copy = Callable[[CopyMethod, Place], float]
STREAM_COUNT = 3
_LARGE = next(method for method in OWN if method.name == "graycard 8 MiB")
_PLAIN = next(method for method in OWN if method.name == "graycard 1 MiB")


def trials_for(
    finding: Finding, asked: Asked, methods: Sequence[CopyMethod], copy: Copy, *, is_of_wire: bool
) -> Iterator[Trial]:
    """One trial for each change that the finding's experiments name and that can be tried.

    `is_of_wire`: `copy` tells what went through the interface.
    """
    for experiment in finding.experiments:
        trial = _trial(experiment.change, asked, methods, copy, is_of_wire=is_of_wire)
        if trial is not None:
            yield trial


def _trial(
    change: Change, asked: Asked, methods: Sequence[CopyMethod], copy: Copy, *, is_of_wire: bool
) -> Trial | None:
    made: dict[Change, Callable[[], Trial | None]] = {
        Change.OTHER_PROTOCOL: lambda: _other_protocol(asked, copy),
        Change.MORE_STREAMS: lambda: _more_streams(asked, copy, is_of_wire=is_of_wire),
        Change.LARGER_BLOCK: lambda: _larger_block(asked, copy),
        Change.MEMORY_FOLDER: lambda: _memory_folder(asked, methods, copy),
        Change.OTHER_TOOL: lambda: _other_tool(asked, copy),
    }
    return made[change]() if change in made else None


def _base(asked: Asked, copy: Copy) -> Callable[[], float]:
    return lambda: copy(asked.tool, asked.share)


def _other_protocol(asked: Asked, copy: Copy) -> Trial | None:
    other = next(((place, tool) for place, tool in asked.others if place.scheme is not asked.share.scheme), None)
    if other is None:
        return None
    place, tool = other
    words = f"{tool.name} over {place.scheme.value}"
    return Trial(Change.OTHER_PROTOCOL, _base(asked, copy), lambda: copy(tool, place), words, asked.tool.name)


def _more_streams(asked: Asked, copy: Copy, *, is_of_wire: bool) -> Trial:
    base = _base(asked, copy)
    words = f"{asked.tool.name} {STREAM_COUNT} times at once"
    return Trial(
        Change.MORE_STREAMS,
        base,
        lambda: together([base] * STREAM_COUNT, is_of_wire=is_of_wire),
        words,
        asked.tool.name,
    )


def _larger_block(asked: Asked, copy: Copy) -> Trial | None:
    if asked.share.scheme is not Scheme.PATH or asked.tool.name == _LARGE.name:
        return None
    words = "a copy in blocks of 8 MiB"
    return Trial(Change.LARGER_BLOCK, _base(asked, copy), lambda: copy(_LARGE, asked.share), words, asked.tool.name)


def _memory_folder(asked: Asked, methods: Sequence[CopyMethod], copy: Copy) -> Trial | None:
    """By scp: its folders may be anywhere, those of the share not."""
    disk, memory = asked.server_folder, asked.memory_folder
    tool = next((method for method in methods if method.name == "scp"), None)
    if disk is None or memory is None or tool is None:
        return None
    words, base = f"scp to {memory.path} at the server", f"to {disk.path}"
    return Trial(Change.MEMORY_FOLDER, lambda: copy(tool, disk), lambda: copy(tool, memory), words, base)


def _other_tool(asked: Asked, copy: Copy) -> Trial | None:
    """Another tool at the same place, or one without the mount."""
    here = [(place, tool) for place, tool in asked.others if tool.name != asked.tool.name]
    if asked.share.scheme is Scheme.PATH and asked.tool.name != _PLAIN.name:
        here.append((asked.share, _PLAIN))
    if not here:
        return None
    place, tool = here[0]
    return Trial(Change.OTHER_TOOL, _base(asked, copy), lambda: copy(tool, place), tool.name, asked.tool.name)
