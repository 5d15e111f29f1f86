"""How long a report of 1,000 results takes in each of its forms: `python -m tools.bench_report`, some minutes.

It writes its section of docs/performance.md alone. Each figure is of fresh processes, for drawing and setting load
their engines once in each.
"""

from __future__ import annotations

import gc
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from graycard.report.forms import FORMS
from graycard.store import Store
from tests.report.shows import many
from tools.accuracy import table
from tools.page import write_section

ROOT = Path(__file__).parent.parent
HEADING = "## A report of 1,000 results"
RESULTS_COUNT = 1000
REPEATS_COUNT = 4
GOAL_S = 3.0
RENDER = "--render"


@dataclass(frozen=True)
class Took:
    """Seconds on the clock, and of the processors."""

    wall: float
    cpu: float


def cpu_s(whose: int) -> float:
    used = resource.getrusage(whose)
    return used.ru_utime + used.ru_stime


def render(form: str) -> Took:
    """From a report in memory to its bytes in this process, without the collector, as the command."""
    renderer = next(each for each in FORMS if each.name == form)
    report = many(RESULTS_COUNT)
    gc.disable()
    start, cpu = time.perf_counter(), cpu_s(resource.RUSAGE_SELF)
    renderer.render(report)
    return Took(time.perf_counter() - start, cpu_s(resource.RUSAGE_SELF) - cpu)


def fresh_render(form: str) -> Took:
    command = [sys.executable, "-m", "tools.bench_report", RENDER, form]
    told = subprocess.run(command, capture_output=True, check=True, text=True, cwd=ROOT).stdout
    wall, cpu = told.split()
    return Took(float(wall), float(cpu))


def whole_command(store: str, form: str, place: str) -> Took:
    """The whole command, start and end of Python with it."""
    names = dict.fromkeys(result.measurement_id for result in many(RESULTS_COUNT).results)
    code = "from graycard.cli.entry import run; run()"
    options = ["--store", store, "report", *names, "--apart", "-q", "--force", "-o", f"{place}.{form}"]
    start, cpu = time.perf_counter(), cpu_s(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code, *options], check=True)
    return Took(time.perf_counter() - start, cpu_s(resource.RUSAGE_CHILDREN) - cpu)


def cells(form: str, store: str, folder: str) -> tuple[str, ...]:
    renders, commands = [], []
    for _ in range(REPEATS_COUNT):
        renders.append(fresh_render(form))
        commands.append(whole_command(store, form, f"{folder}/report"))
    size = Path(f"{folder}/report.{form}").stat().st_size
    whole = "" if form in {"csv", "json"} else goal(commands)
    return (f"`.{form}`", *shown(renders), goal(renders), *shown(commands), whole, f"{size / 1e6:.1f} MB")


def shown(found: list[Took]) -> tuple[str, str, str]:
    walls = [each.wall for each in found]
    cpu = min(each.cpu for each in found)
    return f"{min(walls):.2f} s", f"{statistics.median(walls):.2f} s", f"{cpu:.2f} s"


def goal(found: list[Took]) -> str:
    walls = [each.wall for each in found]
    if max(walls) <= GOAL_S:
        return "met"
    if statistics.median(walls) <= GOAL_S:
        return "met by the median"
    return "met by the fastest" if min(walls) <= GOAL_S else "missed"


def report_section(folder: str) -> str:
    path = f"{folder}/reported.db"
    with Store(path) as store:
        store.add(many(RESULTS_COUNT).results)
    load = os.getloadavg()[0]
    rows = [cells(each.name, path, folder) for each in FORMS]
    took = ("fastest", "median", "least processor time")
    head = (
        "form",
        *(f"rendering, {each}" for each in took),
        "goal",
        *(f"whole command, {each}" for each in took),
        "goal",
        "size",
    )
    return f"""{HEADING}

{RESULTS_COUNT:,} results of {RESULTS_COUNT // 4} measurements, each of 5 runs with 500 ticks and some 470 latency buckets; {REPEATS_COUNT} times in fresh
processes, on {os.cpu_count()} processors with a load of {load:.1f} by other programs: what they take away makes times longer, never shorter.
Goal: {GOAL_S:.0f} s. The whole command starts Python, reads all results from the store with the figures of their runs, and renders; of
the results that it draws it reads ticks and latencies, too. A web page and a PDF show the first measurements with charts and
all others in one table, which a PDF has in untagged parts of 250 rows. CSV and JSON hold every run:
as whole commands, which have no goal, they read and write result by result, without the nouns of what need not be understood.

{table(head, rows)}"""


def main() -> None:
    if sys.argv[1:2] == [RENDER]:
        took = render(sys.argv[2])
        print(took.wall, took.cpu)
        return
    with tempfile.TemporaryDirectory() as folder:
        section = report_section(folder)
    write_section("performance.md", section)
    print(section)


if __name__ == "__main__":
    main()
