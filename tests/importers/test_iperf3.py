"""iperf3: text and JSON, both directions, and what is left of a damaged document."""

from __future__ import annotations

import json
import tracemalloc

import pytest
from importers.samples import OWN, SHARED, stored

from graycard.errors import ImportProblem
from graycard.importers.iperf3 import Iperf3Importer
from graycard.model import Action, FactValue, Operation, Result

MBIT = 1e6 / 8


def read(data: bytes) -> tuple[Result, ...]:
    assert Iperf3Importer().recognises(data)
    return Iperf3Importer().read(data)


def own(name: str) -> tuple[Result, ...]:
    return read((OWN / "iperf3" / name).read_bytes())


def rate(result: Result) -> float:
    assert result.summary
    return result.summary.rate.value


def facts(result: Result) -> dict[str, FactValue]:
    return {fact.name: fact.value for fact in result.facts}


@pytest.mark.parametrize(
    ("name", "right"),
    [
        ("3.12-text.txt", [("TCP send", 5060 * MBIT)]),
        ("3.12-text-P2-R.txt", [("TCP 2 streams receive", 4980 * MBIT)]),
        ("3.12-bidir.txt", [("TCP send", 3360 * MBIT), ("TCP receive", 2840 * MBIT)]),
        ("3.12-udp.txt", [("UDP send", 49.9 * MBIT)]),
        ("3.12-fM.txt", [("TCP send", 682 * (1 << 20))]),
        ("3.12-V.txt", [("TCP send", 4380 * MBIT)]),
        ("3.12-title.txt", [("TCP send", 8800 * MBIT)]),
        ("3.12-timestamps.txt", [("TCP send", 9390 * MBIT)]),
        ("3.12-server-output.txt", [("TCP send", 8550 * MBIT)]),
        ("3.12.json", [("TCP send", 5193819118.6289 / 8)]),
        ("json-stream-rearranged.jsonl", [("TCP send", 5193819118.6289 / 8)]),
        ("3.12-twice-and-nan.txt", [("TCP send", 5193819118.6289 / 8)] * 2),
    ],
)
def test_what_was_received_is_published(name: str, right: list[tuple[str, float]]) -> None:
    found = own(name)
    assert [result.task.label for result in found] == [label for label, _ in right]
    assert [rate(result) for result in found] == pytest.approx([value for _, value in right], rel=1e-4)
    assert all(result.trouble is None for result in found)


def test_directions_are_told_as_this_computer_sees_them() -> None:
    send, receive = own("3.12-bidir.txt")
    assert send.task.transfer
    assert receive.task.transfer
    assert (send.task.transfer.action, send.task.operation) == (Action.SEND, Operation.READ)
    assert (receive.task.transfer.action, receive.task.operation) == (Action.RECEIVE, Operation.WRITE)


def test_a_server_tells_of_each_test() -> None:
    found = own("3.12-server.txt")
    assert len(found) == 9
    assert [result.task.label for result in found[:3]] == ["TCP receive", "TCP 2 streams send", "TCP send"]
    assert len({result.measurement_id for result in found}) == 8, "both directions of one test are one measurement"


def test_retransmits_loss_and_jitter_are_facts() -> None:
    (text,) = own("3.12-V.txt")
    assert facts(text)["retransmit_count"] == 27
    assert facts(text)["server"] == "127.0.0.1"
    assert (text.task.block_bytes, text.origin.tool_version) == (131072, "3.12")
    (udp,) = own("3.12-udp.txt")
    assert facts(udp)["lost_ratio"] == 0
    assert facts(udp)["jitter_ns"] == 514_000


def test_an_interrupted_test_is_a_part_and_never_0() -> None:
    (result,) = own("3.12-int.txt")
    assert rate(result) == 5270 * MBIT
    assert result.trouble
    assert "interrupt - the client has terminated" in result.trouble
    assert result.summary
    assert any("handed to its socket" in each for each in result.summary.caveats)


def test_of_a_document_that_is_cut_short_its_intervals_count() -> None:
    (result,) = own("3.12-cut-short.json")
    (whole,) = own("3.12.json")
    assert rate(result) == pytest.approx(rate(whole), rel=0.01)
    assert result.trouble
    assert "cut short" in result.trouble
    assert result.summary
    assert any("mean of its 2 intervals" in each for each in result.summary.caveats)
    assert result.task.transfer == whole.task.transfer


def test_an_error_alone_is_told() -> None:
    with pytest.raises(ImportProblem, match="unable to connect to server: Connection refused"):
        own("3.12-err.txt")
    with pytest.raises(ImportProblem, match="no figures"):
        read(b'{"start": {"version": "iperf 3.12"}, "intervals": [], "end": {}}')


@stored
def test_the_sent_figure_that_is_far_more_is_told() -> None:
    (result,) = read((SHARED / "iperf3" / "08-tcp-title-extra-3.12.json").read_bytes())
    assert result.summary
    assert any("handed 193 MB/s to its socket" in each for each in result.summary.caveats)
    assert result.origin.imported_from == "titel ü"


@stored
def test_lost_datagrams_are_told() -> None:
    (result,) = read((SHARED / "iperf3" / "05-udp-3.12.json").read_bytes())
    assert facts(result)["lost_ratio"] == pytest.approx(0.00262123)
    assert result.summary
    assert any("0.3 % of the datagrams were lost" in each for each in result.summary.caveats)


def test_a_week_of_intervals_takes_a_bounded_multiple_of_its_length() -> None:
    document = json.loads((OWN / "iperf3" / "3.12.json").read_bytes())
    document["intervals"] *= 2000
    data = json.dumps(document, separators=(",", ":")).encode()
    assert len(data) > 3 << 19
    tracemalloc.start()
    try:
        (result,) = read(data)
        # With the text itself and Python the longest file that is read whole (48 MiB) takes less than 300 MB.
        assert tracemalloc.get_traced_memory()[1] < 2.7 * len(data)
    finally:
        tracemalloc.stop()
    assert rate(result) == pytest.approx(5193819118.6289 / 8)


def test_documents_that_follow_each_other_on_a_line_are_all_read() -> None:
    one = (OWN / "iperf3" / "3.12.json").read_bytes().strip()
    assert len(read(one + one)) == 2
    assert len(read(one + b" \n\n  " + one)) == 2


def test_behind_a_damaged_document_the_others_are_read() -> None:
    one = (OWN / "iperf3" / "3.12.json").read_bytes()
    found = read(one + (OWN / "iperf3" / "3.12-cut-short.json").read_bytes() + b"\n" + one)
    assert [result.trouble is None for result in found] == [True, False, True]


def test_a_log_may_hold_documents_and_tables() -> None:
    both = (OWN / "iperf3" / "3.12.json").read_bytes() + (OWN / "iperf3" / "3.12-text.txt").read_bytes()
    assert [rate(result) for result in read(both)] == pytest.approx([5193819118.6289 / 8, 5060 * MBIT])


def test_a_sum_that_cannot_be_read_is_left_out() -> None:
    text = (OWN / "iperf3" / "3.12-cut-short.json").read_bytes()
    start = text.index(b'"sum"')
    (result,) = read(text[:start] + text[start:].replace(b'"bytes"', b"'bytes'", 1))
    assert result.summary
    assert any("mean of its 1 intervals" in each for each in result.summary.caveats)
