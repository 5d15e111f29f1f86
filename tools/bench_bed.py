"""The own TCP test beside iperf3, and copies with and without sampling, between two computers in network namespaces."""

from __future__ import annotations

import contextlib
import ctypes
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from graycard.cli.app import SystemClock
from graycard.copying.data import make_data
from graycard.diagnosis.near import Scope, children_now
from graycard.diagnosis.places import way
from graycard.diagnosis.watched import Cost, Watch
from graycard.link import FarEnd, LinkOptions, by_ssh
from graycard.link.flow import flow
from graycard.link.iperf3 import DEFAULT_PORT, against_iperf3
from graycard.model import Action
from graycard.model.copying import CopyTask, Place, Scheme
from graycard.protocols import CopyMethod
from graycard.transfer import COPY_METHODS
from graycard.transfer.smbclient import LOGIN_VARIABLE
from graycard.units import format_size
from tests.bed.network import FAR_ADDRESS, Wire, wire
from tests.bed.smb import SMB_SHARE, smbd
from tools.accuracy import table
from tools.bench_pairs import SEED, USUAL, Extent, in_pairs, ratio_of, reached, shown, typical

LINK_HEADING = "## TCP beside iperf3"
MONITORS_HEADING = "## What sampling both ends costs a copy"
WIRE_RATE = "940mbit"
LINK_GOAL, MONITORS_GOAL = 0.95, 0.98
ARMS = tuple((action, streams) for action in (Action.SEND, Action.RECEIVE) for streams in (1, 4))
CLONE_NEWNET = 0x40000000  # linux/sched.h


@contextlib.contextmanager
def on_the_near_side(folder: Path) -> Iterator[Wire]:
    """The bed of two computers, and this thread, with all that it starts, on the near one."""
    keys = folder / "keys"
    keys.mkdir()
    with wire(keys) as bed, Path("/proc/self/ns/net").open() as home:
        with Path(f"/run/netns/{bed.near}").open() as near:
            enter(near.fileno())
        try:
            yield bed
        finally:
            enter(home.fileno())


def enter(namespace: int) -> None:
    """setns(2), which Python has from 3.12 on."""
    if ctypes.CDLL(None, use_errno=True).setns(namespace, CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "setns")


@contextlib.contextmanager
def iperf3_server(bed: Wire, folder: Path) -> Iterator[None]:
    log = folder / "iperf3.log"
    log.touch()
    program = subprocess.Popen(bed.on(bed.far, "iperf3", "--server", "--forceflush", "--logfile", str(log)))
    try:
        until = time.monotonic() + 10
        while "listening" not in log.read_text():
            if program.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"iperf3 does not listen: {log.read_text()}")
            time.sleep(0.05)
        yield
    finally:
        program.terminate()
        program.wait()


def own_rate(far: FarEnd, action: Action, streams: int, seconds: int) -> float:
    """Bytes/s that arrived."""
    moved = flow(far, action, streams, seconds * 10**9, lambda _elapsed, _moved: None)
    return moved.moved_bytes * 1e9 / moved.elapsed_ns


def iperf3_rate(action: Action, streams: int, seconds: int) -> float:
    """Bytes/s that arrived, by iperf3's own account."""
    options = LinkOptions((action,), (streams,), seconds * 10**9, 1)
    result = against_iperf3(FAR_ADDRESS, DEFAULT_PORT, options, SystemClock(), lambda _: None, lambda _: None)[0]
    samples = result.runs[0].samples
    return samples.moved_bytes * 1e9 / samples.elapsed_ns


def link_rows(far: FarEnd, path: str, pairs: int, seconds: int) -> Iterator[list[str]]:
    for action, streams in ARMS:
        own = partial(own_rate, far, action, streams, seconds)
        ours, theirs = in_pairs(pairs, own, partial(iperf3_rate, action, streams, seconds))
        ratio = ratio_of(ours, theirs)
        cells = (typical(ours), typical(theirs), shown(ratio), reached(ratio, LINK_GOAL))
        yield [path, action.value, str(streams), *cells]


def link_section(extent: Extent = USUAL) -> str:
    with tempfile.TemporaryDirectory(prefix="graycard-bench-") as name:
        folder = Path(name)
        with on_the_near_side(folder) as bed, iperf3_server(bed, folder), by_ssh("nas", bed.ssh) as far:
            rows = list(link_rows(far, "veth, not shaped", extent.veth_pairs, extent.veth_s))
            bed.shape(WIRE_RATE)
            rows += link_rows(far, "wire of 940 Mbit/s", extent.wire_pairs, extent.wire_s)
    version = subprocess.run(("iperf3", "--version"), capture_output=True, text=True, check=True).stdout.split()[1]
    heads = ("path", "direction", "streams", "graycard", f"iperf3 {version}", "graycard ÷ iperf3", "goal")
    return f"""{LINK_HEADING}

Between two network namespaces, {extent.veth_pairs} interleaved pairs of {extent.veth_s} s where nothing shapes the way, {extent.wire_pairs} of {extent.wire_s} s over the wire, in ABBA
order; what arrived, medians, and the geometric mean of the pairs' ratios with its 95 % interval. Both ends of both programs run on
the same {os.cpu_count()} processors, which are what limits them where the way is not shaped. Goal: at least {LINK_GOAL}.

{table(heads, rows)}
"""


def method_named(name: str) -> CopyMethod:
    return next(method for method in COPY_METHODS if method.name == name)


@dataclass(slots=True)
class Monitored:
    """Copies of a file to the far computer, with both ends sampled or not."""

    bed: Wire
    far: FarEnd
    monitors: frozenset[int]
    folder: Path
    size_bytes: int

    def rows(self, path: str, pairs: int) -> Iterator[list[str]]:
        for name, place in (
            ("smbclient", Place(Scheme.SMB, "/copy", FAR_ADDRESS, "root", SMB_SHARE)),
            ("scp", Place(Scheme.SSH, str(self.folder / "share" / "copy"), "nas", ssh_config=self.bed.ssh[2])),
        ):
            cost, method = Cost(), method_named(name)
            here = Place(Scheme.PATH, str(self.folder / "data" / "large.bin"))
            task = CopyTask(here, place, is_folder=False, file_count=1, total_bytes=self.size_bytes, is_upload=True)
            sampled, bare = in_pairs(
                pairs, partial(self._sampled, method, task, cost), partial(self._bare, method, task)
            )
            ratio = ratio_of(sampled, bare)
            cores = [f"{(each or 0.0) * 100:.1f} %" for each in (cost.near_ratio, cost.far_ratio)]
            cells = (typical(bare), typical(sampled), shown(ratio), *cores, reached(ratio, MONITORS_GOAL))
            yield [path, name, *cells]

    def _bare(self, method: CopyMethod, task: CopyTask) -> float:
        samples = method.run(task, lambda _: None)
        (self.folder / "share" / "copy").unlink()
        return samples.moved_bytes * 1e9 / samples.elapsed_ns

    def _sampled(self, method: CopyMethod, task: CopyTask, cost: Cost) -> float:
        scope = Scope(os.getpid(), frozenset({FAR_ADDRESS}), self.monitors, folder=task.source.path)
        watch = Watch(scope, self.far, way(self.far)[1], "wire", cost)
        with watch.sampling():
            rate = self._bare(method, task)
        near, far = watch.ends()
        if not near.samples or not far.samples:
            raise RuntimeError("nothing was sampled")
        return rate


def monitors_section(extent: Extent = USUAL) -> str:
    """Data and share lie in memory, so that no disk makes a copy slower than another."""
    rows: list[list[str]] = []
    with (
        tempfile.TemporaryDirectory(prefix="graycard-bench-", dir="/dev/shm") as name,
        contextlib.ExitStack() as opened,
    ):
        folder = Path(name)
        for each in ("share", "data"):
            (folder / each).mkdir()
        bed = opened.enter_context(on_the_near_side(folder))
        os.environ[LOGIN_VARIABLE] = str(opened.enter_context(smbd(bed, folder / "share")))
        opened.callback(os.environ.pop, LOGIN_VARIABLE)
        far, monitors = children_now(lambda: opened.enter_context(by_ssh("nas", bed.ssh)))
        for path, size, shape in (
            ("veth, not shaped", extent.veth_bytes, None), ("wire of 940 Mbit/s", extent.wire_bytes, WIRE_RATE)
        ):  # fmt: skip
            make_data("large", str(folder / "data"), size, SEED, lambda _: None)
            if shape:
                bed.shape(shape)
            rows += Monitored(bed, far, monitors, folder, size).rows(path, extent.monitor_pairs)
            (folder / "data" / "large.bin").unlink()
    heads = (
        "path",
        "copy by",
        "not sampled",
        "sampled",
        "sampled ÷ not sampled",
        "near end, of a core",
        "far end, of a core",
        "goal",
    )
    return f"""{MONITORS_HEADING}

A file copied from memory to memory on the other side of two network namespaces, {format_size(extent.veth_bytes)} where nothing shapes the way and
{format_size(extent.wire_bytes)} over the wire, with both ends sampled as `graycard why` does and without, {extent.monitor_pairs} interleaved pairs in ABBA order; medians,
and the geometric mean of the pairs' ratios of rates with its 95 % interval. Both ends share the same {os.cpu_count()} processors; the cost is
the processor time of the sampling threads. Goal: at least {MONITORS_GOAL}, a cost of 2 % at most.

{table(heads, rows)}
"""
