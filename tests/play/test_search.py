"""The search for the largest number: exact on any device, also where short runs deceive."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from graycard.play.search import Found, search


class Device:
    """Drops from `short_limit` + 1 streams on in short runs and from `limit` + 1 on in whole ones."""

    def __init__(self, limit: int, short_limit: int) -> None:
        self.limit, self.short_limit = limit, short_limit
        self.asked: list[tuple[int, bool]] = []

    def __call__(self, stream_count: int, *, whole: bool) -> bool:
        self.asked.append((stream_count, whole))
        return stream_count > (self.limit if whole else self.short_limit)


@given(st.integers(0, 40), st.integers(-3, 12), st.integers(1, 64))
def test_the_number_is_that_of_whole_runs(limit: int, deceit: int, most: int) -> None:
    device = Device(limit, max(0, limit + deceit))
    found = search(device, most)
    count = min(limit, most)
    assert found == Found(count, count + 1 if count < most else None)
    # What is said of both numbers was seen in a whole run.
    assert not count or (count, True) in device.asked
    assert count == most or (count + 1, True) in device.asked
    assert len(device.asked) == len(set(device.asked))
    assert all(1 <= asked <= most for asked, _ in device.asked)


def test_few_runs_are_needed() -> None:
    device = Device(11, 13)
    search(device, 128)
    short = [count for count, whole in device.asked if not whole]
    assert short == [1, 2, 4, 8, 16, 12, 14, 13]
    assert [count for count, whole in device.asked if whole] == [13, 12, 11]
