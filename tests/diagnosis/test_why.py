"""`graycard why` and `graycard watch` as a user calls them: what they say beforehand, and what they leave."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from graycard.store import Store
from tests.bed.network import Wire, wire

PROGRAM = (sys.executable, "-c", "from graycard.cli.entry import run; run()")
PATIENCE_S = 90
# As the program, but it waits until the far end has told what it sampled, and until all is removed.
PATIENT = (
    sys.executable,
    "-c",
    (
        "from graycard.copying import removal\n"
        "from graycard.diagnosis import material\n"
        "removal.STOPPED_S = material.CUT_OFF_S = 60.0\n"
        "from graycard.cli.entry import run; run()"
    ),
)


def graycard(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run((*PROGRAM, *arguments), capture_output=True, text=True, check=False, timeout=PATIENCE_S)


def test_the_plan_says_what_would_be_done_and_does_nothing(tmp_path: Path) -> None:
    done = graycard("why", str(tmp_path), "--server", "me@nas:/srv/share", "--into", str(tmp_path), "--plan", "--json")
    assert done.returncode == 0
    copies, looks = json.loads(done.stdout)["says"]
    assert str(tmp_path) in copies
    assert "2 GiB at most" in copies
    assert "below /srv/share" in looks
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="the paths are those of other systems")
@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("why", "/tmp", "--server", "/no/server"), 2, "user@nas:/path"),
        (("why", "/tmp", "--time", "1s"), 10, "20 s to 30 min"),
        (("why", "/tmp", "--tool", "magic"), 10, "there is no copy tool “magic”"),
        (("why", "/tmp", "--tool", "scp"), 10, "scp cannot copy to /tmp"),
        (("watch", "999999999"), 11, "no process 999999999"),
        (("watch", "/"), 11, "on no share"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(arguments: tuple[str, ...], code: int, words: str) -> None:
    done = graycard(*arguments)
    assert done.returncode == code, done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stderr


@pytest.fixture
def bed(tmp_path: Path) -> Iterator[Wire]:
    (tmp_path / "wire").mkdir()
    with wire(tmp_path / "wire") as found:
        yield found


@pytest.mark.root
def test_ctrl_c_in_the_copy_shows_and_keeps_what_is_known_and_leaves_nothing(bed: Wire, tmp_path: Path) -> None:
    share, into, store = tmp_path / "share", tmp_path / "into", tmp_path / "store.db"
    share.mkdir()
    into.mkdir()
    bed.shape("200mbit")
    config = bed.ssh[2]
    command = bed.on(
        bed.near, *PATIENT, "--store", str(store), "why", f"nas:{share}", "--server", f"nas:{share}", "--ssh-config",
        config, "--into", str(into), "--time", "30s", "--json",
    )  # fmt: skip
    program = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        wait_for_steps(program, share)
        program.send_signal(signal.SIGINT)
        out, err = program.communicate(timeout=PATIENCE_S)
    finally:
        program.kill()
    assert program.returncode == 130, err.decode()
    told = json.loads(out)
    assert told["is_whole"] is False
    assert told["evidence"]["ceilings"]["network"]["value"] > 0
    assert told["evidence"]["ceilings"]["server_flushed"]["value"] > 0
    (timeline,) = told["evidence"]["timelines"]
    known = {track["name"] for track in timeline["tracks"] if any(value is not None for value in track["values"])}
    assert {"copy.moved_bytes", "near.tcp_acked_bytes", "near.cpu_busy_ratio", "far.cpu_busy_ratio"} <= known
    assert told["diagnosis"]["slices"]["kinds"]
    cut_off, ending = told["says"]
    assert cut_off.startswith("The copy was cut off after")
    assert ending == "What ended it: Ctrl-C."
    assert (os.listdir(share), os.listdir(into)) == ([], [])
    with Store(str(store)) as kept:
        (row,) = kept.diagnosis_rows()
        assert (row.id, row.is_whole) == (told["id"], False)


def wait_for_steps(program: subprocess.Popen[bytes], share: Path) -> None:
    """Until scp has been copying for some steps of the timeline: it makes no other copy before the one in question."""
    until, sizes = time.monotonic() + PATIENCE_S, set[int]()
    while len(sizes) < 20 and time.monotonic() < until and program.poll() is None:
        time.sleep(0.1)
        if any("scp" in child.name() for child in psutil.Process(program.pid).children(recursive=True)):
            sizes |= {found for path in share.rglob("*") if (found := size_of(path)) > 1 << 20}


def size_of(path: Path) -> int:
    """Of a file that may go at any moment."""
    with contextlib.suppress(OSError):
        return path.stat().st_size if path.is_file() else 0
    return 0
