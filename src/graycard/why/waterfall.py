"""What is left at each layer: source, network, server's disk, protocol, tool."""

from __future__ import annotations

from collections.abc import Iterator

from graycard.model import Estimate
from graycard.model.diagnosis import Layer, Seen, Step
from graycard.why.figures import SHARE_OF_NETWORK_RATIO, figure, is_upload

# Single runs on a busy machine differ by 10 to 20 %, so two of them by up to a third: less is no loss to speak of.
LOSS_RATIO = 0.35
_BEFORE = {Layer.PROTOCOL: (Layer.NETWORK, Layer.SERVER_DISK), Layer.TOOL: (Layer.SOURCE, Layer.PROTOCOL)}


def steps_of(seen: Seen) -> tuple[Step, ...]:
    """One step a layer; each loses against the smallest before it."""
    left: float | None = None
    steps: list[Step] = []
    for layer, label, rate in _measured(seen):
        value = figure(rate)
        of_use = None if value is None else value * (SHARE_OF_NETWORK_RATIO if layer is Layer.NETWORK else 1.0)
        lost = None if of_use is None or left is None or not _comparable(layer, steps) else max(0.0, 1 - of_use / left)
        steps.append(Step(layer, label, rate, lost))
        left = left if of_use is None else of_use if left is None else min(left, of_use)
    return tuple(steps)


def _comparable(layer: Layer, steps: list[Step]) -> bool:
    """What the share loses is known only where network and server's disk are, the tool's loss where its source is."""
    before = _BEFORE.get(layer, ())
    return all(figure(step.rate) is not None for step in steps if step.layer in before)


def _measured(seen: Seen) -> Iterator[tuple[Layer, str, Estimate | None]]:
    upload, ceilings = is_upload(seen.evidence), seen.evidence.ceilings
    yield Layer.SOURCE, f"this computer's disk ({'read' if upload else 'flushed'})", ceilings.source
    yield Layer.NETWORK, "raw network", ceilings.network
    disk = ceilings.server_flushed if upload else ceilings.server_read
    yield Layer.SERVER_DISK, f"the server's disk ({'flushed' if upload else 'read, cold'})", disk
    yield Layer.PROTOCOL, "the share, blocks of 1 MiB", ceilings.mount
    tool = ceilings.tool(seen.evidence.tool)
    yield Layer.TOOL, seen.evidence.tool, tool.rate if tool else None


def largest_loss(steps: tuple[Step, ...]) -> Step | None:
    """The step of the share or the tool that loses most, where it loses more than noise does."""
    lossy = [
        step for step in steps if step.layer in (Layer.PROTOCOL, Layer.TOOL) and (step.lost_ratio or 0) > LOSS_RATIO
    ]
    return max(lossy, key=lambda step: step.lost_ratio or 0, default=None)


def lowest(steps: tuple[Step, ...]) -> Step | None:
    """The lowest ceiling below the share."""
    below = (Layer.SOURCE, Layer.NETWORK, Layer.SERVER_DISK)
    known = [(value, step) for step in steps if step.layer in below and (value := figure(step.rate)) is not None]
    return min(known, key=lambda pair: pair[0])[1] if known else None
