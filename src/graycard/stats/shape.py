"""The shape of one run: its phases, its undulation, its stalls, in the order in which they must be looked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from graycard.model import Estimate, Phase, Samples, Undulation
from graycard.stats.cliff import MATERIAL_RATIO, SHORTEST_NS, phase_starts
from graycard.stats.slots import Slots, batch_ops, slots_of
from graycard.stats.stalls import Stalled, stalled
from graycard.stats.undulation import undulation
from graycard.stats.within import Within, within_run

# Operations a slot must hold before its rate says something about the device rather than about counting, and how
# many batches of operations that complete together.
_SLOT_OPS = 10
_SLOT_BATCHES = 4


@dataclass(frozen=True, slots=True)
class Shape:
    """What one run looks like. `examined_ns` is the time that the slots cover; `phases` is empty below 10 s.

    `last_ops_per_s` are the operations per second of the last phase, up to the end of the run.
    """

    examined_ns: int
    phases: tuple[Phase, ...]
    last_ops_per_s: float
    undulation: Undulation | None
    stalled: tuple[Stalled | None, ...]

    @property
    def has_cliff(self) -> bool:
        """Whether the level changed for good."""
        return len(self.phases) > 1


def shape(samples: Samples, run_index: int, depth_count: int) -> Shape | None:
    """The shape of run number `run_index`; None where the engine gives no ticks or the run is below one slot."""
    fine = slots_of(samples)
    if fine is None:
        return None
    batch = batch_ops(samples, depth_count)
    even = fine.holding(max(_SLOT_OPS, _SLOT_BATCHES * batch))
    edges, swing = _phases_and_swing(even)
    ratio = even.width_ns // fine.width_ns
    cuts = [*(edge * ratio for edge in edges[:-1]), len(fine.moved_bytes)]
    found = tuple(stalled(fine.part(start, end), batch) for start, end in pairwise(cuts))
    phases = _phases(samples, even, edges, swing, run_index) if fine.duration_ns >= SHORTEST_NS else ()
    last_ns = samples.elapsed_ns - edges[-2] * even.width_ns
    last_ops = samples.ops_count - sum(even.ops_count[: edges[-2]])
    return Shape(fine.duration_ns, phases, last_ops * 1e9 / last_ns, swing, found)


def _phases_and_swing(slots: Slots) -> tuple[list[int], Undulation | None]:
    """Edges of the phases, the first 0 and the last the end, and the undulation of the longest.

    Phases whose levels lie inside the undulation are a part of it, not a cliff, and become one.
    """
    end = len(slots.moved_bytes)
    edges = [*phase_starts(slots), end]
    start, stop = max(pairwise(edges), key=lambda pair: pair[1] - pair[0])
    swing = undulation(slots.part(start, stop))
    if swing is None or len(edges) == 2:
        return edges, swing
    if all(_inside(slots.part(*pair), swing) for pair in pairwise(edges)):
        return [0, end], undulation(slots) or swing
    return edges, swing


def _inside(slots: Slots, swing: Undulation) -> bool:
    level = sum(slots.rates_bytes_per_s) / len(slots.moved_bytes)
    low, high = swing.low_bytes_per_s, swing.high_bytes_per_s
    return low * (1 - MATERIAL_RATIO) <= level <= high * (1 + MATERIAL_RATIO)


def _phases(
    samples: Samples, slots: Slots, edges: Sequence[int], swing: Undulation | None, run_index: int
) -> tuple[Phase, ...]:
    """The phases with their rates: bytes over time, the last up to the end of the run with flush and close."""
    period_ns = swing.period_ns if swing else None
    phases = []
    for start, end in pairwise(edges):
        part = slots.part(start, end)
        before = sum(slots.moved_bytes[:start])
        last = end == edges[-1]
        moved = samples.moved_bytes - before if last else sum(part.moved_bytes)
        end_ns = samples.elapsed_ns if last else end * slots.width_ns
        value = moved * 1e9 / (end_ns - start * slots.width_ns)
        within = within_run(part.rates_bytes_per_s, slots.width_ns, period_ns)
        phases.append(Phase(run_index, start * slots.width_ns, end_ns, before, _estimate(value, within, part)))
    return tuple(phases)


def _estimate(value: float, within: Within | None, part: Slots) -> Estimate:
    """The phase's rate; the interval of the samples is brought to the value, which has the flush in its time."""
    if within is None or not sum(part.moved_bytes):
        return Estimate(value, None, None, "bytes/s", 1, None, "within this run; below 30 s no interval is given")
    factor = value * len(part.moved_bytes) / sum(part.rates_bytes_per_s)
    centre, half = within.mean * factor, within.half_width * factor
    method = "within this run, by effective sample size; another run may differ more"
    return Estimate(centre, max(0.0, centre - half), centre + half, "bytes/s", 1, 0.95, method)
