"""The release tier of the simulations: writes the table of docs/method.md.

    python tools/simulate.py [--rows 10000] [--jobs 2] [--only V8,V9]

Each row of the table is a device of known truth, measured so many times; the cells are those of
tests/stats/experiments.py, which the tests run with fewer measurements. With --only, the
other simulations' rows of the table stay as they stand. Needs numpy and scipy, as the tests do.
"""

from __future__ import annotations

import argparse
import importlib
import multiprocessing
import os
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
TARGET = ROOT / "docs" / "method.md"
BEGIN, END = "<!-- simulations: begin -->", "<!-- simulations: end -->"
SEED = 20260214

Line = tuple[str, str, str, str, str, str, str]


def lines_of(job: tuple[int, int]) -> list[Line]:
    """The table's lines for one cell: (cell number, rows in the release tier's 10,000)."""
    index, rows = job
    cell = importlib.import_module("tests.stats.experiments").cells()[index]
    figures = cell.figures(SEED, index, max(1, rows * cell.release_rows // 10_000))
    return [
        (
            figure.simulation,
            figure.truth,
            figure.what,
            demand(figure.low, figure.high) if figure.demanded else "published only",
            f"{figure.share * 100:.1f} %",
            f"{figure.rows:,}",
            ("yes" if figure.holds(0) else "**no**") if figure.demanded else "",
        )
        for figure in figures
    ]


def demand(low: float, high: float) -> str:
    if low == high:
        return f"{low:.0%}".replace("%", " %")
    if low == 0:
        return f"at most {high * 100:g} %"
    return f"at least {low * 100:g} %" if high == 1 else f"{low * 100:g} to {high * 100:g} %"


def table(lines: list[Line]) -> str:
    head = ("", "device", "what", "demanded", "measured", "measurements", "holds")
    missed = sum(line[-1] == "**no**" for line in lines)
    asked = sum(bool(line[-1]) for line in lines)
    rows = ["| " + " | ".join(cells) + " |" for cells in (head, *lines)]
    rows.insert(1, "|---|---|---|---|---|---|---|")
    told = f"Written by tools/simulate.py, seed {SEED}: {asked - missed} of {asked} demands hold as measured."
    return f"{BEGIN}\n\n{told}\n\n" + "\n".join(rows) + f"\n\n{END}"


def kept(text: str, only: set[str]) -> list[Line]:
    """The lines of the table as it stands, without those that are made anew."""
    found: list[Line] = []
    for row in text.split(BEGIN)[1].split(END)[0].splitlines():
        parts = [part.strip() for part in row.strip("|").split("|")]
        if len(parts) == 7 and parts[0].startswith("V") and parts[0] not in only:
            found.append((parts[0], parts[1], parts[2], parts[3], parts[4], parts[5], parts[6]))
    return found


def numbers(only: set[str]) -> list[int]:
    """The cells of these simulations; a cell's function is called after its simulation."""
    cells = importlib.import_module("tests.stats.experiments").cells()
    names = [cell.run.func.__name__.partition("_")[0].upper() for cell in cells]
    unknown = only.difference(names)
    if unknown:
        raise SystemExit(f"no such simulation: {', '.join(sorted(unknown))}; there are {', '.join(sorted(set(names)))}")
    return [index for index, name in enumerate(names) if not only or name in only]


def made(wanted: list[int], rows: int, jobs: int) -> list[Line]:
    lines: list[Line] = []
    with multiprocessing.Pool(jobs) as pool:
        for done, found in enumerate(pool.imap(lines_of, [(index, rows) for index in wanted]), start=1):
            lines += found
            print(f"{done} of {len(wanted)}: {found[0][0]} {found[0][1]}", flush=True)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description="Write the simulations' table of docs/method.md.")
    parser.add_argument("--rows", type=int, default=10_000, help="measurements of each device")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--only", default="", help="these simulations alone, for example V8,V9")
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    only = {name.strip().upper() for name in options.only.split(",") if name.strip()}
    lines = made(numbers(only), options.rows, options.jobs)
    # Read only now: a release tier takes long enough for the page to be edited meanwhile.
    text = TARGET.read_text(encoding="utf-8")
    lines += kept(text, only) if only else []
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    ordered = sorted(lines, key=lambda line: int(line[0][1:]))
    TARGET.write_text(before + table(ordered) + after, encoding="utf-8")


if __name__ == "__main__":
    main()
