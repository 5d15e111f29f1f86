"""Slots of a run whose ticks are not as an engine writes them: they end, and lose nothing that they can hold."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from graycard.model import Samples, Tick
from graycard.stats.slots import MOST_COUNT, SLOT_NS, batch_ops, slots_of

TICK_NS = 10_000_000


def samples(ticks: tuple[Tick, ...], tick_ns: int = TICK_NS) -> Samples:
    moved, ops = sum(tick.moved_bytes for tick in ticks), sum(tick.ops_count for tick in ticks)
    elapsed = max((tick.start_ns for tick in ticks), default=0) + tick_ns
    return Samples("native", max(1, elapsed), ops, moved, ticks, tick_ns, None)


def test_ticks_in_any_order_give_the_same_slots() -> None:
    ticks = tuple(Tick(index * TICK_NS, index, index * 4096) for index in range(35))
    assert slots_of(samples(ticks)) == slots_of(samples(tuple(reversed(ticks))))


def test_a_time_that_no_run_takes_makes_wide_slots() -> None:
    ticks = (Tick(0, 1, 4096), Tick(10**18, 1, 4096))
    slots = slots_of(samples(ticks))
    assert slots
    assert len(slots.moved_bytes) <= MOST_COUNT
    assert slots.width_ns > SLOT_NS
    assert slots.width_ns % TICK_NS == 0


@given(
    ticks=st.lists(
        st.builds(
            Tick,
            st.integers(-(10**18), 10**18),
            st.integers(-(10**6), 10**12),
            st.integers(-(10**6), 10**15),
        ),
        max_size=5,
    ),
    tick_ns=st.integers(-5, 10**18),
)
def test_whatever_the_ticks_are_the_slots_are_bounded(ticks: list[Tick], tick_ns: int) -> None:
    run = samples(tuple(ticks), tick_ns)
    slots = slots_of(run)
    if slots:
        assert 0 < len(slots.moved_bytes) <= MOST_COUNT
        assert slots.width_ns % tick_ns == 0
    assert batch_ops(run, 8) <= 8
