"""What other programs say of a set-up, as facts to attach to results.

    FACT_READERS                         every reader; a new one is one file and one line here
    read_document(data, file) -> Document   what the document says, a reading for each device, mount or session
    choose(document, result, device)     the reading that is meant
    attached(result, facts)              the result with facts that it did not know; without(result) takes them away

A reader recognises a document by its content. Which reading of several is meant, the results say by their target and
their facts, or the user by a name; it is never guessed.
"""

from __future__ import annotations

from graycard.errors import ImportProblem
from graycard.protocols import FactReader
from graycard.readings.attaching import attached, marked, without
from graycard.readings.choice import Document, choose
from graycard.readings.diskutil import DiskutilReader
from graycard.readings.findmnt import FindmntReader
from graycard.readings.fsutil import FsutilReader
from graycard.readings.lsblk import LsblkReader
from graycard.readings.mount import MountReader
from graycard.readings.mountstats import MountstatsReader
from graycard.readings.physical_disk import PhysicalDiskReader
from graycard.readings.plist import as_xml
from graycard.readings.smartctl import SmartctlReader
from graycard.readings.smbstatus import SmbstatusReader
from graycard.readings.system_profiler import SystemProfilerReader

__all__ = [
    "FACT_READERS",
    "LIMIT_BYTES",
    "Document",
    "attached",
    "choose",
    "marked",
    "read_document",
    "reader_of",
    "without",
]

# `mount`, whose lines are the least particular, comes last.
FACT_READERS: tuple[FactReader, ...] = (
    SmartctlReader(),
    LsblkReader(),
    FindmntReader(),
    DiskutilReader(),
    SystemProfilerReader(),
    PhysicalDiskReader(),
    FsutilReader(),
    SmbstatusReader(),
    MountstatsReader(),
    MountReader(),
)
# A table of 10,000 mounts has 2 MB; reading takes up to fifty times as much memory.
LIMIT_BYTES = 4 << 20


def reader_of(head: bytes) -> FactReader | None:
    """The reader that recognises a document by its beginning, or None."""
    return next((reader for reader in FACT_READERS if reader.recognises(head)), None)


def read_document(data: bytes, file: str) -> Document:
    """What a document says; `file` is its name as users know it.

    ImportProblem, in one sentence, where it cannot be read.
    """
    if len(data) > LIMIT_BYTES:
        raise ImportProblem(f"{file}: it is larger than {LIMIT_BYTES >> 20} MiB, so it is no document of facts")
    try:
        data = as_xml(data)
    except ImportProblem as problem:
        raise ImportProblem(f"{file}: {problem}") from problem
    reader = reader_of(data)
    if reader is None:
        names = ", ".join(each.name for each in FACT_READERS)
        raise ImportProblem(f"{file}: it holds no facts that graycard can read; it reads what these print: {names}")
    try:
        return Document(file, reader.name, reader.read(data))
    except ImportProblem as problem:
        raise ImportProblem(f"{file}: {problem}") from problem
