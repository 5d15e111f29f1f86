"""The run's own folder: removed whatever happens, and nobody else's file is ever touched."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest
from bed.loops import LoopImage

from graycard.errors import Interrupted, Problem, RunProblem, TargetProblem
from graycard.scratch import Scratch, State, clean, leftovers, others_running, present
from graycard.scratch import owner as owners
from graycard.scratch import place
from graycard.scratch.names import MARKER, folder_name, id_of
from graycard.scratch.owner import Owner, decode, encode, this_owner
from graycard.scratch.place import OpenFolder
from graycard.scratch.running import registry_folder
from graycard.scratch.trouble import cannot_prepare

NOBODY = 65534
SOME_ID = "0123456789abcdef"
CHILD = """
import sys, time
from graycard.scratch import Scratch
folder, registry, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
for _ in range(rounds):
    with Scratch(folder, registry) as scratch:
        for word in ("read", "write"):
            with open(scratch.file_path(word), "xb") as file:
                file.write(bytes(1000))
        print(scratch.path.encode("utf-8", "surrogateescape").hex(), flush=True)
        time.sleep(60 if rounds == 1 else 0.001)
"""


@pytest.fixture
def target(tmp_path: Path) -> str:
    path = tmp_path / "target"
    path.mkdir()
    return str(path)


@pytest.fixture
def registry(tmp_path: Path) -> str:
    path = tmp_path / "registry"
    path.mkdir()
    return str(path)


@contextlib.contextmanager
def child(target: str, registry: str, rounds: int = 1) -> Iterator[subprocess.Popen[str]]:
    """A process that measures in `target`, started; killed at the end if it still runs."""
    command = [sys.executable, "-c", CHILD, target, registry, str(rounds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def path_of(process: subprocess.Popen[str]) -> str:
    """The folder that the child has just made."""
    assert process.stdout
    return bytes.fromhex(process.stdout.readline()).decode("utf-8", "surrogateescape")


def measured(target: str, registry: str, then: Callable[[Scratch], object]) -> None:
    """A run that makes a test file and then does something."""
    with Scratch(target, registry) as scratch:
        Path(scratch.file_path("read")).write_bytes(b"data")
        then(scratch)


def failing(target: str, registry: str, then: Callable[[Scratch], object]) -> RunProblem:
    """The problem of a run whose folder could not be removed."""
    with pytest.raises(RunProblem, match="could not be removed") as caught:
        measured(target, registry, then)
    assert caught.value.phase == "cleanup"
    return caught.value


def killed(target: str, registry: str) -> str:
    """A folder left behind by a process that kill -9 ended."""
    with child(target, registry) as process:
        path = path_of(process)
        process.kill()
        process.wait()
    assert sorted(os.listdir(path)) == [MARKER, "read.graycard", "write.graycard"]
    return path


def edit_marker(path: str, **changes: Any) -> None:
    marker = Path(path, MARKER)
    marker.write_text(json.dumps({**json.loads(marker.read_text()), **changes}))


def tree(folder: str) -> dict[str, bytes | None]:
    """All names below a folder with the content of regular files."""
    found: dict[str, bytes | None] = {}
    for path in sorted(Path(folder).rglob("*")):
        found[str(path.relative_to(folder))] = path.read_bytes() if path.is_file() and not path.is_symlink() else None
    return found


# A run.


def test_makes_a_private_folder_with_a_marker_and_removes_it(target: str, registry: str) -> None:
    with Scratch(target, registry) as scratch:
        assert os.path.dirname(scratch.path) == target
        assert id_of(os.path.basename(scratch.path)) == scratch.id
        assert stat.S_IMODE(os.stat(scratch.path).st_mode) == 0o700
        owner = decode(Path(scratch.path, MARKER).read_bytes(), scratch.id)
        assert owner is not None
        assert (owner.pid, owner.user, owner.folder_user) == (os.getpid(), os.geteuid(), os.geteuid())
        Path(scratch.file_path("read")).write_bytes(b"data")
        scratch.file_path("never-made")
    assert os.listdir(target) == []
    assert os.listdir(registry) == []


def test_two_runs_have_folders_of_their_own(target: str, registry: str) -> None:
    with Scratch(target, registry) as one, Scratch(target, registry) as two:
        assert one.path != two.path


@pytest.mark.parametrize("word", ["", "../read", "Read", "a/b", "owner.json", "-x", "x" * 41])
def test_only_plain_words_name_test_files(target: str, registry: str, word: str) -> None:
    with Scratch(target, registry) as scratch, pytest.raises(ValueError, match="no plain word"):
        scratch.file_path(word)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), Interrupted("stopped"), SystemExit(3), OSError(5, "x")])
def test_removes_all_when_the_run_fails(target: str, registry: str, error: BaseException) -> None:
    def fail(_: Scratch) -> None:
        raise error

    with pytest.raises(type(error)) as caught:
        measured(target, registry, fail)
    assert caught.value is error
    assert os.listdir(target) == []
    assert os.listdir(registry) == []


NAMES = [
    b"plain",
    "Größe 日本".encode(),
    b"with blank",
    b"a:b",
    b"line\nbreak",
    b"bad\xff\xfebytes",
    b"-rf",
    b"$(x)`'\"",
]


@pytest.mark.parametrize("name", NAMES)
def test_any_path(target: str, registry: str, name: bytes) -> None:
    folder = os.path.join(target, os.fsdecode(name))
    os.mkdir(folder)
    left = killed(folder, registry)
    with Scratch(folder, registry) as scratch:
        Path(scratch.file_path("read")).write_bytes(b"data")
        assert others_running(folder, scratch.id, registry) == 0
    assert clean(folder).removed == (left,)
    assert os.listdir(folder) == []


def test_problems_print_any_path_on_one_line(target: str, registry: str) -> None:
    with pytest.raises(TargetProblem) as caught, Scratch(os.path.join(target, "a\n\udcff"), registry):
        pass
    assert str(caught.value) == f"{target}/a\\n\\xff is not there or no folder; check the path."


def test_works_when_the_current_folder_has_vanished(
    target: str, registry: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(FileNotFoundError):
        os.getcwd()
    with Scratch(target, registry) as scratch:
        Path(scratch.file_path("read")).write_bytes(b"data")
    assert clean(target).kept == ()
    assert os.listdir(target) == []


def test_a_swapped_link_redirects_nothing(target: str, registry: str, tmp_path: Path) -> None:
    victim, moved = tmp_path / "victim", tmp_path / "moved"
    victim.mkdir()
    for name in ("read.graycard", MARKER):
        (victim / name).write_bytes(b"precious")

    def swap(scratch: Scratch) -> None:
        os.rename(scratch.path, moved)
        os.symlink(victim, scratch.path)

    assert failing(target, registry, swap).errno == errno.ENOTDIR
    assert tree(str(victim)) == {"read.graycard": b"precious", MARKER: b"precious"}
    assert tree(str(moved)) == {}, "what the run made is removed where it lies now"


def add_notes(scratch: Scratch) -> None:
    Path(scratch.path, "notes").write_text("mine")


def test_a_foreign_file_in_the_folder_is_left_and_told(target: str, registry: str) -> None:
    problem = failing(target, registry, add_notes)
    assert "holds files that graycard did not make: notes" in str(problem)
    assert f"run “graycard clean {target}”" in str(problem)
    (name,) = os.listdir(target)
    assert sorted(os.listdir(os.path.join(target, name))) == ["notes", MARKER]


def test_failed_removal_is_a_note_on_the_error_under_way(target: str, registry: str) -> None:
    def stop(scratch: Scratch) -> None:
        add_notes(scratch)
        raise Interrupted("stopped")

    with pytest.raises(Interrupted) as caught:
        measured(target, registry, stop)
    (note,) = caught.value.__notes__
    assert "could not be removed" in note


@pytest.mark.parametrize("call", ["remove_file", "remove_folder", "names", "close"])
@pytest.mark.parametrize("stop", [KeyboardInterrupt(), Interrupted("SIGTERM")])
@pytest.mark.parametrize("after", [False, True])
def test_a_stop_during_the_removal_still_removes_all(
    target: str, registry: str, monkeypatch: pytest.MonkeyPatch, call: str, stop: BaseException, after: bool
) -> None:
    real: Callable[..., Any] = getattr(OpenFolder, call)
    stops = [stop]

    def interrupted(*arguments: Any) -> Any:
        if after:
            real(*arguments)
        if stops:
            raise stops.pop()
        return real(*arguments)

    with pytest.raises(type(stop)):
        measured(target, registry, lambda _: monkeypatch.setattr(OpenFolder, call, interrupted))
    assert stops == []
    assert os.listdir(target) == []
    assert os.listdir(registry) == []


@pytest.mark.parametrize("call", ["make_folder", "child", "create", "info"])
@pytest.mark.parametrize("after", [False, True])
def test_a_stop_while_the_folder_is_made_leaves_nothing(
    target: str, registry: str, monkeypatch: pytest.MonkeyPatch, call: str, after: bool
) -> None:
    real: Callable[..., Any] = getattr(OpenFolder, call)

    def interrupted(*arguments: Any) -> Any:
        if after:
            real(*arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(OpenFolder, call, interrupted)
        with pytest.raises(KeyboardInterrupt), Scratch(target, registry):
            pass
    assert os.listdir(target) == []


def test_open_descriptors_are_given_back(target: str, registry: str) -> None:
    before = psutil.Process().num_fds()
    for _ in range(5):
        with Scratch(target, registry):
            pass
        leftovers(target)
        others_running(target, None, registry)
    assert psutil.Process().num_fds() == before


def test_without_lookups_by_descriptor(
    target: str, registry: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on Windows, where names are looked up by whole paths."""
    monkeypatch.setattr(place, "BY_DESCRIPTOR", False)
    path = killed(target, registry)
    Path(target, folder_name(SOME_ID)).symlink_to(path)
    assert [each.state for each in leftovers(target)] in ([State.DEAD, None], [None, State.DEAD])
    measured(target, registry, lambda _: None)
    done = clean(target)
    assert done.removed == (path,)
    assert "is no folder" in str(done.kept[0].why_kept)
    assert os.listdir(target) == [folder_name(SOME_ID)]
    assert "is not there or no folder" in str(entering(path, registry))


# Places that refuse.


def entering(folder: str, registry: str) -> Problem:
    with pytest.raises(Problem) as caught, Scratch(folder, registry):
        pass
    return caught.value


@contextlib.contextmanager
def as_nobody() -> Iterator[None]:
    """Act as an ordinary user where the tests run as root."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def test_an_unwritable_folder_names_the_permission(registry: str) -> None:
    folder = tempfile.mkdtemp()  # not below tmp_path, which an ordinary user may not even enter
    try:
        os.chmod(folder, 0o555)
        with as_nobody():
            problem = entering(folder, registry)
        assert isinstance(problem, TargetProblem)
        assert problem.exit_code == 11
        assert str(problem).startswith(f"You may not write in {folder} (dr-xr-xr-x, owner {os.geteuid()});")
        assert os.listdir(folder) == []
    finally:
        os.rmdir(folder)


def test_a_missing_folder_and_a_file_in_its_place(target: str, registry: str) -> None:
    file = os.path.join(target, "file")
    Path(file).write_bytes(b"precious")
    for path in (os.path.join(target, "missing"), file):
        assert "is not there or no folder" in str(entering(path, registry))
        with pytest.raises(TargetProblem, match="cannot be read"):
            leftovers(path)
    assert Path(file).read_bytes() == b"precious"


@pytest.mark.parametrize(
    ("number", "kind", "says"),
    [
        (errno.EPERM, TargetProblem, "You may not write in /mnt/x;"),
        (errno.EROFS, TargetProblem, "read-only"),
        (errno.ENOSPC, TargetProblem, "is full"),
        (errno.EDQUOT, TargetProblem, "is full (Disk quota exceeded)"),
        (errno.ESTALE, TargetProblem, "does not answer (Stale file handle)"),
        (errno.ENOTCONN, TargetProblem, "does not answer"),
        (errno.EIO, RunProblem, "could not be made in /mnt/x (Input/output error)"),
    ],
)
def test_each_error_has_its_sentence(number: int, kind: type[Problem], says: str) -> None:
    problem = cannot_prepare(OSError(number, os.strerror(number)), "/mnt/x")
    assert type(problem) is kind
    assert says in str(problem)


@pytest.mark.root
def test_a_read_only_volume(mount_at: Callable[..., str], registry: str) -> None:
    problem = entering(mount_at("tmpfs", "locked", kind="tmpfs", options="ro"), registry)
    assert isinstance(problem, TargetProblem)
    assert "is read-only; to measure reading alone, use --read-only" in str(problem)


@pytest.mark.root
@pytest.mark.parametrize("inodes", [1, 2])
def test_a_full_volume(mount_at: Callable[..., str], registry: str, inodes: int) -> None:
    full = mount_at("tmpfs", "full", kind="tmpfs", options=f"nr_inodes={inodes}")
    problem = entering(full, registry)
    assert isinstance(problem, TargetProblem)
    assert "is full (No space left on device)" in str(problem)
    assert os.listdir(full) == []


@pytest.mark.root
def test_a_volume_that_fails_in_the_middle(loop_image: LoopImage, registry: str) -> None:
    volume = loop_image(16 << 20)

    def shut_down(_: Scratch) -> None:
        folder = os.open(volume, os.O_RDONLY)
        try:
            fcntl.ioctl(folder, 0x8004587D, (2).to_bytes(4, "little"))  # EXT4_IOC_SHUTDOWN without flushing
        finally:
            os.close(folder)

    assert failing(volume, registry, shut_down).errno == errno.EIO
    assert os.listdir(registry) == []
    problem = entering(volume, registry)
    assert isinstance(problem, RunProblem)
    assert (problem.phase, problem.errno) == ("prepare", errno.EIO)


@contextlib.contextmanager
def server_of(source: str, mount: str) -> Iterator[subprocess.Popen[bytes]]:
    """A FUSE server that passes on a folder, mounted."""
    server = subprocess.Popen([sys.executable, "-c", SERVER, source, mount])
    try:
        deadline = time.monotonic() + 20
        while not os.path.ismount(mount):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        yield server
    finally:
        server.kill()
        server.wait()
        subprocess.run(["umount", "-l", mount], check=False, capture_output=True)


@pytest.mark.root
def test_a_share_whose_server_has_died(tmp_path: Path, registry: str) -> None:
    source, mount = tmp_path / "source", tmp_path / "mount"
    source.mkdir()
    mount.mkdir()
    with server_of(str(source), str(mount)) as server:

        def die(scratch: Scratch) -> None:
            assert sorted(os.listdir(source / folder_name(scratch.id))) == [MARKER, "read.graycard"]
            server.kill()
            server.wait()

        assert failing(str(mount), registry, die).errno == errno.ENOTCONN
        assert "does not answer" in str(entering(str(mount), registry))
    assert clean(str(source)).kept[0].state is State.ALIVE


SERVER = """
import os, sys
import mfusepy

class Passing(mfusepy.Operations):
    use_ns = True
    def at(self, path):
        return sys.argv[1] + path
    def getattr(self, path, fh=None):
        info = os.lstat(self.at(path))
        return {name: getattr(info, name) for name in ("st_mode", "st_size", "st_uid", "st_gid", "st_nlink")}
    def readdir(self, path, fh):
        return [".", "..", *os.listdir(self.at(path))]
    def mkdir(self, path, mode):
        os.mkdir(self.at(path), mode)
    def create(self, path, mode, fi=None):
        return os.open(self.at(path), os.O_CREAT | os.O_RDWR | os.O_EXCL, mode)
    def write(self, path, data, offset, fh):
        return os.pwrite(fh, data, offset)
    def release(self, path, fh):
        os.close(fh)

try:
    mfusepy.FUSE(Passing(), sys.argv[2], foreground=True)
except OSError as error:
    sys.exit(str(error))
"""


# What was left behind.


def test_kill_leaves_a_folder_that_clean_removes(target: str, registry: str) -> None:
    Path(target, "clip.mov").write_bytes(b"precious")
    path = killed(target, registry)
    (found,) = leftovers(target)
    assert (found.path, found.state, found.why_kept) == (path, State.DEAD, None)
    assert os.path.isdir(path), "looking removes nothing"
    done = clean(target)
    assert (done.removed, done.kept) == ((path,), ())
    assert done.removed_bytes == found.size_bytes > 2000
    assert tree(target) == {"clip.mov": b"precious"}
    assert clean(target).removed == ()


def test_a_killed_process_that_nobody_has_waited_for_is_dead(target: str, registry: str) -> None:
    with child(target, registry) as process:
        path = path_of(process)
        os.kill(process.pid, signal.SIGKILL)
        while psutil.Process(process.pid).status() != psutil.STATUS_ZOMBIE:
            time.sleep(0.01)
        assert clean(target).removed == (path,)


def test_a_live_run_is_kept(target: str, registry: str) -> None:
    with child(target, registry) as process:
        path = path_of(process)
        (kept,) = clean(target).kept
        assert (kept.path, kept.state) == (path, State.ALIVE)
        assert f"in use by the running process {process.pid}" in str(kept.why_kept)
        assert sorted(os.listdir(path)) == [MARKER, "read.graycard", "write.graycard"]


def test_interrupt_from_the_keyboard_leaves_nothing(target: str, registry: str) -> None:
    with child(target, registry) as process:
        path_of(process)
        process.send_signal(signal.SIGINT)
        process.wait()
    assert os.listdir(target) == []
    assert os.listdir(registry) == []


def test_kill_at_any_moment_leaves_nothing_that_clean_wrongly_keeps(target: str, registry: str) -> None:
    Path(target, "clip.mov").write_bytes(b"precious")
    for attempt in range(10):
        with child(target, registry, rounds=100_000) as process:
            path_of(process)
            time.sleep(0.003 * attempt)
            process.kill()
            process.wait()
        assert clean(target).kept == () or unproven_are_empty(target)
    assert tree(target) == {"clip.mov": b"precious"}
    assert others_running(target, None, registry) == 0
    assert os.listdir(registry) == []


def unproven_are_empty(target: str) -> bool:
    """Between the folder and its marker lies a moment whose kill leaves an empty folder: told, and removed here."""
    for each in leftovers(target):
        assert "is empty" in str(each.why_kept) or "no valid marker" in str(each.why_kept)
        assert all(os.path.getsize(os.path.join(each.path, name)) == 0 for name in os.listdir(each.path))
        shutil.rmtree(each.path)
    return True


def test_a_process_number_used_again_is_not_the_owner(target: str, registry: str) -> None:
    path = killed(target, registry)
    edit_marker(path, pid=os.getpid())
    assert clean(target).removed == (path,)


def test_setting_the_clock_does_not_kill_a_live_run(
    target: str, registry: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with child(target, registry) as process:
        path_of(process)
        boot_time, create_time = psutil.boot_time, psutil.Process.create_time
        monkeypatch.setattr(psutil, "boot_time", lambda: boot_time() + 86400)
        monkeypatch.setattr(psutil.Process, "create_time", lambda self: create_time(self) + 86400)
        assert [each.state for each in leftovers(target)] == [State.ALIVE]


def test_a_process_that_may_not_be_looked_at_counts_as_alive(
    target: str, registry: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(pid: int) -> float | None:
        raise psutil.AccessDenied(pid)

    killed(target, registry)
    monkeypatch.setattr(owners, "started_s", denied)
    assert [each.state for each in clean(target).kept] == [State.ALIVE]


KEPT: list[tuple[dict[str, Any], str]] = [
    ({"machine": ["00ff"]}, "made on another computer"),
    ({"machine": []}, "made on another computer"),
    ({"user": 12345}, "belongs to another user (number 12345)"),
    ({"folder_user": 12345}, "belongs to another user"),
    ({"id": SOME_ID}, "no valid marker"),
    ({"schema": "graycard-owner/2"}, "no valid marker"),
    ({"pid": "1"}, "no valid marker"),
]


@pytest.mark.parametrize(("changes", "says"), KEPT)
def test_what_is_not_proven_ours_is_kept(target: str, registry: str, changes: dict[str, Any], says: str) -> None:
    path = killed(target, registry)
    edit_marker(path, **changes)
    before = tree(target)
    done = clean(target)
    assert done.removed == ()
    assert says in str(done.kept[0].why_kept)
    assert tree(target) == before


def dead_owner(**changes: Any) -> Owner:
    """This process as an owner that has ended: no process began before the boot."""
    return replace(this_owner(SOME_ID), started_s=-1000.0, **changes)


def look_alike(target: str, name: str = folder_name(SOME_ID), marker: bytes | None = None) -> Path:
    folder = Path(target, name)
    folder.mkdir()
    (folder / "read.graycard").write_bytes(b"precious")
    if marker is not None:
        (folder / MARKER).write_bytes(marker)
    return folder


@pytest.mark.parametrize("marker", [None, b"", b"{}", b"null", b"\xff\x00", b"[" * 100_000, b" " * 70_000])
def test_a_folder_with_our_name_but_no_valid_marker_is_kept(target: str, marker: bytes | None) -> None:
    look_alike(target, marker=marker)
    before = tree(target)
    (kept,) = clean(target).kept
    assert kept.state is None
    assert "no valid marker" in str(kept.why_kept)
    assert tree(target) == before


@pytest.mark.parametrize(
    "name", [".graycard-notes", ".graycard-", ".graycard-0123456789ABCDEF", "graycard", ".graycard"]
)
def test_other_names_are_not_even_looked_at(target: str, name: str) -> None:
    look_alike(target, name, encode(dead_owner()))
    before = tree(target)
    assert leftovers(target) == ()
    assert clean(target).removed == ()
    assert tree(target) == before


@pytest.mark.parametrize(
    "name", ["clip.mov", "READ.graycard", ".hidden.graycard", "read.graycard.bak", "read\n.graycard"]
)
def test_a_folder_that_also_holds_something_else_is_left_whole(target: str, name: str) -> None:
    folder = look_alike(target, marker=encode(dead_owner()))
    (folder / name).write_bytes(b"precious")
    before = tree(target)
    (kept,) = clean(target).kept
    assert "holds files that graycard did not make" in str(kept.why_kept)
    assert tree(target) == before
    (folder / name).unlink()
    assert clean(target).removed == (str(folder),)


@pytest.mark.parametrize("kind", ["folder", "link", "pipe"])
@pytest.mark.parametrize("name", ["write.graycard", MARKER])
def test_our_names_on_other_things_are_kept(target: str, tmp_path: Path, kind: str, name: str) -> None:
    precious = tmp_path / "precious"
    marker = encode(dead_owner())
    precious.write_bytes(marker)
    folder = look_alike(target, marker=None if name == MARKER else marker)
    path = folder / name
    {"folder": path.mkdir, "link": lambda: path.symlink_to(precious), "pipe": lambda: os.mkfifo(path)}[kind]()
    before = tree(target)
    (kept,) = clean(target).kept
    assert kept.why_kept is not None
    assert tree(target) == before
    assert precious.read_bytes() == marker


def test_a_link_or_file_with_our_folder_name_is_kept(target: str, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    real = look_alike(str(elsewhere), marker=encode(dead_owner()))
    Path(target, folder_name(SOME_ID)).symlink_to(real)
    Path(target, folder_name("f" * 16)).write_bytes(b"precious")
    done = clean(target)
    assert done.removed == ()
    assert all("is no folder" in str(each.why_kept) for each in done.kept)
    assert len(done.kept) == 2
    assert (real / "read.graycard").read_bytes() == b"precious"


@pytest.mark.root
def test_what_another_user_made_is_told_even_to_root(target: str) -> None:
    folder = look_alike(target, marker=encode(dead_owner(user=NOBODY, folder_user=NOBODY)))
    os.chown(folder, NOBODY, NOBODY)
    assert "belongs to another user (number 65534)" in str(clean(target).kept[0].why_kept)


@pytest.mark.root
def test_a_volume_that_gives_all_files_another_owner(loop_image: LoopImage, registry: str) -> None:
    volume = loop_image(16 << 20, "mkfs.exfat", "uid=1234,umask=000")
    path = killed(volume, registry)
    assert os.stat(path).st_uid == 1234
    assert clean(volume).removed == (path,)
    with Scratch(volume, registry) as scratch:
        Path(scratch.file_path("read")).write_bytes(b"data")
    assert os.listdir(volume) == []


@pytest.mark.root
def test_removal_that_the_volume_refuses_is_told(mount_at: Callable[..., str], registry: str) -> None:
    volume = mount_at("tmpfs", "volume", kind="tmpfs")
    path = killed(volume, registry)
    subprocess.run(["mount", "-o", "remount,ro", volume], check=True)
    done = clean(volume)
    assert done.removed == ()
    assert f"{path} cannot be read or removed (Read-only file system)" in str(done.kept[0].why_kept)


def test_several_cleaners_at_once(target: str, registry: str) -> None:
    paths = sorted(killed(target, registry) for _ in range(3))
    together = threading.Barrier(4)

    def cleaner(_: int) -> tuple[str, ...]:
        together.wait()
        done = clean(target)
        assert all("is empty" in str(each.why_kept) for each in done.kept), "another cleaner is just removing it"
        return done.removed

    with ThreadPoolExecutor(4) as pool:
        removed = [path for each in pool.map(cleaner, range(4)) for path in each]
    assert sorted(set(removed)) == paths
    assert os.listdir(target) == []


# Others.


def test_others_are_counted_in_the_folder_and_on_the_volume(target: str, registry: str, tmp_path: Path) -> None:
    neighbour = tmp_path / "neighbour"
    neighbour.mkdir()
    assert others_running(target, None, registry) == 0
    with child(target, registry) as one, child(str(neighbour), registry) as two:
        path_of(one)
        path_of(two)
        with Scratch(target, registry) as mine:
            assert others_running(target, mine.id, registry) == 2
            assert others_running(mine.path, mine.id, registry) == 2
        two.kill()
        two.wait()
        assert others_running(target, None, registry) == 1
        assert len(os.listdir(registry)) == 1, "the entry of the dead run is removed"


def test_reading_a_file_counts_as_well(target: str, registry: str) -> None:
    file = os.path.join(target, "clip.mov")
    Path(file).write_bytes(b"data")
    with present(file, registry) as mine:
        assert others_running(file, mine, registry) == 0
        assert others_running(target, None, registry) == 1
    assert others_running(file, None, registry) == 0


@pytest.mark.root
def test_another_volume_does_not_count(target: str, registry: str, mount_at: Callable[..., str]) -> None:
    elsewhere = mount_at("tmpfs", "elsewhere", kind="tmpfs")
    with Scratch(elsewhere, registry):
        assert others_running(target, None, registry) == 0
        assert others_running(elsewhere, None, registry) == 1


def test_without_a_registry_others_are_unknown_and_not_zero(target: str, tmp_path: Path) -> None:
    missing = str(tmp_path / "missing")
    with Scratch(target, missing) as mine:
        assert others_running(target, mine.id, missing) is None
        assert others_running(target, None, missing) == 1, "the target folder still tells"


def test_registry_is_this_users_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    path = registry_folder()
    assert path is not None
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o700
    assert registry_folder() == path
    os.rmdir(path)
    os.symlink(tmp_path, path)
    assert registry_folder() is None
    os.unlink(path)
    Path(path).write_bytes(b"")
    assert registry_folder() is None


def test_machines_differ_by_name_and_by_adapter(monkeypatch: pytest.MonkeyPatch) -> None:
    here = owners.this_machine()
    assert here
    monkeypatch.setattr(owners.platform, "node", lambda: "another")
    assert not set(here) & set(owners.this_machine())
    monkeypatch.undo()
    monkeypatch.setattr(psutil, "net_if_addrs", dict)
    assert not set(here) & set(owners.this_machine())
    assert len(owners.this_machine()) == 1
