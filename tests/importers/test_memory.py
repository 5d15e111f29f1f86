"""However long a file is, importing it takes less than 300 MB: each sample over and over, around the limits."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from importers.samples import OWN, own_samples

from graycard.importers import HEAD_BYTES, IMPORTERS, MEMORY_LIMIT_BYTES
from graycard.importers.diskspd import MOST_BYTES
from graycard.importers.fio_log import WHOLE_LIMIT_BYTES
from tests.bed.tiers import LONG

PEAK_BYTES = 300e6
# Of what several importers know in one file.
EVERYDAY = ("dd/9.1-with-commands.txt", "hdparm/9.65-tT-twice.txt", "ioping/1.3-read.txt", "fio/3.33-normal-bits.txt")
# Peak of the whole process in kB, Python and all; ru_maxrss would begin with the peak of the tests themselves.
READ = """
import re, sys
from graycard.cli.main import main
from graycard.cli.app import system_app
code = main(["import", "--dry-run", "--store", sys.argv[2], sys.argv[1]], system_app())
print(code, re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1])
"""
pytestmark = [
    pytest.mark.skipif(not LONG, reason="make long reads a file of some 50 MB of each sample"),
    pytest.mark.skipif(sys.platform != "linux", reason="reads its peak memory from /proc"),
]


@cache
def known_by() -> dict[str, list[Path]]:
    """The samples that each importer knows."""
    heads = {path: path.read_bytes()[:HEAD_BYTES] for path in own_samples() if path.parent.name != "readings"}
    return {each.name: [path for path, head in heads.items() if each.recognises(head)] for each in IMPORTERS[1:]}


def peak(path: Path, piece: bytes, size_bytes: int) -> tuple[int, int, str]:
    """Exit code, peak memory in bytes and words of importing the piece over and over, up to that size."""
    with path.open("wb") as file:
        for _ in range(max(1, size_bytes // len(piece))):
            file.write(piece)
    command = [sys.executable, "-c", READ, str(path), str(path.parent / "own.db")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    code, peak_kb = done.stdout.splitlines()[-1].split()
    path.unlink()
    return int(code), int(peak_kb) * 1024, done.stderr


def test_each_importer_has_samples() -> None:
    assert [name for name, paths in known_by().items() if not paths] == []


@pytest.mark.parametrize("path", own_samples(), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_sample_over_and_over_takes_less_than_300_megabytes(path: Path, tmp_path: Path) -> None:
    if not any(path in paths for paths in known_by().values()):
        pytest.skip("no importer's")
    limits = {MEMORY_LIMIT_BYTES}
    limits |= {WHOLE_LIMIT_BYTES} if path in known_by()["fio"] else set()
    limits |= {MOST_BYTES} if path in known_by()["diskspd"] else set()
    for limit in limits:
        for size in (limit, limit + 2 * path.stat().st_size):
            code, peak_bytes, said = peak(tmp_path / path.name, path.read_bytes(), size)
            assert code in (0, 30)
            assert code == 0 or re.search("larger than|more than|too long|too many|failed|nothing|cut short|run ", said)
            assert peak_bytes < PEAK_BYTES


def test_a_log_of_several_tools_takes_less_than_300_megabytes(tmp_path: Path) -> None:
    piece = b"\n".join((OWN / name).read_bytes() for name in EVERYDAY)
    for size in (WHOLE_LIMIT_BYTES, MEMORY_LIMIT_BYTES):
        assert peak(tmp_path / "log", piece, size)[1] < PEAK_BYTES


@pytest.mark.parametrize("tiny", [b"[],", b'{"a":1},', b"1,", b'"",'])
def test_json_of_tiny_values_takes_less_than_300_megabytes(tiny: bytes, tmp_path: Path) -> None:
    count = WHOLE_LIMIT_BYTES // len(tiny) - 100
    document = b'{"fio version" : "fio-3.33", "jobs" : [' + tiny * count + b"0]}"
    code, peak_bytes, _ = peak(tmp_path / "tiny.json", document, len(document))
    assert code == 30
    assert peak_bytes < PEAK_BYTES
