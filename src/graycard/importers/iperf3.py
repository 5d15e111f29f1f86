"""Reads iperf3: its JSON (-J, --json-stream, several documents, damaged ones) and its text, of client and server.

What was received is published, a result for each direction: the sender counts what it handed to its socket, which may
be far more. Its bits are decimal, its "MBytes" 2^20 bytes (units.c).
"""

from __future__ import annotations

from collections.abc import Iterator

from graycard.errors import ImportProblem
from graycard.facts import fact
from graycard.importers import iperf3_json, iperf3_text
from graycard.importers.imported import NO_TARGET, Figures, imported, measurement_id, result_id
from graycard.importers.iperf3_tests import Flow, NetworkTest
from graycard.importers.json_text import refuse_crowded
from graycard.importers.one_run import one_run
from graycard.importers.rows import bounded
from graycard.importers.text import Text, lines
from graycard.model import (
    Action,
    Fact,
    IoTask,
    Operation,
    Origin,
    Pattern,
    Result,
    Run,
    Target,
    TargetKind,
    Transfer,
)
from graycard.units import format_rate, percent

TOOL = "iperf3"
_SENT = "What was received is not known: this is what the sender handed to its socket, which may be more."
_BESIDE = "The sender handed {} to its socket: more than arrived in that time."
_COMPUTED = "iperf3's own summary is missing: the rate is the mean of its {} intervals, worked out here."
_LOST = "{} of the datagrams were lost."
_BOTH_WAYS = "Both directions ran at once: this is one of them alone."
_PACED = "UDP was sent at a fixed rate, {} if none was asked for: the link may carry more."
_NOT_FINISHED = "the output is cut short"


class Iperf3Importer:
    """iperf3 3.0 to 3.2x."""

    name = TOOL

    def recognises(self, head: bytes) -> bool:
        """Whether it is iperf3's JSON or text."""
        return iperf3_json.is_own(lines(head).whole) or iperf3_text.is_own(lines(head))

    def read(self, data: bytes) -> tuple[Result, ...]:
        """A result for each direction of each test; ImportProblem with iperf3's error where there is none."""
        text = lines(data)
        file = measurement_id(data, TOOL).encode()
        numbered = enumerate(_tests(text), 1)
        found = bounded(
            (result for number, test in numbered for result in _results(test, measurement_id(file, number))), TOOL
        )
        if not found:
            error = next((test.error for test in _tests(text) if test.error), None) or iperf3_text.error(text)
            raise ImportProblem(_failure(error))
        return found


def _tests(text: Text) -> Iterator[NetworkTest]:
    """Those of the documents, then those of the tables: a log may hold both."""
    has_documents = iperf3_json.is_own(text.whole)
    if has_documents:
        refuse_crowded(text.whole, TOOL)
        yield from iperf3_json.tests(text.plain)
    if not has_documents or iperf3_text.is_own(text):
        yield from iperf3_text.tests(text)


def _failure(error: str | None) -> str:
    if error:
        return f"iperf3 failed: {error}; start iperf3 -s on the other computer, then repeat"
    return "iperf3's output holds no figures: let it end and keep the whole output"


def _results(test: NetworkTest, whole: str) -> Iterator[Result]:
    flows = [flow for flow in test.flows if flow.rate_bytes_per_s or flow.sent_bytes_per_s]
    for number, flow in enumerate(flows, 1):
        rate = flow.rate_bytes_per_s or flow.sent_bytes_per_s
        yield imported(
            result_id(whole, number),
            Origin(TOOL, test.version, None, test.title),
            _task(test, flow),
            Figures(rate_bytes_per_s=rate),
            measurement=whole,
            created_at=test.created_at,
            target=Target(test.server, TargetKind.SHARE) if test.server else NO_TARGET,
            facts=tuple(_facts(test, flow)),
            runs=_runs(test, flow, rate or 0.0),
            caveats=tuple(_caveats(test, flow, is_one_of_two=len(flows) > 1)),
            trouble=_trouble(test),
        )


def _trouble(test: NetworkTest) -> str | None:
    error = test.error or (_NOT_FINISHED if test.is_cut_short else None)
    return f"iperf3 did not end well ({error}): the figure is of the part until then." if error else None


def _task(test: NetworkTest, flow: Flow) -> IoTask:
    action = Action.SEND if flow.is_sending else Action.RECEIVE
    missing = {
        "block_bytes": not test.block_bytes,
        "span_bytes": True,
        "depth_count": True,
        "cache": True,
        "durability": True,
        "compressible_ratio": True,
        "time_ns": not test.time_ns,
    }
    return IoTask(
        Operation.READ if flow.is_sending else Operation.WRITE,
        Pattern.SEQUENTIAL,
        test.block_bytes or 1,
        test.block_bytes or 1,
        time_ns=test.time_ns or flow.elapsed_ns,
        byte_limit=test.byte_limit,
        transfer=Transfer(test.protocol, action, stream_count=test.stream_count),
        unstated=tuple(name for name, absent in missing.items() if absent),
    )


def _facts(test: NetworkTest, flow: Flow) -> Iterator[Fact]:
    source = "iperf3"
    if test.server:
        yield fact("server", test.server, source)
    if test.congestion:
        yield fact("engine_settings", f"congestion control {test.congestion}", source)
    if flow.retransmit_count is not None:
        yield fact("retransmit_count", flow.retransmit_count, source)
    if flow.lost_ratio is not None:
        yield fact("lost_ratio", flow.lost_ratio, source)
    if flow.jitter_ns is not None:
        yield fact("jitter_ns", flow.jitter_ns, source)


def _caveats(test: NetworkTest, flow: Flow, *, is_one_of_two: bool) -> Iterator[str]:
    sent = flow.sent_bytes_per_s
    if flow.interval_count:
        yield _COMPUTED.format(flow.interval_count)
    elif not flow.rate_bytes_per_s:
        yield _SENT
    elif sent and sent > 1.05 * flow.rate_bytes_per_s:
        yield _BESIDE.format(format_rate(sent))
    if is_one_of_two:
        yield _BOTH_WAYS
    if test.protocol == "UDP":
        yield _PACED.format("1 Mbit/s")
        if flow.lost_ratio:
            yield _LOST.format(percent(flow.lost_ratio))


def _runs(test: NetworkTest, flow: Flow, rate: float) -> tuple[Run, ...]:
    elapsed_ns = flow.elapsed_ns or 0
    return one_run(TOOL, rate * elapsed_ns / 1e9, elapsed_ns, started_at=test.created_at)
