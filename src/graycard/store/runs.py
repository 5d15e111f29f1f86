"""A run as a row: JSON without the long columns, and the long columns compressed."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, zip_longest
from typing import Any

from graycard.codec import decode, encode
from graycard.model import Histogram, Run
from graycard.store import blobs
from graycard.store.rows import stamp

# What tells two runs of one result apart.
Key = tuple[int, int, str]


def key(run: Run) -> Key:
    """Which task, which repeat, and when it began."""
    return run.task_index, run.repeat_index, stamp(run.started_at)


def values(run: Run) -> dict[str, Any]:
    """The columns of the table `runs`. msgspec.MsgspecError for a run that could not be read back."""
    samples = run.samples
    bare = replace(samples, ticks=(), latency=_bare(samples.latency), flush_latency=_bare(samples.flush_latency))
    body, monitor = encode(replace(run, samples=bare, monitor=())), blobs.pack_series(run.monitor)
    decode(body, Run)
    blobs.unpack_series(monitor)
    task_index, repeat_index, started_at = key(run)
    return {
        "task_index": task_index,
        "repeat_index": repeat_index,
        "started_at": started_at,
        "body": body.decode(),
        "ticks": blobs.pack_ticks(samples.ticks),
        "latency": blobs.pack_buckets(samples.latency.counts) if samples.latency else None,
        "flush_latency": blobs.pack_buckets(samples.flush_latency.counts) if samples.flush_latency else None,
        "monitor": monitor,
    }


def run(body: str, ticks: bytes, latency: bytes | None, flush_latency: bytes | None, monitor: bytes) -> Run:
    """The run of such a row; msgspec.MsgspecError, zlib.error, ValueError or TypeError when the row is damaged."""
    bare = with_latencies(body, latency, flush_latency)
    return replace(
        bare, samples=replace(bare.samples, ticks=blobs.unpack_ticks(ticks)), monitor=blobs.unpack_series(monitor)
    )


def with_latencies(body: str, latency: bytes | None, flush_latency: bytes | None) -> Run:
    """As `run`, without ticks and monitor series."""
    bare = figures(body)
    samples = replace(
        bare.samples,
        latency=_filled(bare.samples.latency, latency),
        flush_latency=_filled(bare.samples.flush_latency, flush_latency),
    )
    return replace(bare, samples=samples)


def figures(body: str) -> Run:
    """As `run`, of what was counted alone."""
    return decode(body.encode(), Run)


def text(body: str, ticks: bytes, latency: bytes | None, flush_latency: bytes | None, monitor: bytes) -> bytes:
    """As `run`, but its JSON, in a third of the time: the long columns are set into it as texts.

    Inside of texts quotes are escaped, so what is replaced here is never a part of one.
    """
    bare = figures(body)
    kept = (bare.samples.latency, latency), (bare.samples.flush_latency, flush_latency)
    counts = [blobs.buckets_text(blob) if blob is not None else b"[]" for histogram, blob in kept if histogram]
    found = encode(bare).replace(b'"ticks":[]', b'"ticks":' + blobs.ticks_text(ticks))
    found = found.replace(b'"monitor":[]', b'"monitor":' + blobs.series_text(monitor))
    parts = found.split(b'"counts":[]')
    between = [b'"counts":' + each for each in counts]
    return b"".join(chain.from_iterable(zip_longest(parts, between, fillvalue=b"")))


def _bare(histogram: Histogram | None) -> Histogram | None:
    return replace(histogram, counts=()) if histogram else None


def _filled(histogram: Histogram | None, blob: bytes | None) -> Histogram | None:
    return replace(histogram, counts=blobs.unpack_buckets(blob)) if histogram and blob is not None else histogram
