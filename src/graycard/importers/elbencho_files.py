"""elbencho's CSV (a line a phase) and JSON (a document a line, every number a string), and its command line.

Commas in the label and the command are blanks in the CSV, and quotes stay what they are: it is no CSV of quoted cells.
Options have the names of the command line in all versions; before 3.1 the JSON has no others.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise, takewhile
from typing import Any

from graycard.errors import ImportProblem
from graycard.importers.elbencho_phase import TOOL, Half, Phase
from graycard.importers.imported import stated_time
from graycard.importers.json_text import json_decoder, refuse_crowded
from graycard.importers.rows import MOST_COUNT, count, duration_ns, optional_figure
from graycard.importers.text import Line, number
from graycard.model import Operation
from graycard.units import parse_size

CSV_HEADER = "ISO date,label,path type,"
JSON_START = '{"phase_type":'
_WORD = re.compile(r'"([^"]{0,4000})"')
_SIZE = re.compile(r"\d{1,15}[KMGTkmgt]?")


def csv_phases(table: Iterable[Line]) -> Iterator[Phase]:
    """The phases of a CSV; lines before its header are passed over. ImportProblem for a line that is cut short."""
    names: list[str] = []
    for line in table:
        text = line.text.strip()
        if text.startswith(CSV_HEADER):
            names = text.split(",")
        elif names and "," not in text and not text[:1].isdigit():
            # Words below the table, as of a forum.
            names = []
        elif names:
            cells = text.split(",", len(names) - 1)
            if len(cells) < len(names):
                raise ImportProblem(
                    f"Line {line.number} of elbencho's CSV has {len(cells)} of {len(names)} fields: it is cut short; "
                    "get the whole file, or remove the line"
                )
            yield _csv_phase(dict(zip(names, cells, strict=True)), line.number)


def _csv_phase(row: Mapping[str, str], line: int) -> Phase:
    phase = Phase(
        row.get("operation", ""),
        elapsed_ns=duration_ns(row.get("time ms [last]", ""), 1e6),
        began=stated_time(row.get("ISO date", "")),
        version=row.get("version") or None,
        command=row.get("command", "").strip() or None,
        block_bytes=count(row.get("block size", "")),
        file_bytes=count(row.get("file size", "")),
        file_count=_file_count(row, "paths", "threads", "dirs", "files", "hosts"),
        thread_count=_product(row, "threads", "hosts"),
        depth_count=count(row.get("IO depth", "")),
        direct=_flag(row.get("direct IO")),
        random=_flag(row.get("random")),
    )
    phase.place = _place(phase.command)
    for operation, prefix in ((_main(phase.name), ""), (Operation.READ, "rwmix read ")):
        half = Half(
            rate=optional_figure(row.get(f"{prefix}MiB/s [last]", ""), TOOL, line),
            moved=count(row.get(f"{prefix}MiB [last]", "")),
            ops_per_s=optional_figure(row.get(f"{prefix}IOPS [last]", ""), TOOL, line),
        )
        _latency(half, row.get(f"{prefix}IO lat us [avg]"), row.get(f"{prefix}IO lat us [max]"))
        if half.rate is not None or half.moved:
            phase.halves[operation] = half
    return phase


def json_phases(table: Iterable[Line]) -> Iterator[Phase]:
    """The phases of JSON lines; other lines are passed over. ImportProblem for one that is damaged."""
    decoder = json_decoder()
    for line in table:
        text = line.text.strip()
        if not text.startswith(JSON_START):
            continue
        refuse_crowded(text, TOOL)
        try:
            document = decoder.decode(text)
        except json.JSONDecodeError as error:
            raise ImportProblem(
                f"Line {line.number} of elbencho's JSON is damaged or cut short ({error.msg}): get the whole file"
            ) from error
        except RecursionError:
            raise ImportProblem(f"Line {line.number} is nested too deeply to be elbencho's JSON: get its own") from None
        if isinstance(document["phase_type"], str):
            yield _json_phase(document, line.number)


def _json_phase(document: Mapping[str, Any], line: int) -> Phase:
    done, config = _object(document, "last_done"), _object(document, "config")
    command = str(config.get("command") or document.get("command") or "").strip()
    phase = Phase(
        document["phase_type"],
        elapsed_ns=duration_ns(str(done.get("elapsed_time_ms", "")), 1e6),
        exact=True,
        unit_bytes=1,
        began=stated_time(str(document.get("iso_start_date", ""))),
        version=str(config.get("version") or document.get("version") or "") or None,
        command=command or None,
        place=_place(command),
    )
    if config:
        _config(phase, config)
    latency = _object(_object(done, "latency"), "IO")
    for operation, figures, waits in (
        (_main(phase.name), done, latency),
        (Operation.READ, _object(done, "rwmix_read"), _object(latency, "rwmix_read")),
    ):
        half = Half(
            rate=optional_figure(str(figures.get("bytes/s", "")), TOOL, line),
            moved=count(str(figures.get("bytes", ""))),
            ops_per_s=optional_figure(str(figures.get("iops", "")), TOOL, line),
        )
        _latency(half, waits.get("avg_us"), waits.get("max_us"))
        if half.rate is not None or half.moved:
            phase.halves[operation] = half
    if not config:
        read_command(phase)
    return phase


def read_command(phase: Phase) -> None:
    """Take in what the command line says of the load, where nothing else does; its halves are there."""
    words = _WORD.findall(phase.command or "")
    if words:
        _config(phase, _options(words))
        phase.file_count = phase.file_count or _path_count(phase, words)
        phase.place = _place(phase.command)


def _path_count(phase: Phase, words: list[str]) -> int | None:
    """How many paths there are: the last words. The first of them may belong to an option: then the bytes decide."""
    last = sum(1 for _ in takewhile(lambda word: not word.startswith("-"), reversed(words)))
    moved = sum(half.moved or 0 for half in phase.halves.values()) << (0 if phase.exact else 20)
    fitting = [paths for paths in (last - 1, last) if paths > 0 and moved == paths * (phase.file_bytes or 0)]
    return last if last == 1 else next(iter(fitting), None)


def _config(phase: Phase, config: Mapping[str, Any]) -> None:
    row = {name: str(value) for name, value in config.items()}
    phase.block_bytes, phase.file_bytes = count(row.get("block_size", "")), count(row.get("file_size", ""))
    phase.file_count = _file_count(row, "paths", "threads", "dirs", "files", "hosts")
    phase.thread_count = _product(row, "threads", "hosts")
    phase.depth_count = count(row.get("io_depth", ""))
    phase.direct, phase.random = _flag(row.get("direct_io")), _flag(row.get("random_offsets"))


def _options(words: list[str]) -> dict[str, str]:
    """What the command line says, as the "config" of later versions; defaults are those of elbencho's help."""
    values = dict(pairwise(words))
    return {
        "block_size": _bytes(values.get("-b") or values.get("--block") or "1M"),
        "file_size": _bytes(values.get("-s") or values.get("--size") or ""),
        "threads": values.get("-t") or values.get("--threads") or "1",
        "io_depth": values.get("--iodepth") or "1",
        "direct_io": "1" if "--direct" in words else "0",
        "random_offsets": "1" if "--rand" in words else "0",
        "dirs": values.get("-n") or values.get("--dirs") or "",
        "files": values.get("-N") or values.get("--files") or "",
    }


def _bytes(text: str) -> str:
    return str(parse_size(text)) if _SIZE.fullmatch(text) else ""


def _file_count(row: Mapping[str, str], *names: str) -> int | None:
    """How many files: in a folder those of each thread, else the paths. None where folders may be shared or odd."""
    paths, threads, dirs, files, hosts = (count(row.get(name, "")) for name in names)
    if files:
        return files * (dirs or 1) * (threads or 1) * (hosts or 1)
    return paths


def _product(row: Mapping[str, str], *names: str) -> int | None:
    first, second = (count(row.get(name, "")) for name in names)
    product = first * (second or 1) if first else None
    return product if product and product <= MOST_COUNT else None


def _flag(text: str | None) -> bool | None:
    return None if not text else text in {"1", "true"}


def _main(name: str) -> Operation:
    return Operation.READ if name.startswith("READ") else Operation.WRITE


def _latency(half: Half, mean_us: object, max_us: object) -> None:
    mean, longest = number(str(mean_us or ""), "."), number(str(max_us or ""), ".")
    half.mean_ns = mean * 1e3 if mean else None
    if longest:
        half.latency_ns[100.0] = longest * 1e3


def _object(parent: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = parent.get(name)
    return found if isinstance(found, dict) else {}


def _place(command: str | None) -> str | None:
    """The last word of the command line: elbencho's paths stand there."""
    words = _WORD.findall(command or "")
    return words[-1] if len(words) > 1 and not words[-1].startswith("-") else None
