"""A manifest or chain, read piece by piece, whoever wrote it; no entities, so that no file can do harm."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, NoReturn
from xml.parsers import expat

from graycard.errors import ImportProblem
from graycard.mhl.hashes import HashFormat, digest_of

_PIECE_BYTES = 1 << 16
_FORMATS = {each.value for each in HashFormat}
_ENTRIES = {"hash", "directoryhash"}
_MOST_TEXT = 1 << 16


@dataclass(frozen=True, slots=True)
class ListedHash:
    """One hash; `action` is "original", "verified" or "failed", where it is said."""

    kind: HashFormat
    digest: bytes
    action: str | None


@dataclass(frozen=True, slots=True)
class Listed:
    """One entry; of a folder `hashes` are those of its content. `size_bytes` is None where it is not said."""

    path: str
    is_folder: bool
    size_bytes: int | None
    hashes: tuple[ListedHash, ...]
    previous_path: str | None = None


class ManifestReader:
    """Reads an open manifest. `patterns` (what it leaves out) and `process` are known when `entries` has begun."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self.patterns: list[str] = []
        self.process: str | None = None
        self._file, self._name = file, name
        self._ready: list[Listed] = []
        self._open: list[str] = []
        self._text = ""
        self._path = ""
        self._size: int | None = None
        self._previous: str | None = None
        self._hashes: list[ListedHash] = []
        self._action: str | None = None

    def entries(self) -> Iterator[Listed]:
        """Files and folders in the order of the file; ImportProblem with the line where it is damaged."""
        parser, is_last = self._parser(), False
        try:
            while not is_last:
                piece = self._file.read(_PIECE_BYTES)
                is_last = not piece
                parser.Parse(piece, is_last)
                yield from self._ready
                self._ready.clear()
        except expat.ExpatError as error:
            raise self._damaged(f"line {error.lineno}, {expat.ErrorString(error.code)}") from error

    def _parser(self) -> expat.XMLParserType:
        parser = expat.ParserCreate(namespace_separator="}")
        parser.buffer_text = True
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.CharacterDataHandler, parser.EntityDeclHandler = self._take, self._refuse
        return parser

    def _damaged(self, why: str) -> ImportProblem:
        return ImportProblem(f"the manifest {self._name} is damaged ({why}); take it from another copy of the folder")

    def _refuse(self, *_: object) -> NoReturn:
        raise self._damaged("it declares entities")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        tag = name.rpartition("}")[2]
        self._open.append(tag)
        self._text = ""
        if tag in _ENTRIES:
            self._path, self._size, self._previous, self._hashes = "", None, None, []
        elif tag == "path":
            size = attributes.get("size", "")
            self._size = int(size) if size.isascii() and size.isdigit() else None
        elif tag in _FORMATS:
            self._action = attributes.get("action")

    def _take(self, text: str) -> None:
        self._text += text
        if len(self._text) > _MOST_TEXT:
            raise self._damaged("a text of more than 64 KiB")

    def _end(self, _name: str) -> None:
        tag = self._open.pop()
        inside = set(self._open)
        if tag in _ENTRIES:
            self._ready.append(
                Listed(self._path, tag == "directoryhash", self._size, tuple(self._hashes), self._previous)
            )
        elif tag == "pattern" and "ignore" in inside:
            self.patterns.append(self._text)
        elif tag == "process":
            self.process = self._text
        elif inside & _ENTRIES:
            self._entry_part(tag, inside)

    def _entry_part(self, tag: str, inside: set[str]) -> None:
        if "metadata" in inside:
            return
        if tag == "path":
            self._path = self._text
        elif tag == "previousPath":
            self._previous = self._text
        elif tag in _FORMATS and "structure" not in inside:
            self._hashes.append(self._hash(HashFormat(tag)))

    def _hash(self, kind: HashFormat) -> ListedHash:
        try:
            return ListedHash(kind, digest_of(kind, self._text.strip()), self._action)
        except ValueError:
            raise self._damaged(f"{kind} of {self._path} is no hash") from None
