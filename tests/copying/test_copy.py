"""`graycard copy` on real volumes and over real protocols: figures, faults, and nothing left."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.bed.loops import MIB, loop_file_system
from tests.bed.network import FAR_ADDRESS, Wire, wire
from tests.bed.smb import SMB_SHARE, smbd

pytestmark = pytest.mark.root
PROGRAM = (sys.executable, "-c", "from graycard.cli.entry import run; run()")

Copy = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    """`graycard copy` with a store of its own."""

    def run(*options: str, before: tuple[str, ...] = (), **settings: Any) -> subprocess.CompletedProcess[str]:
        store = str(tmp_path / "store.db")
        command = (*before, *PROGRAM, "--store", store, "copy", *options)
        return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, **settings)

    return run


@pytest.fixture
def volume(tmp_path: Path) -> Iterator[str]:
    with loop_file_system(str(tmp_path / "volume"), 128 * MIB) as point:
        yield point


def clip(folder: Path, size: int = 3 * MIB) -> str:
    path = folder / "clip.bin"
    path.write_bytes(os.urandom(size))
    return str(path)


def left(*folders: str | Path) -> list[str]:
    """What graycard has left behind."""
    return [name for folder in folders for name in os.listdir(folder) if name.startswith(".graycard")]


def test_both_ways_on_a_real_volume(copy: Copy, volume: str, tmp_path: Path) -> None:
    methods = ("graycard 1 MiB", "sendfile", "cp", "rsync")
    named = [word for method in methods for word in ("--method", method)]
    ended = copy(clip(tmp_path), volume, *named, "--runs", "2", "--verify", "--json")
    assert ended.returncode == 0, ended.stderr
    document = json.loads(ended.stdout)
    told = [(each["task"]["transfer"]["method"], each["task"]["operation"]) for each in document["results"]]
    assert sorted(told) == sorted((method, operation) for method in methods for operation in ("read", "write"))
    for result in document["results"]:
        checks = {check["name"]: check["verdict"] for check in result["summary"]["checks"]}
        assert (checks["bytes_conserved"], checks["copy_equal"]) == ("pass", "pass")
        # 3 MiB fit into any memory, and that is said.
        assert checks["larger_than_memory"] == "caveat"
        assert len(result["runs"]) == 2
    assert left(volume, tmp_path) == []


def test_many_small_files(copy: Copy, volume: str, tmp_path: Path) -> None:
    options = ("small", volume, "--size", "2MB", "--into", str(tmp_path), "--method", "cp", "--runs", "1", "--json")
    ended = copy(*options)
    assert ended.returncode == 0, ended.stderr
    for result in json.loads(ended.stdout)["results"]:
        assert result["task"]["transfer"]["file_count"] == 40
        assert result["summary"]["ops"]["value"] > 0
    assert left(volume, tmp_path) == []


@pytest.mark.parametrize(
    ("source", "options", "code", "words"),
    [
        ("missing", (), 11, "No such file"),
        ("clip.bin", ("--method", "dd"), 10, "no method “dd”"),
        ("clip.bin", ("--method", "scp"), 10, "--via"),
        ("clip.bin", ("--size", "1GB"), 2, "--size"),
        ("large", ("--size", "1GB"), 10, "not enough space"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is_written(
    copy: Copy, volume: str, tmp_path: Path, source: str, options: tuple[str, ...], code: int, words: str
) -> None:
    clip(tmp_path, MIB)
    ended = copy(source if source == "large" else str(tmp_path / source), volume, "--into", str(tmp_path), *options)
    assert (ended.returncode, words in ended.stderr) == (code, True), ended.stderr
    assert left(volume, tmp_path) == []


def test_a_method_that_fails_does_not_end_the_others(copy: Copy, volume: str, tmp_path: Path) -> None:
    """A cp that fails, as an old one may: told with its own words; the others go on."""
    false = tmp_path / "bin" / "cp"
    false.parent.mkdir()
    false.write_text("#!/bin/sh\necho 'cp: cannot do it' >&2\nexit 1\n")
    false.chmod(0o755)
    environment = {**os.environ, "PATH": f"{false.parent}:{os.environ['PATH']}"}
    named = ("--method", "cp", "--method", "graycard 1 MiB", "--to", "--runs", "1", "--json")
    ended = copy(clip(tmp_path), volume, *named, env=environment)
    assert ended.returncode == 0, ended.stderr
    document = json.loads(ended.stdout)
    assert [each["task"]["transfer"]["method"] for each in document["results"]] == ["graycard 1 MiB"]
    assert "cp: cannot do it" in document["failures"][0]
    assert left(volume, tmp_path) == []


@pytest.fixture(scope="module")
def bed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    with wire(tmp_path_factory.mktemp("wire")) as found:
        yield found


def test_over_ssh_and_smb_without_a_mount(bed: Wire, copy: Copy, tmp_path: Path) -> None:
    """scp, sftp, rsync and smbclient, to one folder of a server by two addresses; its memory is asked for."""
    share = tmp_path / "share"
    share.mkdir()
    config = bed.ssh[-1]
    with smbd(bed, share) as login:
        ended = copy(
            clip(tmp_path), f"nas:{share}", "--via", f"smb://root@{FAR_ADDRESS}/{SMB_SHARE}", "--ssh-config", config,
            "--server", "nas", "--runs", "1", "--json",
            before=bed.on(bed.near), env={**os.environ, "GRAYCARD_SMB_LOGIN": str(login)},
        )  # fmt: skip
        # The server keeps what it lists of a folder for a moment.
        assert left(share, tmp_path) == []
    assert ended.returncode == 0, ended.stderr
    document = json.loads(ended.stdout)
    methods = {each["task"]["transfer"]["method"] for each in document["results"]}
    assert (methods, document["failures"]) == ({"scp", "sftp", "rsync over ssh", "smbclient"}, [])
    assert {each["task"]["operation"] for each in document["results"]} == {"read", "write"}
    assert all(
        sum(fact["name"] == "free_bytes" and fact["value"] > 0 for fact in each["facts"]) == 1
        for each in document["results"]
    )
    assert all(
        fact["value"] for each in document["results"] for fact in each["facts"] if fact["name"] == "server_memory_bytes"
    )
