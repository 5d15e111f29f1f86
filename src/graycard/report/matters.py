"""What each check is about, in the words that follow "Not known:"."""

from __future__ import annotations

# By the name of the check, in the order of docs/checks.md, which tells why a check may not know.
MATTERS = {
    "bytes_conserved": "whether all bytes were counted",
    "littles_law": "whether the depth was kept",
    "depth_was_real": "whether requests queued at the drive",
    "from_device": "whether the drive moved the bytes",
    "direct_was_real": "whether direct I/O was real",
    "file_is_there": "whether the whole file was written",
    "not_compressed": "whether the volume compresses",
    "alone_on_device": "whether others used the drive",
    "only_measurement": "whether other measurements ran",
    "instrument_not_limit": "the instrument's own ceiling",
    "clock_sound": "how fine and even the clock is",
    "not_interrupted": "whether runs were interrupted",
    "physically_possible": "the speed of the link",
    "on_medium": "whether writes reached the medium",
    "span_vs_cache": "whether the file outgrows caches",
    "no_cache_below": "whether a cache lies below",
    "temperature": "the drive's temperature",
    "nearly_full": "how full the volume is",
    "covered": "how much of the file was touched",
    "latency_time": "whether runs were long enough",
}
