"""A program at this end is what is slow: the copy tool, or the program that serves the mount."""

from __future__ import annotations

from collections.abc import Iterator

from graycard.model.diagnosis import Change, Experiment, Layer, Seen
from graycard.units import format_rate, percent
from graycard.why import figures
from graycard.why.figures import text
from graycard.why.protection import is_dear, protection_advice, protection_words
from graycard.why.rules.one_core import processor_words
from graycard.why.rules.rule import COPY, Hit, Need, PlainRule
from graycard.why.slices import STARVED_RATIO
from graycard.why.vocabulary import FAR, NEAR

BELOW_RATIO = 0.85
# A mount by a program: each request wakes it up, so it is slow before its core is full (measured: 42 to 61 %).
MOUNT_WORK_RATIO = 0.3
MOUNT_BELOW_RATIO = 0.75
OTHER_GAIN = 1.3
THROUGH_MOUNT_RATIO = 1.2
SHORT_NS = 2_000_000


def look(seen: Seen) -> Hit | None:
    """A process at this end that has no more of its core; or a mount that a tool without it is much faster than."""
    rate, could, other = figures.copy_rate(seen), figures.allowed(seen), figures.best_tool(seen)
    next_rate = could if could is not None else other[1] if other else None
    if rate is None or next_rate is None or rate >= BELOW_RATIO * next_rate:
        return None
    used = (*processor_words(seen, NEAR), *_mount_words(seen))
    if used:
        because = (*used, *protection_words(seen))
        advice = protection_advice(seen) if is_dear(seen) else None
        return Hit(
            "A program at this end is what is slow: it has no more of its core.", because, rate, next_rate, advice
        )
    return _slow_mount(seen, rate)


def _mount_words(seen: Seen) -> Iterator[str]:
    used = figures.mean_of(seen, f"{NEAR}.mount_ratio")
    if used is not None and used >= STARVED_RATIO:
        name = figures.usual_name(seen.timeline, f"{NEAR}.mount") or "the program that serves the mount"
        yield f"{name} used {percent(used)} of a core."


def _slow_mount(seen: Seen, rate: float) -> Hit | None:
    through, could, other = figures.mount(seen), figures.allowed(seen), figures.best_tool(seen)
    used, trip = figures.mean_of(seen, f"{NEAR}.mount_ratio"), figures.figure(seen.evidence.ceilings.idle_round_trip)
    if through is None or could is None or other is None or used is None or trip is None:
        return None
    is_program = (text(seen.evidence.path, "file_system") or "").startswith("fuse")
    is_slow = through < MOUNT_BELOW_RATIO * could and other[1] >= OTHER_GAIN * through
    goes_through = rate <= THROUGH_MOUNT_RATIO * through
    if not (is_program and is_slow and goes_through) or used < MOUNT_WORK_RATIO or trip >= SHORT_NS:
        return None
    if any(processor_words(seen, FAR)):
        return None
    because = (
        f"Through the mount it is {format_rate(through)}; {other[0]} has {format_rate(other[1])} without it.",
        f"The program that serves the mount used {percent(used)} of a core, in turns with those that wait for it.",
    )
    return Hit("The mount is served by a program at this end, and that is what is slow.", because, rate, other[1])


RULE = PlainRule(
    name="client processor",
    layer=Layer.TOOL,
    source=(
        "https://github.com/dperson/samba/issues/70 (40 MB/s through gvfs, 110 from Windows); measured: 58 to 60 "
        "MB/s through a mount by rclone, 106 by smbclient"
    ),
    needs=(
        COPY,
        Need(
            "the processor time of the copy tool",
            lambda seen: any(figures.readings(seen, f"{NEAR}.{name}") for name in ("service_ratio", "mount_ratio")),
        ),
    ),
    look=look,
    advice="Mount the share by the system itself (mount -t cifs or nfs), or take another tool.",
    experiments=(Experiment(Change.OTHER_TOOL, "another tool is faster", 1.25),),
    yields_to=("small files", "block size", "delayed ACK"),
)
