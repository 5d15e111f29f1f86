"""What is dropped from the cache is not still there as pages of the device below a FUSE file system."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from host.image_places import IMAGES, made

from graycard.host import this_host
from graycard.host.linux.mounts import mount_of
from graycard.host.linux.page_cache import cached_bytes

pytestmark = pytest.mark.root
MIB = 1 << 20
SIZE = 8 * MIB


def in_cache(path: str, size_bytes: int) -> int:
    handle = os.open(path, os.O_RDONLY)
    try:
        found, _ = cached_bytes(handle, size_bytes)
    finally:
        os.close(handle)
    assert found is not None
    return found


@pytest.mark.parametrize("name", ["exFAT", "NTFS"])
def test_the_device_below_a_fuse_file_system_is_dropped_with_the_file(tmp_path: Path, name: str) -> None:
    point = tmp_path / "mount"
    point.mkdir()
    image = IMAGES[name]
    with made((str(tmp_path / "image"), str(point)), image) as mounted:
        mount = mount_of(mounted)
        assert mount is not None
        if not mount.fuse:
            pytest.skip("this kernel serves the file system itself")
        file = Path(mounted) / "clip.mov"
        file.write_bytes(os.urandom(SIZE))
        this_host().drop_cache(str(file))
        # The tables of the file system may be read again at once.
        assert in_cache(mount.source, image.size_bytes) < MIB
        assert len(file.read_bytes()) == SIZE
        assert in_cache(mount.source, image.size_bytes) >= SIZE, "the program does not read through the device's cache"
        this_host().drop_cache(str(file))
        assert in_cache(str(file), SIZE) == 0
        assert in_cache(mount.source, image.size_bytes) < MIB
