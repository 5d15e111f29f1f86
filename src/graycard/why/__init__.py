"""Which layer holds a copy back: pure functions over what was measured at both ends, without any I/O.

vocabulary   the tracks of a timeline: names, units, how a step's value is made
figures      the figures that are compared: ceilings, the copy's rate, means of tracks
expected     what a link should carry
slices       what each step of time was spent on
swing        two levels, a period, and what was idle in the dips
waterfall    what is left at each layer
rules        the causes, one file each
confirm      what a change that was tried proves
judge        all of it: evidence becomes a diagnosis
"""

from graycard.why.judge import judge, look_at
from graycard.why.rules import RULES

__all__ = ["RULES", "judge", "look_at"]
