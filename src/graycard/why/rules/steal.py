"""The host of a virtual machine keeps processor time for others: every figure is wrong meanwhile."""

from __future__ import annotations

from graycard.model.diagnosis import Layer, Seen, Severity
from graycard.units import percent
from graycard.why.figures import mean_of
from graycard.why.rules.rule import Hit, PlainRule

# A tenth cannot make a factor of 1.25, the least by which rules tell layers apart.
STEAL_RATIO = 0.1
_ENDS = (("near", "this computer"), ("far", "the server"))


def look(seen: Seen) -> Hit | None:
    """Mean steal at either end."""
    stolen = [(end, ratio) for track, end in _ENDS if (ratio := mean_of(seen, f"{track}.steal_ratio")) is not None]
    busy = tuple(f"{end} lost {percent(ratio)} of its processor time." for end, ratio in stolen if ratio >= STEAL_RATIO)
    if not busy:
        return None
    return Hit("The host of a virtual machine gave processor time to others during the copy.", busy, cost=_COST)


_COST = "Nothing can be said of any layer meanwhile."
RULE = PlainRule(
    name="steal",
    layer=Layer.NOT_JUDGED,
    source="measured: with steal of 5 to 24 % and a load of 11 on 2 cores the same copy fell from 340 to 129 MB/s",
    needs=(),
    look=look,
    advice="Repeat it when the host is quiet, or on a machine of its own.",
    severity=Severity.VOID,
)
