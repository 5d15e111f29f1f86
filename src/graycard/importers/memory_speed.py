"""Whether a figure may be one of memory instead of a drive."""

from __future__ import annotations

from graycard.model import Check, Verdict
from graycard.units import format_rate

# PCIe 4.0 x4 after its line coding: 4 lanes of 16 GT/s x 128/130. One program that reads or writes one piece after the
# other gets more from hardly any drive (2026), but from the page cache at once.
FASTEST_BYTES_PER_S = 4 * 16e9 / 8 * 128 / 130
# A drive's own cache answers for so long, and clocks of whole ms show nothing of less.
SHORTEST_NS = 100_000_000


def memory_speed(rate_bytes_per_s: float) -> Check:
    """A caveat for a rate of one piece after the other that is more than PCIe 4.0 x4 can carry."""
    if rate_bytes_per_s <= FASTEST_BYTES_PER_S:
        verdict, says = Verdict.PASS, "The rate is one that a single drive can reach."
    else:
        verdict = Verdict.CAVEAT
        says = (
            f"{format_rate(rate_bytes_per_s)} is more than a drive on PCIe 4.0 x4 can move: most likely this came "
            "from memory (cached), not from the drive."
        )
    return Check("not_from_memory", FASTEST_BYTES_PER_S, rate_bytes_per_s, "bytes/s", None, verdict, says)


def long_enough(elapsed_ns: int) -> Check:
    """A caveat for a run that was shorter than SHORTEST_NS."""
    if elapsed_ns >= SHORTEST_NS:
        verdict, says = Verdict.PASS, "The run was long enough for its clock."
    else:
        verdict, says = Verdict.CAVEAT, f"The run lasted {elapsed_ns / 1e6:.3g} ms: too short to be a measurement."
    return Check("long_enough", float(SHORTEST_NS), float(elapsed_ns), "ns", None, verdict, says)
