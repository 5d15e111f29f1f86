"""A manifest, written as it comes: no more than one entry is in memory."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import BinaryIO

from graycard.mhl.escaping import xml_text
from graycard.mhl.folders import FolderDigests
from graycard.mhl.hashes import HashFormat, new_hasher, text_of

# The characters that XML 1.0 has, section 2.2; surrogates stand for bytes that are no UTF-8.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Head:
    """Who wrote the manifest, when, where, by what process ("transfer", "in-place"), and what it leaves out."""

    created_at: datetime
    host_name: str
    tool: str
    tool_version: str
    process: str
    patterns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FileHash:
    """A file: path below the folder with “/”, size, time of the last change, hash and when it was made.

    `action` is None where an earlier generation has a hash of another format only, so that neither was compared.
    """

    path: str
    size_bytes: int
    modified_ns: int
    digest: bytes
    hashed_ns: int
    action: str | None = "original"


@dataclass(frozen=True, slots=True)
class FolderHash:
    """A folder; `path` is empty for the one that the manifest is about."""

    path: str
    modified_ns: int
    digests: FolderDigests


def is_listable(path: str) -> bool:
    """Whether XML can hold the path: no control characters, no bytes that are no UTF-8."""
    return not _NOT_XML.search(path)


def write_manifest(
    file: BinaryIO, head: Head, kind: HashFormat, root: FolderHash, entries: Iterable[FileHash | FolderHash]
) -> str:
    """Write the manifest into `file`; its C4 id, which belongs into the chain. Paths must be listable."""
    total = new_hasher(HashFormat.C4)
    for part in _parts(head, kind, root, entries):
        data = part.encode()
        total.update(data)
        file.write(data)
    return text_of(HashFormat.C4, total.digest())


def _parts(head: Head, kind: HashFormat, root: FolderHash, entries: Iterable[FileHash | FolderHash]) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<hashlist version="2.0" xmlns="urn:ASC:MHL:v2.0">\n'
    yield _creator(head)
    yield f"  <processinfo>\n    <process>{xml_text(head.process)}</process>\n    <roothash>\n"
    yield from _digests(root.digests, kind, "      ")
    yield "    </roothash>\n    <ignore>\n"
    yield from (f"      <pattern>{xml_text(each)}</pattern>\n" for each in head.patterns)
    yield "    </ignore>\n  </processinfo>\n"
    any_yet = False
    for entry in entries:
        if not any_yet:
            yield "  <hashes>\n"
            any_yet = True
        yield from _file(entry, kind) if isinstance(entry, FileHash) else _folder(entry, kind)
    yield ("  </hashes>\n" if any_yet else "") + "</hashlist>\n"


def _creator(head: Head) -> str:
    return (
        f"  <creatorinfo>\n    <creationdate>{_moment(head.created_at)}</creationdate>\n"
        f"    <hostname>{xml_text(head.host_name)}</hostname>\n"
        f'    <tool version="{xml_text(head.tool_version)}">{xml_text(head.tool)}</tool>\n  </creatorinfo>\n'
    )


def _file(entry: FileHash, kind: HashFormat) -> Iterator[str]:
    size, modified, when = entry.size_bytes, _modified(entry.modified_ns), _date(entry.hashed_ns)
    yield f'    <hash>\n      <path size="{size}"{modified}>{xml_text(entry.path)}</path>\n'
    dated = f' hashdate="{when}"' if when else ""
    action = f' action="{entry.action}"' if entry.action else ""
    yield f"      <{kind}{action}{dated}>{text_of(kind, entry.digest)}</{kind}>\n    </hash>\n"


def _folder(entry: FolderHash, kind: HashFormat) -> Iterator[str]:
    yield f"    <directoryhash>\n      <path{_modified(entry.modified_ns)}>{xml_text(entry.path)}</path>\n"
    yield from _digests(entry.digests, kind, "      ")
    yield "    </directoryhash>\n"


def _digests(digests: FolderDigests, kind: HashFormat, indent: str) -> Iterator[str]:
    for name, digest in (("content", digests.content), ("structure", digests.structure)):
        yield f"{indent}<{name}>\n{indent}  <{kind}>{text_of(kind, digest)}</{kind}>\n{indent}</{name}>\n"


def _modified(modified_ns: int) -> str:
    date = _date(modified_ns)
    return f' lastmodificationdate="{date}"' if date else ""


def _date(time_ns: int) -> str | None:
    """None for a moment outside the years 1 to 9999, as a damaged file system may tell."""
    try:
        return _moment(datetime.fromtimestamp(time_ns // 10**9, UTC))
    except (ValueError, OverflowError, OSError):
        return None


def _moment(moment: datetime) -> str:
    return moment.replace(microsecond=0).isoformat()
