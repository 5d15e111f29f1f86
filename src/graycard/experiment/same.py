"""Whether what lies in the folder now is what the earlier runs of a configuration were measured on."""

from __future__ import annotations

from collections.abc import Iterable

from graycard.errors import TargetProblem
from graycard.facts import TERMS, value
from graycard.model import Fact, Result
from graycard.model.experiment import Configuration

# An image is made anew where it was lost, with another id. What a person switches may be the system itself.
_OF_AN_IMAGE = ("file_system",)
_OF_A_FOLDER = ("file_system", "file_system_id", "device_id")
_OF_A_STEP = (*_OF_A_FOLDER, "os_name", "kernel_version")


# A drive that is reformatted for each visit has another file system each time.
_OF_A_VISIT = ("file_system", "device_id", "os_name", "kernel_version")


def check_same_place(
    configuration: Configuration, earlier: tuple[Result, ...], facts: Iterable[Fact], visit_count: int = 1
) -> None:
    """TargetProblem where runs of two different set-ups would be put together under one name."""
    now = tuple(facts)
    for name in _identity(configuration, visit_count):
        found = value(now, name)
        for result in earlier:
            before = value(result.facts, name)
            if None not in (before, found) and before != found:
                raise TargetProblem(
                    f"“{configuration.name}” is not what it was: {TERMS[name].meaning} was {before}, "
                    f"now it is {found}; "
                    "bring it back as it was, or begin a new experiment with a changed plan"
                )


def _identity(configuration: Configuration, visit_count: int) -> tuple[str, ...]:
    if configuration.image:
        return _OF_AN_IMAGE
    if configuration.step and visit_count > 1:
        return _OF_A_VISIT
    return _OF_A_STEP if configuration.step else _OF_A_FOLDER
