"""Plan files to start from, with comments for a person."""

from __future__ import annotations

from graycard.model.image import Image
from graycard.protocols import VolumeMaker
from graycard.units import parse_size

_HEAD = """\
# A plan for graycard. Carry it out with: graycard experiment run {file}
# `graycard experiment run {file} --plan` says what it would do, and stops.

name = "{name}"
"""
_MEASURE = """
[measure]
# SEQ1M QD8, SEQ1M QD1, RND4K QD64 and RND4K QD1, each read and written. `graycard measure --help` lists the presets.
presets = ["standard"]
# tasks = ["SEQ1M QD8 read", "RND4K QD64"]   # single tasks instead of, or beside, presets
# operations = ["read"]                      # only reading
size = "1GiB"                                # the test file; below 4 GiB if FAT32 is among them
time = "2500ms"                              # length of each run
"""
_MAYBE_CACHE = """\
# cache = "cold"                             # where one of the file systems refuses direct I/O
"""
_CACHE = """\
# No direct I/O here: {names}. So that all are measured alike, all go through the page cache, which is
# emptied of the file before each run. Without these, leave this out: direct I/O tells more of the drive.
cache = "cold"
"""
_COUNTS = """
pairs = 6          # runs of each task on each configuration; even. 6 find differences of about 6 %, 10 of about 4 %
rest = "1s"        # the pause before each run; longer for a drive that needs to recover (SSD cache, heat)
# threshold = "3%" # the difference that counts as material
# seed = 1         # the order of an earlier experiment
"""
_FILE_SYSTEMS = (
    _HEAD
    + """
# A folder on the drive to be measured. graycard makes the volumes as files in it and removes them at the end;
# it never formats a drive.
folder = "{folder}"
image_size = "{image_size}"
"""
    + _COUNTS
    + _MEASURE
    + """{cache}
# One table for each volume. More keys: size, allocation_unit = "128KiB", format_options = ["-O", "^has_journal"],
# mount_options = ["noatime"]. What cannot be made here is told, and the rest goes on.
"""
)
_IMAGE = """
[[configuration]]
name = "{name}"
file_system = "{name}"
"""
_AFTER_FILE_SYSTEMS = """
# The same volume, mounted with other options:
# [[configuration]]
# name = "{name} without access times"
# volume_of = "{name}"
# mount_options = ["noatime"]

# The drive as it is now:
# [[configuration]]
# name = "as it is"
# folder = "{folder}"
"""
_OS_VERSIONS = (
    _HEAD
    + """
# The same folder of the same drive under each system. Under every system the path must be the same, and the results
# must be kept on a drive that every system sees: graycard --store FILE experiment run {file}
folder = "{folder}"
# visits = 2       # the systems alternate: A, B, A, B, over several days; a drift shows less
"""
    + _COUNTS
    + _MEASURE
    + _MAYBE_CACHE
    + """
# A step is for you: graycard asks for it, waits, and goes on when you run the same command again. Such configurations
# are measured one after the other, not in turns, so they are not randomised; the comparison says so.

[[configuration]]
name = "system A"
step = "Start the computer in system A"

[[configuration]]
name = "system B"
step = "Start the computer in system B"
"""
)
TEMPLATES = ("filesystems", "os-versions")
FOLDER = "/path/to/a/folder/on/the/drive"
IMAGE_SIZE = "4GiB"


# What a file system takes no direct I/O for, it writes and checks in memory; and a FUSE program knows of none.
_CHECKSUMMED = ("btrfs",)
_DIRECT_DRIVERS = (None, "kernel", "system")


def through_cache(maker: VolumeMaker) -> tuple[str, ...]:
    """The file systems of this computer that do no direct I/O, or only pretend to."""
    images = (Image(name, parse_size(IMAGE_SIZE)) for name in maker.file_systems)
    return tuple(
        each.file_system
        for each in images
        if each.file_system in _CHECKSUMMED or maker.driver(each) not in _DIRECT_DRIVERS
    )


def template(kind: str, file: str, folder: str | None, maker: VolumeMaker) -> str:
    """The text of a plan of one of TEMPLATES, with the file systems that this computer knows."""
    place = (folder or FOLDER).replace("\\", "\\\\").replace('"', '\\"')
    if kind == "os-versions":
        return _OS_VERSIONS.format(file=file, name="the same drive under two systems", folder=place)
    cached = through_cache(maker)
    cache = _CACHE.format(names=", ".join(cached)) if cached else _MAYBE_CACHE
    name = "file systems on one drive"
    head = _FILE_SYSTEMS.format(file=file, name=name, folder=place, image_size=IMAGE_SIZE, cache=cache)
    tables = "".join(_IMAGE.format(name=name) for name in maker.file_systems)
    return head + tables + _AFTER_FILE_SYSTEMS.format(name=maker.file_systems[0], folder=place)
