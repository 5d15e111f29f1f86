"""Makers of volumes that only note what they do, and processes that use images and can be killed."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from graycard.errors import RunProblem
from graycard.model.image import Image
from graycard.protocols import OnWritten
from graycard.scratch.names import marker_name, marker_number

MIB = 1 << 20
SMALL = Image("ext4", 16 * MIB)
EXPERIMENT = "0a1b2c"
CHILD = """
import sys, time
from graycard.host import volume_maker
from graycard.model.image import Image
from graycard.scratch import ImageFolder
folder, rounds, kinds = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
with ImageFolder(folder, volume_maker(), "0a1b2c") as images:
    print(images.path, flush=True)
    for _ in range(rounds):
        for kind in kinds:
            with images.mounted(kind, Image(kind, 16 << 20)) as point:
                with open(point + "/clip", "w") as file:
                    file.write(kind)
                print(point, flush=True)
                if rounds == 1:
                    time.sleep(60)
"""


class FakeMaker:
    """Implements VolumeMaker with plain files; a mounted one is in `at`. `busy` cannot be unmounted."""

    name = "fake"
    suffix = ".img"
    file_systems = ("ext4",)

    def __init__(self) -> None:
        self.at: dict[str, str] = {}
        self.made: list[str] = []
        self.busy = False
        self.fails = False

    def refuses(self, image: Image) -> str | None:
        return None

    def driver(self, image: Image) -> str | None:
        return "fake"

    def make(self, image: Image, path: str, on_written: OnWritten | None = None) -> None:
        with open(path, "xb") as file:
            file.write(b"image")
        if self.fails:
            os.unlink(path)
            raise RunProblem("mkfs failed", errno=None, offset_bytes=None, phase="prepare")
        if on_written:
            on_written(image.size_bytes)
        self.made.append(os.path.basename(path))

    def mount(self, image: Image, path: str, mount_point: str) -> None:
        assert os.path.exists(path)
        assert os.listdir(mount_point) == []
        self.at[mount_point] = path

    def unmount(self, path: str, mount_point: str) -> None:
        if mount_point in self.at and self.busy:
            raise RunProblem("in use by bash (1)", errno=None, offset_bytes=None, phase="cleanup")
        self.at.pop(mount_point, None)

    def remove(self, path: str) -> None:
        assert path not in self.at.values()
        if os.path.exists(path):
            os.unlink(path)


@contextlib.contextmanager
def child(folder: str, *kinds: str, rounds: int = 1) -> Iterator[subprocess.Popen[str]]:
    """A process that mounts images of these file systems in turn; killed at the end if it still runs."""
    command = [sys.executable, "-c", CHILD, folder, str(rounds), *kinds]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def said(process: subprocess.Popen[str]) -> str:
    """The next line that the child prints."""
    assert process.stdout
    return process.stdout.readline().rstrip("\n")


def edit_newest(path: str, **changes: object) -> None:
    """Change the newest marker of a folder, as `started_s=-1000` to make its owner a dead process."""
    numbers = [number for name in os.listdir(path) if (number := marker_number(name)) is not None]
    marker = Path(path, marker_name(max(numbers)))
    marker.write_text(json.dumps({**json.loads(marker.read_text()), **changes}))
