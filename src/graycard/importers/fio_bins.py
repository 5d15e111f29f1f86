"""fio's latency bins as a histogram of low edges.

fio groups latencies log-linearly with 6 mantissa bits (stat.h, FIO_IO_U_PLAT_BITS) and prints for each bin the middle
of its range (stat.c, plat_idx_to_val); values below 128 have a bin each. Before 2.21 the numbers of the bins are
printed, with the constants among them. What lasts over 2^34 ns (17.2 s) is in the last bin.
"""

from __future__ import annotations

from graycard.model import Bucket, Histogram

BITS = 6
# Half a bin over the lowest value of its group: 1/2 ÷ 2^6. Before 2.99 values are whole µs, so below 64 µs it is more.
ERROR_RATIO = 1 / 128
_NUMBERED = "FIO_IO_U_PLAT_BITS"


def histogram(bins: dict[str, int] | None, scale: int, mean_ns: float, min_ns: int, max_ns: int) -> Histogram | None:
    """The bins times `scale`, the ns in their unit; None without bins."""
    if not bins:
        return None
    edge = low_of_number if _NUMBERED in bins else low_of_middle
    counted = sorted((edge(int(key)), count) for key, count in bins.items() if key[0] != "F" and count)
    buckets = tuple(Bucket(low * scale, count) for low, count in counted)
    return Histogram(ERROR_RATIO, buckets, round(mean_ns * sum(b.count for b in buckets)), min_ns, max_ns)


def low_of_middle(middle: int) -> int:
    """Low edge of the bin with this middle: half a bin below it."""
    if middle < 2 << BITS:
        return middle
    return middle - (1 << (middle.bit_length() - 2 - BITS))


def low_of_number(number: int) -> int:
    """Low edge of a bin by its number: 64 bins for each power of two."""
    if number < 2 << BITS:
        return number
    shift = (number >> BITS) - 1
    return ((1 << BITS) + (number & ((1 << BITS) - 1))) << shift
