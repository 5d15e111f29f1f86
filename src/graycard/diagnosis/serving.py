"""What is told of a share while or after it was used: Samba's own words at the server, NFS's counters at this end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from graycard.agent.processes import text
from graycard.agent.sockets import plain_address
from graycard.errors import ImportProblem, RunProblem
from graycard.facts import fact, value
from graycard.link import FarEnd
from graycard.model import Fact
from graycard.protocols import Reading
from graycard.readings.mountstats import MountstatsReader
from graycard.readings.smbstatus import SmbstatusReader

_TOLD = ("protocol_version", "share_signing", "share_encryption")
_COUNTED = ("read_round_trip_ns", "write_round_trip_ns", "share_retransmit_count")
_OPERATIONS = ("READ", "WRITE")
# It ends a program that may take five seconds, twice.
_PATIENCE_S = 20.0


def used_facts(
    far: FarEnd | None, peer: str, samples: Sequence[dict[str, Any]], known: Sequence[Fact], counted: str
) -> tuple[Fact, ...]:
    """Of the share that a copy with these samples of this end has just used. `known` is what is known of the way.

    `peer` is this computer's address as the server sees it, `counted` what `counters` told before the copy.
    """
    return (*counted_facts(known, counted), *served_facts(far, peer, samples, known))


def counters() -> str:
    """What NFS has counted until now, for `used_facts`; "" where there is none."""
    return text("/proc/self/mountstats")


def counted_facts(known: Sequence[Fact], before: str) -> tuple[Fact, ...]:
    """What NFS counted since then; nothing for another mount."""
    point = value(known, "mount_point")
    if not str(value(known, "file_system") or "").startswith("nfs"):
        return ()
    try:
        found = MountstatsReader().read(grown(before, counters()).encode())
    except ImportProblem:
        return ()
    mine = next((each for each in found if point in each.mount_points), None)
    return () if mine is None else tuple(each for each in mine.facts if each.name in _COUNTED)


def grown(before: str, after: str) -> str:
    """The later text with the counters of reads and writes since the earlier one; whole for a mount that is new."""
    told, lines, mount = dict(_operations(before)), [], ""
    for line in after.splitlines():
        mount = line if line.startswith("device ") else mount
        name, _colon, words = line.strip().partition(":")
        earlier = told.get((mount, name), [])
        now = _numbers(words) if name in _OPERATIONS else []
        if now and len(now) == len(earlier) and all(one >= other for one, other in zip(now, earlier, strict=True)):
            line = f"{name}: {' '.join(str(one - other) for one, other in zip(now, earlier, strict=True))}"
        lines.append(line)
    return "\n".join(lines) + "\n"


def _operations(counted: str) -> Iterator[tuple[tuple[str, str], list[int]]]:
    mount = ""
    for line in counted.splitlines():
        mount = line if line.startswith("device ") else mount
        name, _colon, words = line.strip().partition(":")
        if name in _OPERATIONS:
            yield (mount, name), _numbers(words)


def _numbers(words: str) -> list[int]:
    """All of them; nothing where one is none."""
    found = words.split()
    return [int(word) for word in found] if all(word.isascii() and word.isdigit() for word in found) else []


def served_facts(
    far: FarEnd | None, peer: str, samples: Sequence[dict[str, Any]], known: Sequence[Fact]
) -> tuple[Fact, ...]:
    """What smbstatus told at the server meanwhile; nothing for another protocol."""
    protocol = value(known, "share_protocol")
    if far is None or protocol not in (None, "smb"):
        return ()
    try:
        told = far.ask("sessions", stop=True, patience_s=_PATIENCE_S)
    except RunProblem:
        # The copy has been measured; that the far end has gone since is told by what needs it next.
        return ()
    ports = frozenset(row["near_port"] for sample in samples for row in sample.get("tcp") or ())
    found = session_facts(str(told.get("smbstatus") or ""), peer, ports, needs_port=protocol is None)
    return tuple(fact(name, word, f"smbstatus on {far.name}") for name, word in found.items())


def session_facts(printed: str, peer: str, ports: frozenset[int], *, needs_port: bool = False) -> dict[str, str]:
    """Of the session of this peer and one of these ports; of all its sessions where no port is among them.

    What several sessions tell differently is left out.
    """
    mine = [each for each in _readings(printed) if peer in map(_host, each.names)]
    exact = [each for each in mine if ports & set(_ports(each))]
    chosen = exact or ([] if needs_port else mine)
    told = {name: {str(value(each.facts, name)) for each in chosen if value(each.facts, name) is not None}
            for name in _TOLD}  # fmt: skip
    return {name: next(iter(words)) for name, words in told.items() if len(words) == 1}


def _readings(printed: str) -> tuple[Reading, ...]:
    try:
        return SmbstatusReader().read(printed.encode())
    except ImportProblem:
        return ()


def _host(name: str) -> str:
    """The address of "ipv4:10.77.9.1:42402", "ipv6:fe80::1:42402" or a bare one."""
    kind, _colon, rest = name.partition(":")
    return plain_address(rest.rpartition(":")[0] if kind in ("ipv4", "ipv6") else name)


def _ports(reading: Reading) -> Iterator[int]:
    for name in reading.names:
        port = name.rpartition(":")[2]
        if name.startswith(("ipv4:", "ipv6:")) and port.isascii() and port.isdigit() and len(port) <= 5:
            yield int(port)
