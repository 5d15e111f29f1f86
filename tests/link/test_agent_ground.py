"""The far end's disk tests and samples: only in a folder of its own, bounded, and nothing left."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path
from typing import Any

import pytest

from graycard.agent import sampling
from graycard.agent.ground import Ground
from graycard.agent.processes import process
from graycard.agent.sampling import cores, disks, interfaces, memory, pressure
from graycard.agent.session import Session
from graycard.scratch import State, clean, elsewhere

MIB = 1 << 20


def finished(session: Session) -> dict[str, Any]:
    until = time.monotonic() + 60
    while (told := session.answer({"do": "disk_told"})).get("running"):
        assert time.monotonic() < until
        time.sleep(0.01)
    return told


def test_what_is_written_is_read_and_removed(tmp_path: Path) -> None:
    session = Session("127.0.0.1", root=str(tmp_path))
    assert session.answer({"do": "disk", "what": "write", "bytes": 5 * MIB + 7}) == {}
    written = finished(session)
    assert (written["moved_bytes"], sum(written["slots"])) == (5 * MIB + 7, 5 * MIB + 7)
    assert written["flush_ns"] > 0
    assert session.answer({"do": "disk", "what": "read", "bytes": 5 * MIB + 7}) == {}
    assert finished(session)["moved_bytes"] == 5 * MIB + 7
    (folder,) = tmp_path.iterdir()
    assert re.fullmatch(r"\.graycard-[0-9a-f]{16}", folder.name)
    session.close()
    assert list(tmp_path.iterdir()) == []


def test_the_folder_is_named_by_the_near_end_and_holds_its_marker(tmp_path: Path) -> None:
    names = elsewhere()
    session = Session("127.0.0.1", root=str(tmp_path))
    assert "error" not in session.answer({"do": "hello", "folder": names.name, "marker": names.marker})
    session.answer({"do": "disk", "what": "write", "bytes": MIB})
    finished(session)
    folder = tmp_path / names.name
    assert sorted(each.name for each in folder.iterdir()) == sorted([names.marker_name, names.file])
    # As long as the near end runs nobody else removes it.
    (kept,) = clean(str(tmp_path)).kept
    assert (kept.state, kept.pid) == (State.ALIVE, os.getpid())
    session.close()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["../x", ".graycard-1", "/etc", ".graycard-0123456789abcdef/..", ""])
def test_the_folder_has_no_other_name(tmp_path: Path, name: str) -> None:
    session = Session("127.0.0.1", root=str(tmp_path))
    assert "error" in session.answer({"do": "hello", "folder": name, "marker": "x"})
    assert "error" in session.answer({"do": "hello", "folder": ".graycard-0123456789abcdef", "marker": "x" * 5000})
    session.close()


def test_a_user_s_files_are_never_touched(tmp_path: Path) -> None:
    (tmp_path / "theirs").write_bytes(b"theirs")
    session = Session("127.0.0.1", root=str(tmp_path))
    session.answer({"do": "disk", "what": "write", "bytes": MIB})
    finished(session)
    session.close()
    assert [each.name for each in tmp_path.iterdir()] == ["theirs"]


def test_the_end_of_the_near_one_ends_a_write_in_the_middle(tmp_path: Path) -> None:
    session = Session("127.0.0.1", root=str(tmp_path))
    session.answer({"do": "disk", "what": "write", "bytes": 1 << 30})
    assert session.answer({"do": "disk", "what": "write", "bytes": MIB}) == {"error": "a disk test is running already"}
    session.close()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "request_",
    [
        {"do": "disk", "what": "write", "bytes": 0},
        {"do": "disk", "what": "write", "bytes": -1},
        {"do": "disk", "what": "write", "bytes": 1 << 60},
        {"do": "disk", "what": "remove", "bytes": 1},
        {"do": "disk", "what": "write"},
        {"do": "disk", "what": "read", "bytes": "../../etc"},
        {"do": "disk_told"},
        {"do": "samples", "since": 0},
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path: Path, request_: dict[str, object]) -> None:
    session = Session("127.0.0.1", root=str(tmp_path))
    assert "error" in session.answer(request_)
    session.close()
    assert list(tmp_path.iterdir()) == []


def test_without_a_folder_there_are_no_disk_tests() -> None:
    told = Session("127.0.0.1").answer({"do": "disk", "what": "write", "bytes": MIB})
    assert told == {"error": "no folder was named for disk tests"}


def kept(session: Session, folder: Path, marker: str) -> Path:
    """A folder of the near end's over the share, with its marker and a copy in it."""
    (folder / "copies.tree" / "a").mkdir(parents=True)
    (folder / "copies.tree" / "a" / "b").write_bytes(b"x")
    (folder / "owner.json").write_text(marker)
    assert session.answer({"do": "keep", "folder": folder.name, "marker": "mine"}) == {}
    return folder


def test_what_the_near_end_has_made_over_the_share_goes_with_it_and_nothing_else(tmp_path: Path) -> None:
    root, elsewhere_ = tmp_path / "share", tmp_path / "elsewhere"
    elsewhere_.mkdir()
    (elsewhere_ / "theirs").write_bytes(b"x")
    session = Session("127.0.0.1", root=str(root))
    mine = kept(session, root / f".graycard-{'1' * 16}", "mine")
    (mine / "copies.tree" / "out").symlink_to(elsewhere_)
    others = kept(session, root / f".graycard-{'2' * 16}", "theirs")
    away = kept(session, elsewhere_ / f".graycard-{'3' * 16}", "mine")
    (root / away.name).symlink_to(away)
    session.close()
    assert sorted(root.iterdir()) == [others, root / away.name]
    assert (others / "copies.tree" / "a" / "b").exists()
    assert (away / "copies.tree" / "a" / "b").exists()
    assert (elsewhere_ / "theirs").exists()


def test_folders_that_are_kept_are_named_as_a_runs_and_bounded(tmp_path: Path) -> None:
    session = Session("127.0.0.1", root=str(tmp_path))
    for name, marker in (("../x", "mine"), (f".graycard-{'1' * 16}", ""), (f".graycard-{'1' * 16}", "x" * 5000)):
        assert "error" in session.answer({"do": "keep", "folder": name, "marker": marker})
    told = [session.answer({"do": "keep", "folder": f".graycard-{at:016x}", "marker": "mine"}) for at in range(17)]
    assert ["error" in each for each in told] == [*[False] * 16, True]


def test_whether_the_named_folder_can_be_used_is_told_at_the_beginning(tmp_path: Path) -> None:
    for root, may_write in ((str(tmp_path), True), (str(tmp_path / "not there"), False), ("", None)):
        assert Session("127.0.0.1", root=root).answer({"do": "hello"})["may_write"] is may_write


def test_a_full_disk_is_said_before_anything_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Ground, "free_bytes", lambda _self: 10)
    told = Session("127.0.0.1", root=str(tmp_path)).answer({"do": "disk", "what": "write", "bytes": MIB})
    assert "not enough free space" in told["error"]
    assert list(tmp_path.iterdir()) == []


def test_samples_of_this_computer() -> None:
    session = Session("127.0.0.1")
    session.answer({"do": "sample"})
    until = time.monotonic() + 30
    while len(session.answer({"do": "samples", "since": 0})["samples"]) < 3:
        assert time.monotonic() < until
        time.sleep(0.05)
    told = session.answer({"do": "samples", "since": 1, "stop": True})
    first, second = told["samples"][:2]
    assert second["at_ns"] > first["at_ns"]
    assert len(first["cores"]) == os.cpu_count()
    assert first["memory"]["total_bytes"] > first["memory"]["dirty_bytes"]
    assert told["next"] == 1 + len(told["samples"])
    session.close()


def test_samples_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "STEP_S", 0.001)
    monkeypatch.setattr(sampling, "MOST_SAMPLES", 5)
    sampler = sampling.Sampler()
    until = time.monotonic() + 30
    while sampler.told(0, 1)["next"] < 10:
        assert time.monotonic() < until
        time.sleep(0.01)
    sampler.stop()
    assert len(sampler.told(0, 100)["samples"]) <= 5


def test_what_proc_says() -> None:
    stat = "cpu  1 1 1 1 1 1 1 1 0 0\ncpu0 10 1 20 100 5 2 3 4 0 0\nintr 5\n"
    assert cores(stat) == [[36, 5, 4, 145]]
    assert process("42 (a (b) c) S " + " ".join(["0"] * 10) + " 7 5 0 0") == ("a (b) c", 12)
    line = "   8       0 sda 10 0 200 30 4 0 50 60 0 70 80 0 0 0 0\n   1 0 ram0 1 0 1 1 1 0 1 1 0 1 1\n"
    assert disks(line) == {"sda": [200 * 512, 50 * 512, 70, 14, 90]}
    assert memory("MemTotal:  4 kB\nDirty: 2 kB\nOther: 9 kB\n") == {"total_bytes": 4096, "dirty_bytes": 2048}
    assert pressure("some avg10=0.00 avg60=0.00 avg300=0.00 total=7\nfull avg10=0 total=3\n") == [7, 3]
    assert pressure("") is None
    net = "Inter-|\n face |\n    lo: 1 1 0 0 0 0 0 0 1 1 0 0 0 0 0 0\n  eth0: 5 1 2 3 0 0 0 0 9 1 4 6 0 0 0 0\n"
    assert interfaces(net) == {"eth0": [5, 9, 15]}
