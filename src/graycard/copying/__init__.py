"""The same bytes by every method that works here, in turns, both ways.

places    what the user wrote becomes places
data      what is copied: a file, a folder, or made-up data
grounds   the run's own folders at both ends
arms      each method, place and direction that can be tried, and why others cannot
course    the rounds
results   runs become results
"""

from graycard.copying.arms import CopyArm, Excluded, arms_for
from graycard.copying.course import CopyOptions, CopyReport, Course
from graycard.copying.data import KINDS, Data, census
from graycard.copying.places import parse_place

__all__ = [
    "KINDS",
    "CopyArm",
    "CopyOptions",
    "CopyReport",
    "Course",
    "Data",
    "Excluded",
    "arms_for",
    "census",
    "parse_place",
]
