"""What kill -9 leaves is found and removed; what still runs is kept."""

from __future__ import annotations

import os
import shutil
import signal
import time
from pathlib import Path

import psutil
import pytest
from scratch.runs import child, edit_marker, killed, path_of, tree

from graycard.scratch import State, clean, leftovers, others_running
from graycard.scratch import owner as owners
from graycard.scratch.names import MARKER


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
        assert clean(target).kept == () or without_a_whole_marker(target)
    assert tree(target) == {"clip.mov": b"precious"}
    assert others_running(target, None, registry) == 0
    assert os.listdir(registry) == []


def without_a_whole_marker(target: str) -> bool:
    """A kill while the marker is written leaves an empty one, which proves nothing: told, and removed here."""
    for each in leftovers(target):
        assert "no valid marker" in str(each.why_kept)
        assert tree(each.path) == {MARKER: b""}
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
