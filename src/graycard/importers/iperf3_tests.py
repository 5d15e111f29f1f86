"""What iperf3 tells of one test, from JSON or text."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from graycard.importers.imported import UNKNOWN_TIME


@dataclass(slots=True)
class Flow:
    """One direction. Rates of 0 are None: not measured. `is_sending` is as this computer sees it.

    `interval_count` is how many intervals the rate was worked out from, 0 where iperf3 itself gives it.
    """

    is_sending: bool
    rate_bytes_per_s: float | None = None
    sent_bytes_per_s: float | None = None
    elapsed_ns: int | None = None
    retransmit_count: int | None = None
    lost_ratio: float | None = None
    jitter_ns: int | None = None
    interval_count: int = 0


@dataclass(slots=True)
class NetworkTest:
    """One test; `flows` has one direction, or both."""

    version: str | None = None
    protocol: str = "TCP"
    server: str | None = None
    title: str | None = None
    stream_count: int | None = None
    block_bytes: int | None = None
    byte_limit: int | None = None
    time_ns: int | None = None
    congestion: str | None = None
    created_at: datetime = UNKNOWN_TIME
    error: str | None = None
    is_cut_short: bool = False
    flows: list[Flow] = field(default_factory=list)
