"""What a course of copies is made of: places, data, time slots, methods; without any device."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graycard.copying import KINDS, arms_for, census, parse_place
from graycard.copying.arms import DOWN, UP
from graycard.copying.data import file_sizes, make_data
from graycard.errors import PlanProblem, Problem, RunProblem, TargetProblem
from graycard.model.copying import CopyTask, Place, Scheme
from graycard.protocols import CopyMethod, Progress
from graycard.transfer import COPY_METHODS, OWN, flushing
from graycard.transfer.meter import TICK_NS, Meter, _fitted
from graycard.transfer.own import kernel_copies
from graycard.transfer.program import copy_by


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("/mnt/nas", Place(Scheme.PATH, "/mnt/nas")),
        ("/mnt/a:b/c", Place(Scheme.PATH, "/mnt/a:b/c")),
        ("nas:/srv/share", Place(Scheme.SSH, "/srv/share", "nas")),
        ("joe@10.0.0.2:/srv/share/", Place(Scheme.SSH, "/srv/share", "10.0.0.2", "joe")),
        ("smb://joe@nas/media/in%20box", Place(Scheme.SMB, "/in box", "nas", "joe", "media")),
        ("smb://nas/media", Place(Scheme.SMB, "", "nas", None, "media")),
        ("nfs://nas/export/a", Place(Scheme.NFS, "/export/a", "nas")),
    ],
)
def test_what_users_write(text: str, place: Place) -> None:
    assert parse_place(text) == place
    assert parse_place(place.shown) == place or "%20" in text


def test_a_drive_of_windows_is_a_path() -> None:
    assert parse_place("C:/media").scheme is Scheme.PATH


@pytest.mark.parametrize("text", ["smb://", "smb://nas", "nfs://nas", "smb://joe:secret@nas/media"])
def test_what_is_no_place_is_said(text: str) -> None:
    with pytest.raises(PlanProblem) as caught:
        parse_place(text)
    assert "secret" not in str(caught.value)


@given(
    slots=st.lists(st.integers(0, 10**9), max_size=30),
    total=st.integers(0, 10**10),
    copied_ns=st.integers(1, 40 * TICK_NS),
)
def test_slots_hold_all_bytes_of_the_files(slots: list[int], total: int, copied_ns: int) -> None:
    fitted = _fitted(slots, total, copied_ns)
    assert sum(fitted) == total
    assert min(fitted) >= 0
    assert len(fitted) == -(-copied_ns // TICK_NS)


def test_a_meter_keeps_empty_slots_and_counts_what_stands_still() -> None:
    now, heard = [0], list[Progress]()
    meter = Meter(heard.append, lambda: now[0])
    for at_tick, moved in ((0, 5), (1, 5), (3, 4), (3, 9)):
        now[0] = at_tick * TICK_NS
        meter.tell(moved)
    samples = meter.samples("test", 9, 1, 4 * TICK_NS, flush_ns=7)
    assert [tick.moved_bytes for tick in samples.ticks] == [5, 0, 0, 4]
    assert (samples.elapsed_ns, samples.io_ns) == (4 * TICK_NS + 7, 4 * TICK_NS)
    assert heard[-2].since_progress_ns == 3 * TICK_NS


@pytest.mark.parametrize("kind", KINDS)
def test_made_up_data(tmp_path: Path, kind: str) -> None:
    made: list[int] = []
    data = make_data(kind, str(tmp_path), 3_000_000, 7, made.append)
    sizes = file_sizes(kind, 3_000_000)
    assert (data.file_count, data.total_bytes, data.largest_bytes) == (len(sizes), sum(sizes), max(sizes))
    assert made[-1] == data.total_bytes
    assert data.is_folder is (kind != "large")
    assert census(data.path) == data


def test_data_that_no_copy_means_the_same_by(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x")
    os.symlink("a", tmp_path / "b")
    for path in (tmp_path, tmp_path / "missing", "/dev/null"):
        with pytest.raises(TargetProblem):
            census(str(path))
    with pytest.raises(PlanProblem, match="smaller"):
        file_sizes("small", 10**12)


def tree(folder: Path) -> Path:
    (folder / "in" / "b c").mkdir(parents=True)
    (folder / "in" / "one.bin").write_bytes(os.urandom(300_001))
    (folder / "in" / "b c" / "ä\n.bin").write_bytes(os.urandom(70_000))
    (folder / "in" / "b c" / "empty").write_bytes(b"")
    return folder / "in"


def content(path: Path) -> dict[str, bytes]:
    if path.is_file():
        return {"": path.read_bytes()}
    return {str(each.relative_to(path)): each.read_bytes() for each in path.rglob("*") if each.is_file()}


LOCAL = [method for method in COPY_METHODS if method.name in {"cp", "rsync", "rclone"}]


@pytest.mark.parametrize("method", [*OWN, *kernel_copies(), *LOCAL], ids=lambda method: method.name)
@pytest.mark.parametrize("is_folder", [False, True], ids=["file", "folder"])
def test_a_copy_is_equal(tmp_path: Path, method: CopyMethod, *, is_folder: bool) -> None:
    source = tree(tmp_path)
    source = source if is_folder else source / "one.bin"
    data = census(str(source))
    task = CopyTask(
        Place(Scheme.PATH, str(source)),
        Place(Scheme.PATH, str(tmp_path / "out")),
        data.is_folder,
        data.file_count,
        data.total_bytes,
        is_upload=True,
    )
    assert method.refuses(task) is None
    samples = method.run(task, lambda _progress: None)
    assert content(tmp_path / "out") == content(source)
    assert sum(tick.moved_bytes for tick in samples.ticks) == samples.moved_bytes == data.total_bytes
    assert samples.ops_count == data.file_count
    assert samples.flush_ns is not None


@pytest.mark.parametrize("method", OWN, ids=lambda method: method.name)
def test_a_file_that_is_there_is_never_written_over(tmp_path: Path, method: CopyMethod) -> None:
    (tmp_path / "in").write_bytes(b"new")
    (tmp_path / "out").write_bytes(b"theirs")
    task = CopyTask(
        Place(Scheme.PATH, str(tmp_path / "in")), Place(Scheme.PATH, str(tmp_path / "out")), False, 1, 3, True
    )
    with pytest.raises(RunProblem):
        method.run(task, lambda _progress: None)
    assert (tmp_path / "out").read_bytes() == b"theirs"


def test_a_stop_ends_the_program_and_what_it_started(tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(b"x")
    task = CopyTask(
        Place(Scheme.PATH, str(tmp_path / "in")), Place(Scheme.PATH, str(tmp_path / "out")), False, 1, 1, True
    )
    pids = tmp_path / "pids"

    def stop(_progress: Progress) -> None:
        if pids.exists() and len(pids.read_text().split()) == 2:
            raise KeyboardInterrupt

    script = f"sleep 60 & echo $! >> {pids}; echo $$ >> {pids}; wait"
    with pytest.raises(KeyboardInterrupt):
        copy_by("sleep", ("sh", "-c", script), task, stop)
    for pid in pids.read_text().split():
        # Whose parent is gone may not have been asked for its end yet.
        state = Path(f"/proc/{pid}/stat").read_text().split()[2] if Path(f"/proc/{pid}").exists() else "gone"
        assert state in {"gone", "Z"}


def test_a_program_that_fails_is_quoted(tmp_path: Path) -> None:
    task = CopyTask(Place(Scheme.PATH, "/a"), Place(Scheme.PATH, str(tmp_path / "out")), False, 1, 1, True)
    with pytest.raises(RunProblem, match=r"exit code 3\): the share is read-only"):
        copy_by("sh", ("sh", "-c", "echo the share is read-only >&2; exit 3"), task, lambda _progress: None)


def test_what_can_be_tried_and_why_not(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x")
    data = census(str(tmp_path / "a"))
    arms, excluded = arms_for(COPY_METHODS, [Place(Scheme.PATH, str(tmp_path))], data, (UP, DOWN), ())
    assert {"graycard 1 MiB", "cp"} <= {arm.name for arm in arms}
    assert "over ssh" in next(each.why for each in excluded if each.name == "scp")
    with pytest.raises(PlanProblem, match="there is no method “dd”"):
        arms_for(COPY_METHODS, [Place(Scheme.PATH, str(tmp_path))], data, (UP,), ("dd",))
    with pytest.raises(Problem, match="no method can copy"):
        arms_for(COPY_METHODS, [Place(Scheme.NFS, "/x", "nas")], data, (UP,), ("cp",))


def test_a_copy_that_may_only_be_read_is_flushed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Opened for reading where that must be; a mount by rclone without its cache refuses at the end, for no reason."""
    (tmp_path / "copy").write_bytes(b"x")
    opened: list[int] = []
    truly, closed = os.open, os.close

    def open_(path: str, flags: int) -> int:
        opened.append(flags & os.O_ACCMODE)
        if flags & os.O_RDWR:
            raise PermissionError(errno.EPERM, "Operation not permitted")
        return truly(path, flags)

    def close(descriptor: int) -> None:
        closed(descriptor)
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr("graycard.transfer.flushing.os.open", open_)
    monkeypatch.setattr("graycard.transfer.flushing.os.close", close)
    flush_ns = flushing.flush(Place(Scheme.PATH, str(tmp_path / "copy")))
    monkeypatch.undo()
    assert flush_ns is not None
    assert opened == [os.O_RDWR, os.O_RDONLY]


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="groups of processes")
def test_a_guard_ends_the_program_when_graycard_is_gone_and_leaves_it_alone_else() -> None:
    script = (
        "import os, subprocess, sys\n"
        "from graycard.transfer.guard import guarded\n"
        "nowhere = subprocess.DEVNULL\n"
        "program = subprocess.Popen(('sleep', '60'), start_new_session=True, stdout=nowhere, stderr=nowhere)\n"
        "with guarded(program.pid):\n"
        "    print(program.pid, flush=True)\n"
        "    if sys.argv[1] == 'killed':\n"
        "        os.kill(os.getpid(), 9)\n"
    )
    for fate in ("killed", "whole"):
        done = subprocess.run((sys.executable, "-c", script, fate), capture_output=True, text=True, check=False)
        program = psutil.Process(int(done.stdout))
        if fate == "killed":
            _gone, alive = psutil.wait_procs([program], 20)
            assert alive == []
        else:
            assert (done.returncode, program.status()) == (0, psutil.STATUS_SLEEPING)
            program.kill()
