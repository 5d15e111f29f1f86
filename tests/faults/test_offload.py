"""An offload that is stopped by a signal, or meets a volume that stalls: what is whole stays, the others finish."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bed.faults_fuse import Served, fuse_requests_waiting, served_volume, wait_until
from tests.bed.faults_program import Cli
from tests.bed.rates import nbd_rated
from tests.bed.stalling_fuse import stalling
from tests.offload.carried import MIB, write

pytestmark = pytest.mark.root
NAMES = [f"A/{number}.mov" for number in range(6)]


@pytest.fixture
def card(tmp_path: Path) -> Path:
    """Small clips, then a large one."""
    for number, name in enumerate(NAMES):
        write(tmp_path / "A001" / name, 200_000, seed=number)
    write(tmp_path / "A001" / "B" / "large.mov", 40 * MIB)
    return tmp_path / "A001"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with served_volume(tmp_path) as volume:
        yield volume


def is_in_the_middle(folder: str) -> bool:
    """The small clips are whole there, and the large one is being written."""
    there = all(Path(folder, name).exists() for name in NAMES)
    return there and any(each.stat().st_size for each in Path(folder, "B").glob("*.part"))


def files_of(folder: str | Path) -> dict[str, bytes]:
    whole = [each for each in Path(folder).rglob("*") if each.is_file() and "ascmhl" not in each.parts]
    return {os.path.relpath(each, folder): each.read_bytes() for each in whole}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
def test_a_signal_keeps_what_is_whole_and_leaves_nothing_half(
    cli: Cli, card: Path, tmp_path: Path, number: signal.Signals
) -> None:
    """A drive of 16 MB/s beside a fast one, in the middle of a large clip."""
    fast = tmp_path / "fast"
    fast.mkdir()
    with nbd_rated(tmp_path, 16_000_000, "128M") as drive:
        began_s = time.monotonic()
        with cli.started("offload", str(card), drive.folder, str(fast), "--json") as program:
            wait_until(lambda: is_in_the_middle(f"{drive.folder}/A001"), "the large clip")
            start_s = time.monotonic() - began_s
            program.send(number)
            ended = program.end()
        said = ended.failed(130, "stopped; these are whole and stay: ", "go on with --resume")
        print(f"{number.name}: ended {ended.took_s:.2f} s after it, {start_s:.2f} s after its start")
        found = json.loads(ended.out)
        folders = [f"{drive.folder}/A001", f"{fast}/A001"]
        assert found["complete"] == dict.fromkeys(folders, False)
        assert found["manifests"] == []
        written = {leg["place"]: leg["files_count"] for leg in found["legs"] if leg["name"] == "write"}
        for folder in folders:
            assert files_of(folder) == {name: (card / name).read_bytes() for name in NAMES}
            assert written[folder] == len(NAMES)
            assert f"6 files in {folder}" in said
        # One second, and what a busy machine adds: its start tells that, mostly computing.
        assert ended.took_s < 1 + start_s
        resumed = cli.run("offload", str(card), str(fast), "--resume", "--json", "--quiet")
    assert resumed.code == 0, resumed.err
    assert json.loads(resumed.out)["complete"] == {folders[1]: True}
    assert files_of(folders[1]) == files_of(card)


def test_a_stalled_destination_is_told_given_up_and_named(cli: Cli, card: Path, tmp_path: Path, served: Served) -> None:
    good = tmp_path / "good"
    good.mkdir()
    folders = [f"{served.point}/A001", f"{good}/A001"]
    options = ("--patience", "3s", "--json")
    with cli.started("offload", str(card), served.point, str(good), *options, terminal=True) as program:
        wait_until(lambda: bool(list(Path(folders[0]).rglob("*.part"))), "the copy")
        served.server.send_signal(signal.SIGSTOP)
        program.wait_for_words("A001 has not answered for 2 s", patience_s=30)
        program.wait_for_words("graycard: ", patience_s=30)
        assert files_of(folders[1]) == files_of(card), "the other one is whole while the first still hangs"
        served.server.send_signal(signal.SIGCONT)
        ended = program.end()
    assert ended.code == 20, ended.err
    found = json.loads(ended.out)
    assert [(each["kind"], each["place"], each["path"]) for each in found["faults"]] == [("failed", folders[0], None)]
    assert "has not answered for 3 s and was given up (--patience 3.00 s)" in found["faults"][0]["says"]
    assert found["complete"] == {folders[0]: False, folders[1]: True}
    assert len(found["manifests"]) == 1
    assert "Traceback" not in ended.err


@pytest.mark.parametrize(
    ("call", "word"),
    [("utimens", "/A001/B"), ("open", "/A001/A/3"), ("create", "/ascmhl/")],
    ids=["times", "verify", "manifest"],
)
def test_patience_holds_to_the_end(cli: Cli, card: Path, tmp_path: Path, call: str, word: str) -> None:
    """A destination that answers until the times of folders are set, until it is read back, until its manifest."""
    good = tmp_path / "good"
    good.mkdir()
    with stalling(tmp_path, call, word) as (point, hold):
        folders = [f"{point}/A001", f"{good}/A001"]
        with cli.started("offload", str(card), str(point), str(good), "--patience", "2s", "--json") as program:
            program.wait_for_words("graycard: ")
            assert Path(f"{hold}.met").exists()
            assert files_of(folders[1]) == files_of(card)
            hold.unlink()
            ended = program.end()
        assert ended.code == 20, ended.err
        found = json.loads(ended.out)
        assert [(each["kind"], each["place"], each["path"]) for each in found["faults"]] == [
            ("failed", folders[0], None)
        ]
        assert found["complete"] == {folders[0]: False, folders[1]: True}
        assert [Path(each).parent for each in found["manifests"]] == [good / "A001" / "ascmhl"]
        assert "Traceback" not in ended.err


@pytest.mark.usefixtures("fuse_requests")
def test_ctrl_c_is_answered_while_a_destination_stalls(cli: Cli, card: Path, tmp_path: Path, served: Served) -> None:
    """The kernel keeps a process for as long as the server holds a request of it: it is told at once, all the same."""
    good = tmp_path / "good"
    good.mkdir()
    folders, device = [f"{served.point}/A001", f"{good}/A001"], os.stat(served.point).st_dev
    with cli.started("offload", str(card), served.point, str(good)) as program:
        wait_until(lambda: bool(list(Path(folders[0]).rglob("*.part"))), "the copy")
        served.server.send_signal(signal.SIGSTOP)
        wait_until(lambda: fuse_requests_waiting(device) > 0, "a request that is not answered")
        program.send(signal.SIGINT)
        begun_s = time.monotonic()
        program.wait_for_words("graycard: stopped", patience_s=30)
        print(f"Ctrl-C in a stall: told after {time.monotonic() - begun_s:.2f} s")
        assert not [name for name in files_of(folders[1]) if name.endswith(".part")]
        served.server.send_signal(signal.SIGCONT)
        ended = program.end()
    ended.failed(130, f"{folders[0]} does not answer, so a “.part” may be left there")
