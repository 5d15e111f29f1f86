"""Which of several results decides, and why others say nothing about streaming."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from graycard.media import by_measurement, choose
from graycard.media.suitable import unsuitable
from graycard.model import (
    Action,
    Cache,
    Durability,
    IoTask,
    Operation,
    Origin,
    Pace,
    Pattern,
    Result,
    Transfer,
    Verdict,
)
from tests.made_results import START
from tests.media.made import READ, WRITE, of_rate, rate

BOTH = (Operation.READ, Operation.WRITE)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"pattern": Pattern.RANDOM}, "jumps at random"),
        ({"block_bytes": 4096}, "moves 4K blocks"),
        ({"block_bytes": 64 << 10}, "moves 64K blocks"),
        ({"cache": Cache.WARM}, "page cache"),
        ({"pace": Pace(25.0, 10**6)}, "is paced"),
        ({"transfer": Transfer("rsync", Action.COPY)}, "measures rsync and not the drive"),
        ({"read_ratio": 0.7}, "mix of reads and writes"),
        ({"compressible_ratio": 0.5}, "compressible"),
        ({"unstated": ("pattern",)}, "does not say"),
    ],
)
def test_what_says_nothing_about_streaming(change: dict[str, Any], says: str) -> None:
    assert says in str(unsuitable(of_rate("r", rate(500, 490), replace(READ, **change))))


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"block_bytes": 128 << 10},
        {"cache": Cache.COLD},
        {"depth_count": 8},
        {"unstated": ("block_bytes", "cache")},
        {"variant": "sustained"},
    ],
)
def test_what_does(change: dict[str, Any]) -> None:
    assert unsuitable(of_rate("r", rate(500, 490), replace(READ, **change))) is None


def test_another_tools_own_way_and_a_result_without_a_figure_say_nothing() -> None:
    strided = replace(
        of_rate("r", rate(500, 490), replace(READ, variant="stride")), origin=Origin("iozone", None, None)
    )
    assert "stride" in str(unsuitable(strided))
    assert unsuitable(replace(strided, summary=None)) == "has no figure"


def in_measurement(name: str, minute: int, *results: Result) -> tuple[Result, ...]:
    at = START.replace(minute=minute)
    return tuple(
        replace(each, id=f"{name}{index}", measurement_id=name, created_at=at) for index, each in enumerate(results)
    )


def task(operation: Operation, block_bytes: int, depth_count: int) -> IoTask:
    base = READ if operation is Operation.READ else WRITE
    return replace(base, block_bytes=block_bytes, depth_count=depth_count, durability=Durability.AT_END)


def test_large_blocks_with_the_fewest_requests_go_first() -> None:
    results = in_measurement(
        "m",
        1,
        of_rate("a", rate(2000, 1990), task(Operation.READ, 1 << 20, 8)),
        of_rate("b", rate(900, 890), task(Operation.READ, 1 << 20, 1)),
        of_rate("c", rate(700, 690), task(Operation.READ, 128 << 10, 1)),
        of_rate("d", rate(50, 49), replace(task(Operation.READ, 4096, 64), pattern=Pattern.RANDOM)),
        of_rate("e", rate(400, 390), task(Operation.WRITE, 1 << 20, 8)),
    )
    found = choose([results], BOTH)
    assert [basis.result_id for basis in found.bases] == ["m1", "m4"]
    assert [(each.task_label, each.reason.split(",")[0]) for each in found.refused] == [
        ("RND4K QD64 read", "jumps at random")
    ]


def test_the_newest_measurement_goes_first_also_where_it_decides_nothing() -> None:
    old = in_measurement("old", 1, of_rate("a", rate(500, 490)), of_rate("b", rate(300, 290), WRITE))
    new = in_measurement("new", 9, of_rate("c", rate(100, 90), verdict=Verdict.FAIL))
    found = choose(by_measurement((*old, *new)), BOTH)
    assert [(basis.measurement_id, basis.undecided is None) for basis in found.bases] == [("new", False), ("old", True)]


def test_in_one_measurement_a_result_that_decides_goes_before_one_that_does_not() -> None:
    deep = of_rate("a", rate(2000, 1990), task(Operation.READ, 1 << 20, 8))
    results = in_measurement("m", 1, of_rate("b", rate(900)), deep)
    found = choose([results], (Operation.READ,))
    assert [basis.result_id for basis in found.bases] == ["m1"]


def test_no_more_measurements_are_read_than_are_needed() -> None:
    def measurements() -> Iterator[tuple[Result, ...]]:
        yield in_measurement("m", 1, of_rate("a", rate(500, 490)))
        raise AssertionError("read on")

    found = choose(measurements(), (Operation.READ,))
    assert len(found.bases) == 1
