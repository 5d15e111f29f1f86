"""The instrument against truth that it does not make: a FUSE device's log, the kernel's counters, a table, fio.

The tolerances are those of the goals; docs/accuracy.md has the same comparisons, measured for longer.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from graycard.model import Operation, Pattern
from tests.bed.accuracy import fuse_rows, load, rated_row
from tests.bed.rates import blkio_rated, nbd_rated
from tests.bed.versus import lay_out, standard_loads, versus_fio

pytestmark = pytest.mark.root
MIB = 1 << 20


def test_rate_and_latency_of_a_known_device(tmp_path: Path) -> None:
    """Each load meets the goal in one of three rounds: a busy machine adds errors, a wrong instrument fails all."""
    missed: dict[tuple[str, ...], list[str]] = {}
    for number in range(3):
        place = tmp_path / str(number)
        place.mkdir()
        for row in fuse_rows(place, seconds=2, service_ns=50_000_000):
            load_of_row = (str(row.operation), str(row.pattern), str(row.depth_count))
            good = abs(row.rate_error_ratio) <= 0.005 and abs(row.latency_error_ratio) <= 0.01
            if good:
                missed[load_of_row] = []
            elif number == 0 or missed[load_of_row]:
                missed.setdefault(load_of_row, []).append(str(row))
        if not any(missed.values()):
            break
    assert not any(missed.values()), missed


@pytest.mark.parametrize("operation", list(Operation))
def test_a_device_of_known_rate_is_read_as_the_kernel_counts_it(tmp_path: Path, operation: Operation) -> None:
    with nbd_rated(tmp_path, 100_000_000, "256M") as device:
        path = f"{device.folder}/data"
        lay_out(path, 64 * MIB)
        row = rated_row("nbd", device, load(operation, Pattern.SEQUENTIAL, MIB, 8, 3, 64 * MIB), path)
    assert abs(row.error_ratio) <= 0.01, row
    # The filter's bucket starts full: a burst of 0.05 s over 3 s.
    assert row.bytes_per_s / row.set_bytes_per_s == pytest.approx(1.02, abs=0.03), row


def test_the_kernels_throttle_is_read_as_the_kernel_counts_it(tmp_path: Path) -> None:
    with blkio_rated(tmp_path, 50_000_000, 256 * MIB) as device:
        path = f"{device.folder}/data"
        lay_out(path, 64 * MIB)
        row = rated_row("blkio", device, load(Operation.READ, Pattern.SEQUENTIAL, MIB, 8, 4, 64 * MIB), path)
    assert abs(row.error_ratio) <= 0.01, row


def test_fio_measures_the_same_on_a_device_of_known_rate(tmp_path: Path) -> None:
    """On a device whose rate is set, so that noise of the machine cannot hide a difference of the instruments.

    Runs of 3 s: what a device lets through as a burst at its start is 5 % of one second.
    """
    with blkio_rated(tmp_path, 200_000_000, 256 * MIB, ops_per_s=2000) as device:
        path = f"{device.folder}/data"
        lay_out(path, 64 * MIB)
        versus = versus_fio(path, standard_loads(64 * MIB, 3.0)[0], 3)
    assert versus.rate.value == pytest.approx(1, abs=0.03), versus
