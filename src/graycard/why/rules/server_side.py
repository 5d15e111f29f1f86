"""The server copied by itself: nothing went over the network, so the figure is none of a share."""

from __future__ import annotations

from graycard.facts import value
from graycard.model.diagnosis import Layer, Seen, Severity
from graycard.why.rules.rule import Hit, PlainRule


def look(seen: Seen) -> Hit | None:
    """What the tool or its counters tell."""
    if value(seen.evidence.path, "server_side_copy") is not True:
        return None
    because = ("The tool or the share's counters tell that the server moved the bytes.",)
    return Hit("The server copied by itself, without the network.", because, cost="This copy says nothing of the way.")


RULE = PlainRule(
    name="server-side copy",
    layer=Layer.NOT_JUDGED,
    source="https://forums.developer.apple.com/forums/thread/759712 (Finder does it for SMB, copyfile() does not)",
    needs=(),
    look=look,
    advice="Copy from a disk of this computer to the share.",
    severity=Severity.VOID,
)
