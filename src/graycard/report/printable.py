"""Text that cannot break a table: control and format characters shown as escapes, widths counted in terminal cells."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

# Unicode Standard Annex #9: the isolates keep right-to-left text from reordering what stands beside it.
_FIRST_STRONG_ISOLATE = "\u2068"
_POP_ISOLATE = "\u2069"
_RIGHT_TO_LEFT = {"R", "AL", "AN"}
# Longer names crowd out what is said of them in a headline, a heading or the head of a table.
NAME_WIDTH = 60
_ZERO_WIDTH = {"Mn", "Me", "Cf"}


def printable(text: str) -> str:
    r"""One line that shows any text: "a\nb" becomes "a\\nb"; right-to-left text is isolated from its neighbours."""
    shown = text if text.isprintable() else "".join(c if c.isprintable() else _escape(c) for c in text)
    if not shown.isascii() and any(unicodedata.bidirectional(c) in _RIGHT_TO_LEFT for c in shown):
        return f"{_FIRST_STRONG_ISOLATE}{shown}{_POP_ISOLATE}"
    return shown


def cell_width(text: str) -> int:
    """Terminal cells that `text` takes: 2 for East Asian wide characters, 0 for combining and format characters."""
    # Nearly all texts are ASCII, and a long page asks for 100,000 of them.
    return len(text) if text.isascii() else sum(map(_cells, text))


def pad(text: str, width: int, *, right: bool = False) -> str:
    """`text` filled with blanks to `width` cells; `right` puts the text to the right."""
    blanks = " " * (width - cell_width(text))
    return blanks + text if right else text + blanks


def shorten(text: str, width: int) -> str:
    """`text` in at most `width` cells, its middle replaced by "…" where it is longer: both ends of a path tell most."""
    if cell_width(text) <= width:
        return text
    head, tail = "", ""
    for left, right in zip(text, reversed(text), strict=False):
        if cell_width(head + left + tail) >= width:
            break
        head += left
        if cell_width(head + right + tail) >= width:
            break
        tail = right + tail
    isolate = _POP_ISOLATE if head.startswith(_FIRST_STRONG_ISOLATE) and not tail.endswith(_POP_ISOLATE) else ""
    return f"{head}…{tail}{isolate}"


def short_name(text: str) -> str:
    """A foreign name, printable and not too long to head something; both of its ends are kept."""
    return shorten(printable(text), NAME_WIDTH)


def _escape(character: str) -> str:
    # Bytes of a path that are no UTF-8 arrive as surrogates U+DC80 to U+DCFF (PEP 383).
    if "\udc80" <= character <= "\udcff":
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape").decode("ascii")


@lru_cache(maxsize=4096)
def _cells(character: str) -> int:
    if unicodedata.category(character) in _ZERO_WIDTH:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
