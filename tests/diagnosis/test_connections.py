"""Several connections of one copy: what they moved is summed, how full one is tells the busiest."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from graycard.agent.sockets import Connection
from graycard.diagnosis.connections import Growth, busiest_looks, connection_tracks, growth_of
from graycard.diagnosis.near import Owned, Scope, mount_pids
from graycard.why.vocabulary import STEP_NS

MB = 1_000_000
STEPS = 8
EDGES = [number * STEP_NS for number in range(STEPS + 1)]


def row(inode: int, moved: float, **more: Any) -> dict[str, Any]:
    found = {"inode": inode, "acked_bytes": moved, "received_bytes": 0, "segment_bytes": 1000, "unacked_count": 0,
             "unsent_bytes": 0, "busy_us": 0, "rtt_us": 100}  # fmt: skip
    return {**found, **more}


def samples(*each: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"at_ns": number * STEP_NS, "tcp": rows} for number, rows in enumerate(each)]


def tracks(found: list[dict[str, Any]]) -> dict[str, tuple[float | None, ...]]:
    return dict(connection_tracks(found, EDGES))


def full(inode: int, number: int, rate: float = MB) -> dict[str, Any]:
    """One that is full all the time."""
    return row(inode, rate * number, busy_us=250_000 * number, unsent_bytes=500_000, unacked_count=40, rtt_us=1500)


def test_streams_are_summed_and_judged_by_the_busiest() -> None:
    found = tracks(samples(*([full(inode, n, inode * MB) for inode in (1, 2, 3)] for n in range(STEPS + 1))))
    assert found["tcp_acked_bytes"][3] == pytest.approx(6 * MB)
    assert found["tcp_queue_bytes"][3] == 540_000
    assert found["tcp_busy_ratio"][3] == pytest.approx(1)
    assert found["tcp_rtt_ns"][3] == 1.5e6


@pytest.mark.parametrize("idle_bytes", [0, 100])
def test_an_idle_one_beside_it_does_not_disturb(idle_bytes: int) -> None:
    """A control connection with a long history, that says a few bytes while the copy stands still."""
    moved = [0, 1, 2, 2, 2, 2, 3, 4, 5]
    each = [[row(9, 900 * MB + idle_bytes * n, rtt_us=9), full(1, moved[n])] for n in range(STEPS + 1)]
    found = tracks(samples(*each))
    assert found["tcp_acked_bytes"] == pytest.approx([(b - a) * MB + idle_bytes for a, b in pairwise(moved)])
    assert set(found["tcp_queue_bytes"]) == {540_000}
    assert set(found["tcp_rtt_ns"]) == {1.5e6}


def test_one_follows_the_other() -> None:
    """A program that opens a connection for each file: the busy time goes on from one to the next."""
    first = [[full(1, n)] for n in range(4)]
    later = [[full(2, n + 1) | {"is_new": True}] for n in range(5)]
    found = tracks(samples(*first, *later))
    assert found["tcp_acked_bytes"] == pytest.approx([MB] * STEPS)
    assert found["tcp_busy_ratio"] == pytest.approx([1.0] * STEPS)


def test_an_old_one_that_is_seen_later_brings_no_history() -> None:
    old = [[], [], [row(7, 5000 * MB, is_new=False)], [row(7, 5001 * MB, is_new=False)]]
    assert growth_of(samples(*old), "acked_bytes")[-1][1] == MB
    assert [look.now["inode"] if look.now else None for look in busiest_looks(samples(*old))] == [None, None, 7, 7]
    new = [[], [row(7, 2 * MB, is_new=True)]]
    assert growth_of(samples(*new), "acked_bytes")[-1][1] == 2 * MB


def test_what_is_received_makes_a_connection_the_busiest() -> None:
    each = [[row(1, 5000 * n, rtt_us=1), row(2, 100 * n, received_bytes=MB * n, rtt_us=7)] for n in range(STEPS + 1)]
    assert set(tracks(samples(*each))["tcp_rtt_ns"]) == {7000.0}


def test_without_a_connection_there_is_no_track_and_between_two_nothing_waits() -> None:
    assert tracks(samples([], [])) == {}
    assert tracks(samples(*([full(1, n)] for n in range(4)), *([] for _ in range(5))))["tcp_queue_bytes"][-1] == 0
    growth = Growth("acked_bytes")
    assert [growth.add(each) for each in samples([full(1, 3)], [full(1, 4)])] == [0, MB]


def connection(inode: int, address: str = "10.0.0.2", port: int = 445) -> Connection:
    return Connection(inode, 40_000, address, port, {})


def chosen(
    scope: Scope, held: dict[int, set[int]], found: list[Connection], monkeypatch: pytest.MonkeyPatch
) -> set[int]:
    """Which of the connections are the copy's; `held` are the sockets of each process, 1 is the copy's, 2 another."""
    monkeypatch.setattr("graycard.diagnosis.near.inodes_of", lambda pid: held.get(pid, set()))
    monkeypatch.setattr("graycard.diagnosis.near.numbers", lambda: list(held))
    return {each["inode"] for each in Owned(scope, frozenset({99})).rows(found, [1])}


@pytest.mark.parametrize(
    ("scope", "held", "found", "expected"),
    [
        # Its own ones to the server; not those of graycard's far end, not those to others.
        (Scope(1, frozenset({"10.0.0.2"})), {1: {5, 6, 7}},
         [connection(5), connection(6), connection(7, "10.9.9.9"), connection(99)], {5, 6}),
        # By a computer between: the server's address is not seen.
        (Scope(1, frozenset({"10.0.0.2"}), is_other_program=True), {1: {7}}, [connection(7, "10.9.9.9", 22)], {7}),
        # Within this computer only where there is no other.
        (Scope(1, frozenset(), is_other_program=True), {1: {5, 8}}, [connection(5), connection(8, "127.0.0.1")], {5}),
        (Scope(1, frozenset(), is_other_program=True), {1: {8}}, [connection(8, "127.0.0.1")], {8}),
        # A mount by the kernel: what another program has with the same server is not its.
        (Scope(0, frozenset({"10.0.0.2"}), is_other_program=True), {2: {6}}, [connection(5), connection(6)], {5}),
        (Scope(0, frozenset({"10.0.0.2"}), is_other_program=True), {2: set()},
         [connection(5, port=2049), connection(6, port=80)], {5}),
        # The mount of a program that has no connection now: nobody else's is taken for it.
        (Scope(0, frozenset(), mount_program="rclone", is_other_program=True), {2: {6}}, [connection(5)], set()),
        (Scope(0, frozenset(), is_other_program=True), {}, [connection(5)], set()),
    ],
)  # fmt: skip
def test_whose_connection_it_is(
    scope: Scope, held: dict[int, set[int]], found: list[Connection], expected: set[int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    assert chosen(scope, held, found, monkeypatch) == expected


def test_a_program_that_begins_later_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    held: dict[int, set[int]] = {}
    monkeypatch.setattr("graycard.diagnosis.near.inodes_of", lambda pid: held.get(pid, set()))
    owned = Owned(Scope(1, frozenset(), mount_program="sshfs"), frozenset())
    assert owned.rows([connection(5)], [1]) == []
    held[1] = {5}
    assert owned.rows([connection(5)], [1]) == []
    owned.ask_again()
    (found,) = owned.rows([connection(5), connection(6)], [1])
    assert (found["inode"], found["is_new"]) == (5, False)
    held[1] = {5, 7}
    assert [each["is_new"] for each in owned.rows([connection(5), connection(7)], [1])] == [False, True]


def test_the_program_of_a_mount_is_known_by_its_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    named = {1: ["/mnt/one"], 2: ["/mnt/two"], 3: ["/mnt/two"], 4: ["/run/user/1/gvfs"], 5: []}
    monkeypatch.setattr("graycard.diagnosis.near.named_paths", lambda pid: named[pid])
    monkeypatch.setattr("graycard.diagnosis.near.is_neighbour", lambda pid: pid != 3)
    everyone = {1: ("rclone", 0), 2: ("rclone", 0), 3: ("rclone", 0), 4: ("gvfsd-fuse", 0), 5: ("gvfsd-smb", 0)}
    assert mount_pids("rclone", "/mnt/two", everyone) == [2]
    assert mount_pids("rclone", "/mnt/three", everyone) == [1, 2]
    assert mount_pids("gvfsd-fuse", "/elsewhere", everyone) == [4, 5]
    assert mount_pids(None, "/mnt/two", everyone) == []
