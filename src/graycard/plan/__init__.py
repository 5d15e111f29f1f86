"""What will be measured: pure functions from options and facts to a plan whose bytes and time are known beforehand."""

from graycard.plan.budget import (
    LayoutFile,
    TimeNeeded,
    WriteBudget,
    bytes_to_write,
    file_name,
    layout,
    may_run,
    time_needed,
)
from graycard.plan.making import make_plan, read_only_plan
from graycard.plan.options import TaskOptions
from graycard.plan.presets import DEFAULT, PRESETS, Preset, single, through
from graycard.plan.seeds import order, run_task
from graycard.plan.space import check_space, reserve_bytes
from graycard.plan.words import describe

__all__ = [
    "DEFAULT",
    "PRESETS",
    "LayoutFile",
    "Preset",
    "TaskOptions",
    "TimeNeeded",
    "WriteBudget",
    "bytes_to_write",
    "check_space",
    "describe",
    "file_name",
    "layout",
    "make_plan",
    "may_run",
    "order",
    "read_only_plan",
    "reserve_bytes",
    "run_task",
    "single",
    "through",
    "time_needed",
]
