"""Reasons of the load: depth, block, threads."""

from __future__ import annotations

from graycard.agree.beside import STATED, Beside, Cause, favours
from graycard.agree.measured import Measured
from graycard.agree.tools import WAITS_BETWEEN
from graycard.model import Pattern, short_size

# Requests in order are merged and read ahead: more in flight gain less than in random order.
_SEQUENTIAL_GAIN = 8.0
# Threads alone, at one depth, change what the processor can submit.
_THREADS_GAIN = 1.5
# Waking takes tens of microseconds to milliseconds, a read from flash a hundred.
_AWAKE_GAIN = 20.0


def depth(pair: Beside) -> Cause | None:
    """More requests in flight: up to as many times as fast, and never more."""
    if not pair.states("depth_count"):
        return None
    for one, rest, is_other in pair.each_way():
        factor = one.task.depth_count / max(1, rest.task.depth_count)
        if factor > 1:
            most = min(factor, _SEQUENTIAL_GAIN) if one.task.pattern is Pattern.SEQUENTIAL else factor
            says = (
                f"Queue depth: {one.name} keeps {_requests(one)} in flight, {rest.name} {_requests(rest)}; that makes "
                f"it up to {most:g} times as fast."
            )
            return Cause("queue depth", says, *favours(most, is_other=is_other), STATED)
    return None


def _requests(figure: Measured) -> str:
    count = figure.task.depth_count
    return f"{count} request" if count == 1 else f"{count} requests"


def block(pair: Beside) -> Cause | None:
    """Larger requests cost less each byte: up to as many times as fast."""
    if not pair.states("block_bytes"):
        return None
    for one, rest, is_other in pair.each_way():
        factor = one.task.block_bytes / max(1, rest.task.block_bytes)
        if factor > 1:
            sizes = f"{short_size(one.task.block_bytes)}, {rest.name} of {short_size(rest.task.block_bytes)}"
            says = f"Block size: {one.name} moves blocks of {sizes}; each request costs time of its own."
            return Cause("block size", says, *favours(factor, is_other=is_other), STATED)
    return None


def pauses(pair: Beside) -> Cause | None:
    """One waits between its requests, so that drive, link and processor fall asleep in between."""
    for one, rest, is_other in pair.each_way():
        if one.origin.tool in WAITS_BETWEEN and rest.origin.tool not in WAITS_BETWEEN:
            says = (
                f"Pauses: {one.name} waits between its requests, and drive and processor fall asleep meanwhile; "
                f"{rest.name} sends one after the other."
            )
            return Cause("pauses", says, *favours(_AWAKE_GAIN, is_other=not is_other), 0.8)
    return None


def threads(pair: Beside) -> Cause | None:
    """The same depth dealt to more threads."""
    if not pair.states("worker_count", "depth_count") or pair.base.task.depth_count != pair.other.task.depth_count:
        return None
    for one, rest, is_other in pair.each_way():
        if one.task.worker_count > rest.task.worker_count:
            says = (
                f"Threads: {one.name} deals its requests to {one.task.worker_count}, {rest.name} to "
                f"{rest.task.worker_count}; small blocks are limited by one processor."
            )
            return Cause("threads", says, *favours(_THREADS_GAIN, is_other=is_other), STATED)
    return None
