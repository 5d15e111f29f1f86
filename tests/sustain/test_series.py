"""Files one after the other are one run, in bounded memory, and not a byte is lost."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graycard.model import Samples, Tick
from graycard.protocols import Progress
from graycard.sustain.lookout import Lookout
from graycard.sustain.series import MOST_TICKS, TICK_NS, Joining, Looks
from tests.stats.series import samples

MB = 1_000_000
S = 10**9


def test_two_files_become_one_run() -> None:
    joining = Joining()
    joining.add(samples([MB] * 100, flush_ns=0))
    joining.add(samples([2 * MB] * 50, flush_ns=3_000_000))
    found = joining.samples()
    assert found is not None
    assert (found.moved_bytes, found.elapsed_ns, found.flush_ns) == (200 * MB, 1_503_000_000, 3_000_000)
    assert [tick.moved_bytes for tick in found.ticks] == [MB] * 100 + [2 * MB] * 50 + [0]
    assert found.ops_count == 150 * 100


def test_nothing_joined_is_nothing() -> None:
    assert Joining().samples() is None


@given(st.lists(st.lists(st.integers(0, 3 * MB), min_size=1, max_size=40), min_size=1, max_size=6))
def test_no_byte_is_lost_at_the_seams(files: list[list[int]]) -> None:
    joining = Joining()
    for index, moved in enumerate(files):
        joining.add(samples(moved, flush_ns=index * 3_700_001))
    found = joining.samples()
    assert found is not None
    assert sum(tick.moved_bytes for tick in found.ticks) == sum(map(sum, files)) == found.moved_bytes
    assert sum(tick.ops_count for tick in found.ticks) == found.ops_count
    assert all(after.start_ns - before.start_ns == found.tick_ns for before, after in pairwise(found.ticks))
    assert len(found.ticks) * found.tick_ns >= found.elapsed_ns


def test_a_whole_volume_stays_bounded() -> None:
    """40 files of 43 s each at 10 ms: 172,000 slots. Eight times as many files take eight times as wide slots."""
    joining, each = Joining(), samples([MB] * 4300)
    for _ in range(40):
        joining.add(each)
    found = joining.samples()
    assert found is not None
    assert MOST_TICKS // 4 < len(found.ticks) <= MOST_TICKS
    assert found.tick_ns == 40_000_000
    assert sum(tick.moved_bytes for tick in found.ticks) == 40 * 4300 * MB


def test_an_engine_with_wider_slots_widens_all() -> None:
    joining = Joining()
    joining.add(samples([MB] * 8))
    joining.add(samples([4 * MB] * 2, tick_ns=4 * TICK_NS))
    found = joining.samples()
    assert found is not None
    assert [tick.moved_bytes for tick in found.ticks] == [4 * MB, 4 * MB, 4 * MB, 4 * MB]


def test_what_one_file_does_not_tell_is_unknown_for_all() -> None:
    told = Samples("a", S, 1, MB, (Tick(0, 1, MB),), S, None, cpu_ns=7, submit_ns=3)
    untold = Samples("a", S, 1, MB, (Tick(0, 1, MB),), S, None, cpu_ns=5)
    joining = Joining()
    joining.add(told)
    joining.add(untold)
    found = joining.samples()
    assert found is not None
    assert (found.cpu_ns, found.submit_ns, found.latency) == (12, None, None)


def test_what_was_seen_of_a_failed_run_is_a_run() -> None:
    looks = Looks()
    for tenth in range(1, 31):
        looks.add(Progress(tenth * 100_000_000, tenth * 10, tenth * 10 * MB, 0))
    found = looks.samples("native")
    assert found is not None
    assert (found.elapsed_ns, found.moved_bytes, found.ops_count, found.latency) == (3 * S, 300 * MB, 300, None)
    assert {tick.moved_bytes for tick in found.ticks} == {MB}
    assert sum(tick.ops_count for tick in found.ticks) == 300


def test_nothing_seen_is_no_run() -> None:
    looks = Looks()
    looks.add(Progress(100_000_000, 0, 0, 100_000_000))
    assert looks.samples("native") is None


def test_looks_stay_bounded_and_keep_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Looks, "MOST", 256)
    looks, count = Looks(), 2000
    for tenth in range(1, count + 1):
        looks.add(Progress(tenth * 100_000_000, tenth, tenth * MB, 0))
    found = looks.samples("native")
    assert found is not None
    assert len(looks._seen) <= Looks.MOST
    assert sum(tick.moved_bytes for tick in found.ticks) == found.moved_bytes == count * MB


def enough_after_s(lookout: Lookout, rates: list[float]) -> float | None:
    moved = 0.0
    for tenth, rate in enumerate(rates, 1):
        moved += rate / 10
        if lookout.sees_steady(tenth * 100_000_000, int(moved)):
            return tenth / 10
    return None


def test_it_is_enough_when_the_lower_level_has_held() -> None:
    found = enough_after_s(Lookout(60 * S), [400e6] * 600 + [80e6] * 2000)
    assert found is not None
    assert 120 <= found <= 126


def test_it_is_not_enough_without_a_fall_or_after_a_rise() -> None:
    assert enough_after_s(Lookout(10 * S), [400e6] * 2000) is None
    assert enough_after_s(Lookout(10 * S), [80e6] * 600 + [400e6] * 1000) is None


def test_a_drive_that_comes_back_up_is_watched_on() -> None:
    """A cache that empties itself in between: the last level must be the lower one."""
    rates = [400e6] * 300 + [80e6] * 200 + [400e6] * 300
    assert enough_after_s(Lookout(60 * S), rates) is None
