"""Figures as other countries write them: the right value or none, never one that is wrong by a thousand."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from importers.samples import OWN, all_samples, own_samples

from graycard.errors import ImportProblem
from graycard.importers import read_all, read_parts
from graycard.importers.text import lines
from tests.bed.tiers import LONG

# The mark before the fractions, and the one between thousands.
WAYS = {"1234,5": (",", ""), "1.234,5": (",", "."), "1 234,5": (",", "\u202f"), "1,234.5": (".", ",")}
# Tools that write columns of plain figures in every country: parted thousands would be more columns.
EVERYWHERE_ALIKE = {"fio", "ior", "iozone", "elbencho", "mixed", "readings"}
NO_TEXT = {".json", ".jsonl", ".xml", ".csv", ".xls", ".plist", ".log", ".db"}
FIGURE = re.compile(r"(?<![\w.,:/-])(\d+)(\.\d+)?(?![\d.,:]|-\d)")
# What is rounded anew, or taken from another figure of the same row.
ROUNDED = 0.05

AS_SSD = "AS SSD Benchmark 2.0.7316.34247\nName: A\nSize: 476,94 GB\n16MB\nRead: {0}\n4K:\nRead: {1}\n"
CRYSTAL = (
    "CrystalDiskMark 8.0.4 x64 (C) 2007-2021 hiyohiyo\n* MB/s = 1,000,000 bytes/s [SATA/600 = 600,000,000 bytes/s]\n"
    "[Read]\n  SEQ    1MiB (Q=  8, T= 1): {} MB/s [ {} IOPS] < {} us>\nProfile: Default\n   Test: 1 GiB (x5)\n"
)
DD = "1234567890 Bytes (1,2 GB, 1,1 GiB) kopiert, {} s, {}/s\n"
RSYNC = "sent {} bytes  received 35 bytes  {} bytes/sec\ntotal size is {}  speedup is 1{}00\n"
WINSAT = "Windows System Assessment Tool\n> Disk  Sequential 64.0 Read                   {} MB/s          9.0\n"
TABLE = [
    (AS_SSD.format("2468,65 MB/s", "15.521 iops"), [2468.65 * 1.048576, 15521 * 0.004096]),
    (AS_SSD.format("2.468,65 MB/s", "15,521 iops"), [2468.65 * 1.048576, 15521 * 0.004096]),
    (AS_SSD.format("2,468.65 MB/s", "98,25 iops"), [2468.65 * 1.048576, 98.25 * 0.004096]),
    (CRYSTAL.format("2470,084", "2355,7", "3394,66"), [2470.084]),
    (CRYSTAL.format("2.470,084", "2.355,7", "3.394,66"), [2470.084]),
    (CRYSTAL.format("2,470.084", "2,355.7", "3,394.66"), [2470.084]),
    (DD.format("1234,56", "1000 kB"), [1.000007]),
    (DD.format("12,3457", "100 MB"), [99.9998]),
    (RSYNC.format("1.234.567.890", "246.913.585,00", "1.234.567.890", ","), [246.9136]),
    (RSYNC.format("1,234,567,890", "246,913,585.00", "1,234,567,890", "."), [246.9136]),
    (WINSAT.format("508,23"), [508.23]),
    (WINSAT.format("1.508,23"), [1508.23]),
]


def rewritten(text: str, decimal: str, group: str) -> str:
    def figure(match: re.Match[str]) -> str:
        whole, fraction = match[1], match[2] or ""
        parted = f"{int(whole):,}".replace(",", group) if len(whole) > 3 and whole[0] != "0" else whole
        return parted + fraction.replace(".", decimal)

    return FIGURE.sub(figure, text)


def figures(data: bytes, name: str) -> dict[str, set[float]]:
    """Rates, operations and latencies of all results, by what they are."""
    found: dict[str, set[float]] = {"rate": set(), "ops": set(), "latency": set()}
    for summary in (result.summary for part in read_parts(io.BytesIO(data), name) for result in part.results):
        if summary:
            found["rate"].add(summary.rate.value)
            found["ops"] |= {summary.ops.value} if summary.ops else set()
            found["latency"] |= {each.latency.value for each in summary.latency_ns}
            found["latency"] |= {summary.mean_latency.value} if summary.mean_latency else set()
    return found


def texts() -> Iterator[Path]:
    for path in all_samples() if LONG else own_samples():
        if path.parent.name not in EVERYWHERE_ALIKE and path.suffix not in NO_TEXT and path.stat().st_size < 1 << 17:
            yield path


@pytest.mark.parametrize("path", tuple(texts()), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_another_country_changes_no_figure(path: Path) -> None:
    data = path.read_bytes()
    right = figures(data, path.name)
    for decimal, group in WAYS.values():
        read = figures(rewritten(lines(data).whole, decimal, group).encode(), path.name)
        for what, values in read.items():
            for value in values:
                assert any(value == pytest.approx(each, rel=ROUNDED) for each in right[what]), (what, decimal, group)


def test_most_samples_are_read_with_a_decimal_comma() -> None:
    """That the test above has something to look at."""
    names = ("dd/9.1-with-commands.txt", "asssd/two-drives.txt", "crystaldiskmark/8.0.5-shizuku-nvme-mix.txt")
    for name in (*names, "rsync/3.5.0-progress2-stats.txt", "kdiskmark/3.2.0-mix.txt", "winsat/two-drives-chinese.txt"):
        text = lines((OWN / name).read_bytes()).whole
        assert rewritten(text, ",", "") != text
        assert figures(rewritten(text, ",", "").encode(), name)["rate"], name


@pytest.mark.parametrize(("text", "rates_mb_per_s"), TABLE)
def test_figures_with_marks_of_every_kind(text: str, rates_mb_per_s: list[float]) -> None:
    found = [result.summary.rate.value / 1e6 for result in read_all(text.encode()) if result.summary]
    assert found == pytest.approx(rates_mb_per_s, rel=1e-4)


def test_blanks_between_thousands_are_one_figure_or_none() -> None:
    for text, right in (
        (CRYSTAL.format("2 470,084", "2 355,7", "3 394,66"), 2470.084),
        (AS_SSD.format("2 468,65 MB/s", "15 521 iops"), 2468.65 * 1.048576),
        (WINSAT.format("1 508,23"), 1508.23),
        (RSYNC.format("1 234 567 890", "246 913 585,00", "1 234 567 890", ","), 246.9136),
    ):
        try:
            found = [result.summary.rate.value / 1e6 for result in read_all(text.encode()) if result.summary]
        except ImportProblem:
            continue
        assert all(rate == pytest.approx(right, rel=1e-4) for rate in found), text
