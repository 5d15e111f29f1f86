"""Which figure is nearest the truth: zeros count where nothing compresses them, graycard's own are judged alike."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graycard.agree import agree
from graycard.facts import fact
from graycard.model import Agreement, Arm, Cache, Durability, Fact, IoTask, Operation, Origin, Result
from tests.agree.test_built_disagreements import single
from tests.compare.made import TASK, measured

OWN = Origin("graycard", "1", "native")
WRITE = replace(TASK, operation=Operation.WRITE, durability=Durability.AT_END, cache=Cache.BYPASS)
ZEROS = replace(WRITE, compressible_ratio=1.0)
EXT4 = fact("file_system", "ext4", "test")
PROBED = fact("volume_compresses", False, "test")
DISK = (fact("rotational", True, "test"), fact("bus", "sata", "test"), fact("virtual_machine", "none", "test"))
SSD = (fact("rotational", False, "test"), fact("bus", "nvme", "test"), fact("virtual_machine", "none", "test"))
LUKS = fact("encryption", "luks2", "test")


def told(*results: Result) -> Agreement:
    [agreement] = agree(tuple(Arm(f"side {number}", (each,)) for number, each in enumerate(results))).agreements
    return agreement


def dd(rate: float, *facts: Fact, task: IoTask = ZEROS) -> Result:
    return replace(single("dd", rate, task=task, origin=Origin("dd", "9", None)), facts=facts)


def own(rate: float, *facts: Fact, task: IoTask = WRITE, name: str = "aa") -> Result:
    return replace(single(name, rate, task=task, origin=OWN), facts=facts)


@pytest.mark.parametrize(
    "facts",
    [(EXT4, *DISK), (PROBED, *DISK), (EXT4, *SSD, LUKS), (fact("compression", "off", "test"), *DISK)],
    ids=["a hard disk", "a probed volume", "encrypted", "the setting"],
)
def test_zeros_are_no_fault_where_nothing_compresses(facts: tuple[Fact, ...]) -> None:
    found = told(dd(180.0, *facts), own(150.0, *facts, task=replace(WRITE, durability=Durability.NONE)))
    assert "dd is nearest" in found.nearest
    assert "moves data that nothing here is known to compress" in found.nearest
    assert "compressible data" not in {reason.name for reason in found.pairs[0].reasons}


@pytest.mark.parametrize(
    "facts",
    [
        (EXT4, *SSD),
        (EXT4,),
        DISK,
        (fact("compression", "zstd:3", "test"), *DISK),
        (fact("volume_compresses", True, "test"), EXT4, *DISK),
        (EXT4, fact("rotational", True, "test"), fact("bus", "sata", "test"), fact("virtual_machine", "KVM", "test")),
        (EXT4, fact("rotational", True, "test"), fact("bus", "network", "test")),
    ],
    ids=["a drive of chips", "no drive", "no volume", "it compresses", "probed", "a virtual disk", "a share"],
)
def test_zeros_stay_a_fault_where_something_may_compress(facts: tuple[Fact, ...]) -> None:
    found = told(dd(180.0, *facts), own(150.0, *facts))
    assert "graycard is nearest" in found.nearest


def test_zeros_that_gave_what_other_data_gave_may_be_taken() -> None:
    facts = (EXT4, *SSD)
    assert "dd and graycard agree; either may be taken" in told(dd(151.0, *facts), own(150.0, *facts)).nearest
    compressing = (*facts, fact("volume_compresses", True, "test"))
    assert "graycard is nearest" in told(dd(151.0, *compressing), own(150.0, *compressing)).nearest
    deeper = replace(WRITE, depth_count=1)
    assert (
        "dd"
        not in told(dd(151.0, *facts, task=replace(ZEROS, depth_count=1)), own(150.0, task=WRITE)).nearest.split(
            "is nearest"
        )[1:]
    )
    assert (
        "either may be taken"
        in told(dd(151.0, *facts, task=replace(ZEROS, depth_count=1)), own(150.0, *facts, task=deeper)).nearest
    )


def test_what_one_result_tells_of_the_place_holds_for_another_of_it() -> None:
    facts = (fact("mount_point", "/mnt/disk", "test"), fact("file_system_id", "ab", "test"))
    slow = own(100.0, *facts, EXT4, *DISK, task=replace(WRITE, durability=Durability.NONE))
    assert "dd is nearest" in told(dd(180.0, *facts), slow).nearest
    elsewhere = (fact("mount_point", "/mnt/other", "test"), fact("file_system_id", "cd", "test"))
    moved = replace(dd(180.0, *elsewhere), target=replace(slow.target, path="/mnt/other/file"))
    assert "no figure can be taken" in told(moved, slow).nearest


READ = replace(TASK, cache=Cache.BYPASS)


@pytest.mark.parametrize(
    ("reason", "task", "changed", "rate"),
    [
        ("cached read", READ, replace(READ, cache=Cache.WARM), 2000.0),
        ("flush", WRITE, replace(WRITE, cache=Cache.WARM, durability=Durability.NONE), 900.0),
        ("flush", WRITE, replace(WRITE, durability=Durability.NONE), 130.0),
    ],
)
def test_graycards_own_figures_are_judged_as_others(reason: str, task: IoTask, changed: IoTask, rate: float) -> None:
    sound, faulty = own(100.0, task=task), own(rate, task=changed, name="bb")
    found = told(sound, faulty)
    assert found.pairs[0].reasons[0].name == reason
    assert found.nearest.startswith("For what the drive delivers graycard (side 0) is nearest")


def test_graycards_own_figures_of_one_side_are_told_apart_by_what_differs() -> None:
    alone, many = (replace(READ, depth_count=depth) for depth in (1, 64))
    [agreement] = agree((Arm("one", (own(40.0, task=alone), own(800.0, task=many, name="bb"))),)).agreements
    assert agreement.pairs[0].reasons[0].name == "queue depth"
    assert "with one request at a time of 1M" in agreement.nearest
    assert "with 64 requests in flight of 1M" in agreement.nearest
    buffered = replace(READ, cache=Cache.WARM)
    results = (
        measured("aa11", (100.0, 101.0, 99.0), READ, measurement_id="m1", origin=OWN, facts=()),
        measured("bb22", (900.0, 910.0, 905.0), buffered, measurement_id="m2", origin=OWN, facts=()),
    )
    [agreement] = agree((Arm("one", results),)).agreements
    assert agreement.pairs[0].reasons[0].name == "cached read"
    assert agreement.nearest.startswith("For what the drive delivers graycard (past the page cache) is nearest")


def test_what_keeps_the_nearest_figure_from_being_sure_is_said() -> None:
    small = replace(READ, span_bytes=96 << 20)
    found = told(own(900.0, task=small), dd(400.0, task=replace(READ, cache=Cache.WARM)))
    assert (
        "But it is of a smaller file (96M, not 1G), of which a cache of the drive holds more; it is a single run"
        in (found.nearest)
    )
    thrice = measured("aa11", (100.0, 101.0, 99.0), READ, measurement_id="m1", origin=OWN, facts=())
    assert "But it" not in told(thrice, dd(400.0, task=replace(READ, cache=Cache.WARM))).nearest
