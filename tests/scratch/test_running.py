"""Other runs on the volume are counted; unknown is not zero."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from scratch.runs import child, path_of

from graycard.scratch import Scratch, others_running, present
from graycard.scratch import owner as owners
from graycard.scratch.running import registry_folder


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


def test_the_entry_of_a_dead_run_is_removed_whatever_volume_it_used(target: str, registry: str) -> None:
    with child(target, registry) as dead:
        path_of(dead)
        dead.kill()
        dead.wait()
        (entry,) = os.listdir(registry)
        os.rename(os.path.join(registry, entry), os.path.join(registry, "ffff-" + entry.partition("-")[2]))
        assert others_running(target, None, registry) == 0, "the folder's owner is dead"
        assert os.listdir(registry) == []


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
