"""The copy waits for the server, and nobody looked there."""

from __future__ import annotations

from collections.abc import Iterator

from graycard.model.diagnosis import Certainty, Layer, Seen, Waiting
from graycard.units import format_rate, percent
from graycard.why import figures
from graycard.why.rules.rule import CONNECTION, Hit, PlainRule
from graycard.why.slices import share
from graycard.why.vocabulary import FAR

WAITING_RATIO = 0.4
_INSIDE = ("service_ratio", "disk_busy_ratio", "writeback_bytes", "core_busy_ratio")


def look(seen: Seen) -> Hit | None:
    """Waiting for the server, without any figure of it."""
    waiting = share(seen, Waiting.SERVER)
    if waiting is None or waiting < WAITING_RATIO or figures.server_disk(seen) is not None:
        return None
    if any(figures.readings(seen, f"{FAR}.{name}") for name in _INSIDE):
        return None
    claim = "The copy waits for the server; whether for its disk or its processor cannot be known from here."
    because = tuple(_because(seen, waiting))
    rate = figures.copy_rate(seen)
    return Hit(claim, because, rate, figures.network(seen), certainty=Certainty.CANNOT_KNOW)


def _because(seen: Seen, waiting: float) -> Iterator[str]:
    yield f"{percent(waiting)} of the time the connection had nothing to send, or the server did not take it."
    if seen.swing:
        levels = f"{format_rate(seen.swing.low_bytes_per_s)} and {format_rate(seen.swing.high_bytes_per_s)}"
        yield f"The rate swings between {levels}. {seen.swing.says}"


RULE = PlainRule(
    name="unseen server",
    layer=Layer.SERVER,
    source="measured: with an empty queue and nothing unacknowledged it was always the server's disk or processor",
    needs=(CONNECTION,),
    look=look,
    advice="Repeat it with --server user@host:/path, so that its disk and its processor are looked at.",
    yields_to=("latency", "small files", "client processor", "delayed ACK", "block size", "source disk"),
)
