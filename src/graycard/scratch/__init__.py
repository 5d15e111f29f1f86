"""The run's own folder below the target: the only place that makes and removes it, or what earlier runs left."""

from graycard.scratch.elsewhere import Elsewhere, elsewhere
from graycard.scratch.folder import Scratch
from graycard.scratch.image_folder import ImageFolder
from graycard.scratch.leftover import Cleaned, Leftover, clean, leftovers
from graycard.scratch.owner import State
from graycard.scratch.running import others_running, present

__all__ = [
    "Cleaned",
    "Elsewhere",
    "ImageFolder",
    "Leftover",
    "Scratch",
    "State",
    "clean",
    "elsewhere",
    "leftovers",
    "others_running",
    "present",
]
