"""Memory does not grow with the number of files: 20,000 here, 200,000 with GRAYCARD_LONG_TESTS=1."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

FILES_COUNT = 200_000 if os.environ.get("GRAYCARD_LONG_TESTS") == "1" else 20_000
A_FOLDER_COUNT = 1000
# Names of one folder at a time, a record's buffer, and what the allocator keeps; the bound is the same for 200,000.
MOST_GROWN_BYTES = 12 << 20
PROGRAM = """
import resource, sys
from pathlib import Path
from tests.offload.carried import carried, job_of
assert carried(job_of(Path(sys.argv[1]), Path(sys.argv[2]), writes_manifest=True)).faults == ()
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""


@pytest.fixture
def memory_folder(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory where there is one: thousands of flushes wait for no drive there."""
    parent = "/dev/shm" if os.access("/dev/shm", os.W_OK) else str(tmp_path)
    with tempfile.TemporaryDirectory(dir=parent, prefix="graycard-test-") as folder:
        yield Path(folder)


def card_of(root: Path, count: int) -> Path:
    for number in range(count):
        folder = root / f"clip{number // A_FOLDER_COUNT:04}"
        if number % A_FOLDER_COUNT == 0:
            folder.mkdir(parents=True)
        (folder / f"frame_{number:07}.dng").touch()
    return root


def peak_bytes(card: Path, to: Path) -> int:
    to.mkdir()
    command = [sys.executable, "-c", PROGRAM, str(card), str(to)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parent.parent.parent)
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def test_many_small_files_take_no_more_memory_than_few(memory_folder: Path) -> None:
    few = peak_bytes(card_of(memory_folder / "few", A_FOLDER_COUNT), memory_folder / "to-few")
    many = peak_bytes(card_of(memory_folder / "many", FILES_COUNT), memory_folder / "to-many")
    assert many - few < MOST_GROWN_BYTES, (few, many)
    copied = sum(1 for _ in (memory_folder / "to-many").rglob("*.dng"))
    assert copied == FILES_COUNT
