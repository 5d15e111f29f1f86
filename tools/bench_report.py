"""How long a report of 1,000 results takes in each of its forms: `python -m tools.bench_report`, about 2 minutes.

It writes its section of docs/performance.md alone. Each figure is of fresh processes, for drawing and setting load
their engines once in each.
"""

from __future__ import annotations

import gc
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from graycard.codec import Document, encode
from graycard.report.forms import FORMS
from tests.report.shows import many
from tools.accuracy import table

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "performance.md"
HEADING = "## A report of 1,000 results"
RESULTS_COUNT = 1000
REPEATS_COUNT = 5
GOAL_S = 3.0
RENDER = "--render"


def render_s(form: str) -> float:
    """Seconds that this process takes from a report in memory to its bytes, without the collector as the command."""
    renderer = next(each for each in FORMS if each.name == form)
    report = many(RESULTS_COUNT)
    gc.disable()
    start = time.perf_counter()
    renderer.render(report)
    return time.perf_counter() - start


def fresh_render_s(form: str) -> float:
    command = [sys.executable, "-m", "tools.bench_report", RENDER, form]
    return float(subprocess.run(command, capture_output=True, check=True, text=True, cwd=ROOT).stdout)


def command_s(source: str, form: str, place: str) -> float:
    """Seconds of the whole command, start and end of Python with it."""
    code = "from graycard.cli.entry import run; run()"
    options = ["report", source, "-q", "--force", "-o", f"{place}.{form}"]
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code, *options], check=True)
    return time.perf_counter() - start


def cells(form: str, source: str, folder: str) -> tuple[str, ...]:
    renders, commands = [], []
    for _ in range(REPEATS_COUNT):
        renders.append(fresh_render_s(form))
        commands.append(command_s(source, form, f"{folder}/report"))
    size = Path(f"{folder}/report.{form}").stat().st_size
    met = "met" if max(renders) <= GOAL_S else "missed"
    return (
        f"`.{form}`",
        f"{statistics.median(renders):.2f} s",
        f"{max(renders):.2f} s",
        met,
        f"{statistics.median(commands):.2f} s",
        f"{max(commands):.2f} s",
        f"{size / 1e6:.1f} MB",
    )


def report_section(folder: str) -> str:
    source = Path(folder) / "results.json"
    source.write_bytes(encode(Document(results=many(RESULTS_COUNT).results)))
    rows = [cells(each.name, str(source), folder) for each in FORMS]
    head = ("form", "rendering, median", "longest", "goal", "whole command, median", "longest", "size")
    return f"""{HEADING}

{RESULTS_COUNT:,} results of 250 measurements, each of 5 runs with 500 ticks and some 470 latency buckets, {REPEATS_COUNT} times in
fresh processes. Goal: rendering takes at most {GOAL_S:.0f} s, the longest. The whole command also starts Python and
reads all runs from a JSON file of {source.stat().st_size / 1e6:.0f} MB. A web page and a PDF show the newest measurements with
charts and all others in one table; CSV and JSON hold every run.

{table(head, rows)}"""


def main() -> None:
    if sys.argv[1:2] == [RENDER]:
        print(render_s(sys.argv[2]))
        return
    with tempfile.TemporaryDirectory() as folder:
        section = report_section(folder)
    rest = re.sub(rf"{HEADING}\n.*?(?=^## |\Z)", "", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    PAGE.write_text(f"{rest.rstrip()}\n\n{section}\n", encoding="utf-8")
    print(section)


if __name__ == "__main__":
    main()
