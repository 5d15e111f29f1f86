"""Test data: incompressible, no block like another, reproducible."""

from __future__ import annotations

import lzma
import zlib
from collections import Counter

from tests.native.build import Driver

BLOCK = 4096


def test_data_do_not_compress_even_over_a_long_window(driver: Driver) -> None:
    data = driver.data("data", 1, 2, 0, 512, BLOCK)
    assert len(zlib.compress(data, 9)) > len(data)
    assert len(lzma.compress(data, preset=6)) > len(data)


def test_no_two_blocks_are_alike(driver: Driver) -> None:
    seen: set[bytes] = set()
    for seed, run in ((1, 1), (1, 2), (2, 1)):
        data = driver.data("data", seed, run, 0, 1000, BLOCK)
        # 16 bytes anywhere in two blocks are enough for a deduplicating drive
        seen |= {data[at : at + 16] for at in range(0, len(data), 16)}
    assert len(seen) == 3 * 1000 * BLOCK // 16


def test_bytes_are_evenly_spread(driver: Driver) -> None:
    data = driver.data("data", 3, 1, 0, 256, BLOCK)
    counts = Counter(data)
    mean = len(data) / 256
    chi_square = sum((counts[byte] - mean) ** 2 / mean for byte in range(256))
    assert 160 < chi_square < 370  # 255 degrees of freedom: ± 5 standard deviations


def test_the_same_seed_gives_the_same_data(driver: Driver) -> None:
    assert driver.data("data", 5, 6, 7, 3, 1000) == driver.data("data", 5, 6, 7, 3, 1000)
    assert driver.data("data", 5, 6, 7, 2, 1000)[1000:] == driver.data("data", 5, 6, 8, 1, 1000)
