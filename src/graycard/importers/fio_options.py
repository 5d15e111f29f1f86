"""fio's job options as a task. What the file does not say is named in `IoTask.unstated`.

fio's defaults (HOWTO): rw=read, bs=4k, iodepth=1, numjobs=1, direct=0, invalidate=1.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from graycard.importers.fio_job import FioHalf, FioJob
from graycard.model import Cache, Durability, IoTask, Operation, Pattern, Target, TargetKind

# Engines that work one request at a time whatever `iodepth` says.
ONE_AT_A_TIME = {"sync", "psync", "vsync", "pvsync", "pvsync2", "mmap", "splice"}
_BOTH = {"rw", "readwrite", "randrw"}
_SIZE = re.compile(r"(\d+)([kmgtp]?)(i?)b?", re.IGNORECASE)
_TIME = re.compile(r"(\d+(?:\.\d+)?)(d|h|m|s|ms|msec|us|usec)?", re.IGNORECASE)
# Longer numbers are no sizes or times.
_LONGEST = 16
_TIME_NS = {"d": 86400e9, "h": 3600e9, "m": 60e9, "s": 1e9, "ms": 1e6, "msec": 1e6, "us": 1e3, "usec": 1e3}


@dataclass(frozen=True, slots=True)
class Reading:
    """One half of a job as a task, its place, and sentences about what was assumed or must be known to compare it."""

    task: IoTask
    target: Target
    remarks: tuple[str, ...]


@dataclass(slots=True)
class _Reader:
    """Reads options one by one and collects remarks."""

    job: FioJob
    half: FioHalf
    operation: Operation
    remarks: list[str] = field(default_factory=list)

    @property
    def options(self) -> Mapping[str, str]:
        return self.job.options or {}

    def flag(self, name: str, *, default: bool = False) -> bool:
        """An option without a value is on."""
        text = self.options.get(name)
        return default if text is None else text not in {"0", "false", "none"}

    def number(self, name: str) -> int | None:
        return self.size(self.options.get(name, ""))

    def size(self, text: str) -> int | None:
        """Bytes. With kb_base=1024, fio's default, "k" is 1024 and "Ki" 1000: the opposite of the standard."""
        match = _SIZE.fullmatch(text.strip())
        if not match:
            return None
        number, prefix, binary = match.groups()
        old = self.options.get("kb_base", "1024") == "1024"
        base = 1024 if old != bool(binary) else 1000
        return int(number) * int(base ** " kmgtp".index(prefix.lower() or " ")) if len(number) < _LONGEST else None


def read(job: FioJob, half: FioHalf, operation: Operation) -> Reading:
    """The task that this half of the job carried out."""
    reader = _Reader(job, half, operation)
    block = _block_bytes(reader)
    workers = job.worker_count
    duration = time_ns(reader.options.get("runtime", ""))
    limit = None if reader.flag("time_based") else reader.number("io_size") or reader.number("size")
    task = IoTask(
        operation=operation,
        pattern=_pattern(reader),
        block_bytes=block,
        span_bytes=_span_bytes(reader),
        depth_count=_depth_count(reader) * workers,
        worker_count=workers,
        time_ns=duration,
        # A run must have an end: without any limit it ended where it ended.
        byte_limit=limit * workers if limit else None if duration else half.moved_bytes,
        cache=_cache(reader),
        durability=_durability(reader),
        compressible_ratio=_compressible_ratio(reader),
        seed=reader.number("randseed") or 0,
        unstated=tuple(_unstated(reader)),
        read_ratio=_read_ratio(reader),
    )
    _remark_on_company(reader)
    return Reading(task, _target(reader), tuple(reader.remarks))


def operation_of_mixed(job: FioJob) -> Operation | None:
    """What one figure of reads and writes together is to be called; None where the options are not known."""
    rw = (job.options or {}).get("rw", "read")
    if rw in _BOTH:
        return Operation.READ
    return None if job.options is None else Operation.WRITE if "write" in rw else Operation.READ


def _read_ratio(reader: _Reader) -> float | None:
    if reader.half is not reader.job.mixed or reader.options.get("rw") not in _BOTH:
        return None
    share = reader.number("rwmixread")
    return (50 if share is None else min(share, 100)) / 100


def _unstated(reader: _Reader) -> Iterator[str]:
    job, options = reader.job, reader.options
    if job.options is None:
        yield from ("pattern", "depth_count", "worker_count")
    if not reader.half.counts_ops and "bs" not in options:
        yield "block_bytes"
    if not job.options_complete or job.options is None:
        yield from ("cache", "durability", "compressible_ratio")
        if reader.half is job.mixed:
            yield "read_ratio"
    if not (reader.number("filesize") or reader.number("size")):
        yield "span_bytes"


def time_ns(text: str) -> int | None:
    """Nanoseconds of "15" (seconds), "5m", "500ms"; None for anything else, and for 0, which sets no limit."""
    match = _TIME.fullmatch(text.strip())
    if not match or len(match[1]) > _LONGEST:
        return None
    return round(float(match[1]) * _TIME_NS[(match[2] or "s").lower()]) or None


def _pattern(reader: _Reader) -> Pattern:
    if reader.job.options is not None:
        random = reader.options.get("rw", "read").startswith("rand")
        return Pattern.RANDOM if random else Pattern.SEQUENTIAL
    name = reader.job.name.lower()
    pattern = Pattern.RANDOM if "rand" in name or "rnd" in name else Pattern.SEQUENTIAL
    reader.remarks.append(
        f"fio wrote down no options here: that it was {pattern.value} is guessed from the job's name."
    )
    return pattern


def _block_bytes(reader: _Reader) -> int:
    # bs=read,write,trim; a single value is for all.
    sizes = reader.options.get("bs", "").split(",")
    chosen = sizes[1] if reader.operation is Operation.WRITE and len(sizes) > 1 and sizes[1] else sizes[0]
    stated = None if "bssplit" in reader.options else reader.size(chosen)
    block, rest = divmod(reader.half.moved_bytes, max(1, reader.half.ops_count))
    # kb_base is valid from where it stands on: what was counted tells whether a size stood before it.
    if stated and (rest or "kb_base" not in reader.options):
        return stated
    if rest:
        reader.remarks.append("Blocks of several sizes were used: the mean is given.")
    return max(1, block)


def _span_bytes(reader: _Reader) -> int:
    return reader.number("filesize") or reader.number("size") or reader.half.moved_bytes


def _depth_count(reader: _Reader) -> int:
    depth = reader.number("iodepth") or 1
    engine = reader.options.get("ioengine", "psync")
    if depth > 1 and engine in ONE_AT_A_TIME:
        reader.remarks.append(
            f"A depth of {depth} was asked for, but fio's engine {engine} works one request at a time: depth 1."
        )
        return 1
    return depth


def _cache(reader: _Reader) -> Cache:
    if reader.flag("direct") or not reader.flag("buffered", default=True):
        return Cache.BYPASS
    return Cache.COLD if reader.flag("invalidate", default=True) else Cache.WARM


def _durability(reader: _Reader) -> Durability:
    if reader.operation is Operation.READ:
        return Durability.NONE
    if "1" in (reader.options.get("fsync"), reader.options.get("fdatasync")) or reader.flag("sync"):
        return Durability.EACH_WRITE
    at_end = any(reader.flag(name) for name in ("end_fsync", "fsync_on_close", "end_syncfs"))
    return Durability.AT_END if at_end else Durability.NONE


def _compressible_ratio(reader: _Reader) -> float:
    if reader.flag("zero_buffers"):
        return 1.0
    return (reader.number("buffer_compress_percentage") or 0) / 100


def _target(reader: _Reader) -> Target:
    file, folder = reader.options.get("filename"), reader.options.get("directory")
    if file:
        return Target(posixpath.join(folder, file) if folder else file, TargetKind.FILE)
    return Target(folder or "(not recorded)", TargetKind.FOLDER)


def _remark_on_company(reader: _Reader) -> None:
    job = reader.job
    reader.remarks += job.remarks
    if job.read and job.write:
        whole = job.options is not None and job.options_complete
        share = f" ({reader.options.get('rwmixread', '50')} % reads)" if whole else ""
        reader.remarks.append(f"Reads and writes ran at once{share}: this is the {reader.operation} half alone.")
    if job.companion_count:
        others = f"{job.companion_count} other jobs" if job.companion_count > 1 else "another job"
        reader.remarks.append(f"Ran at the same time as {others} of this file, which is not counted in.")
    same_file = job.worker_count > 1 and "filename" in reader.options and "offset_increment" not in reader.options
    if same_file and reader.options.get("rw", "read") in {"read", "write", "rw", "readwrite"}:
        reader.remarks.append(
            f"All {job.worker_count} jobs went over the same part of the file: a cache may have helped."
        )
    if job.host:
        reader.remarks.append(f"Measured on {job.host}.")
