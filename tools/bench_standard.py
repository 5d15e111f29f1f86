"""What a standard measurement takes and reaches: `python -m tools.bench_standard`, some six minutes, as root.

It writes its section of docs/performance.md alone.
"""

from __future__ import annotations

import math
import tempfile
import time
from pathlib import Path

from graycard.cli.app import SystemClock
from graycard.engines.native import NativeEngine
from graycard.host import this_host
from graycard.measurement import Event, Measurement, measure
from graycard.model import Plan, Result
from graycard.plan import TaskOptions, make_plan
from tests.bed.rates import blkio_rated
from tools.accuracy import table
from tools.page import write_section

ROOT = Path(__file__).parent.parent
HEADING = "## A standard measurement"
BYTES_PER_S, OPS_PER_S = 200_000_000, 2000
HALF_WIDTH_RATIO, WALL_S = 0.05, 200.0


class Phases:
    """How long each phase of a measurement lasted, from the events it tells."""

    def __init__(self) -> None:
        self.spent_ns: dict[str, int] = {}
        self._phase, self._since = "prepare", time.monotonic_ns()

    def __call__(self, event: Event) -> None:
        if event.phase != self._phase:
            self.spent_ns[self._phase] = self.spent_ns.get(self._phase, 0) + event.at_ns - self._since
            self._phase, self._since = event.phase, event.at_ns


class Nowhere:
    """A store that keeps nothing: the store's own cost is measured by its tests."""

    def save(self, result: Result) -> None:
        """Forget the result."""


def standard_plan(folder: Path) -> Plan:
    host = this_host()
    target = host.resolve(str(folder))
    return make_plan(target, "standard", TaskOptions(seed=1), host.facts(target))


def measured(plan: Plan, phases: Phases) -> tuple[Measurement, float]:
    """The measurement and its wall time in s."""
    host = this_host()
    start = time.monotonic()
    measurement = measure(
        plan,
        engines=(NativeEngine(host),),
        host=host,
        keeper=Nowhere(),
        clock=SystemClock(),
        on_event=phases,
    )
    return measurement, time.monotonic() - start


def half_width(result: Result) -> float | None:
    return result.summary.rate.half_width_ratio if result.summary else None


def widest(measurement: Measurement) -> float:
    """The largest half width of an interval as a share of its rate; NaN if one is not known."""
    widths = [half_width(result) for result in measurement.results]
    known = [width for width in widths if width is not None]
    return max(known) if len(known) == len(widths) else math.nan


def on_the_disk(folder: Path) -> str:
    """Wall time that is neither I/O, rest nor layout, on the disk of this machine."""
    plan, phases = standard_plan(folder), Phases()
    measurement, wall_s = measured(plan, phases)
    runs = [run for result in measurement.results for run in result.runs]
    io_s = sum(run.samples.elapsed_ns for run in runs) / 1e9
    rest_s = len(runs) * plan.repeat.rest_ns / 1e9
    layout_s = phases.spent_ns.get("layout", 0) / 1e9
    share = (wall_s - io_s - rest_s - layout_s) / wall_s
    return f"""On the disk of this machine, which others use too: {wall_s:.0f} s for {len(runs)} runs of {len(plan.tasks)} tasks: I/O {io_s:.0f} s, rests
{rest_s:.0f} s, layout {layout_s:.1f} s. What is neither is {share * 100:.1f} % (goal: at most 5 %:
{"met" if share <= 0.05 else "missed"}). The widest interval was ±{widest(measurement) * 100:.1f} %."""


def on_a_steady_device(tmp: Path) -> str:
    """How narrow the intervals become, and in which time, where the device is as steady as one can be."""
    with blkio_rated(tmp, BYTES_PER_S, 4 << 30, OPS_PER_S) as device:
        measurement, wall_s = measured(standard_plan(Path(device.folder)), Phases())
    rows = (
        (
            result.task.label,
            f"{result.summary.rate.value / 1e6:.2f}" if result.summary else "",
            f"±{(half_width(result) or math.nan) * 100:.2f} %",
            str(len(result.runs)),
        )
        for result in measurement.results
    )
    is_met = widest(measurement) <= HALF_WIDTH_RATIO and wall_s <= WALL_S
    return f"""On a device that the kernel's throttle (blkio, on a loop on memory) holds at {BYTES_PER_S / 1e6:.0f} MB/s and {OPS_PER_S:,} requests per second:
{wall_s:.0f} s, widest interval ±{widest(measurement) * 100:.2f} % (goal on a quiet disk: ±5 % within 200 s: {"met" if is_met else "missed"}).

{table(("task", "MB/s", "95 % interval", "runs"), rows)}"""


def standard_section(tmp: Path) -> str:
    """Both."""
    disk, device = tmp / "disk", tmp / "device"
    disk.mkdir()
    device.mkdir()
    return f"""{HEADING}

{on_the_disk(disk)}

{on_a_steady_device(device)}"""


def main() -> None:
    (ROOT / "build").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="graycard-bench-", dir=ROOT / "build") as folder:
        section = standard_section(Path(folder))
    write_section("performance.md", section)
    print(section)


if __name__ == "__main__":
    main()
