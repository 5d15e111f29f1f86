"""Readers of other tools' result files.

    IMPORTERS                               every importer; a new one is one file and one line here
    read_parts(file, name) -> (Part, …)     what each importer that knows the file found in it
    results_of(parts)      -> (Result, …)   the results of all of them
    read_all(data, name)   -> (Result, …)   both at once, of a file's content

An importer recognises a file by the first HEAD_BYTES of its content. A text may hold the output of several tools, as a
log of a script does: every importer that recognises it reads it, takes what is its own and passes over the rest. So
`recognises` must ask for words that only this tool writes. A document of graycard's own belongs to it alone.

Files up to MEMORY_LIMIT_BYTES are read whole. Larger ones go to importers that have `read_stream` (StreamImporter).
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import BinaryIO

from graycard.errors import ImportProblem
from graycard.importers.amorphousdiskmark import AmorphousDiskMarkImporter
from graycard.importers.asssd import AsSsdImporter
from graycard.importers.bonnie import BonnieImporter
from graycard.importers.crystaldiskmark import CrystalDiskMarkImporter
from graycard.importers.dd import DdImporter
from graycard.importers.diskspd import DiskspdImporter
from graycard.importers.elbencho import ElbenchoImporter
from graycard.importers.fio import FioImporter
from graycard.importers.graycard import GraycardImporter
from graycard.importers.hdparm import HdparmImporter
from graycard.importers.imported import UNKNOWN_TIME
from graycard.importers.ioping import IopingImporter
from graycard.importers.ior import IorImporter
from graycard.importers.iozone import IozoneImporter
from graycard.importers.iperf3 import Iperf3Importer
from graycard.importers.kdiskmark import KDiskMarkImporter
from graycard.importers.markdown_table import MarkdownTableImporter
from graycard.importers.pibenchmarks import PiBenchmarksImporter
from graycard.importers.rclone import RcloneImporter
from graycard.importers.rows import limit
from graycard.importers.rsync import RsyncImporter
from graycard.importers.sysbench import SysbenchImporter
from graycard.importers.tframetest import TframetestImporter
from graycard.importers.vframetest import VframetestImporter
from graycard.importers.winsat import WinsatImporter
from graycard.importers.yabs import YabsImporter
from graycard.model import Result
from graycard.protocols import Importer, StreamImporter

# Enough to get past the progress lines that may stand before fio's JSON, and the whole of most texts.
HEAD_BYTES = 1 << 18
# Reading takes two to five times as much memory as the file is long, and all of graycard less than 300 MB.
MEMORY_LIMIT_BYTES = 48 << 20

UNKNOWN = (
    "it holds no results of any tool that graycard knows; graycard import --help names them, "
    "and graycard note takes what stands only on a screen or on paper"
)
_NO_TIME = "The tool gives no date: that of the file's last change, or of importing, stands for it."

_OWN = GraycardImporter()

IMPORTERS: tuple[Importer, ...] = (
    _OWN,
    FioImporter(),
    CrystalDiskMarkImporter(),
    AmorphousDiskMarkImporter(),
    KDiskMarkImporter(),
    AsSsdImporter(),
    WinsatImporter(),
    DdImporter(),
    HdparmImporter(),
    IopingImporter(),
    SysbenchImporter(),
    TframetestImporter(),
    VframetestImporter(),
    RsyncImporter(),
    RcloneImporter(),
    Iperf3Importer(),
    DiskspdImporter(),
    IozoneImporter(),
    BonnieImporter(),
    IorImporter(),
    ElbenchoImporter(),
    YabsImporter(),
    PiBenchmarksImporter(),
    MarkdownTableImporter(),
)


@dataclass(frozen=True, slots=True)
class Part:
    """What one importer found in a file: results, or the sentence that says why it could read none."""

    importer: str
    results: tuple[Result, ...]
    problem: str | None = None


def read_all(data: bytes, name: str = "", importers: Sequence[Importer] = IMPORTERS) -> tuple[Result, ...]:
    """All results in the content of a file, of one tool or several. ImportProblem where there are none."""
    return results_of(read_parts(io.BytesIO(data), name, importers=importers))


def results_of(parts: Sequence[Part]) -> tuple[Result, ...]:
    """The results of all parts together; ImportProblem with the first problem, or UNKNOWN, where there are none."""
    results = tuple(result for part in parts for result in part.results)
    if not results:
        raise ImportProblem(next((part.problem for part in parts if part.problem), UNKNOWN))
    return results


def read_parts(
    file: BinaryIO, name: str = "", changed_at: datetime | None = None, *, importers: Sequence[Importer] = IMPORTERS
) -> tuple[Part, ...]:
    """What each importer that recognises the file found; none where none does. ImportProblem for too large a file.

    `file` is at its beginning; it must be seekable to be streamed. `name` is its name without folders, "" for none;
    `changed_at` its date of change, which stands for the time of results that do not tell theirs.
    """
    head = file.read(HEAD_BYTES)
    known = _known(head, importers)
    if not known:
        return ()
    data = _data(file, head)
    if data is not None:
        return _parts(((each, _whole(each, data, name)) for each in known), name, changed_at)
    streaming = [each for each in known if isinstance(each, StreamImporter)]
    if not streaming or not file.seekable():
        raise ImportProblem(_too_large(known, streamable=bool(streaming)))
    return _parts(((each, _stream(each, file, name)) for each in streaming), name, changed_at)


def _known(head: bytes, importers: Sequence[Importer]) -> tuple[Importer, ...]:
    known = tuple(each for each in importers if each.recognises(head))
    return (_OWN,) if _OWN in known else known


def _data(file: BinaryIO, head: bytes) -> bytes | None:
    """The whole content, or None where it is larger than the limit."""
    if len(head) < HEAD_BYTES:
        return head
    if file.seekable():
        if file.seek(0, os.SEEK_END) > MEMORY_LIMIT_BYTES:
            return None
        file.seek(len(head))
    data = head + file.read(MEMORY_LIMIT_BYTES + 1 - len(head))
    return data if len(data) <= MEMORY_LIMIT_BYTES else None


def _whole(importer: Importer, data: bytes, name: str) -> Callable[[], tuple[Result, ...]]:
    if isinstance(importer, StreamImporter):
        return lambda: importer.read_stream(io.BytesIO(data), name)
    return lambda: importer.read(data)


def _stream(importer: StreamImporter, file: BinaryIO, name: str) -> Callable[[], tuple[Result, ...]]:
    def read() -> tuple[Result, ...]:
        file.seek(0)
        return importer.read_stream(file, name)

    return read


def _parts(
    readers: Iterable[tuple[Importer, Callable[[], tuple[Result, ...]]]], name: str, changed_at: datetime | None
) -> tuple[Part, ...]:
    """What each finds; ImportProblem where all together find more results than memory holds."""
    found: list[Part] = []
    for importer, read in readers:
        found.append(_part(importer, read, name, changed_at))
        if importer is not _OWN:
            limit(sum(len(part.results) for part in found), "all its tools")
    return tuple(found)


def _part(importer: Importer, read: Callable[[], tuple[Result, ...]], name: str, changed_at: datetime | None) -> Part:
    try:
        results = read()
    except ImportProblem as problem:
        return Part(importer.name, (), str(problem))
    except RecursionError:
        return Part(importer.name, (), "The file is nested too deeply to be a result; get the tool's own output")
    if importer is not _OWN:
        results = tuple(_placed(result, name, changed_at) for result in results)
    return Part(importer.name, results)


def _placed(result: Result, name: str, changed_at: datetime | None) -> Result:
    """The result with what only the file tells: its name, and when it was changed."""
    origin = result.origin
    imported_from = ": ".join(part for part in (os.path.basename(name), origin.imported_from) if part) or None
    placed = replace(result, origin=replace(origin, imported_from=imported_from))
    if changed_at is None or result.created_at != UNKNOWN_TIME:
        return placed
    summary = result.summary and replace(result.summary, caveats=(*result.summary.caveats, _NO_TIME))
    return replace(placed, created_at=changed_at, summary=summary)


def _too_large(known: Sequence[Importer], *, streamable: bool) -> str:
    limit = f"{MEMORY_LIMIT_BYTES >> 20} MiB"
    if _OWN in known:
        return f"The document is larger than {limit}; save it as a file, graycard import that, and name its results"
    if streamable:
        return f"What comes through the pipe is larger than {limit}; save it as a file and import that"
    names = " or ".join(each.name for each in known)
    return (
        f"The file is larger than {limit}, too large for a result of {names}; cut out the part that holds the figures"
    )
