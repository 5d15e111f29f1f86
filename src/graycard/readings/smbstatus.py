"""Reads `smbstatus -j` and its tables (Samba 4): one reading for each client's session."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from graycard.errors import ImportProblem
from graycard.importers.json_text import parse_json
from graycard.importers.text import lines
from graycard.model import FactValue
from graycard.protocols import Reading
from graycard.readings.tree import at, rows, text, told

_TOOL = "smbstatus"
_SIGN = re.compile(r'"sessions"\s{0,20}:\s{0,20}\{')
_TABLE = re.compile(r"^(?:Samba version |PID +Username |Service +pid +Machine |Locked files:)", re.MULTILINE)
# pid, user, group, machine with its address in parentheses, dialect, cipher, signing.
_SESSION = re.compile(r"(\S+) +(\S.*?) +(\S+) +(\S+) +\((\S+)\) +([A-Z]+\d[\w]{0,10}) +(\S+) +(\S+)")
# Some packets were protected and some were not. A session is set up signed and never encrypted, whatever the data are:
# so partly signed means that the data are not, and partly encrypted that they are (all seen with smbd 4.17).
_PARTIAL = re.compile(r"partial\((\S+)\)")
_LONGEST = 1000
_NO_SESSION = (
    "smbstatus lists no session, so it says nothing of a connection: run smbstatus -j while the share is in use"
)
_DIALECTS = {
    "NT1": "1.0",
    "SMB2_02": "2.0.2",
    "SMB2_10": "2.1",
    "SMB3_00": "3.0",
    "SMB3_02": "3.0.2",
    "SMB3_10": "3.1",
    "SMB3_11": "3.1.1",
}


class SmbstatusReader:
    """smbstatus' JSON and text."""

    name = "smbstatus"

    def recognises(self, head: bytes) -> bool:
        """Whether sessions stand in it, or a heading of its tables."""
        whole = lines(head).whole
        return bool(_SIGN.search(whole) or _TABLE.search(whole))

    def read(self, data: bytes) -> tuple[Reading, ...]:
        """A reading for each session; ImportProblem where there is none, as in a list of locks alone."""
        whole = lines(data).whole
        found = tuple(_of_json(parse_json(whole, _TOOL)) if _SIGN.search(whole) else _of_table(data))
        if not found:
            raise ImportProblem(_NO_SESSION)
        return found


def _of_json(document: Any) -> Iterator[Reading]:
    shares, files = _values(document, "tcons"), at(document, "open_files")
    open_count = len(files) if isinstance(files, dict) else None
    for session in _values(document, "sessions"):
        id_ = text(session, "session_id")
        mine = (text(row, "service") for row in shares if id_ and text(row, "session_id") == id_)
        names = (text(session, "remote_machine"), text(session, "hostname"), *mine, id_, text(session, "username"))
        cipher, signing = (_method(text(session, what, "cipher")) for what in ("encryption", "signing"))
        if text(session, "signing", "degree") == "partial":
            signing = "off"
        facts = told(_facts(text(session, "session_dialect"), cipher, signing, open_count))
        if facts:
            yield Reading(_known(names), facts)


def _of_table(data: bytes) -> Iterator[Reading]:
    for line in lines(data):
        row = _SESSION.fullmatch(line.text) if len(line.text) <= _LONGEST else None
        if row:
            _, user, _, machine, address, dialect, cipher, signing = row.groups()
            signing = "off" if _PARTIAL.fullmatch(signing) else _method(signing)
            yield Reading((machine, address, user), told(_facts(dialect, _method(_whole(cipher)), signing, None)))


def _values(document: Any, key: str) -> list[dict[str, Any]]:
    """Samba keys its lists by ids."""
    found = at(document, key)
    return rows(list(found.values())) if isinstance(found, dict) else []


def _known(names: tuple[str | None, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name)) or ("session",)


def _facts(
    dialect: str | None, cipher: str | None, signing: str | None, open_count: int | None
) -> Iterator[tuple[str, FactValue, str]]:
    version = _DIALECTS.get(dialect or "")
    yield "bus", "network" if dialect else None, "smbstatus"
    yield "protocol_version", version or dialect, "smbstatus session_dialect"
    yield "driver", f"smb {version}" if version else None, "smbstatus session_dialect"
    yield "share_encryption", cipher, "smbstatus encryption"
    yield "share_signing", signing, "smbstatus signing"
    yield "open_file_count", open_count, "smbstatus open_files"


def _method(word: str | None) -> str | None:
    """A cipher; Samba writes "-" where there is none."""
    return "off" if word == "-" else word


def _whole(word: str) -> str:
    """The cipher of "partial(AES-128-GCM)"."""
    found = _PARTIAL.fullmatch(word)
    return found[1] if found else word
