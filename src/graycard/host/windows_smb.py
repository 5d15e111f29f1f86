"""Windows: what `Get-SmbConnection` tells administrators of the connection of a share; nothing to others.

Properties: class MSFT_SmbConnection of the SMB management API; Signed and Encrypted came with later versions.
"""

from __future__ import annotations

from collections.abc import Sequence

from graycard.facts import fact
from graycard.host.windows_disks import Row, text
from graycard.host.windows_paths import server_of
from graycard.model import Fact, FactValue

_SOURCE = "Get-SmbConnection"
_WORDS = {True: "on", False: "off"}


def connection_facts(entries: Sequence[Row], root: str) -> tuple[Fact, ...]:
    """Dialect, signing and encryption of the share with that root; None where its connections differ or say nothing."""
    mine = [row for row in entries if _name(row) == _share(root)]
    return (
        fact("protocol_version", _same([text(row, "Dialect") for row in mine]), f"{_SOURCE} Dialect"),
        fact("share_signing", _same([_switch(row, "Signed") for row in mine]), f"{_SOURCE} Signed"),
        fact("share_encryption", _same([_switch(row, "Encrypted") for row in mine]), f"{_SOURCE} Encrypted"),
    )


def _name(row: Row) -> tuple[str, str]:
    return ((text(row, "ServerName") or "").lower(), (text(row, "ShareName") or "").lower())


def _share(root: str) -> tuple[str, str] | None:
    r"""Server and share of \\server\share\ or \\?\UNC\server\share\; None for a local path."""
    server = server_of(root)
    if server is None:
        return None
    words = [word.lower() for word in root.replace("/", "\\").split("\\") if word]
    after = words[words.index(server.lower()) + 1 :]
    return (server.lower(), after[0]) if after else None


def _switch(row: Row, key: str) -> str | None:
    found = row.get(key)
    return _WORDS[found] if isinstance(found, bool) else None


def _same(words: Sequence[str | None]) -> FactValue:
    return words[0] if words and len(set(words)) == 1 else None
