"""What makes a figure true: checks that run in every measurement; pure functions.

Each check looks at the evidence and gives exactly one `Check`, also when all is well or nothing can be told.
docs/checks.md explains them to users.
"""

from __future__ import annotations

from collections.abc import Callable

from graycard.checks.alone import alone_on_device, only_measurement
from graycard.checks.caches import no_cache_below, span_vs_cache
from graycard.checks.clock import clock_sound, latency_time, not_interrupted
from graycard.checks.condition import covered, nearly_full, physically_possible, temperature
from graycard.checks.conservation import bytes_conserved
from graycard.checks.depth import littles_law
from graycard.checks.direct import direct_was_real
from graycard.checks.evidence import CheckEvidence
from graycard.checks.instrument import instrument_not_limit
from graycard.checks.medium import on_medium
from graycard.checks.presence import file_is_there, not_compressed
from graycard.checks.provenance import from_device
from graycard.checks.queue import depth_was_real
from graycard.model import Check

__all__ = ["CHECKS", "CheckEvidence", "run_checks"]

CHECKS: tuple[Callable[[CheckEvidence], Check], ...] = (
    bytes_conserved,
    littles_law,
    depth_was_real,
    from_device,
    direct_was_real,
    file_is_there,
    not_compressed,
    alone_on_device,
    only_measurement,
    instrument_not_limit,
    clock_sound,
    not_interrupted,
    physically_possible,
    on_medium,
    span_vs_cache,
    no_cache_below,
    temperature,
    nearly_full,
    covered,
    latency_time,
)


def run_checks(evidence: CheckEvidence) -> tuple[Check, ...]:
    """One `Check` from each of CHECKS, in their order."""
    return tuple(check(evidence) for check in CHECKS)
