"""Text as it comes from files, clipboards and forums, made fit to be read: decoding, lines with numbers, numbers.

    for line in lines(data):                        # Line(number=12, text="  SEQ    1MiB (Q=  8, T= 1): …")
        match = _ROW.match(line.text.strip())
        rate = number(match[1])                     # 2470.084, also of "2.470,084" and "2470,084"; None for "nan"

All of it takes linear time. `lines` never fails: whatever the bytes are, it gives lines.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import BinaryIO, NamedTuple

from graycard.errors import ImportProblem

# How many bytes are looked at for UTF-16 without a mark.
_SNIFFED_BYTES = 4096
# Texts up to this length are decoded once for all importers.
_REMEMBERED_BYTES = 1 << 20
# A line that is kept takes some 150 bytes beside its text.
_REMEMBERED_LINES = 20_000
# Blanks that look like a space: no-break, figure, thin, narrow no-break, ideographic, and the zero-width mark inside.
_BLANKS = dict.fromkeys(map(ord, "\u00a0\u2007\u2009\u202f\u3000"), " ") | {0xFEFF: None, 0x2212: "-"}
# Colours and cursor movements of terminals (ECMA-48 control sequences), and their choice of a character set.
_CONTROL_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[()][0-9A-Z])")
_QUOTE = re.compile(r"[ \t]*>(?:[ \t>]*>)? ?")
_JAPANESE_PAIR = re.compile("[\u3040-\u30ff\u4e00-\u9fff\uff66-\uff9f]{2}")
_PRIVATE = re.compile("[\ue000-\uf8ff]")
_NUMBER = re.compile(r"([+-]?)([0-9.,' ]*)((?:[eE][+-]?[0-9]{1,3})?)")
_GROUPS = re.compile(r"[0-9]*|[0-9]{1,3}(?:[.,' ][0-9]{3})+")
# fio's histogram logs have about 1200 columns of up to 20 digits.
_LONGEST_LINE_BYTES = 1 << 18
# A yottabyte: no figure of any tool comes near, and products of a few such figures stay finite.
LARGEST = 1e24
_LONGEST_COUNT = 60


class Line(NamedTuple):
    """One line. `number` counts from 1 as an editor does; `text` has no quote marks, colours or blanks at its end."""

    number: int
    text: str


# Number, whether it was drawn over the line by a carriage return, and text.
_Raw = tuple[int, bool, str]


@dataclass(frozen=True)
class Text:
    """Decoded text. Iterating gives a Line for each line, empty ones too; a progress that was drawn over with
    carriage returns gives several Lines of one number. Indentation that all lines share is taken off.
    """

    whole: str
    encoding: str

    def __iter__(self) -> Iterator[Line]:
        """The lines. Of a long text each is made when it is asked for; those of a short one are kept, for all ask."""
        return iter(self._kept) if self._is_short else self._made()

    @cached_property
    def _is_short(self) -> bool:
        return len(self.whole) <= _REMEMBERED_BYTES and _break_count(self.whole) <= _REMEMBERED_LINES

    @cached_property
    def _kept(self) -> tuple[Line, ...]:
        raw = tuple(self._unquoted())
        return tuple(_in_margin(raw, _margin(raw)))

    def _made(self) -> Iterator[Line]:
        return _in_margin(self._unquoted(), self._long_margin)

    @cached_property
    def plain(self) -> str:
        """The lines together: the text without quote marks, blanks at the ends and the indentation that all share.

        A long text as it is: nobody pastes such a one, and a second copy of it would cost memory.
        """
        if len(self.whole) > _REMEMBERED_BYTES:
            return self.whole
        return "\n".join(line.text for line in self)

    @cached_property
    def _long_margin(self) -> int:
        return _margin(self._unquoted())

    def _unquoted(self) -> Iterator[_Raw]:
        """Number, whether it was drawn over the line by a carriage return, and text of each line."""
        for number_, raw in enumerate(_split(self.whole), 1):
            if "\r" not in raw:
                yield number_, False, _unquoted(raw)
                continue
            pieces = raw.split("\r")
            # The last piece of a CRLF is empty and no line.
            for place, piece in enumerate(pieces if pieces[-1] else pieces[:-1]):
                yield number_, place > 0, _unquoted(piece)


def lines(data: bytes) -> Text:
    """The text of a file: UTF-8 or UTF-16 with or without a mark, Shift-JIS, or else Windows' Latin-1.

    Short ones are remembered, so that every importer may ask. `Text.encoding` is "utf-8", "utf-16-le",
    "utf-16-be", "cp932" or "latin-1".
    """
    return _short(data) if len(data) <= _REMEMBERED_BYTES else _text(data)


# The whole of a file, and beginnings of it that some importers look at.
@lru_cache(maxsize=4)
def _short(data: bytes) -> Text:
    return _text(data)


def _text(data: bytes) -> Text:
    decoded, encoding = _decoded(data)
    # Each step copies a text that it changes, and only then.
    if "\x1b" in decoded:
        decoded = _CONTROL_SEQUENCE.sub("", decoded)
    return Text(decoded if decoded.isascii() else decoded.translate(_BLANKS), encoding)


def stream_lines(file: BinaryIO, tool: str) -> Iterator[Line]:
    """The lines of an open file that may be larger than memory, as `lines` gives them, one at a time.

    For what a program writes into a file itself: UTF-8, no quotes. ImportProblem for a line longer than any tool's.
    """
    number_ = 0
    while raw := file.readline(_LONGEST_LINE_BYTES):
        number_ += 1
        if len(raw) == _LONGEST_LINE_BYTES:
            raise ImportProblem(f"line {number_} is too long to be {tool}'s: check that it is the tool's own output")
        yield Line(number_, raw.decode("utf-8", "replace").rstrip())


def number(text: str, decimal: str | None = None) -> float | None:
    """The value of "1234.5", "1,234.5", "1.234,5", "1 234,5", "17,38" or "1.5e+06"; None for what is no number.

    Nor is what is beyond LARGEST. `decimal` is the mark before the fractions, "." or ","; the other mark then parts
    thousands. None lets the figure decide: of two kinds of marks the last is the decimal one, a mark that occurs twice
    parts thousands, and a single one is decimal, for tools part thousands rarely: give "." where the tool does ("1,024"
    is then 1024).
    """
    match = _NUMBER.fullmatch(text.strip()[: _LONGEST_COUNT + 1])
    if not match or len(text.strip()) > _LONGEST_COUNT:
        return None
    sign, digits, exponent = match.groups()
    whole, mark, fraction = digits.rpartition(decimal or _decimal_mark(digits))
    if not mark:
        whole, fraction = fraction, ""
    if not _GROUPS.fullmatch(whole) or not (whole or fraction) or not (fraction or "0").isdigit():
        return None
    found = float(f"{sign}{_only_digits(whole) or 0}.{fraction or 0}{exponent}")
    return found if abs(found) <= LARGEST else None


def whole_number(text: str) -> int | None:
    """The value of a whole number whose thousands may be parted by any mark: "131,072,000", "1.024"; None otherwise."""
    digits = text.strip()
    if not 0 < len(digits) <= _LONGEST_COUNT or not _GROUPS.fullmatch(digits):
        return None
    found = int(_only_digits(digits))
    return found if found <= LARGEST else None


def decimal_mark(figures: Iterable[str]) -> str:
    """The decimal mark that a whole document uses: "," if one of its figures can only be read so, else "."."""
    for figure in figures:
        digits = figure.strip()
        mark = _decimal_mark(digits)
        if mark == "," and ("." in digits or len(digits) - digits.rindex(",") != 4):
            return ","
    return "."


def _margin(raw: Iterable[_Raw]) -> int:
    """The indentation that all lines share; what was drawn over the beginning of one has none of its own."""
    return min((_indent(text) for _, over, text in raw if text and not over), default=0)


def _in_margin(raw: Iterable[_Raw], margin: int) -> Iterator[Line]:
    for number_, is_drawn_over, text in raw:
        yield Line(number_, text if is_drawn_over else text[margin:])


def _only_digits(text: str) -> str:
    return "".join(c for c in text if c.isdigit())


def _decimal_mark(digits: str) -> str:
    last = max(digits.rfind("."), digits.rfind(","))
    if last < 0:
        return "."
    mark = digits[last]
    other = "," if mark == "." else "."
    return other if digits.count(mark) > 1 else mark


def _decoded(data: bytes) -> tuple[str, str]:
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ):
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace"), encoding
    if encoding_ := _utf16_without_mark(data[:_SNIFFED_BYTES]):
        return data.decode(encoding_, "replace"), encoding_
    return _without_mark(data)


def _utf16_without_mark(head: bytes) -> str | None:
    """UTF-16 by its NULs: most of the high bytes of Western text are NUL and none of the low ones."""
    pairs = len(head) // 2
    even, odd = head[0 : pairs * 2 : 2].count(0), head[1 : pairs * 2 : 2].count(0)
    if pairs < 4 or max(even, odd) < pairs * 0.6 or min(even, odd) > pairs * 0.1:
        return None
    return "utf-16-le" if odd > even else "utf-16-be"


def _without_mark(data: bytes) -> tuple[str, str]:
    try:
        # A character that is cut off at the end is left out: heads of files end anywhere.
        return codecs.getincrementaldecoder("utf-8")().decode(data), "utf-8"
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
    # A few damaged bytes do not make another encoding of it.
    if text.count("\ufffd") * 2 < sum(1 for c in text if c > "\x7f"):
        return text, "utf-8"
    return _older(data)


def _older(data: bytes) -> tuple[str, str]:
    try:
        text = codecs.getincrementaldecoder("cp932")().decode(data)
    except UnicodeDecodeError:
        return data.decode("latin-1"), "latin-1"
    # Western letters with accents can look like single Japanese characters, but hardly like two in a row.
    japanese = _JAPANESE_PAIR.search(text) and not _PRIVATE.search(text)
    return (text, "cp932") if japanese else (data.decode("latin-1"), "latin-1")


def _split(text: str) -> Iterator[str]:
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield text[start:end]
        start = end + 1
    if start < len(text):
        yield text[start:]


def _unquoted(line: str) -> str:
    if ">" in line and (quote := _QUOTE.match(line)):
        line = line[quote.end() :]
    return line.rstrip()


def _break_count(text: str) -> int:
    return text.count("\n") + text.count("\r")


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip(" "))
