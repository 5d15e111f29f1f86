"""Plan files: what they mean, and one clear sentence for every mistake."""

from __future__ import annotations

import errno
import os
from dataclasses import replace
from pathlib import Path

import pytest

from graycard.errors import PlanProblem
from graycard.experiment.load import slot_plan, tasks_of
from graycard.experiment.reading import fingerprint, read_plan
from graycard.experiment.templates import FOLDER
from graycard.experiment.words import in_plan_words, of_its_volume
from graycard.host.refusals import NOT_YOURS, READ_ONLY, not_opened
from graycard.model import Cache, Durability, Operation, Target, TargetKind
from graycard.model.experiment import Configuration, ExperimentPlan
from graycard.model.image import Image
from graycard.plan.budget import layout_bytes, write_bytes

MIB = 1 << 20
WHOLE = """
name = "all there is"
folder = "/mnt/ssd"
image_size = "4GiB"
pairs = 10
rest = "2s"
seed = 42
threshold = "5%"
engine = "fio"

[measure]
presets = ["standard", "durable"]
tasks = ["SEQ1M QD8 read", "rnd4k q512 t16"]
operations = ["write"]
size = "512MiB"
time = "1s"
cache = "cold"
durability = "each-write"
compressible = "50%"

[[configuration]]
name = "ext4"
file_system = "EXT4"
allocation_unit = "1KiB"
format_options = ["-O", "^has_journal"]
mount_options = ["noatime"]

[[configuration]]
name = "ext4, relatime"
volume_of = "ext4"
mount_options = ["relatime"]

[[configuration]]
name = "small"
file_system = "fat32"
size = "1GiB"
folder = "here"

[[configuration]]
name = "as it is"

[[configuration]]
name = "APFS"
folder = "~/SSD"
step = "Reformat as APFS"
"""
SHORT = 'name = "x"\nfolder = "/x"\n[[configuration]]\nname = "a"\n[[configuration]]\nname = "b"\nfolder = "/y"\n'


def read(text: str, path: str = "/plans/plan.toml") -> ExperimentPlan:
    return read_plan(text.encode(), path)


def test_every_key_arrives() -> None:
    plan = read(WHOLE)
    assert (plan.name, plan.pair_count, plan.rest_ns, plan.seed) == ("all there is", 10, 2 * 10**9, 42)
    assert (plan.threshold_ratio, plan.engine) == (0.05, "fio")
    load = plan.load
    assert (load.presets, load.labels) == (("standard", "durable"), ("SEQ1M QD8 read", "rnd4k q512 t16"))
    assert (load.operations, load.size_bytes, load.time_ns) == ((Operation.WRITE,), 512 * MIB, 10**9)
    assert (load.cache, load.durability, load.compressible_ratio) == (Cache.COLD, Durability.EACH_WRITE, 0.5)
    ext4 = Image("ext4", 4096 * MIB, 1024, ("-O", "^has_journal"), ("noatime",))
    assert plan.configurations == (
        Configuration("ext4", "/mnt/ssd", ext4, "ext4"),
        Configuration("ext4, relatime", "/mnt/ssd", replace(ext4, mount_options=("relatime",)), "ext4"),
        Configuration("small", "/plans/here", Image("FAT32", 1024 * MIB), "small"),
        Configuration("as it is", "/mnt/ssd"),
        Configuration("APFS", os.path.expanduser("~/SSD"), step="Reformat as APFS"),
    )


def test_what_is_not_said_is_usual() -> None:
    plan = read(SHORT)
    assert (plan.pair_count, plan.rest_ns, plan.seed, plan.threshold_ratio) == (6, 10**9, None, None)
    assert (plan.load.presets, plan.engine) == (("standard",), "native")
    labels = [task.label for task in tasks_of(plan)]
    loads = ("SEQ1M QD8", "SEQ1M QD1", "RND4K QD64", "RND4K QD1")
    assert labels == [f"{load} {operation}" for load in loads for operation in ("read", "write")]


def test_the_fingerprint_is_of_the_meaning() -> None:
    same = "# another comment\n" + SHORT.replace('name = "x"', 'name="x"  # here, too')
    assert fingerprint(read(same)) == fingerprint(read(SHORT))
    assert fingerprint(read(SHORT.replace("/y", "/z"))) != fingerprint(read(SHORT))


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('name = "x"\n', "", "plan.toml: name is missing; give the experiment a name."),
        ('name = "x"', 'name = ""', "plan.toml: name is empty or has control characters"),
        ('name = "x"', 'name = "x"\npears = 4', "plan.toml: there is no key “pears”; did you mean “pairs”?"),
        ('name = "x"', 'name = "x"\npairs = 5', "plan.toml: pairs is 5, but must be even"),
        ('name = "x"', 'name = "x"\npairs = 0', "plan.toml: pairs is 0, but must be at least 2."),
        ('name = "x"', 'name = "x"\npairs = "6"', "plan.toml: pairs must be a whole number."),
        ('name = "x"', 'name = "x"\npairs = true', "plan.toml: pairs must be a whole number."),
        ('name = "x"', 'name = "x"\nrest = "long"', "plan.toml: rest: “long” is not a time; write for example 500ms"),
        ('name = "x"', 'name = "x"\nthreshold = "0"', "plan.toml: threshold must lie between 0 % and 100 %"),
        ('name = "x"', 'name = "x"\nseed = 9007199254740993', "seed is 9007199254740993, but must be at most"),
        ('name = "x"', 'name = "x"\nengine = "dd"', "plan.toml: engine: “dd” is not known; choose from native, fio."),
        ('"/x"', '"/x"\nmeasure = 3', "plan.toml: measure must be a table."),
        ('"/x"', '"/x"\n[measure]\npresets = ["fast"]', "plan.toml, [measure]: presets: “fast” is not known; choose"),
        ('"/x"', '"/x"\n[measure]\npresets = [3]', "plan.toml, [measure]: presets holds 3; write every entry as text"),
        ('"/x"', '"/x"\n[measure]\ntasks = ["SEQ 1M"]', "plan.toml, [measure]: tasks: “SEQ 1M” is no task; write for"),
        (
            '"/x"',
            '"/x"\n[measure]\nsize = "4"',
            "plan.toml, [measure]: SEQ1M QD8 read: 8 × 1M in flight do not fit a file of 4B; use",
        ),
        ('"/x"', '"/x"\n[measure]\ntime = "1ms"', "plan.toml, [measure]: time is under 10 ms"),
        (
            '"/x"',
            '"/x"\n[measure]\ncache = "hot"',
            "plan.toml, [measure]: cache: “hot” is not known; choose from bypass",
        ),
        ('"/x"', '"/x"\n[measure]\noperations = ["copy"]', "operations: “copy” is not known; choose from read, write."),
        ('name = "a"', "", "plan.toml, configuration 1: name is missing"),
        ('name = "b"', 'name = "A"', "plan.toml: 2 configurations are called “a”"),
        ('[[configuration]]\nname = "b"\nfolder = "/y"\n', "", "plan.toml: an experiment compares; write at least two"),
        ('folder = "/x"\n', "", "plan.toml, configuration 1 (“a”): folder is missing; name a folder"),
        ('"/y"', '"/y"\nfile_system = "ext9"', "configuration 2 (“b”): file_system: “ext9” is no file system that"),
        ('"/y"', '"/y"\nfile_system = "ext4"', "configuration 2 (“b”): size is missing; say how large"),
        ('"/y"', '"/y"\nsize = "1GiB"', "configuration 2 (“b”): size is for a volume that graycard makes"),
        ('"/y"', '"/y"\nmount_options = ["ro"]', "mount_options is for a volume that graycard makes"),
        ('"/y"', '"/y"\nvolume_of = "a"', "folder cannot differ on the volume of “a”"),
        ('folder = "/y"', 'volume_of = "a"', "volume_of names “a”, but graycard makes no volume of that name above"),
        ('"/y"', '"/y"\nfile_system = "ext4"\nsize = "1GiB"\nstep = "do"', "step is for a person, but graycard makes"),
        ('"/y"', '"/y"\nmount_option = ["ro"]', "there is no key “mount_option”; did you mean “mount_options”?"),
        ('"/x"', '"/x', "plan.toml is no TOML: "),
        ('"/x"', f'"{FOLDER}"', "plan.toml: folder is still the example's “/path/to/a/folder/on/the/drive”; write the"),
        ('"/y"', f'"{FOLDER}"', "plan.toml, configuration 2 (“b”): folder is still the example's “/path/to/a/"),
    ],
)
def test_a_mistake_is_told_with_file_table_and_key(old: str, new: str, says: str) -> None:
    assert old in SHORT
    with pytest.raises(PlanProblem) as caught:
        read(SHORT.replace(old, new, 1))
    assert says in str(caught.value)
    assert "--" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_no_text_is_told() -> None:
    with pytest.raises(PlanProblem, match=r"plan\.toml is no text in UTF-8"):
        read_plan(b"\xff\xfe", "/plans/plan.toml")


def test_each_slot_writes_its_own_layout_and_one_run_of_each_task_at_most(tmp_path: Path) -> None:
    plan = read(SHORT)
    target = Target(str(tmp_path), TargetKind.FOLDER)
    slot = slot_plan(plan, 7, target, (), 4)
    assert (slot.repeat.min_count, slot.repeat.max_count, slot.repeat.precision_ratio) == (4, 4, None)
    assert slot.write_limit_bytes == layout_bytes(slot) + sum(map(write_bytes, slot.tasks))


def test_a_task_that_stands_twice_is_measured_once() -> None:
    text = SHORT.replace(
        '"/x"', '"/x"\n[measure]\npresets = ["quick"]\ntasks = ["SEQ1M QD8"]\nsize = "64MiB"\ntime = "1s"'
    )
    assert [task.label for task in tasks_of(read(text))].count("SEQ1M QD8 read") == 1


def test_options_of_the_command_line_become_keys_of_the_plan() -> None:
    assert in_plan_words("use --size 8MiB or less, or --preset quick") == "use size 8MiB or less, or presets quick"


def test_a_volume_that_was_made_is_not_told_by_where_it_was_mounted() -> None:
    place = "/mnt/my drive/.graycard-b958f599d2950fa6/btrfs-8988c6.mount"
    says = f"Not enough space in {place}: needed 50.3 MB, free 49.3 MB; use size 11MiB or less, or make room."
    told = "Not enough space in its volume: needed 50.3 MB, free 49.3 MB; use size 11MiB or less, or make the image "
    told += "larger."
    assert of_its_volume(says, "/mnt/my drive") == told
    elsewhere = "Not enough space in /mnt/my drive: needed 50.3 MB; use another volume, or make room."
    assert of_its_volume(elsewhere, "/mnt/my drive") == elsewhere


@pytest.mark.parametrize(
    ("says", "told"),
    [
        ("is a file, which would be overwritten; name its folder, or use --read-only.", "name its folder."),
        (f"/x cannot be measured: {NOT_YOURS}", "name a folder of yours on it"),
        (f"/x cannot be measured: {READ_ONLY}", "mounted read-only; name a folder on a drive that can be written"),
        ("/x is read-only; to measure reading alone, use --read-only with a file on it.", "can be written."),
        (str(not_opened(OSError(errno.EROFS, ""), "/x")), "name a folder on a drive that can be written"),
    ],
)
def test_no_plan_is_told_to_read_an_existing_file(says: str, told: str) -> None:
    assert in_plan_words(says).endswith(told)


def test_visits_alternate_between_steps_and_leave_the_fingerprint_of_other_plans() -> None:
    steps = SHORT + '[[configuration]]\nname = "s"\nstep = "do"\n[[configuration]]\nname = "t"\nstep = "do"\n'
    assert read("visits = 2\n" + steps).visit_count == 2
    assert read("visits = 1\n" + steps) == read(steps)
    # As it was before there were visits: an experiment that was begun then is found again.
    assert fingerprint(read(SHORT)) == "cda8af6660359f264274ee2e10ab5c01"
    with pytest.raises(PlanProblem, match="at least two configurations with a step"):
        read("visits = 2\n" + SHORT)
    with pytest.raises(PlanProblem, match="but there are 6 pairs of runs"):
        read("visits = 99\n" + steps)
