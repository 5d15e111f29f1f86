"""What the kernel answers of connections and control groups, from made-up bytes and texts and from this computer."""

from __future__ import annotations

import os
import signal
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graycard.agent import processes
from graycard.agent.files import may_look_at, used_paths
from graycard.agent.interfaces import driver_of, medium_of
from graycard.agent.partners import pair, partners
from graycard.agent.processes import limit, row, tree
from graycard.agent.sockets import connection, connections, inodes_of, messages, plain_address

on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="sock_diag(7) is Linux's")


def answer(info: bytes) -> bytes:
    ports = struct.pack(">2H", 40_000, 445)
    addresses = socket.inet_aton("10.0.0.1") + bytes(12) + socket.inet_aton("10.0.0.2") + bytes(12)
    body = struct.pack("=4B", 2, 1, 0, 0) + ports + addresses + struct.pack("=3I5I", 0, 0, 0, 0, 0, 0, 0, 777)
    return body + struct.pack("=HH", 4 + len(info), 2) + info


def test_an_answer_of_the_kernel() -> None:
    info = bytearray(232)
    struct.pack_into("=I", info, 24, 12)
    struct.pack_into("=Q", info, 120, 1_000_000)
    found = connection(answer(bytes(info)))
    assert found is not None
    assert (found.inode, found.near_port, found.far_address, found.far_port) == (777, 40_000, "10.0.0.2", 445)
    assert (found.told["unacked_count"], found.told["acked_bytes"]) == (12, 1_000_000)


@given(st.binary(max_size=300))
def test_whatever_comes_nothing_is_raised_or_read_twice(data: bytes) -> None:
    connection(data)
    assert sum(len(body) for _kind, body in messages(data)) <= len(data)


def test_addresses_are_compared_as_what_they_are() -> None:
    assert plain_address("::ffff:10.0.0.2") == "10.0.0.2"
    assert plain_address("fe80::1%eth0") == "fe80::1"
    assert plain_address("no address") == "no address"


@on_linux
def test_this_computer_s_own_connection_is_found() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as near:
        other, _peer = server.accept()
        with other:
            near.sendall(b"x" * 1000)
            assert other.recv(1000)
            inode = os.fstat(near.fileno()).st_ino
            found = next(each for each in connections() if each.inode == inode)
            assert found.far_port == server.getsockname()[1]
            assert inode in inodes_of(os.getpid())


@on_linux
def test_a_process_and_its_tree() -> None:
    found = row(os.getpid())
    assert found is not None
    assert found["ticks"] >= 0
    assert tree(os.getpid())[0] == os.getpid()
    assert row(0) is None
    assert driver_of("no such name") is None
    assert medium_of("lo") is None


def test_the_limits_of_control_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_CGROUPS", str(tmp_path))
    first, second = tmp_path / "cpu" / "nas", tmp_path / "nas"
    first.mkdir(parents=True)
    second.mkdir()
    (first / "cpu.cfs_quota_us").write_text("15000\n")
    (first / "cpu.cfs_period_us").write_text("100000\n")
    (first / "cpu.stat").write_text("nr_periods 9\nthrottled_time 77\n")
    assert limit("3:cpu,cpuacct:/nas\n2:memory:/x\n") == {"limit_ratio": 0.15, "throttled_ns": 77}
    (first / "cpu.cfs_quota_us").write_text("-1\n")
    assert limit("3:cpu:/nas\n") == {}
    (second / "cpu.max").write_text("max 100000\n")
    assert limit("0::/nas\n") == {}
    (second / "cpu.max").write_text("50000 100000\n")
    (second / "cpu.stat").write_text("throttled_usec 4\n")
    assert limit("0::/nas\n") == {"limit_ratio": 0.5, "throttled_ns": 4000}
    assert limit("0::/\n") == {}


@on_linux
def test_the_other_end_of_a_pair_of_sockets() -> None:
    near, far = socket.socketpair()
    with near, far:
        child = subprocess.Popen(("sleep", "60"), stdin=far.fileno())
        try:
            far.close()
            assert partners([os.getpid()], [child.pid, 1]) == [child.pid]
            near.close()
            assert partners([os.getpid()], [child.pid]) == []
        finally:
            child.kill()
            child.wait()
    assert pair(b"short") is None
    assert pair(struct.pack("=4B3I", 1, 1, 1, 0, 77, 0, 0) + struct.pack("=HH", 0, 5)) is None


@on_linux
def test_what_a_process_has_open_and_names(tmp_path: Path) -> None:
    (tmp_path / "open").write_text("x")
    with (tmp_path / "open").open() as file:
        command = ("sh", "-c", "sleep 60 & wait", f"of={tmp_path}/there", "there too", "-x", "--to=here")
        nowhere = subprocess.DEVNULL
        child = subprocess.Popen(command, stdin=file, stdout=nowhere, stderr=nowhere, cwd=tmp_path)
    try:
        until = time.monotonic() + 20
        while not tree(child.pid)[1:]:
            assert time.monotonic() < until
        found = used_paths(child.pid)
        assert found[0] == str(tmp_path / "open")
        assert set(found) >= {str(tmp_path / name) for name in ("there", "there too", "here")}
        assert str(tmp_path / "-x") not in found
        assert may_look_at(child.pid)
        # A number that no process has.
        assert (used_paths(2**30), may_look_at(2**30)) == ((), True)
    finally:
        for pid in reversed(tree(child.pid)):
            os.kill(pid, signal.SIGTERM)
        child.wait()
