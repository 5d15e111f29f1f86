"""A test in plain words, before anything is touched."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from graycard.facts import number, value
from graycard.model import Fact, Target, TargetKind, short_size
from graycard.plan.budget import ASSUMED_BYTES_PER_S
from graycard.protocols import Volume
from graycard.sustain.order import Order
from graycard.units import format_duration, format_rate, format_size, percent

# Below, the drive's own count of its wear (whole percents) is too coarse to reckon with.
_LEAST_WEAR_RATIO = 0.05


@dataclass(frozen=True, slots=True)
class Expected:
    """A rate to reckon the time with, and where it comes from."""

    bytes_per_s: float
    says: str


ASSUMED = Expected(ASSUMED_BYTES_PER_S, "assumed")


def describe(
    order: Order, volume: Volume, facts: Iterable[Fact], endurance_bytes: int | None, expected: Expected = ASSUMED
) -> tuple[str, ...]:
    """Sentences: where, what is written and until when, what it costs the drive, how long it takes, what stays."""
    known = tuple(facts)
    return (
        _where(order, volume, known),
        _what(order),
        _then(order),
        _cost(order, known, endurance_bytes),
        _time(order, expected),
        f"Keeps {format_size(order.reserve_bytes)} of the volume free; ends early where others take that space.",
        "Nothing stays: the test files lie in a folder .graycard-… of their own, which is removed at the end.",
    )


def _where(order: Order, volume: Volume, facts: tuple[Fact, ...]) -> str:
    model = value(facts, "device_model")
    device = _shown(volume.source) + (f" ({_shown(str(model))})" if model else "")
    return f"Writes on in {order.target.shown}, on {device}, file system {volume.file_system}."


def _shown(text: str) -> str:
    return Target(text, TargetKind.FOLDER).shown


def _what(order: Order) -> str:
    files = -(-order.byte_limit // order.piece_bytes)
    into = "one new file" if files == 1 else f"{files} new files of {format_size(order.piece_bytes)} at most"
    each = "one after the other" if order.depth_count == 1 else f"{order.depth_count} at once"
    blocks = f"blocks of {short_size(order.block_bytes)}, {each}, that do not compress"
    limits = [f"at most {format_size(order.byte_limit)}"] if order.hold_ns is not None else []
    limits += [f"at most {_whole(order.time_ns)}"] if order.time_ns is not None else []
    if order.hold_ns is None:
        until = f"{format_size(order.byte_limit)}" + (f", {limits[0]}" if limits else "")
        return f"Writes {until}, into {into}: {blocks}."
    until = f"until the rate has fallen and held for {_whole(order.hold_ns)}, {' and '.join(limits)}"
    return f"Writes {until}, into {into}: {blocks}."


def _then(order: Order) -> str:
    again = f"rests {_whole(order.rest_ns)} and writes" if order.rest_ns else "writes"
    if not order.again_bytes:
        return "Then it reads all back and compares blocks; no bytes are left for a second burst."
    burst = f"a second burst of at most {format_size(order.again_bytes)} over the first file"
    return f"Then it reads all back and compares blocks; where the rate has fallen it {again} {burst}."


def _cost(order: Order, facts: tuple[Fact, ...], endurance_bytes: int | None) -> str:
    """What the bytes are of what the drive is rated for, where that is known."""
    most = f"Writes at most {format_size(order.most_bytes)} in all"
    return "; ".join((most, *_endurance(order, facts, endurance_bytes))) + "."


def _endurance(order: Order, facts: tuple[Fact, ...], endurance_bytes: int | None) -> Iterator[str]:
    worn, written = number(facts, "wear_ratio"), number(facts, "life_written_bytes")
    if value(facts, "bus") in {"virtio", "loop"}:
        yield "what wears by it is not known, as this disk is virtual"
    elif value(facts, "rotational") is True:
        yield "a disk that turns does not wear by it"
    elif endurance_bytes:
        share = _share(order.most_bytes / endurance_bytes)
        yield f"that is {share} of the {format_size(endurance_bytes)} that it is rated for"
    elif worn is not None and worn >= _LEAST_WEAR_RATIO and written:
        rated = written / worn
        yield f"that is about {_share(order.most_bytes / rated)} of its endurance, reckoned from its own count of wear"
    else:
        yield "which share of the drive's endurance that is, is unknown (give it with --endurance, from the data sheet)"
    if worn is not None:
        yield f"the drive says that {percent(worn)} of it are used"


def _share(ratio: float) -> str:
    return percent(ratio) if ratio >= 0.001 else f"{ratio * 100:.2g} %"


def _time(order: Order, expected: Expected) -> str:
    """Writing, reading back at the same rate, rest and second burst; in words that say that it is a guess."""
    rate = expected.bytes_per_s
    once_ns = order.byte_limit * 1e9 / rate
    if order.time_ns is not None:
        once_ns = min(once_ns, order.time_ns)
    whole_ns = 2 * once_ns + order.rest_ns + order.again_bytes * 1e9 / rate
    most = "at most " if order.hold_ns is not None else ""
    return f"Takes {most}about {_whole(whole_ns)} at {format_rate(rate)} ({expected.says}), reading back as fast."


def _whole(duration_ns: float) -> str:
    seconds = round(duration_ns / 1e9)
    return f"{seconds} s" if seconds < 120 else format_duration(seconds * 1e9)
