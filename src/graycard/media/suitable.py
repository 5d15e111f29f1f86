"""Which results say something about streaming: large blocks in file order, from the medium, of one direction."""

from __future__ import annotations

from graycard.model import Cache, Durability, IoTask, Pattern, Result, Verdict, short_size

# Players and recorders ask for whole frames or more; below this the figure is of the requests and not of the drive.
LEAST_BLOCK_BYTES = 128 << 10


def unsuitable(result: Result) -> str | None:
    """Why the result says nothing about streaming, as the end of a sentence after its label; None where it does."""
    task = result.task
    if result.trouble and not result.summary:
        return "has no figure"
    if result.summary is None or result.summary.rate.n_count == 0 or result.summary.rate.value <= 0:
        return "has no figure"
    return _other_load(task) or _other_order(task) or _not_the_medium(task) or _other_way(result)


def failed_check(result: Result) -> str | None:
    """What a failed check of the result says, or None where none failed."""
    checks = result.summary.checks if result.summary else ()
    return next((check.says for check in checks if check.verdict is Verdict.FAIL), None)


def _other_load(task: IoTask) -> str | None:
    if task.transfer:
        return f"measures {task.transfer.method} and not the drive"
    if task.pace:
        return "is paced: it moves what its format asks for and no more"
    if task.read_ratio is not None:
        return "is a mix of reads and writes"
    return None


def _other_order(task: IoTask) -> str | None:
    if "pattern" in task.unstated:
        return "does not say whether it went in file order"
    if task.pattern is Pattern.RANDOM:
        return "jumps at random, while a clip is read and written in order"
    if "block_bytes" not in task.unstated and task.block_bytes < LEAST_BLOCK_BYTES:
        return f"moves {short_size(task.block_bytes)} blocks, while frames are moved in large ones"
    return None


def _not_the_medium(task: IoTask) -> str | None:
    if "cache" not in task.unstated and task.cache is Cache.WARM:
        return "went through the page cache, so it may be the speed of memory"
    if task.compressible_ratio > 0:
        return "moved compressible data, which video is not"
    return None


def _other_way(result: Result) -> str | None:
    """Other tools rewrite, stride or go character by character; graycard's own variants are parts of a long test."""
    variant = result.task.variant
    return f"is of a kind of its own ({variant})" if variant and result.origin.tool != "graycard" else None


def preference(result: Result) -> tuple[bool, int, int, int]:
    """The smaller the better: blocks of 1 MiB and more first, then the fewest requests at once, then the largest block
    and file.

    Few requests, because a player that asks for one block after another must be served, too.
    """
    task = result.task
    known = "block_bytes" not in task.unstated
    depth = task.depth_count * (1 if "worker_count" in task.unstated else max(1, task.worker_count))
    return (not known or task.block_bytes < 1 << 20, depth, -task.block_bytes, -task.span_bytes)


def is_flushed(task: IoTask) -> bool:
    """Whether the time of a write has a flush in it."""
    return "durability" not in task.unstated and task.durability is not Durability.NONE
