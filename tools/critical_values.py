"""Writes src/graycard/stats/critical.py: the 1 % critical values of the cliff search, by Monte Carlo.

    python tools/critical_values.py

The largest |t| over all splits (two blocks at least on each side) of independent normal blocks, 200,000 series for
each number of blocks, numpy's PCG64 with the seed below. Needs numpy (it comes with scipy); takes about a minute.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

SEED = 20240229
SERIES_COUNT = 200_000
LEVEL = 0.99
SIDE = 2
COUNTS = (4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 30, 45, 60, 100, 200, 500, 1000, 2000)
TARGET = Path(__file__).parent.parent / "src" / "graycard" / "stats" / "critical.py"

HEAD = f'''"""Critical values of the cliff search. Written by tools/critical_values.py; do not edit.

(number of blocks, {1 - LEVEL:.0%} critical value of the largest |t| over all splits of independent normal blocks);
{SERIES_COUNT:,} series each, seed {SEED}.
"""

CRITICAL_T: tuple[tuple[int, float], ...] = (
'''


def largest_t(series: np.ndarray) -> np.ndarray:
    """The largest |t| of each row."""
    count = series.shape[1]
    left = np.arange(SIDE, count - SIDE + 1)
    totals = series.cumsum(axis=1)
    total = totals[:, -1:]
    between = (totals[:, left - 1] - total * left / count) ** 2 * count / (left * (count - left))
    best = between.max(axis=1)
    squares = (series**2).sum(axis=1) - total[:, 0] ** 2 / count
    found: np.ndarray = np.sqrt(best * (count - 2) / (squares - best))
    return found


def critical(rng: np.random.Generator, count: int) -> float:
    """The critical value for `count` blocks, in pieces that fit in memory."""
    piece = max(1, 4_000_000 // count)
    found = []
    left = SERIES_COUNT
    while left > 0:
        found.append(largest_t(rng.standard_normal((min(piece, left), count))))
        left -= piece
    return float(np.quantile(np.concatenate(found), LEVEL))


def main() -> None:
    rng = np.random.default_rng(SEED)
    lines = [f"    ({count}, {critical(rng, count):.3f}),\n" for count in COUNTS]
    TARGET.write_text(HEAD + "".join(lines) + ")\n", encoding="utf-8")


if __name__ == "__main__":
    main()
