"""Whether the connection of a share is signed and encrypted, as each system tells it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from host.trees import Tree

from graycard.facts import value
from graycard.host.linux.cifs import protection_facts
from graycard.host.linux.mounts import Mount
from graycard.host.macos_smb import protection_facts as mac_facts
from graycard.host.windows_disks import Row, parse_answer, rows
from graycard.host.windows_smb import connection_facts
from graycard.model import Fact

MOUNT = Mount(1, "0:44", "/", "/mnt/nas", ("rw",), "cifs", "//nas/media", ("vers=3.1.1", "sec=ntlmssp"))
# Two servers as a kernel of 6.x lists them: tabs before further channels, sessions and shares.
DEBUG_DATA = """Display Internal CIFS Data Structures for Debugging
---------------------------------------------------
CIFS Version 2.43
CIFSMaxBufSize: 16384
Active VFS Requests: 0

Servers:
1) ConnectionId: 0x1 Hostname: other
ClientGUID: 00000000-0000-0000-0000-000000000001
Number of credits: 8190,1,1 Dialect 0x302
TCP status: 1 Instance: 1
Local Users To Server: 1 SecMode: 0x1 Req On Wire: 0 Net namespace: 4026531840
In Send: 0 In MaxReq Wait: 0

\tSessions:
\t1) Address: 192.0.2.9 Uses: 1 Capability: 0x300047\tSession Status: 1
\tSecurity type: RawNTLMSSP  SessionId: 0x51
\tUser: 0 Cred User: 0

\tShares:
\t0) IPC: \\\\other\\IPC$ Mounts: 1 DevInfo: 0x0 Attributes: 0x0
\tPathComponentMax: 0 Status: 1 type: 0 Serial Number: 0x0
\tShare Capabilities: None\tShare Flags: 0x0

\t1) \\\\other\\media Mounts: 1 DevInfo: 0x20020 Attributes: 0x8500df
\tPathComponentMax: 255 Status: 1 type: DISK Serial Number: 0xa3c339a0
\tShare Capabilities: None Aligned,\tShare Flags: 0x0

2) ConnectionId: 0x2 Hostname: nas
ClientGUID: 00000000-0000-0000-0000-000000000002
Number of credits: 8190,1,1 Dialect 0x311 %(server)s
TCP status: 1 Instance: 1

\tSessions:
\t1) Address: 192.0.2.8 Uses: 2 Capability: 0x300047\tSession Status: 1
\tSecurity type: RawNTLMSSP  SessionId: 0x86125800bc000b0d%(session)s
\tUser: 0 Cred User: 0

\tExtra Channels: 1

\t\tChannel: 2 ConnectionId: 0x3
\t\tNumber of credits: 8190,1,1 Dialect 0x311 signed
\t\tTCP status: 1 Instance: 1

\tShares:
\t0) IPC: \\\\nas\\IPC$ Mounts: 1 DevInfo: 0x0 Attributes: 0x0
\tPathComponentMax: 0 Status: 1 type: 0 Serial Number: 0x0
\tShare Capabilities: None\tShare Flags: 0x30

\t1) \\\\nas\\media Mounts: 1 DevInfo: 0x20020 Attributes: 0x8500df
\tPathComponentMax: 255 Status: 1 type: DISK Serial Number: 0xa3c339a0%(share)s
\tShare Capabilities: None Aligned,\tShare Flags: 0x0

\tMIDs:
"""
MAC = """
==================================================================================================
SHARE                         ATTRIBUTE TYPE                VALUE
==================================================================================================
media share
                              SERVER_NAME                   192.0.2.8
                              USER_ID                       501
                              SMB_NEGOTIATE                 SMBV_NEG_SMB3_ENABLED
                              SMB_VERSION                   SMB_3.1.1
                              SMB_ENCRYPT_ALGORITHMS        AES_128_GCM_ENABLED
                              SMB_CURR_ENCRYPT_ALGORITHM    %s
                              SMB_SIGN_ALGORITHMS           AES_128_GMAC_ENABLED
                              SMB_CURR_SIGN_ALGORITHM       AES_128_GMAC
                              SMB_SHARE_TYPE                DISK
                              SIGNING_SUPPORTED             TRUE
%s                              SESSION_RECONNECT_TIME        0:0
"""  # fmt: skip
SIGNED = "                              SIGNING_ON                    TRUE\n"


def protection(facts: tuple[Fact, ...]) -> tuple[object, object]:
    return value(facts, "share_signing"), value(facts, "share_encryption")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ({}, ("off", "off")),
        ({"server": "signed"}, ("on", "off")),
        ({"server": "signed", "session": " encrypted(gcm256) signed", "share": " encrypted"}, ("off", "AES-256-GCM")),
        ({"session": " encrypted"}, ("off", "on")),
        ({"server": "signed posix", "share": " Encrypted"}, ("off", "on")),
    ],
)
def test_the_kernel_client_tells_of_the_share_that_is_mounted(
    tmp_path: Path, words: dict[str, str], told: tuple[str, str]
) -> None:
    tree = Tree(tmp_path / "machine")
    text = DEBUG_DATA % {"server": "", "session": "", "share": "", **words}
    tree.files({"fs/cifs/DebugData": text}, below="proc")
    assert protection(protection_facts(MOUNT, tree.roots)) == told
    assert protection(protection_facts(replace(MOUNT, source="//NAS/media/folder"), tree.roots)) == told
    # What the other server does is not told of this one.
    assert protection(protection_facts(replace(MOUNT, source="//other/media"), tree.roots)) == ("off", "off")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("sec=ntlmssp",), (None, None)),
        (("sec=krb5i", "seal"), ("on", "on")),
        (("sec=ntlmsspi",), ("on", None)),
        (("sign", "sec=none"), ("on", None)),
    ],
)
def test_without_its_list_only_what_was_asked_for_is_known(
    tmp_path: Path, options: tuple[str, ...], told: tuple[object, object]
) -> None:
    tree = Tree(tmp_path / "machine")
    assert protection(protection_facts(replace(MOUNT, super_options=options), tree.roots)) == told
    tree.files({"fs/cifs/DebugData": "Servers:\n1) \\\\nas\\media Mounts: 1\n"}, below="proc")
    assert protection(protection_facts(replace(MOUNT, super_options=options), tree.roots)) == told
    assert protection_facts(replace(MOUNT, file_system="nfs4"), tree.roots) == ()


def test_two_connections_that_differ_tell_nothing(tmp_path: Path) -> None:
    tree = Tree(tmp_path / "machine")
    both = "".join(DEBUG_DATA % {"server": word, "session": "", "share": ""} for word in ("", "signed"))
    tree.files({"fs/cifs/DebugData": both}, below="proc")
    assert protection(protection_facts(MOUNT, tree.roots)) == (None, None)


@pytest.mark.parametrize(
    ("cipher", "signed", "told"),
    [
        ("OFF", "", ("off", "off")),
        ("OFF", SIGNED, ("AES-128-GMAC", "off")),
        ("AES-128-GCM", "", ("off", "AES-128-GCM")),
        ("UNKNOWN", "", ("off", None)),
    ],
)
def test_on_macos_a_negotiated_algorithm_is_not_yet_a_signature(
    cipher: str, signed: str, told: tuple[object, object]
) -> None:
    assert protection(mac_facts((MAC % (cipher, signed)).encode())) == told


def test_macos_before_13_names_no_algorithm() -> None:
    old = "\n".join(line for line in (MAC % ("OFF", SIGNED)).splitlines() if "ALGORITHM" not in line)
    assert protection(mac_facts(old.encode())) == ("on", None)
    asked_for = f"{old}\n                              ENCRYPTION_REQUIRED           TRUE\n"
    assert protection(mac_facts(asked_for.encode())) == ("on", "on")
    assert protection(mac_facts(b"smbutil: statshares: no shares\n")) == (None, None)


def windows(*entries: object) -> tuple[Row, ...]:
    return rows(parse_answer(json.dumps({"connections": entries}).encode()), "connections")


def connection(share: str = "Media", **changed: object) -> dict[str, object]:
    return {"ServerName": "NAS", "ShareName": share, "Dialect": "3.1.1", "Signed": True, "Encrypted": False, **changed}


def test_on_windows_the_row_of_the_share_counts() -> None:
    entries = windows(connection(), connection("other", Dialect="2.1", Signed=False))
    facts = connection_facts(entries, "\\\\nas\\media\\")
    assert (value(facts, "protocol_version"), *protection(facts)) == ("3.1.1", "on", "off")
    assert protection(connection_facts(entries, "\\\\?\\UNC\\nas\\other\\")) == ("off", "off")


@pytest.mark.parametrize(
    "entries",
    [
        (),
        ({"Signed": True},),
        (connection(), connection(Signed=False)),
        (connection(Signed=1, Encrypted="no"),),
        ("x",),
    ],
)
def test_on_windows_what_is_not_told_or_told_twice_is_unknown(entries: tuple[object, ...]) -> None:
    facts = connection_facts(windows(*entries), "\\\\nas\\media\\")
    assert value(facts, "share_signing") is None
    assert protection(connection_facts(windows(connection()), "Z:\\")) == (None, None)
