"""The reason of the set-up: facts that differ between the two."""

from __future__ import annotations

from graycard.agree.beside import HALF_STATED, STATED, Beside, Cause
from graycard.differences import differences

# A state of the drive or the system: seldom more, and either way.
_MOST = 10.0
_SHOWN_COUNT = 3
# Another device or link is enough for any difference.
_DECISIVE = ("bus", "rotational", "throttled", "link_bits_per_s", "server", "device_model", "device_id")
# Told by reasons of their own.
_TOLD = ("measured_by", "engine_settings", "graycard_version", "python_version")


def set_up(pair: Beside) -> Cause | None:
    """The largest suspects among the facts that are known of both and differ."""
    found = [each for each in differences(pair.base.facts, pair.other.facts) if each.name not in _TOLD]
    if not found:
        return None
    told = "; ".join(each.says for each in found[:_SHOWN_COUNT])
    more = f"; and {len(found) - _SHOWN_COUNT} more" if len(found) > _SHOWN_COUNT else ""
    says = f"Set-up: it differs ({pair.base.name} against {pair.other.name}): {told}{more}."
    return Cause("set-up", says, 1 / _MOST, _MOST, STATED if found[0].name in _DECISIVE else HALF_STATED)
