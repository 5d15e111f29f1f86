"""A link between two computers in namespaces, tested as a user does: rates, faults, and nothing left on either side."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from graycard.agent.bundle import BOOT
from graycard.link.far_end import inside
from tests.bed.network import Wire, wire

pytestmark = pytest.mark.root
# What TCP carries of the wire's bits with packets of 1500 bytes: 1448 of 1514 (without the preamble, which tbf
# does not count).
PAYLOAD_RATIO = 1448 / 1514


@pytest.fixture(scope="module")
def bed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    with wire(tmp_path_factory.mktemp("wire")) as found:
        yield found


@pytest.fixture
def graycard(bed: Wire, tmp_path: Path) -> tuple[str, ...]:
    program = (sys.executable, "-c", "from graycard.cli.entry import run; run()")
    return bed.on(bed.near, *program, "--store", str(tmp_path / "store.db"))


def link(bed: Wire, graycard: tuple[str, ...], *options: str) -> tuple[str, ...]:
    return (*graycard, "link", "nas", "--ssh", " ".join(bed.ssh), *options)


def agents() -> list[int]:
    """The far ends that run in the networks of these tests; others on this machine are none of their business."""
    found = []
    own = {os.stat(path).st_ino for path in Path("/run/netns").glob(f"gc{os.getpid()}*")}
    for name in filter(str.isdecimal, os.listdir("/proc")):
        try:
            command = Path(f"/proc/{name}/cmdline").read_bytes()
            network = os.stat(f"/proc/{name}/ns/net").st_ino
        except OSError:
            continue
        if network not in own:
            continue
        words = command.split(b"\0")
        if len(words) > 2 and words[2] == BOOT.encode():
            found.append(int(name))
    return found


def until_no_agent() -> bool:
    until = time.monotonic() + 15
    while agents():
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def test_a_wire_of_known_rate(bed: Wire, graycard: tuple[str, ...]) -> None:
    """Both directions, one stream and three: what the wire carries, all bytes counted at both ends, no agent left."""
    bed.shape("160mbit")
    ended = subprocess.run(
        link(bed, graycard, "--streams", "1,3", "--time", "1s", "--runs", "1", "--json"),
        capture_output=True, timeout=120, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    document: dict[str, Any] = json.loads(ended.stdout)
    most = 160e6 / 8 * PAYLOAD_RATIO
    for result in document["results"]:
        rate = result["summary"]["rate"]["value"]
        # tbf lets a burst of 128 kB pass at once: 0.4 % of what the wire carries in this time.
        assert 0.8 * most < rate < 1.02 * most, (result["task"], rate)
        assert result["summary"]["checks"][0] == {**result["summary"]["checks"][0], "verdict": "pass"}
    assert [each["task"]["transfer"]["stream_count"] for each in document["results"]] == [1, 3, 1, 3]
    assert document["idle"]["count"] > 10
    assert document["refused_count"] == 0
    assert until_no_agent()


@pytest.mark.parametrize("fault", ["cable", "agent", "ctrl-c"])
def test_what_breaks_in_the_middle_is_said_and_leaves_nothing(bed: Wire, graycard: tuple[str, ...], fault: str) -> None:
    bed.shape("160mbit")
    command = link(bed, graycard, "--receive", "--streams", "1", "--time", "3s", "--runs", "2")
    program = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        until_testing(program)
        begun = time.monotonic()
        break_it(bed, fault, program)
        out, err = program.communicate(timeout=60)
    finally:
        program.kill()
        program.wait()
        subprocess.run(("ip", "-n", bed.far, "link", "set", "wire", "up"), check=True)
    assert program.returncode == (130 if fault == "ctrl-c" else 20), (out, err)
    assert "Traceback" not in err
    assert err.strip().splitlines()[-1].startswith("graycard: ")
    print(f"{fault}: told after {time.monotonic() - begun:.1f} s: {err.strip().splitlines()[-1]}")
    assert until_no_agent()


def until_testing(program: subprocess.Popen[str]) -> None:
    assert program.stderr is not None
    for line in program.stderr:
        if "testing the link" in line:
            return


def break_it(bed: Wire, fault: str, program: subprocess.Popen[str]) -> None:
    if fault == "cable":
        bed.cut()
    elif fault == "agent":
        for pid in agents():
            os.kill(pid, signal.SIGKILL)
    else:
        program.send_signal(signal.SIGINT)


@pytest.mark.parametrize(
    ("host", "options", "words"),
    [
        ("nobody@10.77.9.77", (), "ssh reached no agent"),
        ("-oProxyCommand=id", (), "no computer's name"),
        ("10.77.9.2", ("--agent", "9", "--token", "00" * 16), "no agent at 10.77.9.2"),
        ("10.77.9.2", ("--ssh", "no-such-ssh"), "cannot be started"),
    ],
)
def test_an_end_that_is_not_there(
    bed: Wire, graycard: tuple[str, ...], host: str, options: tuple[str, ...], words: str
) -> None:
    command = (*graycard, "link", "--time", "1s", *(options or ("--ssh", "ssh -o ConnectTimeout=1 -o BatchMode=yes")))
    ended = subprocess.run((*command, "--", host), capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, words in ended.stderr) == (11, True), ended.stderr


def test_ctrl_c_at_the_terminal_does_not_end_the_far_end_before_it_has_told_what_it_has() -> None:
    """The terminal sends the signal to ssh, too."""
    before = set(psutil.Process().children(recursive=True))
    with inside() as far:
        for program in set(psutil.Process().children(recursive=True)) - before:
            program.send_signal(signal.SIGINT)
        assert far.ask("clock")["at_ns"] > 0
