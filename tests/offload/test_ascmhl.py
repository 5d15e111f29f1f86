"""The reference tool `ascmhl` takes graycard's manifests, and graycard takes its.

It is installed once, in an environment of its own (it needs another click), which is kept with pytest's cache.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from graycard.mhl import HashFormat
from graycard.offload import Kind
from tests.offload.carried import carried, job_of, small_card
from tests.offload.test_faults import changed, checked

RELEASE = "ascmhl==1.2"
FAILED = 11  # ascmhl/errors.py


@pytest.fixture(scope="module")
def ascmhl(request: pytest.FixtureRequest) -> Path:
    """The folder with the programs of the reference tool."""
    kept = Path(request.config.cache.mkdir("ascmhl"))
    folder = kept / f"{RELEASE}-{sys.version_info.major}.{sys.version_info.minor}"
    with (kept / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the tests of this file may run in several processes at once
        if not (folder / "ready").exists():
            install(folder)
    return folder / "bin"


def install(folder: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--clear", "--without-pip", str(folder)], check=True)
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python"), "--disable-pip-version-check"]
    done = subprocess.run([*pip, "install", "-q", RELEASE], capture_output=True, text=True, check=False)
    if done.returncode and os.environ.get("CI") != "true":
        pytest.skip(f"{RELEASE} cannot be installed: {done.stderr.strip()[-200:]}")
    assert done.returncode == 0, done.stderr
    (folder / "ready").touch()


def reference(programs: Path, *arguments: str) -> tuple[int, str]:
    name = "ascmhl-debug" if arguments[0] == "verify" else "ascmhl"
    done = subprocess.run([str(programs / name), *arguments], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_it_verifies_what_graycard_wrote_and_finds_what_was_changed(ascmhl: Path, tmp_path: Path) -> None:
    card, to = small_card(tmp_path), tmp_path / "to"
    (card / "A" / "Käfer & <clip> 🎬.mov").write_bytes(b"take")
    to.mkdir()
    assert carried(job_of(card, to)).faults == ()
    folder = to / "CARD"
    assert reference(ascmhl, "verify", str(folder)) == (0, "")
    assert reference(ascmhl, "verify", "-dh", "-h", "xxh3", str(folder))[0] == 0
    changed(folder / "C/large.mxf", 4711)
    code, says = reference(ascmhl, "verify", str(folder))
    assert code == FAILED
    assert "hash mismatch" in says
    assert "C/large.mxf" in says


def test_it_goes_on_where_graycard_began(ascmhl: Path, tmp_path: Path) -> None:
    """A second generation of its own over the first of graycard's, and a third of graycard's over both."""
    kind = HashFormat.MD5
    card, to, third = small_card(tmp_path), tmp_path / "to", tmp_path / "third"
    to.mkdir()
    third.mkdir()
    carried(job_of(card, to, verify=kind))
    code, says = reference(ascmhl, "create", "-v", "-h", kind.value, str(to / "CARD"))
    assert (code, "ERROR" in says) == (0, False), says
    assert says.count("verified  ") >= 6
    assert checked(to / "CARD").faults == ()
    outcome = carried(job_of(to / "CARD", third, verify=kind))
    assert outcome.faults == ()
    assert reference(ascmhl, "verify", str(third / "CARD"))[0] == 0
    assert len(list((third / "CARD" / "ascmhl").glob("*.mhl"))) == 3


def test_graycard_verifies_what_it_wrote(ascmhl: Path, tmp_path: Path) -> None:
    card = small_card(tmp_path)
    assert reference(ascmhl, "create", "-h", "xxh128", "-h", "c4", str(card))[0] == 0
    assert checked(card).faults == ()
    changed(card / "A/B/four.mov", 0)
    assert [(each.kind, each.path) for each in checked(card).faults] == [(Kind.DIFFERS, "A/B/four.mov")]
