"""What is known of a file that holds no results of any tool: a picture of a dialog, a document of facts, prose."""

from __future__ import annotations

from graycard.importers import HEAD_BYTES, UNKNOWN
from graycard.importers.text import lines

# (where it begins, the bytes there, what it is): the formats' own signatures.
_SIGNATURES = (
    (0, b"%PDF-", "a PDF"),
    (0, b"\x89PNG\r\n\x1a\n", "a picture"),
    (0, b"\xff\xd8\xff", "a picture"),
    (0, b"GIF8", "a picture"),
    (0, b"BM", "a picture"),
    (0, b"II*\x00", "a picture"),
    (0, b"MM\x00*", "a picture"),
    (8, b"WEBP", "a picture"),
    (4, b"ftypheic", "a picture"),
    (4, b"ftypmif1", "a picture"),
    (4, b"ftyp", "a video"),
    (4, b"moov", "a video"),
    (4, b"mdat", "a video"),
    (0, b"\x1aE\xdf\xa3", "a video"),
    (8, b"AVI ", "a video"),
)
# Tools without a readable export, and the short name that graycard note has for each.
_BY_HAND = {"aja system test": "aja", "blackmagic disk speed test": "blackmagic", "atto disk benchmark": "atto"}
_NOTE = "graycard note aja|blackmagic|atto|other"


def hint(path: str, stdin: str) -> str:
    """Why the file gave no result, with the next step; UNKNOWN where nothing is known of it."""
    if path == stdin:
        return UNKNOWN
    try:
        with open(path, "rb") as file:
            head = file.read(HEAD_BYTES)
    except OSError:
        return UNKNOWN
    return _picture(head) or _tool_without_export(head, path) or _facts(head) or UNKNOWN


def _picture(head: bytes) -> str | None:
    kind = next((kind for start, sign, kind in _SIGNATURES if head[start : start + len(sign)] == sign), None)
    if kind is None:
        return None
    # BM alone is two letters that a text may begin with.
    if head[:2] == b"BM" and head[6:10] != bytes(4):
        return None
    return f"it is {kind}, which graycard cannot read; type in the figures that it shows by {_NOTE}"


def _tool_without_export(head: bytes, path: str) -> str | None:
    if path.lower().endswith(".bmk"):
        return "ATTO Disk Benchmark's own file cannot be read; type in its figures by graycard note atto"
    whole = lines(head).whole.lower()
    tool = next((short for name, short in _BY_HAND.items() if name in whole), None)
    return f"that tool writes no text that could be read; type in its figures by graycard note {tool}" if tool else None


def _facts(head: bytes) -> str | None:
    # The readers know much of the operating systems: they are loaded where they are needed.
    from graycard.readings import reader_of

    reader = reader_of(head)
    if reader is None:
        return None
    return f"it holds what {reader.name} says of a set-up, and no results; attach it to some by --facts"
