"""Who is at the other end of a share: addresses, facts of the way, and what serves a mount."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator

from graycard.agent.sockets import plain_address
from graycard.agent.wire import ECHO
from graycard.facts import fact, value
from graycard.link import FarEnd
from graycard.link.adapter import adapter_facts
from graycard.link.path import path_facts
from graycard.model import Fact
from graycard.model.copying import Place, Scheme

_MOUNTED = {"cifs": "smb", "smb3": "smb", "smbfs": "smb", "nfs": "nfs", "nfs4": "nfs", "fuse.sshfs": "ssh",
            "webdav": "webdav", "davfs": "webdav"}  # fmt: skip


_OF_MOUNT = ("file_system", "mount_point", "mount_options", "protocol_version", "share_signing", "share_encryption")


def addresses_of(host: str) -> frozenset[str]:
    """The addresses of a computer; none where its name is not known."""
    try:
        return frozenset(plain_address(str(found[4][0])) for found in socket.getaddrinfo(host, None))
    except OSError:
        return frozenset()


def server_addresses(share: Place, far: FarEnd | None, facts: tuple[Fact, ...]) -> frozenset[str]:
    """Where the share's server is reached, as far as that is known."""
    if far is not None and far.address:
        return frozenset({plain_address(far.address)}) | addresses_of(far.address)
    host = share.host or value(facts, "server")
    return addresses_of(str(host)) if host else frozenset()


def way(far: FarEnd) -> tuple[tuple[Fact, ...], str]:
    """Facts of the way to the far end, and this computer's address as that one sees it."""
    far.ask("expect", role="echo", streams=1)
    with contextlib.closing(far.connect(ECHO)) as connection:
        found = path_facts(connection)
        address = str(connection.getsockname()[0])
    return found, plain_address(address)


def share_facts(share: Place, facts: tuple[Fact, ...]) -> Iterator[Fact]:
    """What the copy speaks, and how it is mounted."""
    if share.scheme is not Scheme.PATH:
        yield fact("share_protocol", share.scheme.value, "the address of the share")
        return
    file_system = value(facts, "file_system")
    yield fact("share_protocol", _MOUNTED.get(str(file_system)), "the type of the mount")
    for name in _OF_MOUNT:
        found = next((each for each in facts if each.name == name), None)
        if found is not None:
            yield found


def near_facts(facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """Of this computer and the disk with the data, without that disk's link: rules would take it for the network's."""
    return tuple(each for each in facts if each.name not in ("link_bits_per_s", "link_ceiling_bytes_per_s"))


def far_facts(far: FarEnd) -> tuple[Fact, ...]:
    """What the agent tells of the server, and of its interface on the way."""
    source = f"the agent on {far.name}"
    found = tuple(fact(name, far.facts.get(name), source) for name in ("memory_bytes", "cpu_count"))
    told = far.facts.get("way")
    return (*found, *adapter_facts(told if isinstance(told, dict) else {}, source))
