"""Signing and encryption of a share that the kernel's SMB client mounted: its options, and /proc/fs/cifs/DebugData.

The kernel's fs/smb/client/cifs_debug.c and cifsfs.c (cifs_show_options): "signed" after a server's dialect is what it
does to each packet; "encrypted" stands at the session or at the share. Options tell only what was asked for at the
mount: the server may ask for more, so without the option nothing is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from graycard.facts import fact
from graycard.host.linux.mounts import Mount
from graycard.host.linux.roots import HERE, Roots, read_text
from graycard.model import Fact

CIFS = ("cifs", "smb3")
# Further channels stand behind tabs.
_SERVER = re.compile(r"^Number of credits: .*\bDialect 0x[0-9a-f]{3}\b(.*)$", re.MULTILINE)
_SESSION = re.compile(r"\bSessionId: 0x[0-9a-f]+(.*)$", re.MULTILINE)
_SHARE = re.compile(r"^\t\d+\) (?:IPC: )?(\\\\.+?) Mounts: \d+ (.*(?:\n\tPathComponentMax.*)?)", re.MULTILINE)


def protection_facts(mount: Mount, roots: Roots = HERE) -> tuple[Fact, ...]:
    """`share_signing` and `share_encryption` of a mount of cifs; nothing for another."""
    if mount.file_system not in CIFS:
        return ()
    path = f"{roots.proc}/fs/cifs/DebugData"
    told = tuple(_told(read_text(path) or "", mount.source))
    # Two connections of one share that differ: which one the mount has is not told.
    if told and len(set(told)) == 1:
        signing, encryption = told[0]
        return (fact("share_signing", signing, path), fact("share_encryption", encryption, path))
    table = "/proc/self/mountinfo"
    security = mount.option("sec") or ""
    is_signed = mount.option("sign") is not None or security.endswith("i")
    is_sealed = mount.option("seal") is not None
    return (
        fact("share_signing", "on" if is_signed else None, f"{table} sec"),
        fact("share_encryption", "on" if is_sealed else None, f"{table} seal"),
    )


def _told(text: str, source: str) -> Iterator[tuple[str, str]]:
    """(signing, encryption) of each connection of the share."""
    for server, session, share in _connections(text, source):
        words = f"{session} {share}".lower()
        signed = bool(re.search(r"\bsigned\b", server))
        encrypted = bool(re.search(r"\bencrypted\b", words))
        cipher = "AES-256-GCM" if "encrypted(gcm256)" in words else "on"
        # What is encrypted is proven with it, and carries no signature of its own.
        yield ("on" if signed and not encrypted else "off"), (cipher if encrypted else "off")


def _connections(text: str, source: str) -> Iterator[tuple[str, str, str]]:
    """The words after the server's dialect, its session's id and the share, for each time the share is connected."""
    # A folder of the share may be mounted: //server/share/folder.
    wanted = "\\\\" + "\\".join(source.strip("/").split("/")[:2]).lower()
    for share in _SHARE.finditer(text):
        servers = list(_SERVER.finditer(text, 0, share.start()))
        sessions = list(_SESSION.finditer(text, 0, share.start()))
        is_meant = share[1].lower() == wanted
        if is_meant and servers and sessions and sessions[-1].start() > servers[-1].start():
            yield servers[-1][1], sessions[-1][1], share[2]
