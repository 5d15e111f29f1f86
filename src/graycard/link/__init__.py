"""What the network alone carries to another computer: raw TCP both ways, round trips idle and under load.

far_end    the agent over there, by the user's own ssh or started by hand
flow       one test: streams one way, with round trips beside it
path       the interface on the way: negotiated speed, duplex, MTU
test       all of them: ceiling, idle, flows in random order, results
results    flows become results with intervals and checks
"""

from graycard.link.far_end import FarEnd, by_hand, by_ssh
from graycard.link.testing import LinkOptions, LinkReport, LinkTest

__all__ = ["FarEnd", "LinkOptions", "LinkReport", "LinkTest", "by_hand", "by_ssh"]
