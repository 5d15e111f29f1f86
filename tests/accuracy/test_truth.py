"""The instrument against truth that it does not make: a FUSE device's log, the kernel's counters, a table, fio.

The tolerances are those of the goals; docs/accuracy.md has the same comparisons, measured for longer.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from graycard.model import Operation, Pattern
from tests.bed.accuracy import FuseRow, fuse_rows, load, rated_row
from tests.bed.rates import blkio_rated, nbd_rated
from tests.bed.versus import lay_out, standard_loads, versus_fio

pytestmark = pytest.mark.root
MIB = 1 << 20


# Seconds of a run, and service time. The longer rounds are for machines that are slow to wake what sleeps: where the
# path costs over 1 % of the service time, or the start of 64 threads over 0.5 % of a run, nothing can be compared.
ROUNDS = ((2.0, 50_000_000), (6.0, 120_000_000), (6.0, 120_000_000))


@pytest.mark.timeout(600)
def test_rate_and_latency_of_a_known_device(tmp_path: Path) -> None:
    """Each load meets the goal in at least one round: disturbance comes and goes, a wrong instrument always misses."""
    missed: dict[tuple[str, str, int], str] | None = None
    for number, (seconds, service_ns) in enumerate(ROUNDS):
        place = tmp_path / str(number)
        place.mkdir()
        rows = tuple(fuse_rows(place, seconds=seconds, service_ns=service_ns))
        assert len(rows) == 12
        wrong = {(row.operation, row.pattern, row.depth_count): str(row) for row in rows if not meets_the_goal(row)}
        missed = wrong if missed is None else {load: row for load, row in wrong.items() if load in missed}
        if not missed:
            break
    assert not missed


def meets_the_goal(row: FuseRow) -> bool:
    return abs(row.rate_error_ratio) <= 0.005 and abs(row.latency_error_ratio) <= 0.01


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
