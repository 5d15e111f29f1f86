"""Each reason is found where its cause is built in, and says the same whichever side stands first."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graycard.agree import agree
from graycard.facts import fact
from graycard.model import Arm, Cache, Check, Durability, FigurePair, Operation, Origin, Result, Verdict
from tests.agree.test_built_disagreements import single
from tests.compare.made import TASK

FIO, AJA, PING = (Origin(name, "1", None) for name in ("fio", "AJA System Test", "ioping"))
WRITE = replace(TASK, operation=Operation.WRITE)
BASE = single("aa", 100.0, origin=FIO)
BASE_WRITE = single("aa", 100.0, origin=FIO, task=WRITE)


IOZONE = Origin("iozone", "3", None)


def other(rate: float, origin: Origin = IOZONE, **task: object) -> Result:
    return single("bb", rate, origin=origin, task=replace(TASK, **task))


def failed_version(rate: float) -> Result:
    made = other(rate)
    assert made.summary is not None
    check = Check("version_counts_all_jobs", None, None, None, None, Verdict.FAIL, "It left out every second job.")
    return replace(made, summary=replace(made.summary, checks=(check,)))


CASES = [
    ("flush", BASE_WRITE, single("bb", 130.0, origin=AJA, task=replace(WRITE, durability=Durability.NONE))),
    ("cached write", BASE_WRITE, single("bb", 800.0, origin=FIO, task=replace(WRITE, cache=Cache.WARM))),
    ("cached read", BASE, other(3000.0, cache=Cache.WARM)),
    ("cached read", BASE, other(900.0, unstated=("cache",))),
    ("compressible data", BASE, other(400.0, compressible_ratio=1.0)),
    ("queue depth", BASE, other(180.0, depth_count=16)),
    ("block size", BASE, other(30.0, block_bytes=65536)),
    ("threads", BASE, other(130.0, worker_count=8)),
    ("file size", BASE, other(300.0, span_bytes=1 << 26)),
    ("pauses", BASE, other(12.0, PING)),
    ("codec", BASE, other(40.0, AJA)),
    ("failed check", BASE, failed_version(52.0)),
    ("time limit", single("aa", 100.0, origin=FIO, task=replace(TASK, time_ns=None)), other(200.0, time_ns=10**9)),
    ("set-up", replace(BASE, facts=(fact("bus", "usb", ""),)), replace(other(500.0), facts=(fact("bus", "nvme", ""),))),
    ("scatter", BASE, other(102.0)),
    ("unit", BASE, other(104.86, Origin("ATTO Disk Benchmark", "4", None))),
]


def pair_of(base: Result, beside: Result) -> FigurePair:
    [agreement] = agree((Arm("one", (base,)), Arm("two", (beside,)))).agreements
    [pair] = agreement.pairs
    return pair


@pytest.mark.parametrize(("name", "base", "beside"), CASES, ids=[name for name, *_ in CASES])
def test_it_stands_first(name: str, base: Result, beside: Result) -> None:
    pair, turned = pair_of(base, beside), pair_of(beside, base)
    assert pair.reasons[0].name == name
    assert pair.reasons[0].explains_ratio is not None
    assert pair.reasons[0].explains_ratio > 0.5
    assert [reason.name for reason in turned.reasons] == [reason.name for reason in pair.reasons]
    assert turned.ratio.value == pytest.approx(1 / pair.ratio.value)


@pytest.mark.parametrize(
    ("name", "base", "beside"),
    [
        ("queue depth", BASE, other(50.0, depth_count=16)),
        ("codec", BASE, other(200.0, AJA)),
        ("compressible data", BASE, other(50.0, compressible_ratio=1.0)),
        ("pauses", BASE, other(300.0, PING)),
    ],
)
def test_what_works_the_other_way_explains_nothing(name: str, base: Result, beside: Result) -> None:
    reason = next(each for each in pair_of(base, beside).reasons if each.name == name)
    assert reason.explains_ratio == 0
    assert "the other way" in reason.says


def test_nothing_known_is_no_reason() -> None:
    assert pair_of(BASE, other(160.0)).reasons == ()
