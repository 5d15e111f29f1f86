"""The probes of Linux, in the order in which `info` shows them."""

from __future__ import annotations

from graycard.host.linux.condition import ConditionProbe
from graycard.host.linux.connection import ConnectionProbe
from graycard.host.linux.format import FormatProbe
from graycard.host.linux.fullness import FullnessProbe
from graycard.host.linux.medium import MediumProbe
from graycard.host.linux.system import BusinessProbe, SystemProbe
from graycard.protocols import Probe

PROBES: tuple[Probe, ...] = (
    FormatProbe(),
    ConnectionProbe(),
    FullnessProbe(),
    SystemProbe(),
    BusinessProbe(),
    ConditionProbe(),
    MediumProbe(),
)
