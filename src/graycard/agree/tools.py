"""What tools do that their results do not say; sources stand beside each entry."""

from __future__ import annotations

from graycard.model import Result

# Bytes of what a tool calls a MB. Importers correct them; people compare what was printed.
# KDiskMark: benchmark.cpp divides fio's KiB/s by 1000. AS SSD: its MB/s and iops of one run give 2^20.
PRINTED_MB_BYTES: dict[str, int] = {"KDiskMark": 1_024_000, "AS SSD Benchmark": 1 << 20}
# One MiB of random bytes, again and again for the whole file (CrystalDiskMark: DiskBench.cpp; AmorphousDiskMark:
# DiskMark.m): what removes duplicates sees one MiB.
REPEATS_ONE_BLOCK = frozenset({"CrystalDiskMark", "AmorphousDiskMark"})
# Tools whose text is copied by hand or says no unit that could be held against operations: the unit may be another.
UNIT_UNSURE = frozenset({"AJA System Test", "Blackmagic Disk Speed Test", "ATTO Disk Benchmark", "HD Tune"})
# Tools that encode each frame before they write it, and settings with which they do not.
ENCODES = frozenset({"AJA System Test"})
_PLAIN_CODECS = ("16-bit rgb", "16bit rgb", "rgb 16", "uncompressed")
# Tools that may read what they write from the kernel's random number generator while the time runs.
READS_ITS_SOURCE = frozenset({"dd"})
# ioping -i: one second between two requests, unless it is told otherwise.
WAITS_BETWEEN = frozenset({"ioping"})


def encodes(tool: str, settings: str) -> bool:
    """Whether a tool may have encoded its frames, as far as its settings tell."""
    return tool in ENCODES and not any(name in settings.lower() for name in _PLAIN_CODECS)


def printed_bytes_per_s(result: Result) -> float | None:
    """What the tool's text says in MB/s × 10^6, where its MB is another one; else None."""
    mb_bytes = PRINTED_MB_BYTES.get(result.origin.tool)
    if mb_bytes is None or result.summary is None:
        return None
    stated = next((check.measured for check in result.summary.checks if check.name == "figures_agree"), None)
    return stated or result.summary.rate.value * 1e6 / mb_bytes
