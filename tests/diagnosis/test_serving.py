"""What Samba tells of the session that a copy has: the right one of several, and nothing where that is not clear."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from graycard.agent import sessions as sessions_module
from graycard.agent.session import Session
from graycard.agent.sessions import Sessions, config_in, configuration, smbstatus
from graycard.agent.sockets import Connection
from graycard.diagnosis import serving
from graycard.diagnosis.serving import counted_facts, session_facts
from graycard.facts import fact
from tests.bed.network import Wire, wire
from tests.bed.smb import smbd

PEER = "192.0.2.7"
SIGNED = {"share_signing": "AES-128-GMAC", "share_encryption": "off", "protocol_version": "3.1.1"}


def session(address: str, signing: str = "-", dialect: str = "SMB3_11", **changed: Any) -> dict[str, Any]:
    return {
        "remote_machine": address.split(":")[1] if address.startswith("ipv4") else address,
        "hostname": address,
        "session_dialect": dialect,
        "encryption": {"cipher": "-", "degree": "none"},
        "signing": {"cipher": signing, "degree": "none" if signing == "-" else "full"},
        **changed,
    }


def printed(*rows: dict[str, Any]) -> str:
    numbered = {str(number): {"session_id": str(number), **row} for number, row in enumerate(rows)}
    return json.dumps({"version": "4.17.12", "sessions": numbered})


def test_the_session_is_that_of_the_address_and_the_port() -> None:
    text = printed(
        session("ipv4:192.0.2.70:50000"),
        session(f"ipv4:{PEER}:40001", "HMAC-SHA256", "SMB2_10"),
        session(f"ipv4:{PEER}:40002", "AES-128-GMAC"),
    )
    assert session_facts(text, PEER, frozenset({40002, 51000})) == SIGNED
    # Two of this computer's sessions that differ, and no port: they agree on the encryption alone.
    assert session_facts(text, PEER, frozenset()) == {"share_encryption": "off"}
    assert session_facts(text, PEER, frozenset({51000}), needs_port=True) == {}
    assert session_facts(text, "192.0.2.1", frozenset({40002})) == {}


def test_an_address_of_ipv6_and_a_table_of_old_samba() -> None:
    text = printed(session("ipv6:fd00::7:40002", "AES-128-GMAC", remote_machine="fd00::7"))
    assert session_facts(text, "fd00::7", frozenset({40002})) == SIGNED
    table = (
        "Samba version 4.9.5\n"
        "PID     Username     Group        Machine                    Protocol Version  Encryption           Signing\n"
        "------------------------------------------------------------------------------------------------------------\n"
        f"31475   anna         users        pc ({'ipv4:' + PEER}:40002)  SMB3_00  partial(AES-128-CCM)  AES-128-CMAC\n"
        f"31480   anna         users        pc (ipv4:{PEER}:40003)  SMB3_00  -  partial(AES-128-CMAC)\n"
    )
    assert session_facts(table, PEER, frozenset({40002})) == {
        "protocol_version": "3.0", "share_encryption": "AES-128-CCM", "share_signing": "AES-128-CMAC",
    }  # fmt: skip
    # Only the session's set-up is signed: the data are not.
    assert session_facts(table, PEER, frozenset({40003}))["share_signing"] == "off"


@pytest.mark.parametrize("text", ["", "smbstatus only works as root!", '{"sessions": {}}', '{"sessions": {"1": 3', "{"])
def test_what_is_no_list_of_sessions_tells_nothing(text: str) -> None:
    assert session_facts(text, PEER, frozenset()) == {}


def test_counters_of_nfs_are_those_of_the_mount(monkeypatch: pytest.MonkeyPatch) -> None:
    share = (
        "device nas:/a mounted on /mnt/a with fstype nfs4 statvers=1.1\n"
        "\topts:\trw,vers=4.2,wsize=65536\n\tper-op statistics\n"
        "\t        READ: 10 10 0 100 100 0 50 60\n\t       WRITE: 100 103 0 100 100 5 200 300\n"
    )
    monkeypatch.setattr(serving, "text", lambda _path: share + share.replace("/mnt/a", "/mnt/b").replace("103", "100"))

    def counted(point: str, kind: str = "nfs4", before: str = "") -> dict[str, object]:
        known = (fact("file_system", kind, "made up"), fact("mount_point", point, "made up"))
        return {each.name: each.value for each in counted_facts(known, before)}

    assert counted("/mnt/a") == {"read_round_trip_ns": 5e6, "write_round_trip_ns": 2e6, "share_retransmit_count": 3}
    assert counted("/mnt/b")["share_retransmit_count"] == 0
    assert counted("/mnt/c") == {}
    assert counted("/mnt/a", "cifs") == {}
    # Since a moment before the copy: 6 reads in 12 ms and 40 writes in 120 ms more, one of them sent again.
    before = share.replace("READ: 10 10 0 100 100 0 50 60", "READ: 4 4 0 40 40 0 38 40").replace(
        "WRITE: 100 103 0 100 100 5 200 300", "WRITE: 60 62 0 60 60 3 80 90"
    )
    grown = {"read_round_trip_ns": 2e6, "write_round_trip_ns": 3e6, "share_retransmit_count": 1}
    assert counted("/mnt/a", before=before) == grown
    # Another mount of then, or counters that began anew: nothing is subtracted.
    assert counted("/mnt/b", before=before)["read_round_trip_ns"] == 5e6
    assert counted("/mnt/a", before=share.replace("READ: 10 10", "READ: 11 11"))["read_round_trip_ns"] == 5e6
    assert counted("/mnt/a", before="WRITE: x\n")["read_round_trip_ns"] == 5e6


def connected(*ports: int) -> Callable[[], list[Connection]]:
    return lambda: [Connection(1, 445, PEER, port, {}) for port in ports]


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions_module, "LOOK_EVERY_S", 0.001)


def asking(answers: list[str]) -> tuple[Sessions, list[str]]:
    """Sessions that are asked for until the answers are all given, and those that are left."""
    left = list(answers)
    asked = Sessions(PEER, lambda: (left.pop(0) if left else "", 0.0))
    asked._thread.join(20)
    return asked, left


@pytest.mark.usefixtures("quick")
def test_it_is_asked_until_the_copys_own_session_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions_module, "connections", connected(40001, 40002))
    mount = printed(session(f"ipv4:{PEER}:40001"))
    both = printed(session(f"ipv4:{PEER}:40001"), session(f"ipv4:{PEER}:40002"))
    asked, left = asking([printed(), mount, both, "too much"])
    assert (asked.told()["smbstatus"], left) == (both, ["too much"])
    # More channels of one session are never listed: what was told stays.
    asked, left = asking([mount] * 20)
    assert (asked.told()["smbstatus"], len(left)) == (mount, 20 - sessions_module.MOST_ASKED)
    # Nothing to be had: it is asked once.
    asked, left = asking(["", mount])
    assert (asked.told()["smbstatus"], left) == ("", [mount])


@pytest.mark.usefixtures("quick")
def test_nothing_is_asked_without_a_connection_or_a_peer(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = threading.Semaphore(0)

    def of_nfs() -> list[Connection]:
        looked.release()
        return [Connection(1, 2049, PEER, 1, {}), Connection(2, 445, "192.0.2.70", 1, {})]

    monkeypatch.setattr(sessions_module, "connections", of_nfs)
    left = [(printed(), 0.0)]
    found = Sessions(PEER, left.pop)
    assert all(looked.acquire(timeout=20) for _ in range(3))
    found.stop()
    without = Sessions("", left.pop)
    without._thread.join(20)
    assert not without._thread.is_alive()
    assert (found.told(), without.told(), len(left)) == ({"smbstatus": ""}, {"smbstatus": ""}, 1)


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["/usr/sbin/smbd", "--foreground", "--no-process-group", ""], None),
        (["smbd", "-D", "-s", "/etc/smb.conf", ""], "/etc/smb.conf"),
        (["smbd", "-s/var/smb.conf"], "/var/smb.conf"),
        (["smbd", "--configfile=/x y/smb.conf"], "/x y/smb.conf"),
        (["smbd", "-s"], None),
        ([], None),
    ],
)
def test_the_configuration_is_that_of_the_running_smbd(words: list[str], named: str | None) -> None:
    assert config_in(words) == named


@pytest.mark.root
@pytest.mark.parametrize(
    ("way", "is_taken"),
    [((), True), (("setpriv", "--reuid", "65534", "--clear-groups"), False), (("unshare", "--mount"), False)],
    ids=["root", "another user", "a container"],
)
def test_a_configuration_is_taken_from_nobody_else(
    monkeypatch: pytest.MonkeyPatch, way: tuple[str, ...], is_taken: bool
) -> None:
    program = subprocess.Popen((*way, "sh", "-c", "echo; exec sleep 60", "-s", "/x.conf"), stdout=subprocess.PIPE)
    try:
        assert program.stdout is not None
        program.stdout.readline()
        monkeypatch.setattr(sessions_module, "numbers", lambda: [program.pid])
        monkeypatch.setattr(sessions_module, "process", lambda _stat: ("smbd", 0))
        monkeypatch.setattr(sessions_module, "text", lambda _path: "smbd\0-s\0/x.conf\0")
        assert configuration() == ("/x.conf" if is_taken else None)
    finally:
        program.kill()
        program.wait()


@pytest.mark.skipif(sys.platform == "win32", reason="the program is a script")
@pytest.mark.parametrize(
    ("script", "told"),
    [
        ('[ "$2" = -j ] && echo json', "json\n"),
        ('[ "$2" = -j ] && exit 1; echo table', "table\n"),
        ("echo only works as root; exit 1", ""),
        ("head -c 300000 /dev/zero", ""),
        ("sleep 60", ""),
    ],
)
def test_a_program_that_fails_hangs_or_says_too_much_tells_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, told: str
) -> None:
    (tmp_path / "smbstatus").write_text(f"#!/bin/sh\n{script}\n")
    (tmp_path / "smbstatus").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(sessions_module, "configuration", lambda: None)
    monkeypatch.setattr(sessions_module, "PATIENCE_S", 0.3)
    assert smbstatus()[0] == told


@pytest.mark.usefixtures("quick")
def test_what_the_asking_takes_is_counted_among_the_cost_of_looking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That of the program, which has processor time of its own, and that of the thread that waits for it."""
    monkeypatch.setattr(sessions_module, "connections", connected(40001))
    (tmp_path / "smbstatus").write_text("#!/bin/sh\nn=0; while [ $n -lt 50000 ]; do n=$((n+1)); done; echo told\n")
    (tmp_path / "smbstatus").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(sessions_module, "configuration", lambda: None)
    before = os.times()
    asked = Session()
    asked.answer({"do": "sample", "peer": PEER})
    sessions = asked._sessions
    assert sessions is not None
    sessions._thread.join(20)
    after = os.times()
    told = asked.answer({"do": "samples", "since": 0, "stop": True})
    asked.close()
    spent_s = after.children_user + after.children_system - before.children_user - before.children_system
    # Told in ticks of 10 ms.
    assert sessions.cost_s >= spent_s - 0.02 > 0
    assert told["cost_s"] > sessions.cost_s


@pytest.fixture
def bed(tmp_path: Path) -> Iterator[Wire]:
    (tmp_path / "wire").mkdir()
    with wire(tmp_path / "wire") as found:
        yield found


@pytest.mark.root
def test_the_agent_sees_how_a_real_smbd_protects_the_copy(bed: Wire, tmp_path: Path) -> None:
    share, data = tmp_path / "share", tmp_path / "data"
    share.mkdir()
    data.write_bytes(os.urandom(1 << 20))
    algorithms = ("server smb3 signing algorithms = AES-128-CMAC", "server smb3 encryption algorithms = AES-128-CCM")
    with smbd(bed, share, *algorithms) as login:
        program = (sys.executable, "-m", "tests.bed.sessions_program", bed.ssh[2], str(login), str(data))
        command = bed.on(bed.near, *program, "off", "sign", "encrypt")
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=90)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    plain = {"protocol_version": "3.1.1", "share_signing": "off", "share_encryption": "off"}
    signed = {**plain, "share_signing": "AES-128-CMAC"}
    # With each packet encrypted Samba counts it as signed, too.
    assert told["used"] == [plain, signed, {**signed, "share_encryption": "AES-128-CCM"}]
    assert told["far"]["network_interface"] == "wire"
    assert told["far"]["link_medium"] == "virtual"
    assert "link_bits_per_s" not in told["far"]
