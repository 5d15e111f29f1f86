"""A task as fio's arguments: pure."""

from __future__ import annotations

from graycard.model import Cache, Durability, IoTask, Operation, Pattern

_RW = {
    (Operation.READ, Pattern.SEQUENTIAL): "read",
    (Operation.READ, Pattern.RANDOM): "randread",
    (Operation.WRITE, Pattern.SEQUENTIAL): "write",
    (Operation.WRITE, Pattern.RANDOM): "randwrite",
}


def refusal(task: IoTask) -> str | None:
    """What in the task fio cannot do as graycard means it, or None."""
    if task.pace is not None:
        return "fio keeps no pace of frames with latencies from the moment a frame is due; use --engine native"
    if task.depth_count % task.worker_count:
        return f"fio gives each of {task.worker_count} jobs the same depth; use a depth that is a multiple of it"
    if _share(task, task.span_bytes) < task.block_bytes:
        return f"the file has no whole block for each of {task.worker_count} jobs; use a larger file"
    if task.byte_limit is not None and _share(task, task.byte_limit) < task.block_bytes:
        return f"{task.byte_limit} bytes are no whole block for each of {task.worker_count} jobs; move more"
    if task.time_ns is None and task.byte_limit is None:
        return "the task has neither a time nor a number of bytes"
    return None


def arguments(task: IoTask, file: str, engine: str) -> list[str]:
    """Options for the task on an existing `file` of at least the span, as fio 3.19 and later understand them.

    Each job has a part of the file of its own. `randseed` makes the offsets those of the seed, another one each run;
    0 would make them all the same, so one is added. Latencies are fio's `lat`, from before the submit, as graycard's.
    """
    return [
        "--name=graycard",
        f"--filename={file}",
        # Only ever an existing file, never longer or shorter, never laid out or removed by fio.
        *("--allow_file_create=0", "--overwrite=1", "--fallocate=none", "--unlink=0", "--nrfiles=1"),
        f"--ioengine={engine}",
        "--thread",
        f"--rw={_RW[task.operation, task.pattern]}",
        f"--bs={task.block_bytes}",
        f"--iodepth={task.depth_count // task.worker_count}",
        *_ranges(task),
        *_end(task),
        *_cache(task),
        *(_writing(task) if task.operation is Operation.WRITE else ()),
        *("--randrepeat=0", f"--randseed={task.seed + 1}", "--norandommap=0"),
        *("--group_reporting", "--lat_percentiles=1", "--clat_percentiles=0", "--disk_util=0", "--exitall_on_error"),
    ]


def _share(task: IoTask, total_bytes: int) -> int:
    """One job's part, in whole blocks."""
    return total_bytes // task.worker_count // task.block_bytes * task.block_bytes


def _ranges(task: IoTask) -> list[str]:
    part = _share(task, task.span_bytes)
    return [f"--size={part}", f"--numjobs={task.worker_count}", f"--offset_increment={part}"]


def _end(task: IoTask) -> list[str]:
    """With bytes and a time, whichever comes first; with a time alone, again from the start until it is over."""
    limits = [] if task.time_ns is None else [f"--runtime={max(1, task.time_ns // 1000)}us"]
    if task.byte_limit is None:
        return [*limits, "--time_based"]
    return [*limits, f"--io_size={_share(task, task.byte_limit)}"]


def _cache(task: IoTask) -> list[str]:
    """`invalidate` drops this file's pages before the run: also before direct I/O, so that none of them can help."""
    return [f"--direct={int(task.cache is Cache.BYPASS)}", f"--invalidate={int(task.cache is not Cache.WARM)}"]


def _writing(task: IoTask) -> list[str]:
    """Fresh data in each block (fio's one random buffer is 55 times compressible), and the flushes.

    fio flushes before each next write, so the last one needs the flush at the end.
    """
    found = ["--refill_buffers"]
    if task.compressible_ratio:
        percentage = round(task.compressible_ratio * 100)
        found += [f"--buffer_compress_percentage={percentage}", f"--buffer_compress_chunk={task.block_bytes}"]
    if task.durability is not Durability.NONE:
        found.append("--end_fsync=1")
    if task.durability is Durability.EACH_WRITE:
        found.append("--fdatasync=1")
    return found
