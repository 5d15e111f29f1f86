"""FUSE file systems: one that accepts O_DIRECT, one that is a share, one that stalls and one whose server is gone."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from bed.loops import run, unmount
from bed.truth import truth_device
from host.stored_samples import by_name

from graycard.errors import TargetProblem
from graycard.facts import number, value
from graycard.host.linux import answers
from graycard.host.linux.machine import LinuxHost
from graycard.host.linux.roots import Roots
from graycard.model import TargetKind

pytestmark = pytest.mark.root
MIB = 1 << 20


@dataclass(frozen=True)
class Share:
    """An rclone mount of a local folder: where, and the process that serves it."""

    point: str
    server: subprocess.Popen[bytes]


@pytest.fixture
def share(tmp_path: Path) -> Iterator[Share]:
    """A FUSE share that answers; awake again and unmounted at the end."""
    source, point = tmp_path / "source", tmp_path / "share"
    source.mkdir()
    point.mkdir()
    (source / "film.mov").write_bytes(os.urandom(MIB))
    options = ["--config", "/dev/null", "--cache-dir", str(tmp_path / "cache"), "--attr-timeout", "0s"]
    server = subprocess.Popen(
        ["rclone", "mount", *options, str(source), str(point)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        end = time.monotonic() + 20
        while not os.path.ismount(point):
            assert time.monotonic() < end, "rclone did not mount"
            time.sleep(0.02)
        yield Share(str(point), server)
    finally:
        if server.poll() is None:
            server.send_signal(signal.SIGCONT)
        unmount(str(point))
        server.terminate()
        server.wait(timeout=20)


@contextlib.contextmanager
def fuse_control(folder: Path) -> Iterator[Roots]:
    """Roots whose sysfs holds the list of FUSE connections, which not every machine mounts."""
    listed = folder / "sys" / "fs" / "fuse" / "connections"
    listed.mkdir(parents=True)
    run("mount", "-t", "fusectl", "none", str(listed))
    try:
        yield Roots(sys=str(folder / "sys"))
    finally:
        unmount(str(listed))


def test_a_fuse_device_accepts_direct_io_without_the_alignment(tmp_path: Path) -> None:
    with truth_device(tmp_path / "truth", size=MIB, service_ns=10_000) as device:
        host = LinuxHost()
        target = host.resolve(device.path)
        facts, file = by_name(host.facts(target)), by_name(host.file_facts(device.path))
        assert (target.kind, facts["file_system"]) == (TargetKind.FILE, "fuse.truth")
        assert (facts["bus"], facts["device_name"], facts["encryption"]) == (None, None, None)
        assert file["direct_misaligned_refused"] is False
        assert file["direct_align_bytes"] is None
        assert file["file_extent_count"] is None
        assert value(host.counters(target), "device_read_bytes") is None


def test_a_share_is_told_from_a_folder(share: Share) -> None:
    host = LinuxHost()
    target = host.resolve(share.point)
    assert target.kind is TargetKind.SHARE
    volume = host.volume(target)
    assert (volume.network, volume.file_system, volume.why_not) == (True, "fuse.rclone", None)
    facts = by_name(host.facts(target))
    assert (facts["bus"], facts["driver"], facts["server"]) == ("network", "rclone", None)
    assert facts["size_bytes"] is not None
    assert host.resolve(f"{share.point}/film.mov").kind is TargetKind.FILE


def test_a_stalled_share_is_told_and_holds_nothing_up(
    share: Share, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers, "PATIENCE_S", 0.3)
    with fuse_control(tmp_path / "control") as roots:
        host = LinuxHost(roots)
        target = host.resolve(share.point)
        assert number(host.levels(target), "fuse_waiting_count") == 0
        share.server.send_signal(signal.SIGSTOP)
        with pytest.raises(TargetProblem, match="does not answer"):
            host.facts(target)
        with pytest.raises(TargetProblem, match="does not answer"):
            host.resolve(f"{share.point}/film.mov")
        volume = next(each for each in host.volumes() if each.mount_point == share.point)
        assert volume.size_bytes is None
        assert volume.why_not is not None
        assert "does not answer" in volume.why_not
        waiting = subprocess.Popen(["stat", "--file-system", share.point], stdout=subprocess.DEVNULL)
        try:
            end = time.monotonic() + 20
            while number(host.levels(target), "fuse_waiting_count") == 0:
                assert time.monotonic() < end, "the request never arrived"
                time.sleep(0.01)
            assert number(host.levels(target), "fuse_waiting_count") == 1
            assert by_name(host.counters(target))["clock_monotonic_ns"]
        finally:
            share.server.send_signal(signal.SIGCONT)
            waiting.wait(timeout=20)
        assert host.resolve(share.point) == target


def test_a_share_whose_server_was_killed_is_told(share: Share) -> None:
    host = LinuxHost()
    target = host.resolve(share.point)
    share.server.kill()
    share.server.wait()
    with pytest.raises(TargetProblem, match="mount it again"):
        host.resolve(share.point)
    with pytest.raises(TargetProblem, match="mount it again"):
        host.open_file(f"{share.point}/film.mov", write=False, direct=False)
    volume = next(each for each in host.volumes() if each.mount_point == share.point)
    assert volume.why_not is not None
    assert "mount it again" in volume.why_not
    assert host.levels(target)
    assert host.counters(target)
