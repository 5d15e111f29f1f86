"""macOS: what `smbutil statshares` tells of the connection of a share: signed and encrypted, and with what.

The names are those of smbutil in Apple's SMBClient. SMB_CURR_SIGN_ALGORITHM is what was negotiated; whether packets are
signed with it, SIGNING_ON alone tells, which is printed only where it is true.
"""

from __future__ import annotations

import re

from graycard.facts import fact
from graycard.model import Fact

_ROW = re.compile(r"^\s*([A-Z][A-Z0-9_]+)\s+(\S+)\s*$", re.MULTILINE)
_UNTOLD = {"OFF", "UNKNOWN"}
_SOURCE = "smbutil statshares"


def protection_facts(output: bytes) -> tuple[Fact, ...]:
    """`share_signing` and `share_encryption` of one share, by `smbutil statshares -m POINT`."""
    told = dict(reversed(_ROW.findall(output.decode("utf-8", "replace"))))
    return (
        fact("share_signing", _signing(told), f"{_SOURCE} SIGNING_ON"),
        fact("share_encryption", _encryption(told), f"{_SOURCE} SMB_CURR_ENCRYPT_ALGORITHM"),
    )


def _signing(told: dict[str, str]) -> str | None:
    if "SMB_VERSION" not in told:
        return None
    if told.get("SIGNING_ON") != "TRUE":
        return "off"
    return _method(told.get("SMB_CURR_SIGN_ALGORITHM")) or "on"


def _encryption(told: dict[str, str]) -> str | None:
    """Before macOS 13 only that the server asks for it is told."""
    word = told.get("SMB_CURR_ENCRYPT_ALGORITHM")
    if word == "OFF":
        return "off"
    return _method(word) or ("on" if told.get("ENCRYPTION_REQUIRED") == "TRUE" else None)


def _method(word: str | None) -> str | None:
    return None if word is None or word in _UNTOLD else word.replace("_", "-")
