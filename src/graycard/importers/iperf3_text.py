"""iperf3's text as tests: of the client, with -P, -R, --bidir and -u; of the server, one test after the other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from graycard.importers.iperf3_tests import Flow, NetworkTest
from graycard.importers.rows import MOST_COUNT
from graycard.importers.text import Text, number

_TABLE = re.compile(r"^\[ ID\](?:\[Role\])? Interval {1,14}Transfer {1,8}(?:Bitrate|Bandwidth)\b")
_ROW = re.compile(
    r"^\[ {0,3}(\d{1,5}|SUM)\](?:\[(TX|RX)-[CS]\])? {1,6}([\d.]{1,12})- {0,4}([\d.]{1,12}) {1,4}sec {1,4}"
    r"[\d.]{1,12} [KMGT]?Bytes {1,4}([\d.]{1,12}) ([KMGT]?)(bits|Bytes)/sec(.{0,120})$"
)
_CLIENT = re.compile(r"^Connecting to host (\S{1,255}), port \d{1,6}$")
_SERVER = re.compile(r"^Accepted connection from \S{1,255}, port \d{1,6}$")
_VERSION = re.compile(r"^iperf (3\.\S{1,20})$")
_START = re.compile(r"^Starting Test: protocol: (\w{3,5}), (\d{1,5}) streams?, (\d{1,10}) byte blocks")
_ERROR = re.compile(r"^iperf3: ((?:error - |interrupt - |the (?:client|server) has ).{1,300})$")
# Before each line there may be a title (-T), or a time in any form (--timestamps).
_PREFIX = re.compile(
    r"^.{0,160}?[ \t](?=\[ ID\](?:\[Role\])? Interval |\[ {0,3}(?:\d{1,5}|SUM)\](?:\[(?:TX|RX)-[CS]\])? {1,6}"
    r"[\d.]{1,12}- {0,4}[\d.]{1,12} {1,4}sec |Connecting to host \S|Accepted connection from \S|Reverse mode, remote "
    r"|Starting Test: protocol: |Server output:$|iperf 3\.\S{1,20}$)"
)
_LOSS = re.compile(r"([\d.]{1,12}) ms {1,4}-?\d{1,12}/\d{1,12} \(([\d.]{1,12})%\)")
_RETRANSMITS = re.compile(r"^ {1,6}(\d{1,9})(?= |$)")
# Thirty years, as for every time.
_LONGEST_S = MOST_COUNT / 1e9
_SIDES = ("sender", "receiver")
_BITS = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_BYTES = {"": 1.0, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


@dataclass(frozen=True, slots=True)
class _Row:
    """`role` is TX or RX with --bidir, else ""; `side` is sender or receiver of a summary, else ""."""

    stream: str
    role: str
    seconds: float
    rate_bytes_per_s: float
    side: str
    rest: str


@dataclass(slots=True)
class _Reading:
    test: NetworkTest
    is_server: bool = False
    is_reverse: bool = False
    rows: list[_Row] = field(default_factory=list)


def is_own(text: Text) -> bool:
    """Whether there is iperf3's table with a row, a line of its summary alone, or its error."""
    # Marks of which each of its forms has one; most files of other tools have none.
    if not any(mark in text.whole for mark in ("iperf3: ", "[ ID]", "/sec")):
        return False
    table = False
    for line in text:
        words = _plain(line.text)
        table = table or bool(_TABLE.match(words))
        row = _ROW.match(words)
        # Older iperfs do not say whose figure it is.
        if _ERROR.match(words) or (row and (table or row[8].rstrip().endswith(_SIDES))):
            return True
    return False


def _plain(line: str) -> str:
    """The line without what stands before each."""
    prefix = _PREFIX.match(line)
    return line[prefix.end() :] if prefix else line


def error(text: Text) -> str | None:
    """The first of iperf3's errors in the text."""
    return next((match[1] for line in text if (match := _ERROR.match(line.text.strip()))), None)


def tests(text: Text) -> Iterator[NetworkTest]:
    """Each test; one of the client begins where it connects, one of the server where it accepts."""
    reading = _Reading(NetworkTest())
    is_repeated = False
    for line in text:
        words = _plain(line.text.strip())
        client = _CLIENT.match(words)
        # What the server said of the same test (--get-server-output) is no test of its own.
        is_repeated = words == "Server output:" or (is_repeated and not client)
        if is_repeated:
            continue
        if client or _SERVER.match(words):
            if reading.rows:
                yield _finished(reading)
            test = NetworkTest(version=reading.test.version, server=client[1] if client else None)
            test.error = None if reading.rows else reading.test.error
            reading = _Reading(test, is_server=not client)
        else:
            if _is_another(reading, words):
                yield _finished(reading)
                reading = _Reading(NetworkTest(version=reading.test.version))
            _take(reading, words)
    if reading.rows or reading.test.error:
        yield _finished(reading)


def _is_another(reading: _Reading, words: str) -> bool:
    """Whether the same line of a summary comes again where no test says that it begins."""
    row = None if reading.is_server or reading.test.server else _row(words)
    if row is None or not row.side:
        return False
    return (row.side, row.role, row.stream) in {(each.side, each.role, each.stream) for each in reading.rows}


def _take(reading: _Reading, line: str) -> None:
    test = reading.test
    if row := _row(line):
        reading.rows.append(row)
    elif match := _VERSION.match(line):
        test.version = match[1]
    elif line.startswith("Reverse mode, "):
        reading.is_reverse = True
    elif match := _START.match(line):
        test.protocol, test.stream_count, test.block_bytes = match[1], int(match[2]) or None, int(match[3]) or None
    elif match := _ERROR.match(line):
        # The server says so of each client that ends.
        if not (reading.is_server and reading.rows):
            test.error = match[1]
    elif line.startswith("[ ID]") and "Datagrams" in line:
        test.protocol = "UDP"


def _row(line: str) -> _Row | None:
    match = _ROW.match(line)
    if not match or "(omitted)" in match[8]:
        return None
    begin, end, value = (number(match[index], ".") for index in (3, 4, 5))
    if begin is None or end is None or value is None or not 0 <= begin < end <= _LONGEST_S:
        return None
    rate = value * _BITS[match[6]] / 8 if match[7] == "bits" else value * _BYTES[match[6]]
    side = next((word for word in _SIDES if match[8].rstrip().endswith(word)), "")
    return _Row(match[1], match[2] or "", end - begin, rate, side, match[8])


def _finished(reading: _Reading) -> NetworkTest:
    test = reading.test
    streams = {(row.role, row.stream) for row in reading.rows if row.stream != "SUM"}
    roles = sorted({row.role for row in reading.rows}, reverse=True)
    test.stream_count = test.stream_count or max(1, len(streams) // max(1, len(roles)))
    for role in roles:
        rows = [row for row in reading.rows if row.role == role]
        flow = Flow(is_sending=role == "TX" if role else _sends(reading))
        if any(row.side for row in rows):
            _take_summary(flow, [row for row in rows if row.side])
        else:
            _take_intervals(flow, rows)
        test.flows.append(flow)
    return test


def _sends(reading: _Reading) -> bool:
    """The server does not tell of a reverse test, but gives no figure of a receiver then."""
    if not reading.is_server:
        return not reading.is_reverse
    return {row.side for row in reading.rows if row.side} == {"sender"}


def _take_summary(flow: Flow, rows: list[_Row]) -> None:
    for row in _sums(rows):
        if row.side == "sender":
            flow.sent_bytes_per_s = row.rate_bytes_per_s or None
            retransmits = _RETRANSMITS.match(row.rest)
            flow.retransmit_count = int(retransmits[1]) if retransmits else None
            flow.elapsed_ns = flow.elapsed_ns or round(row.seconds * 1e9)
        else:
            flow.rate_bytes_per_s = row.rate_bytes_per_s or None
            flow.elapsed_ns = round(row.seconds * 1e9)
        loss = _LOSS.search(row.rest)
        if loss and (row.side == "receiver" or flow.lost_ratio is None):
            flow.jitter_ns = round((number(loss[1], ".") or 0) * 1e6)
            flow.lost_ratio = min(1.0, (number(loss[2], ".") or 0) / 100)


def _take_intervals(flow: Flow, rows: list[_Row]) -> None:
    kept = _sums(rows)
    seconds = min(_LONGEST_S, sum(row.seconds for row in kept))
    flow.rate_bytes_per_s = sum(row.rate_bytes_per_s * row.seconds for row in kept) / seconds or None
    flow.elapsed_ns, flow.interval_count = round(seconds * 1e9), len(kept)


def _sums(rows: list[_Row]) -> list[_Row]:
    """The lines of all streams together where there are several."""
    return [row for row in rows if row.stream == "SUM"] or rows
