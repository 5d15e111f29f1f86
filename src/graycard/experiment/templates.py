"""Plan files to start from, with comments for a person."""

from __future__ import annotations

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
# cache = "cold"                             # where one of the file systems refuses direct I/O
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
    + """
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


def template(kind: str, file: str, folder: str | None, file_systems: tuple[str, ...]) -> str:
    """The text of a plan of one of TEMPLATES; `file_systems` are those that this computer knows."""
    place = (folder or FOLDER).replace("\\", "\\\\").replace('"', '\\"')
    if kind == "os-versions":
        return _OS_VERSIONS.format(file=file, name="the same drive under two systems", folder=place)
    head = _FILE_SYSTEMS.format(file=file, name="file systems on one drive", folder=place, image_size=IMAGE_SIZE)
    tables = "".join(_IMAGE.format(name=name) for name in file_systems)
    return head + tables + _AFTER_FILE_SYSTEMS.format(name=file_systems[0], folder=place)
