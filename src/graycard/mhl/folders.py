"""Hashes of folders, from those of what they hold.

The content hash is the hash of the sorted content hashes of all children: equal where the files are equal, whatever
they are called. The structure hash is that of the sorted hashes of (name, then the file's hash or the subfolder's
structure hash): equal only where the names are equal, too. As `ascmhl` 1.2 computes them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from graycard.mhl.hashes import HashFormat, new_hasher


@dataclass(frozen=True, slots=True)
class FolderDigests:
    """Content and structure hash of a folder."""

    content: bytes
    structure: bytes


@dataclass(slots=True)
class FolderSum:
    """One folder, while its children are added in any order. `name` of a child is its last name, in UTF-8."""

    kind: HashFormat
    _contents: list[bytes] = field(default_factory=list)
    _structures: list[bytes] = field(default_factory=list)

    def add_file(self, name: bytes, digest: bytes) -> None:
        """A file in this folder."""
        self._contents.append(digest)
        self._structures.append(self._hash(name + digest))

    def add_folder(self, name: bytes, digests: FolderDigests) -> None:
        """A folder in this folder."""
        self._contents.append(digests.content)
        self._structures.append(self._hash(name + digests.structure))

    def digests(self) -> FolderDigests:
        """The hashes of the folder with all that was added."""
        return FolderDigests(*(self._hash(b"".join(sorted(each))) for each in (self._contents, self._structures)))

    def _hash(self, data: bytes) -> bytes:
        hasher = new_hasher(self.kind)
        hasher.update(data)
        return hasher.digest()
