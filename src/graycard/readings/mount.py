"""Reads the output of `mount` of Linux, macOS and AIX, and /proc/mounts: one reading for each line."""

from __future__ import annotations

import re

from graycard.errors import ImportProblem
from graycard.importers.text import lines
from graycard.protocols import Reading
from graycard.readings.mounts import linux_mount, mac_mount, plain, reading, visible

_LONGEST = 8000
_KERNEL = re.compile(r"(\S+) (/\S*) (\S+) (\S+) \d \d")
# node (of a share), what is mounted, where, type, date, options; the columns move where a name is long.
_AIX = re.compile(r"(\S*) +(\S+) +(/\S*) +(\S+) +[A-Z][a-z]{2} \d{1,2} \d{1,2}:\d{2}(?: (\S*))?")
_AIX_SHARES = ("nfs", "nfs3", "nfs4")
# A line of prose may look like one of `mount`, too.
_HEAD_COUNT = 40


class MountReader:
    """What `mount` prints."""

    name = "mount"

    def recognises(self, head: bytes) -> bool:
        """Whether at least half of the first lines are such of `mount`."""
        first = [line.text for line, _ in zip(lines(head), range(_HEAD_COUNT), strict=False) if line.text]
        return bool(first) and 2 * sum(1 for line in first if _reading(line)) >= len(first)

    def read(self, data: bytes) -> tuple[Reading, ...]:
        """A reading for each mount; lines of another kind are passed over."""
        found = [each for line in lines(data) if (each := _reading(line.text))]
        if not found:
            raise ImportProblem("No line of it is one that mount prints: keep the whole output of mount")
        return visible(found)


def _reading(line: str) -> Reading | None:
    if len(line) > _LONGEST:
        return None
    if line.endswith((")", "]")) and " on /" in line:
        return _in_parentheses(line)
    kernel = _KERNEL.fullmatch(line)
    if kernel:
        source, point, kind, options = kernel.groups()
        source, point = plain(source), plain(point)
        return reading(point, source, linux_mount(source, point, kind, plain(options), "/proc/mounts"))
    aix = _AIX.fullmatch(line)
    return _of_aix(*aix.groups("")) if aix else None


def _in_parentheses(line: str) -> Reading | None:
    """Options begin at the last parenthesis: names may hold some, too. Linux says " type ", macOS puts it inside."""
    if line.endswith("]"):
        # `mount -l` adds the label.
        line = line.rpartition(" [")[0]
    left, opened, inside = line.rpartition(" (")
    if not opened or not inside.endswith(")"):
        return None
    options = inside[:-1]
    front, typed, kind = left.rpartition(" type ")
    source, _, rest = (front if typed and " " not in kind else left).partition(" on /")
    point = f"/{rest}"
    if typed and " " not in kind:
        return reading(point, source, linux_mount(source, point, kind, options, "mount"))
    kind, *flags = options.split(", ")
    return reading(point, source, mac_mount(source, point, kind, tuple(flags)))


def _of_aix(node: str, source: str, point: str, kind: str, options: str) -> Reading:
    share = f"{node}:{source}" if node else source
    kind = "nfs" if kind in _AIX_SHARES else kind
    return reading(point, share, linux_mount(share, point, kind, options, "mount"))
