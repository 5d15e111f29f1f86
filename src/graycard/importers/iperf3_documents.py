"""The JSON documents in a text of iperf3: several, with words around them, nan, a last comma, cut short.

Only what is used of a document is kept: of an interval the sums, not the streams, which are most of it. Of a document
that cannot be read as JSON, the sums that are whole are taken.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from typing import Any

from graycard.importers.json_text import json_decoder

_BEGIN = re.compile(r"^\{", re.MULTILINE)
_NEXT = re.compile(r"[ \t\r\n]*")
_NO_NUMBER = re.compile(r'(":\s{0,20})-?(?:nan|inf)(?:\(\w{0,20}\))?(?=\s{0,20}[,}\]])', re.IGNORECASE)
_LAST_COMMA = re.compile(r",(\s{0,80}[}\]])")
# Mending copies the text; of longer ones the sums are taken.
_MENDED_CHARS = 32 << 20
_WHOLE_SUM = re.compile(r'"(sum(?:_[a-z_]{1,30})?)":\s{0,20}(\{[^{}]{1,3000}\})')
_START_WORD = re.compile(
    r'"(version|protocol|host|num_streams|blksize|duration|reverse|bidir|timesecs)":\s{0,20}("[^"\n]{0,200}"|\d{1,15})'
)
_NAMES = """
    accepted_connection bits_per_second blksize bytes connecting_to data duration end error event host intervals
    jitter_ms lost_percent num_streams omitted packets protocol retransmits reverse seconds sender_tcp_congestion
    start sum sum_bidir_reverse sum_received sum_received_bidir_reverse sum_sent sum_sent_bidir_reverse test_start
    timesecs timestamp title version
"""
_USED = frozenset(_NAMES.split())
# Of the sum of an interval, of which there may be hundreds of thousands.
_OF_INTERVALS = frozenset({"bytes", "omitted", "retransmits", "seconds"})


def documents(whole: str) -> Iterator[dict[str, Any]]:
    """Each object that begins a line, or follows another; what was rescued of a damaged one has the key "cut short"."""
    decoder = json_decoder(_used)
    begin = _BEGIN.search(whole)
    start = begin.start() if begin else len(whole)
    while start < len(whole):
        try:
            found, end = decoder.raw_decode(whole, start)
        except (json.JSONDecodeError, RecursionError):
            # From here on each part is read for itself, so that reading takes linear time whatever the damage is.
            yield from _damaged(whole, start)
            return
        yield found
        start = _following(whole, end)


def _following(whole: str, end: int) -> int:
    """Where the next document begins, or the end of the text."""
    blanks = _NEXT.match(whole, end)
    at = blanks.end() if blanks else end
    if whole.startswith("{", at):
        return at
    begin = _BEGIN.search(whole, at)
    return begin.start() if begin else len(whole)


def _damaged(whole: str, start: int) -> Iterator[dict[str, Any]]:
    """The documents from here on, parted where a line begins with a bracket."""
    while start < len(whole):
        begin = _BEGIN.search(whole, start + 1)
        end = begin.start() if begin else len(whole)
        yield _mended(whole[start:end])
        start = end


def _mended(part: str) -> dict[str, Any]:
    text = part if len(part) > _MENDED_CHARS else _LAST_COMMA.sub(r"\1", _NO_NUMBER.sub(r"\1null", part))
    try:
        found: dict[str, Any] = json_decoder(_used).raw_decode(text)[0]
    except (json.JSONDecodeError, RecursionError):
        return _rescued(part)
    return found


def _used(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object without what is not used. "omitted" tells the sum of an interval."""
    found = dict(pairs)
    used = _OF_INTERVALS if "omitted" in found else _USED
    return {name: found[name] for name in found.keys() & used}


def _rescued(part: str) -> dict[str, Any]:
    """A document of what is whole in a damaged one."""
    words = _values(_START_WORD, part)
    # The first of each, for what is said again further down may be of something else.
    start = dict(reversed(list(words)))
    sums = list(_values(_WHOLE_SUM, part))
    end = {name: value for name, value in sums if name.startswith(("sum_sent", "sum_received"))}
    return {
        "start": {
            "version": start.get("version"),
            "connecting_to": {"host": start.get("host")},
            "timestamp": {"timesecs": start.get("timesecs")},
            "test_start": start,
        },
        "intervals": [{name: value} for name, value in sums if name not in end],
        "end": end,
        "cut short": True,
    }


def _values(pattern: re.Pattern[str], part: str) -> Iterator[tuple[str, Any]]:
    """The pairs of name and value that the pattern finds and that can be read."""
    decoder = json_decoder(_used)
    for found in pattern.finditer(part):
        with contextlib.suppress(json.JSONDecodeError):
            yield found[1], decoder.decode(found[2])
