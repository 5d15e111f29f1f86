"""Many small files: each costs round trips, whatever its size."""

from __future__ import annotations

from collections.abc import Iterator

from graycard.model.diagnosis import Change, Experiment, Layer, Seen
from graycard.units import format_duration, format_rate, format_size, significant
from graycard.why import figures
from graycard.why.rules.rule import COPY, Hit, Need, PlainRule

FILE_COUNT = 50
SMALL_BYTES = 1 << 20
BELOW_RATIO = 0.75
# At least half of the time of a file is not for its bytes.
OVERHEAD_RATIO = 0.5
# graycard's own loop copies one file after the other: a tool with half of that is slow by itself.
TOOL_RATIO = 0.5


def look(seen: Seen) -> Hit | None:
    """Bytes a file, and the time a file takes beyond them."""
    size, rate, could = mean_file_bytes(seen), figures.copy_rate(seen), _could(seen)
    if size is None or rate is None or could is None or rate >= BELOW_RATIO * could:
        return None
    file_ns = size / rate * 1e9
    rest_ns = file_ns - size / could * 1e9
    if rest_ns < OVERHEAD_RATIO * file_ns:
        return None
    is_tool = _is_tool(seen, rate / size)
    claim = f"The files are small: each takes {format_duration(file_ns)}, of which its bytes are the lesser part."
    because = tuple(_because(seen, size, rate, could, rest_ns))
    return Hit(claim, because, rate, could, _TOOL_ADVICE if is_tool else None, Layer.TOOL if is_tool else None)


def mean_file_bytes(seen: Seen) -> float | None:
    """The size of a file, on average; None where they are few or large."""
    count, total = seen.evidence.file_count, seen.evidence.total_bytes
    if count is None or not total or count < FILE_COUNT or total / count >= SMALL_BYTES:
        return None
    return total / count


def _could(seen: Seen) -> float | None:
    """What large files have: the share in large blocks, else what the layers allow."""
    return figures.smallest((figures.mount(seen), figures.allowed(seen)))


def _is_tool(seen: Seen, files_per_s: float) -> bool:
    own = figures.figure(seen.evidence.ceilings.small_files)
    return own is not None and files_per_s < TOOL_RATIO * own


def _because(seen: Seen, size: float, rate: float, could: float, rest_ns: float) -> Iterator[str]:
    yield f"{seen.evidence.file_count} files of {format_size(size)} on average: {significant(rate / size)} files per s."
    yield f"Large files would have {format_rate(could)}; beyond its bytes a file takes {format_duration(rest_ns)}."
    trip = figures.figure(seen.evidence.ceilings.idle_round_trip)
    if trip:
        yield f"That is {significant(rest_ns / trip, 2)} round trips of {format_duration(trip)}."
    own = figures.figure(seen.evidence.ceilings.small_files)
    if own:
        yield f"A plain loop copies {significant(own)} files per s there."


_TOOL_ADVICE = "Take a tool that does less for each file, or several at once; a plain loop is twice as fast."
RULE = PlainRule(
    name="small files",
    layer=Layer.PROTOCOL,
    source=(
        "https://lists.samba.org/archive/samba/2014-September/184761.html; measured with 2000 files of 50 KiB at 0 "
        "and 5 ms: SMB 31 and 2.1, scp 34 and 1.7, rsync 56 and 49 MB/s"
    ),
    needs=(
        COPY,
        Need("how many files were copied", lambda seen: seen.evidence.file_count is not None),
        Need("what large files have on this share", lambda seen: _could(seen) is not None),
    ),
    look=look,
    advice="Copy several files at once (robocopy /MT, rclone --transfers), or pack them into one archive first.",
    experiments=(
        Experiment(Change.ONE_LARGE_FILE, "one large file is faster", 1.3),
        Experiment(Change.MORE_STREAMS, "several copies at once have more together", 1.3),
    ),
)
