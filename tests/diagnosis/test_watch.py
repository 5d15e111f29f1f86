"""`graycard watch` beside other programs' copies, over mounts by rclone and sshfs and without one."""

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
from typing import Any

import pytest

from tests.bed.mounts import by_rclone, by_sshfs
from tests.bed.network import Wire, wire
from tests.bed.saying import until_it_says
from tests.bed.smb import smbd

pytestmark = pytest.mark.root
MIB = 1 << 20
SIZE = 6 * MIB
PATIENCE_S = 60
# As the program, but less patient, and it says more often what it does.
PROGRAM = (
    sys.executable,
    "-c",
    (
        "from graycard.cli import live, watch\n"
        "from graycard.diagnosis import sight, watching\n"
        "watching.QUIET_NS, watching.AFTER_NS, sight.FIND_S = 10**9, 5 * 10**8, 0.3\n"
        "live.LOG_EVERY_S, watch.WAITING_NS = 0.1, 10**8\n"
        "from graycard.cli.entry import run; run()"
    ),
)


@dataclass(frozen=True, slots=True)
class Bed:
    """A server whose share is mounted three times; 25 MB/s in all."""

    wire: Wire
    folder: Path
    share: Path
    rclone: Path
    other_rclone: Path
    sshfs: Path

    def watch(self, *arguments: str, before: tuple[str, ...] = ()) -> subprocess.Popen[str]:
        """The program, as JSON, with a store of its own."""
        store = str(self.folder / f"store-{len(list(self.folder.glob('store-*')))}.db")
        command = (*before, *PROGRAM, "--store", store, "watch", *arguments, "--json")
        return subprocess.Popen(
            self.wire.on(self.wire.near, *command), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def near(self, *command: str) -> subprocess.Popen[bytes]:
        """Another program on the near computer."""
        on = self.wire.on(self.wire.near, *command)
        return subprocess.Popen(on, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@pytest.fixture(scope="module")
def bed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bed]:
    folder = tmp_path_factory.mktemp("watch")
    share = folder / "share"
    (folder / "wire").mkdir()
    (share / "film").mkdir(parents=True)
    (folder / "clip").write_bytes(os.urandom(SIZE))
    (share / "there").write_bytes(os.urandom(SIZE))
    with (
        wire(folder / "wire") as found,
        smbd(found, share),
        by_rclone(found, folder, folder / "one") as one,
        by_rclone(found, folder, folder / "two") as two,
        by_sshfs(found, share, folder / "three") as three,
    ):
        found.shape("200mbit")
        yield Bed(found, folder, share, one, two, three)


def told(program: subprocess.Popen[str]) -> dict[str, Any]:
    out, err = program.communicate(timeout=PATIENCE_S)
    assert program.returncode == 0, err
    document: dict[str, Any] = json.loads(out)
    return document


def failed(program: subprocess.Popen[str]) -> tuple[int, str]:
    out, err = program.communicate(timeout=PATIENCE_S)
    assert (out, "Traceback" in err) == ("", False), (out, err)
    return program.returncode, err.strip().splitlines()[-1]


def line(document: dict[str, Any]) -> dict[str, Any]:
    (found,) = document["evidence"]["timelines"]
    return dict(found)


def total(document: dict[str, Any], name: str) -> float:
    """Of what is known of a track of amounts."""
    values = next(each["values"] for each in line(document)["tracks"] if each["name"] == name)
    return float(sum(value for value in values if value is not None))


def test_several_mounts_of_one_server_are_told_apart(bed: Bed) -> None:
    """Copies begin when it is watched already, in both directions, and end; a folder within the mount will do.

    A process that copies onto a mount has no connection: that of the mount is looked at, and the server beside it.
    """
    begin = bed.folder / "begin"
    os.mkfifo(begin)
    # It waits for somebody who writes into the fifo.
    dd = bed.near("dd", f"if={begin}", f"of={bed.sshfs / 'c'}", "bs=128k", "iflag=fullblock")
    watched = (str(bed.rclone / "film"), str(bed.other_rclone), str(dd.pid))
    far = ("--server", f"nas:{bed.share}", "--ssh-config", bed.wire.ssh[-1])
    programs = [bed.watch(each, *(far if each == watched[2] else ())) for each in watched]
    for program in programs:
        until_it_says(program, "yet; waiting for a copy")
    cp = bed.near("cp", str(bed.folder / "clip"), str(bed.rclone / "film" / "a"))
    back = bed.near("dd", f"if={bed.other_rclone / 'there'}", "of=/dev/null", "bs=64k")
    begin.write_bytes((bed.folder / "clip").read_bytes())
    assert [copy.wait(PATIENCE_S) for copy in (cp, back, dd)] == [0, 0, 0]
    found = [told(program) for program in programs]
    assert [each["evidence"]["action"] for each in found] == ["send", "receive", "send"]
    names = [{each["name"]: each["values"][0] for each in line(document)["names"]} for document in found]
    assert [each["near.mount"] for each in names] == ["rclone", "rclone", "ssh"]
    assert names[2]["near.service"] == "dd"
    # Whichever of them was busiest: both copies of the other mounts go on meanwhile.
    assert names[2]["far.service"] in {"sshd", "smbd"}
    for document in found:
        # What the protocol takes, and of the other mounts of this server nothing.
        assert SIZE <= document["evidence"]["total_bytes"] < 1.15 * SIZE
        assert document["diagnosis"]["slices"]["kinds"]
        assert "were moved in" in document["says"][0]


def test_all_connections_of_a_process_are_summed(bed: Bed) -> None:
    """rclone without a mount, four files at once: what its connections moved is what the wire carried."""
    many = bed.folder / "many"
    many.mkdir()
    for number in range(4):
        (many / str(number)).touch()
        os.truncate(many / str(number), 300 * MIB)
    copy = bed.near("rclone", "--config", str(bed.folder / "rclone.conf"), "copy", str(many), "nas:share/many")
    program = bed.watch(str(copy.pid))
    try:
        until_it_says(program, "MB/s")
        time.sleep(0.5)
    finally:
        copy.kill()
        copy.wait()
    document = told(program)
    # One of four would be a quarter. Headers take 5 %, and the last quarter of a second may be cut.
    moved, carried = total(document, "near.tcp_acked_bytes"), total(document, "near.interface_sent_bytes")
    assert 0.75 * carried < moved < 1.05 * carried


def test_nothing_is_copied(bed: Bed) -> None:
    """Said after a while, and when it is stopped; a process without a connection is refused at once."""
    program = bed.watch(str(bed.sshfs))
    sleeper = bed.near("sleep", "60")
    foreign = bed.near("setpriv", "--reuid", "65534", "--clear-groups", "sleep", "60")
    less = ("setpriv", "--bounding-set", "-sys_ptrace,-dac_override,-dac_read_search")
    try:
        refused = failed(bed.watch(str(sleeper.pid)))
        why = "has no connection to another computer and nothing open on a share; name the program that copies"
        assert refused == (11, f"graycard: sleep (process {sleeper.pid}) {why}, or the share")
        code, words = failed(bed.watch(str(foreign.pid), before=less))
        assert (code, "belongs to nobody: only that user and root may see what it does" in words) == (11, True), words
        until_it_says(program, "nothing has been copied at")
        program.send_signal(signal.SIGINT)
        assert failed(program) == (130, f"graycard: stopped; nothing has been copied at {bed.sshfs} meanwhile")
    finally:
        for each in (sleeper, foreign):
            each.kill()
            each.wait()
