"""A run's folder is removed by a program that goes on by itself, and what it could not remove is said."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from graycard.copying import removal, servers
from graycard.copying.grounds import far_ground, near_ground
from graycard.copying.removal import Removals, by_hand, removed, removing
from graycard.errors import RunProblem
from graycard.model.copying import Place, Scheme
from graycard.scratch import Scratch, clean

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no shell")
STOP, FAILED = KeyboardInterrupt(), RunProblem("gone", errno=5, offset_bytes=None, phase="measure")


def path(folder: Path) -> Place:
    return Place(Scheme.PATH, str(folder))


def copied(tree: Path, ending: BaseException) -> None:
    (tree / "a").mkdir()
    (tree / "a" / "b\n.bin").write_bytes(b"x")
    raise ending


@pytest.mark.parametrize("ending", [STOP, FAILED], ids=["stopped", "failed"])
def test_a_run_that_ends_early_leaves_nothing(tmp_path: Path, ending: BaseException) -> None:
    with pytest.raises(type(ending)) as caught, Removals() as removals, far_ground(path(tmp_path), removals) as ground:
        copied(tmp_path / ground.tree, ending)
    assert not getattr(caught.value, "__notes__", None)
    assert list(tmp_path.iterdir()) == []


def test_what_takes_long_is_said_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = tmp_path / "gate"
    monkeypatch.setattr(removal, "STOPPED_S", 0.05)
    monkeypatch.setattr(removal, "_SCRIPT", f'while [ ! -e {gate} ]; do sleep 0.01; done; rm -rf -- "$1"')
    into = tmp_path / "into"
    into.mkdir()
    with (
        pytest.raises(KeyboardInterrupt) as caught,
        Removals() as removals,
        near_ground(str(into), removals) as scratch,
    ):
        raise KeyboardInterrupt
    assert caught.value.__notes__ == [
        f"{scratch.path} is still being removed; should it stay, run: graycard clean {into}"
    ]
    assert list(into.iterdir()) != []
    gate.touch()
    end = time.monotonic() + 20
    while list(into.iterdir()):
        assert time.monotonic() < end, "it did not go on"
        time.sleep(0.01)


def test_what_cannot_be_removed_is_said_and_its_marker_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fails = 'rm -rf -- "$1"/*.tree; echo "rm: it is busy" >&2; exit 1'
    monkeypatch.setattr(removal, "_SCRIPT", fails)
    with (
        pytest.raises(KeyboardInterrupt) as caught,
        Removals() as removals,
        near_ground(str(tmp_path), removals) as one,
    ):
        copied(Path(one.make_tree("data")), KeyboardInterrupt())
    assert caught.value.__notes__ == [
        f"{one.path} could not be removed (rm: it is busy); run: graycard clean {tmp_path}"
    ]
    # It is still known whose it was: this process runs, so it is not taken for a leftover.
    assert "is in use by the running process" in str(clean(str(tmp_path)).kept[0].why_kept)


def test_what_a_hanging_run_has_made_is_removed_without_it(tmp_path: Path) -> None:
    """Whoever waits for it has given up; the run itself is held by a call on the share."""
    removals = Removals()
    with near_ground(str(tmp_path), removals) as scratch:
        copied_there = Path(scratch.make_tree("data")) / "a"
        copied_there.write_bytes(b"x")
        removals.abandon()
        end = time.monotonic() + 20
        while list(tmp_path.iterdir()):
            assert time.monotonic() < end, "it is still there"
            time.sleep(0.01)
        scratch.release()
    removals.abandon()
    assert len(removals._begun) == 1, "what is gone is removed once"


def test_one_of_several_ways_is_enough(tmp_path: Path) -> None:
    """The mount may not see what came by another way: the other one sees it."""
    gone, stays = tmp_path / ".graycard-1", tmp_path / "other" / ".graycard-1"
    gone.mkdir()
    removals = Removals()
    removals.begin(path(gone))
    removals._begun.append(removals._files.enter_context(removal._begun(path(stays), ("false",))))
    with pytest.raises(KeyboardInterrupt) as caught, removals:
        raise KeyboardInterrupt
    assert not getattr(caught.value, "__notes__", None)
    assert not gone.exists()


def test_a_mount_that_cannot_remove_it_leaves_it_to_another_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Place(Scheme.SSH, str(tmp_path), "nas")
    asked: list[str] = []

    def by_other(folder: Place, _within_s: float, *, must_be_there: bool = False) -> str | None:
        assert must_be_there
        asked.append(folder.shown)
        return None if len(asked) < 2 else "it is not there"

    monkeypatch.setattr("graycard.copying.grounds.removed", by_other)
    monkeypatch.setattr(Scratch, "_remove", lambda _self: "it holds what is not seen")
    with Removals() as removals, far_ground(path(tmp_path), removals, [other]) as ground:
        assert asked == []
    assert asked == [f"nas:{tmp_path}/{ground.names.name}"]
    with pytest.raises(RunProblem, match="could not be removed"), Removals() as removals, far_ground(
        path(tmp_path), removals, [other]
    ):  # fmt: skip
        pass


def test_a_server_is_told_to_remove_that_folder_alone() -> None:
    there = Place(Scheme.SSH, "/srv/it's/.graycard-1", "nas", "me", ssh_config="/c")
    command = removing(there)
    assert command[:1] + command[-2:-1] == ("ssh", "me@nas")
    assert by_hand(there).startswith("run: ssh -F /c me@nas 'rm -rf -- ")
    share = Place(Scheme.SMB, "/a b/.graycard-1", "nas", "me", "share")
    assert removing(share)[-2:] == ("-c", 'deltree "a b\\.graycard-1"')
    assert "graycard clean" in by_hand(share)


def test_the_script_that_a_server_gets_removes_the_folder_and_says_where_there_is_none(tmp_path: Path) -> None:
    """As the shell there reads it."""
    folder = tmp_path / "it's .graycard-1"
    (folder / "copies.tree").mkdir(parents=True)
    for must_be_there, code in ((True, 0), (False, 0), (True, 1)):
        script = removing(Place(Scheme.SSH, str(folder), "nas"), must_be_there=must_be_there)[-1]
        done = subprocess.run(("sh", "-c", script), capture_output=True, text=True, check=False)
        assert (done.returncode, folder.exists()) == (code, False)
    assert done.stderr == "no such folder there\n"


def test_a_folder_that_is_gone_already_is_removed(tmp_path: Path) -> None:
    assert removed(path(tmp_path / ".graycard-1"), 20.0) is None


@pytest.mark.parametrize(
    ("code", "said", "says"),
    [
        (1, "mkdir: cannot create directory '/x': Read-only file system", "takes no folder (mkdir: "),
        (255, "ssh: connect to host nas port 22: No route to host", "check with: ssh -F /c me@nas true"),
        (255, "me@nas: Permission denied (publickey).", "set up a key, ssh-copy-id -F /c me@nas"),
        (255, "", "cannot be reached (exit code 255)"),
    ],
)
def test_why_a_server_takes_no_folder_over_ssh(code: int, said: str, says: str) -> None:
    assert says in servers._ssh_why(Place(Scheme.SSH, "/x", "nas", "me", ssh_config="/c"), code, said)


@pytest.mark.parametrize(
    ("printed", "known"),
    [
        ("Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/a 100 40 60 40% /srv", (102400, 61440)),
        ("Filesystem 1024-blocks Used Available Capacity Mounted on\nnone - - - - /srv", (None, None)),
        ("", (None, None)),
        ("df: /x: No such file or directory", (None, None)),
    ],
)
def test_how_much_room_a_server_has(printed: str, known: tuple[int | None, int | None]) -> None:
    assert servers._room_in(printed) == known


@pytest.mark.parametrize(
    ("said", "says"),
    [
        ("session setup failed: NT_STATUS_LOGON_FAILURE", "that user name and password"),
        ("tree connect failed: NT_STATUS_BAD_NETWORK_NAME", "no such share"),
        ("NT_STATUS_ACCESS_DENIED making remote directory \\x", "may not write there"),
        ("do_connect: Connection to nas failed (Error NT_STATUS_HOST_UNREACHABLE)", "is the server there?"),
    ],
)
def test_why_a_share_takes_no_folder(said: str, says: str) -> None:
    assert says in servers._smb_why(0, said)
