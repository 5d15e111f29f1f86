"""The far end: it does what it is asked, and whoever cannot show the token gets nothing of it."""

from __future__ import annotations

import ast
import contextlib
import io
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterator
from importlib import resources
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graycard.agent import gate as gate_module
from graycard.agent import program
from graycard.agent.counting import MOST_SLOTS, SLOT_NS, Counter, parse_tcp_info
from graycard.agent.gate import MOST_STRANGERS, MOST_TOLD, Gate
from graycard.agent.program import Standing, converse
from graycard.agent.session import Session
from graycard.agent.wire import (
    CONTROL,
    ECHO,
    HEADER_BYTES,
    HERE,
    LINE_BYTES,
    TOKEN_BYTES,
    UPLOAD,
    Header,
    WireError,
    packed_line,
    read_line,
)
from graycard.link import FarEnd

TOKEN = secrets.token_bytes(TOKEN_BYTES)


@pytest.fixture
def session() -> Iterator[Session]:
    session = Session("127.0.0.1")
    assert "port" in session.answer({"do": "open", "token": TOKEN.hex()})
    yield session
    session.close()


def never() -> None:
    """Nobody has been silent."""
    raise AssertionError


def port_of(session: Session) -> int:
    assert session._gate is not None
    return session._gate.port


def refusals(session: Session, count: int) -> list[str]:
    """What was refused, as soon as it is so many."""
    assert session._gate is not None
    return refused(session._gate, count)


def refused(gate: Gate, count: int) -> list[str]:
    until = time.monotonic() + 20
    while gate.refused_count < count:
        assert time.monotonic() < until, gate.refusals
        time.sleep(0.01)
    return gate.refusals


def dial(port: int, *parts: bytes) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), 10)
    connection.settimeout(20)
    for part in parts:
        connection.sendall(part)
    return connection


def is_closed(connection: socket.socket) -> bool:
    """Whether the other end closes without a word."""
    with contextlib.suppress(ConnectionError):
        return connection.recv(1) == b""
    return True


def test_it_counts_what_it_was_sent(session: Session) -> None:
    assert session.answer({"do": "expect", "role": "upload", "streams": 1}) == {}
    with dial(port_of(session), Header(TOKEN, UPLOAD, 0, 0).packed(), b"x" * 100_000) as connection:
        connection.shutdown(socket.SHUT_WR)
        assert is_closed(connection)
    told = session.answer({"do": "collect", "streams": 1})
    assert told["streams"][0]["moved_bytes"] == sum(told["streams"][0]["slots"]) == 100_000
    assert told["refused"]["count"] == 0


def test_an_echo_comes_back(session: Session) -> None:
    session.answer({"do": "expect", "role": "echo", "streams": 1})
    with dial(port_of(session), Header(TOKEN, ECHO, 0, 0).packed(), b"!") as connection:
        assert connection.recv(1) == b"!"


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ((Header(bytes(TOKEN_BYTES), ECHO, 0, 0).packed(),), "a wrong token"),
        ((Header(TOKEN, UPLOAD, 0, 0).packed(),), "not announced"),
        ((Header(TOKEN, ECHO, 1, 0).packed(),), "not announced"),
        ((b"GET / HTTP/1.1\r\nHost: nas\r\nAccept: */*\r\n\r\n",), "another protocol"),
        ((b"\xff" * 10_000_000,), "another protocol"),
        ((b"gcA1",), "too slow"),
        ((), "too slow"),
    ],
    ids=["wrong token", "other role", "other stream", "http", "huge", "half a header", "silent"],
)
def test_strangers_are_turned_away(
    session: Session, parts: tuple[bytes, ...], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gate_module, "HEADER_S", 0.3)
    session.answer({"do": "expect", "role": "echo", "streams": 1})
    with contextlib.suppress(ConnectionError), dial(port_of(session), *parts) as connection:
        assert is_closed(connection)
    assert why in refusals(session, 1)[0]


def test_a_sender_of_a_byte_at_a_time_is_not_waited_for(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate_module, "HEADER_S", 0.5)
    session.answer({"do": "expect", "role": "echo", "streams": 1})
    with contextlib.suppress(ConnectionError), dial(port_of(session)) as connection:
        for byte in Header(TOKEN, ECHO, 0, 0).packed():
            connection.sendall(bytes([byte]))
            time.sleep(0.05)
    assert "too slow" in refusals(session, 1)[0]


def test_what_was_used_is_used(session: Session) -> None:
    """A recorded connection is worth nothing when it is played again."""
    session.answer({"do": "expect", "role": "echo", "streams": 1})
    header = Header(TOKEN, ECHO, 0, 0).packed()
    with dial(port_of(session), header, b"!") as connection:
        assert connection.recv(1) == b"!"
    with dial(port_of(session), header) as again:
        assert is_closed(again)
    assert "used before" in refusals(session, 1)[0]


def test_a_crowd_of_strangers_is_bounded(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """No more than so many are heard at a time; who knows the token comes in when they are gone."""
    monkeypatch.setattr(gate_module, "HEADER_S", 1.0)
    session.answer({"do": "expect", "role": "echo", "streams": 1})
    with contextlib.ExitStack() as opened:
        for _ in range(3 * MOST_STRANGERS):
            opened.enter_context(dial(port_of(session)))
        told = refusals(session, 3 * MOST_STRANGERS)
    assert sum("too many" in each for each in told) >= MOST_STRANGERS
    assert len(told) <= MOST_TOLD
    with dial(port_of(session), Header(TOKEN, ECHO, 0, 0).packed(), b"!") as connection:
        assert connection.recv(1) == b"!"


def test_the_port_is_closed_with_the_run(session: Session) -> None:
    port = port_of(session)
    session.answer({"do": "expect", "role": "echo", "streams": 1})
    with dial(port, Header(TOKEN, ECHO, 0, 0).packed(), b"!") as connection:
        assert connection.recv(1) == b"!"
        session.answer({"do": "close"})
        assert is_closed(connection)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), 5)


@pytest.mark.parametrize(
    "request_",
    [
        {},
        {"do": "run", "command": "id"},
        {"do": "open"},
        {"do": "open", "token": "zz"},
        {"do": "open", "token": "00"},
        {"do": "expect", "role": "echo", "streams": 10_000},
        {"do": "expect", "role": "echo", "streams": "many"},
        {"do": "expect", "role": "root", "streams": 1},
        {"do": "collect"},
        {"do": "collect", "streams": None},
    ],
)
def test_a_request_that_makes_no_sense_is_answered_so(session: Session, request_: dict[str, object]) -> None:
    assert set(session.answer(request_)) == {"error"}


@given(st.binary(max_size=200))
def test_any_bytes_as_requests_end_the_conversation_or_are_answered(data: bytes) -> None:
    answers = io.BytesIO()
    converse(Session("127.0.0.1"), io.BytesIO(data), answers, never)
    for line in answers.getvalue().splitlines():
        assert b"error" in line


def test_a_line_without_an_end_is_not_read_on() -> None:
    with pytest.raises(WireError, match="too long"):
        read_line(io.BytesIO(b"{" + b" " * (2 * LINE_BYTES)).readline)
    assert read_line(io.BytesIO(packed_line({"do": "hello"})).readline) == {"do": "hello"}


def test_by_hand_one_near_end_after_the_other() -> None:
    standing = Standing("127.0.0.1", 0)
    try:
        hello = Header(standing.token, CONTROL, 0, 0).packed() + packed_line({"do": "hello"})
        with dial(standing.gate.port, hello) as first:
            assert b'"version"' in first.recv(4096)
            with dial(standing.gate.port, hello) as second:
                assert is_closed(second)
        assert "used before" in refused(standing.gate, 1)[0]
        answered = until_let_in(lambda: dial(standing.gate.port, hello))
        assert b'"version"' in answered
    finally:
        standing.gate.close()


def until_let_in(connect: Callable[[], socket.socket]) -> bytes:
    """What the far end says, as soon as it has seen that the one before has gone."""
    until = time.monotonic() + 10
    while time.monotonic() < until:
        with connect() as connection, contextlib.suppress(ConnectionError):
            said = connection.recv(4096)
            if said:
                return said
    return b""


def test_a_header_has_its_length() -> None:
    assert len(Header(TOKEN, ECHO, 7, 5000).packed()) == HEADER_BYTES == 28


def test_slots_are_kept_where_nothing_moved_and_never_grow_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0]
    monkeypatch.setattr("graycard.agent.counting.time.perf_counter_ns", lambda: now[0])
    counter = Counter()
    counter.begin()
    for at_slot, count in ((0, 5), (3, 7), (10 * MOST_SLOTS, 1)):
        now[0] = at_slot * SLOT_NS
        counter.add(count)
    told = counter.told()
    assert told["slots"][:5] == [5, 0, 0, 7, 0]
    assert (len(told["slots"]), told["slots"][-1], told["moved_bytes"]) == (MOST_SLOTS, 1, 13)


def test_an_older_kernel_tells_less() -> None:
    whole = bytes(range(200)) + bytes(56)
    assert set(parse_tcp_info(whole[:104])) == {
        "segment_bytes",
        "unacked_count",
        "path_mtu_bytes",
        "rtt_us",
        "congestion_window_count",
        "retransmit_count",
    }
    assert parse_tcp_info(whole)["rtt_us"] == int.from_bytes(whole[68:72], "little")
    assert parse_tcp_info(b"") == {}


def test_the_far_end_is_readable_by_python_3_8_and_needs_nothing_else() -> None:
    """A NAS has an old Python and no packages."""
    for file in resources.files("graycard.agent").iterdir():
        if not file.name.endswith(".py") or file.name == "bundle.py":
            continue
        tree = ast.parse(file.read_text(encoding="utf-8"), feature_version=(3, 8))
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("graycard"):
                assert (node.module or "").startswith("graycard.agent."), file.name


def test_an_agent_bears_no_silence_that_is_too_long(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It ends by itself and removes what it made; a near end that says it is there is waited for."""
    monkeypatch.setattr(program, "LEAST_PATIENCE_S", 0.3)
    monkeypatch.setattr(program, "LOOK_EVERY_S", 0.02)
    near, far = socket.socketpair()
    session, answers = Session("127.0.0.1", root=str(tmp_path)), io.BytesIO()

    def gone() -> None:
        far.shutdown(socket.SHUT_RDWR)

    with near, far:
        talk = threading.Thread(target=converse, args=(session, far.makefile("rb"), answers, gone), daemon=True)
        talk.start()
        near.sendall(packed_line({"do": "hello", "silence_s": 0.1}))
        near.sendall(packed_line({"do": "disk", "what": "write", "bytes": 1}))
        begun = time.monotonic()
        while time.monotonic() - begun < 0.6:
            near.sendall(packed_line({"do": HERE}))
            time.sleep(0.05)
        assert talk.is_alive()
        assert len(list(tmp_path.iterdir())) == 1
        talk.join(20)
        assert not talk.is_alive()
    assert list(tmp_path.iterdir()) == []
    # That it is there is not answered.
    assert len(answers.getvalue().splitlines()) == 2


def test_answers_that_nobody_waited_for_are_passed_over() -> None:
    """Ctrl-C while an answer is waited for: what is asked afterwards gets its own answer."""
    near, far = socket.socketpair()
    asked = iter([None, KeyboardInterrupt()])

    def look() -> None:
        error = next(asked, None)
        if error is not None:
            raise error

    with near, far:
        end = FarEnd("nas", near.makefile("rb"), near.makefile("wb"), lambda _patience_s: None, look=look)
        with pytest.raises(KeyboardInterrupt):
            end.ask("first")
        far.sendall(packed_line({"to": "first"}) + packed_line({"to": "second"}))
        assert end.ask("second") == {"to": "second"}
