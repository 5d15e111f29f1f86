"""iperf3's JSON as tests: of its sums, else of those of its intervals."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from graycard.importers.iperf3_documents import documents
from graycard.importers.iperf3_tests import Flow, NetworkTest
from graycard.importers.rows import MOST_COUNT

TOOL = "iperf3"
_SIGN = re.compile(r'"version":\s{0,20}"iperf 3\.|"test_start":\s{0,20}\{|"event":\s{0,20}"start"')
_LATEST_S = 4_000_000_000
# (what was sent, what was received, both for UDP before 3.7, whether against the usual direction)
_SUMS = (
    ("sum_sent", "sum_received", "sum", False),
    ("sum_sent_bidir_reverse", "sum_received_bidir_reverse", "sum_bidir_reverse", True),
)


def is_own(whole: str) -> bool:
    """Whether the text has iperf3's JSON in it."""
    return _SIGN.search(whole) is not None


def tests(whole: str) -> Iterator[NetworkTest]:
    """Each document as a test; of a stream of events, all of them together."""
    stream: dict[str, Any] = {}
    for document in documents(whole):
        if "event" in document:
            if document["event"] == "start" and stream:
                yield _test(stream)
                stream = {}
            _collect(stream, document)
        else:
            yield _test(document)
    if stream:
        yield _test(stream)


def _collect(stream: dict[str, Any], event: Mapping[str, Any]) -> None:
    name, data = event.get("event"), event.get("data")
    if name == "interval":
        stream.setdefault("intervals", []).append(data)
    elif isinstance(name, str):
        stream[name] = data


def _test(document: Mapping[str, Any]) -> NetworkTest:
    start, end = _part(document, "start"), _part(document, "end")
    setup = _part(start, "test_start")
    host = _part(start, "connecting_to").get("host")
    test = NetworkTest(
        version=_word(start, "version").removeprefix("iperf ") or None,
        protocol=_word(setup, "protocol") or "TCP",
        server=host[:255] if isinstance(host, str) and host else None,
        title=_word(document, "title") or _word(start, "title") or None,
        stream_count=_count(setup, "num_streams"),
        block_bytes=_count(setup, "blksize"),
        byte_limit=_count(setup, "bytes"),
        time_ns=_ns(_number(setup, "duration")),
        congestion=_word(end, "sender_tcp_congestion") or None,
        created_at=_time(_part(start, "timestamp")),
        error=_word(document, "error") or None,
        is_cut_short=bool(document.get("cut short")),
    )
    usual = bool(setup.get("reverse")) != bool(start.get("accepted_connection"))
    intervals = document.get("intervals")
    listed = [each for each in intervals if isinstance(each, dict)] if isinstance(intervals, list) else []
    test.flows = list(_flows(end, listed, is_udp=test.protocol == "UDP", receives=usual))
    return test


def _flows(end: Mapping[str, Any], intervals: list[dict[str, Any]], *, is_udp: bool, receives: bool) -> Iterator[Flow]:
    for sent, received, together, against in _SUMS:
        flow = Flow(is_sending=receives == against)
        parts = (_part(end, sent), _part(end, received), _part(end, together))
        if any(parts):
            _take_sums(flow, *parts, is_udp=is_udp)
        else:
            _take_intervals(flow, [_part(each, together) for each in intervals])
        yield flow


def _take_sums(
    flow: Flow, sent: Mapping[str, Any], received: Mapping[str, Any], both: Mapping[str, Any], *, is_udp: bool
) -> None:
    flow.rate_bytes_per_s = _rate(received)
    flow.sent_bytes_per_s = _rate(sent) or _rate(both)
    flow.elapsed_ns = _elapsed_ns(received) or _elapsed_ns(sent) or _elapsed_ns(both)
    flow.retransmit_count = _whole(sent, "retransmits")
    if not is_udp:
        return
    told = received if _number(received, "packets") else both
    lost, jitter_ms = _number(told, "lost_percent"), _number(told, "jitter_ms")
    flow.lost_ratio = None if lost is None or lost > 100 else lost / 100
    flow.jitter_ns = None if jitter_ms is None else round(jitter_ms * 1e6)
    if not flow.rate_bytes_per_s and flow.sent_bytes_per_s and flow.lost_ratio is not None:
        flow.rate_bytes_per_s = flow.sent_bytes_per_s * (1 - flow.lost_ratio) or None


def _take_intervals(flow: Flow, sums: list[Mapping[str, Any]]) -> None:
    """Bytes over seconds of all intervals that count."""
    kept = [each for each in sums if each and not each.get("omitted")]
    moved = sum(_number(each, "bytes") or 0.0 for each in kept)
    seconds = sum(_number(each, "seconds") or 0.0 for each in kept)
    if moved and seconds:
        flow.rate_bytes_per_s, flow.elapsed_ns = moved / seconds, _ns(seconds)
        flow.interval_count = len(kept)
        retransmits = [_whole(each, "retransmits") for each in kept]
        flow.retransmit_count = sum(each or 0 for each in retransmits) if any(retransmits) else None


def _rate(part: Mapping[str, Any]) -> float | None:
    bits = _number(part, "bits_per_second")
    return bits / 8 if bits else None


def _elapsed_ns(part: Mapping[str, Any]) -> int | None:
    """How long one of the sums took."""
    return _ns(_number(part, "seconds"))


def _ns(seconds: float | None) -> int | None:
    return round(seconds * 1e9) or None if seconds and seconds <= MOST_COUNT / 1e9 else None


def _part(row: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = row.get(name)
    return found if isinstance(found, dict) else {}


def _word(row: Mapping[str, Any], name: str) -> str:
    found = row.get(name)
    return " ".join(found[:500].split()) if isinstance(found, str) else ""


def _number(row: Mapping[str, Any], name: str) -> float | None:
    found = row.get(name)
    if isinstance(found, bool) or not isinstance(found, (int, float)) or not 0 <= found < MOST_COUNT:
        return None
    return float(found)


def _whole(row: Mapping[str, Any], name: str) -> int | None:
    found = _number(row, name)
    return None if found is None else round(found)


def _count(row: Mapping[str, Any], name: str) -> int | None:
    return _whole(row, name) or None


def _time(stamp: Mapping[str, Any]) -> datetime:
    seconds = _number(stamp, "timesecs")
    return datetime.fromtimestamp(seconds, UTC) if seconds and seconds < _LATEST_S else NetworkTest().created_at
