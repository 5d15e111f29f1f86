"""`copy`, `why` and `link` stopped, killed and cut off in the middle: what is said, left, and removed by whom."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.bed.mounts import by_rclone
from tests.bed.network import FAR_ADDRESS, Wire, wire
from tests.bed.saying import until_it_says
from tests.bed.smb import SMB_SHARE, smbd
from tests.bed.tiers import LONG

pytestmark = pytest.mark.root
long = pytest.mark.skipif(not LONG, reason="part of the long tier")
PATIENCE_S = 60
# As the program, but it says more often what it does, waits until all is removed, and its agent bears less silence.
PROGRAM = (
    sys.executable,
    "-c",
    (
        "from graycard.cli import live\n"
        "from graycard.copying import removal\n"
        "from graycard.link import far_end\n"
        "removal.STOPPED_S = 60.0\n"
        "live.LOG_EVERY_S, far_end.HERE_EVERY_S, far_end.MOST_SILENCE_S = 0.05, 0.2, 1.5\n"
        "from graycard.cli.entry import run; run()"
    ),
)


@dataclass(frozen=True, slots=True)
class Bed:
    """A server with a share by ssh and by SMB, and a folder of this computer for what is made."""

    wire: Wire
    share: Path
    into: Path
    login: Path

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """graycard on the near computer."""
        command = (*PROGRAM, "--store", str(self.into.parent / "store.db"), *arguments)
        environment = {**os.environ, "GRAYCARD_SMB_LOGIN": str(self.login)}
        return subprocess.Popen(
            self.wire.on(self.wire.near, *command), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=environment,
        )  # fmt: skip

    def left(self) -> list[str]:
        """What lies at both ends."""
        return [str(path) for folder in (self.share, self.into) for path in folder.iterdir()]

    def running(self, *sides: str) -> list[str]:
        """The copying programs, agents and connections that run in this bed (on these sides), without its servers."""
        own = {os.stat(f"/run/netns/{side}").st_ino for side in sides or (self.wire.near, self.wire.far)}
        found = []
        for name in filter(str.isdecimal, os.listdir("/proc")):
            try:
                words = Path(f"/proc/{name}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
                is_here = os.stat(f"/proc/{name}/ns/net").st_ino in own
            except OSError:
                continue
            if is_here and words and not words.startswith(("sshd", "/usr/sbin/sshd", "smbd")):
                found.append(words)
        return found


@pytest.fixture(scope="module")
def bed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bed]:
    folder = tmp_path_factory.mktemp("stopping")
    share, into = folder / "share", folder / "into"
    for each in (share, into, folder / "wire"):
        each.mkdir()
    (folder / "clip").write_bytes(bytes(64 << 20))
    with wire(folder / "wire") as found, smbd(found, share) as login:
        found.shape("100mbit")
        yield Bed(found, share, into, login)


def until(condition: object, what: str) -> None:
    assert callable(condition)
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.02)


def copying(bed: Bed, place: str, method: str) -> subprocess.Popen[str]:
    """A copy that is in the middle of its first file."""
    clip = str(bed.into.parent / "clip")
    program = bed.start(
        "copy", clip, place, "--method", method, "--to", "--into", str(bed.into), "--ssh-config", bed.wire.ssh[-1]
    )  # fmt: skip
    # Its first copy is there, and grows.
    until(lambda: any(path.stat().st_size > 1 << 20 for path in bed.share.rglob("00-*")), "no copy began")
    return program


@pytest.mark.parametrize(
    ("method", "number"),
    [pytest.param("scp", signal.SIGINT, marks=long), ("smbclient", signal.SIGTERM)],
    ids=["scp", "smbclient"],
)
def test_a_stopped_copy_leaves_nothing(bed: Bed, method: str, number: int) -> None:
    """SIGTERM is the same as Ctrl-C."""
    place = f"nas:{bed.share}" if method == "scp" else f"smb://root@{FAR_ADDRESS}/{SMB_SHARE}"
    program = copying(bed, place, method)
    begun = time.monotonic()
    program.send_signal(number)
    _out, err = program.communicate(timeout=PATIENCE_S)
    print(f"{method}: {time.monotonic() - begun:.2f} s")
    assert (program.returncode, err.splitlines()[-1]) == (130, "graycard: stopped")
    assert (bed.left(), bed.running()) == ([], [])


@pytest.fixture
def mounted(bed: Bed, tmp_path: Path) -> Iterator[Path]:
    """The share by rclone without its cache, on a faster wire."""
    bed.wire.shape("400mbit")
    with by_rclone(bed.wire, tmp_path, tmp_path / "mounted") as point:
        yield point
    bed.wire.shape("100mbit")


def test_a_copy_back_from_a_mount_by_rclone_that_is_stopped_leaves_nothing(bed: Bed, mounted: Path) -> None:
    """Removed while it is still open it would be hidden and stay for good."""
    program = bed.start(
        "copy", str(bed.into.parent / "clip"), str(mounted), "--method", "cp", "--from", "--into", str(bed.into)
    )
    until(lambda: any(path.stat().st_size > 1 << 20 for path in bed.into.rglob("00-*")), "nothing came back")
    program.send_signal(signal.SIGINT)
    _out, err = program.communicate(timeout=PATIENCE_S)
    assert (program.returncode, "graycard: stopped" in err) == (130, True), err
    assert bed.left() == []


def test_what_came_to_a_mount_by_another_way_is_removed_by_that_way(bed: Bed, mounted: Path) -> None:
    """The mount does not see it until its cache of names is old."""
    program = bed.start(
        "copy", "small", str(mounted), "--size", "1MB", "--via", f"nas:{bed.share}", "--method", "scp", "--runs", "1",
        "--ssh-config", bed.wire.ssh[-1], "--into", str(bed.into), "--json",
    )  # fmt: skip
    out, err = program.communicate(timeout=PATIENCE_S)
    assert program.returncode == 0, err
    assert len(json.loads(out)["results"]) == 2
    assert bed.left() == []


def cleaned(bed: Bed, folder: Path) -> str:
    """What `graycard clean` says on the near computer, which is known by its network's address."""
    program = bed.start("clean", str(folder))
    _out, err = program.communicate(timeout=PATIENCE_S)
    assert program.returncode == 0, err
    return err


@pytest.mark.parametrize("method", [pytest.param("scp", marks=long), "smbclient"])
def test_after_a_kill_the_copying_program_ends_and_clean_removes_what_is_left(bed: Bed, method: str) -> None:
    place = f"nas:{bed.share}" if method == "scp" else f"smb://root@{FAR_ADDRESS}/{SMB_SHARE}"
    program = copying(bed, place, method)
    program.kill()
    program.communicate(timeout=PATIENCE_S)
    until(lambda: not bed.running(), "a program goes on copying")
    # It ended in the middle.
    assert max(path.stat().st_size for path in bed.share.rglob("00-*")) < (64 << 20)
    # Here the share is mounted, so to say.
    assert "Removed 1 test folder" in cleaned(bed, bed.share)
    assert bed.left() == []


def why(bed: Bed) -> subprocess.Popen[str]:
    there = f"nas:{bed.share}"
    options = ("--server", there, "--ssh-config", bed.wire.ssh[-1], "--into", str(bed.into), "--json")
    return bed.start("why", there, *options)


@long
def test_killed_in_the_middle_of_why(bed: Bed) -> None:
    """The agent ends with its connection and removes its folder; the others are removed by clean."""
    program = why(bed)
    until(lambda: any(path.stat().st_size > 1 << 20 for path in bed.share.rglob("*.graycard")), "no disk test began")
    program.kill()
    program.communicate(timeout=PATIENCE_S)
    until(lambda: not bed.running() and not bed.left(), "the agent left something")


@long
def test_killed_in_the_middle_of_link(bed: Bed) -> None:
    program = bed.start("link", "nas", "--ssh", " ".join(bed.wire.ssh), "--streams", "1", "--runs", "1")
    until_it_says(program, "testing the link")
    program.kill()
    program.communicate(timeout=PATIENCE_S)
    until(lambda: not bed.running(), "the agent goes on")


NEAR_END = """
import os, sys, time
from graycard.link import by_ssh, far_end
from graycard.scratch import elsewhere
far_end.HERE_EVERY_S, far_end.MOST_SILENCE_S = 0.2, 1.0
with by_ssh("nas", ("ssh", "-F", sys.argv[1]), sys.argv[2]) as far:
    names = elsewhere()
    folder = os.path.join(sys.argv[2], names.name)
    os.makedirs(os.path.join(folder, names.tree))
    for path, text in ((names.marker_name, names.marker), (os.path.join(names.tree, "copy"), "x")):
        with open(os.path.join(folder, path), "w") as file:
            file.write(text)
    far.ask("keep", folder=names.name, marker=names.marker)
    far.ask("disk", what="write", bytes=256 << 20)
    print("writing", flush=True)
    time.sleep(60)
"""


def test_an_agent_that_hears_nothing_ends_and_leaves_nothing(bed: Bed) -> None:
    """It is there as long as the near end says so, and longer than it may be silent; then the cable is pulled.

    What the near end has made by itself over the share goes as well.
    """
    command = (sys.executable, "-c", NEAR_END, bed.wire.ssh[-1], str(bed.share))
    program = subprocess.Popen(bed.wire.on(bed.wire.near, *command), stdout=subprocess.PIPE, text=True)
    try:
        assert program.stdout is not None
        assert program.stdout.readline() == "writing\n"
        until(lambda: any(path.stat().st_size == 256 << 20 for path in bed.share.rglob("*.graycard")), "it wrote less")
        time.sleep(1.5)
        assert len(bed.left()) == 2
        bed.wire.cut()
        until(lambda: not bed.left(), "the agent's folder is still there")
        until(lambda: not bed.running(bed.wire.far), "the agent still runs")
    finally:
        program.kill()
        program.communicate()
        subprocess.run(("ip", "-n", bed.wire.far, "link", "set", "wire", "up"), check=True)


@long
def test_a_cut_cable_in_the_middle_of_why(bed: Bed) -> None:
    """Nobody can tell the agent: it hears nothing any more, removes its folder and ends."""
    program = why(bed)
    try:
        until(lambda: any(path.stat().st_size > 1 << 20 for path in bed.share.rglob("*.graycard")), "no disk test")
        bed.wire.cut()
        until(lambda: not bed.left(), "the agent's folder is still there")
        until(lambda: not bed.running(bed.wire.far), "the agent still runs")
        program.send_signal(signal.SIGINT)
        begun = time.monotonic()
        out, err = program.communicate(timeout=PATIENCE_S)
        print(f"stopped with a cut cable: {time.monotonic() - begun:.2f} s")
    finally:
        program.kill()
        program.wait()
        subprocess.run(("ip", "-n", bed.wire.far, "link", "set", "wire", "up"), check=True)
    assert program.returncode in {20, 130}, err
    assert "Traceback" not in err
    assert not out or json.loads(out)["is_whole"] is False
    assert bed.left() == []
