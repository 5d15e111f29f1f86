"""The instrument against truth that it does not make: a FUSE device's log, the kernel's counters, a table, fio.

The tolerances are those of the goals; docs/accuracy.md has the same comparisons, measured for longer.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from graycard.model import Operation, Pattern
from tests.bed.accuracy import FUSE_LOADS, FuseLoad, FuseRow, fuse_rows, load, rated_row
from tests.bed.rates import blkio_rated, nbd_rated
from tests.bed.tiers import LONG
from tests.bed.versus import lay_out, standard_loads, versus_fio

pytestmark = [pytest.mark.root, pytest.mark.alone]
MIB = 1 << 20


# Seconds of a run, and service time. The longer rounds are for machines that are slow to wake what sleeps: where the
# path costs over 1 % of the service time, or the start of 64 threads over 0.5 % of a run, nothing can be compared.
ROUNDS = ((2.0, 50_000_000), *(4 * ((6.0, 120_000_000),)))
# The same for the two instruments on a device of a known rate.
TRIES = 3
# Each depth with each operation, and with each pattern; docs/accuracy.md and the long tier have all twelve.
READ, WRITE, SEQUENTIAL, RANDOM = Operation.READ, Operation.WRITE, Pattern.SEQUENTIAL, Pattern.RANDOM
LOADS = (
    (READ, SEQUENTIAL, 1),
    (READ, RANDOM, 8),
    (READ, RANDOM, 64),
    (WRITE, RANDOM, 1),
    (WRITE, SEQUENTIAL, 8),
    (WRITE, SEQUENTIAL, 64),
)


@pytest.mark.timeout(1200)
def test_rate_and_latency_of_a_known_device(tmp_path: Path) -> None:
    """Each load meets the goal in at least one round: disturbance comes and goes, a wrong instrument always misses."""
    missed: dict[FuseLoad, FuseRow | None] = dict.fromkeys(FUSE_LOADS if LONG else LOADS)
    for number, (seconds, service_ns) in enumerate(ROUNDS):
        place = tmp_path / str(number)
        place.mkdir()
        rows = fuse_rows(place, tuple(missed), seconds=seconds, service_ns=service_ns)
        missed = {load: row for load, row in zip(tuple(missed), rows, strict=True) if not meets_the_goal(row)}
        if not missed:
            break
    assert not missed


def meets_the_goal(row: FuseRow) -> bool:
    return abs(row.rate_error_ratio) <= 0.005 and abs(row.latency_error_ratio) <= 0.01


@pytest.mark.parametrize("operation", list(Operation))
def test_a_device_of_known_rate_is_read_as_the_kernel_counts_it(tmp_path: Path, operation: Operation) -> None:
    """The counters are the truth. A starved server may be slower than was set, never faster."""
    with nbd_rated(tmp_path, 20_000_000, "64M") as device:
        path = f"{device.folder}/data"
        lay_out(path, 16 * MIB)
        row = rated_row("nbd", device, load(operation, Pattern.SEQUENTIAL, MIB, 8, 3, 16 * MIB), path)
    assert abs(row.error_ratio) <= 0.01, row
    # The filter's bucket starts full: a burst of 0.05 s over 3 s.
    assert row.bytes_per_s / row.set_bytes_per_s <= 1.05, row


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
        for _ in range(TRIES):
            versus = versus_fio(path, standard_loads(64 * MIB, 3.0)[0], 2)
            if versus.rate.value == pytest.approx(1, abs=0.03):
                return
    pytest.fail(str(versus))
