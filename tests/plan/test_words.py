"""The lines shown before a measurement starts."""

from __future__ import annotations

from plan.made import VOLUME, both, facts, options, plan

from graycard.model import Operation, Target, TargetKind
from graycard.plan import (
    describe,
    make_plan,
)


def test_description_tells_where_what_how_long_and_what_stays() -> None:
    target = Target("/mnt/card/día\n1", TargetKind.FOLDER)
    lines = describe(make_plan(target, "standard", options(), ()), VOLUME, facts(device_model="SanDisk Extreme"))
    assert lines == (
        "Measures /mnt/card/día\\n1, on /dev/sdb1 (SanDisk Extreme), file system exfat, mounted at /mnt/card.",
        f"8 tasks: {', '.join(both('SEQ1M QD8', 'SEQ1M QD1', 'RND4K QD64', 'RND4K QD1'))}.",
        "Runs of each task: 5 to 20, until ±5 % is reached, in random order (seed 7).",
        "Writes at most 88.0 GB in all: 2.15 GB for 2 test files, the rest by writing over them.",
        "Takes about 2 min 26 s, at most 3 min 10 s, where the volume writes 100 MB/s or more.",
        "Nothing stays: the test files lie in a folder .graycard-… of their own, which is removed at the end.",
    )


def test_reading_from_a_folder_still_writes_its_test_file() -> None:
    lines = describe(plan("standard", operations=(Operation.READ,), runs_count=3), VOLUME, ())
    assert "Runs of each task: 3, in random order (seed 7)." in lines
    assert "Writes at most 1.07 GB in all: 1.07 GB for 1 test file, the rest by writing over them." in lines


def test_a_matrix_tells_its_records_and_files() -> None:
    loads = "sequential read, sequential write, random read, random write"
    assert describe(plan("records"), VOLUME, ())[1] == (
        f"160 tasks: {loads}; records of 4K to 16M (13 sizes) over the first 16M to 128M (4 sizes) of a file, "
        "small records over the smallest only."
    )
    assert describe(plan("records", size_bytes=16 << 20), VOLUME, ())[1] == (
        f"52 tasks: {loads}; records of 4K to 16M (13 sizes) over the first 16M of a file."
    )
    assert describe(plan("records", operations=(Operation.READ,), size_bytes=32 << 20), VOLUME, ())[1] == (
        "44 tasks: sequential read, random read; records of 4K to 16M (13 sizes) over the first 16M to 32M (2 sizes) "
        "of a file, small records over the smallest only."
    )


def test_a_cross_check_is_told_beforehand() -> None:
    lines = describe(plan("standard", engine_count=2, runs_count=3), VOLUME, ())
    assert "Runs of each task by each of 2 engines: 3, in random order (seed 7)." in lines
