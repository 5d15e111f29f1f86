"""The suspects in one table, largest first, each with its reason; docs/method.md shows the same table.

The order is a judgement of how much each can change, in the worst case: it says where to look first, not what it was.
"""

from __future__ import annotations

from dataclasses import dataclass

from graycard.differences.rules import (
    LOAD_COUNT,
    SIZE_RATIO,
    USED_RATIO,
    WEAR_RATIO,
    Rule,
    another,
    any_change,
    apart,
    apart_by_share,
    crosses_full,
    crosses_limit,
    fragments,
    options,
    settings,
    share,
)


@dataclass(frozen=True, slots=True)
class Suspect:
    """A fact, when it counts as different, and why it can change a figure."""

    name: str
    compares: Rule
    reason: str


SUSPECTS: tuple[Suspect, ...] = (
    Suspect("bus", any_change, "memory, network, USB and NVMe lie factors of 10 apart"),
    Suspect("rotational", any_change, "a disk seeks for milliseconds where flash takes 0.1: 100 times in random order"),
    Suspect("throttled", any_change, "a drive that slows itself down loses half of its rate or more"),
    Suspect("link_bits_per_s", any_change, "a ceiling: 480 Mbit/s passes 40 MB/s, whatever the drive"),
    Suspect("server", any_change, "another server is another drive and another network"),
    Suspect("device_model", any_change, "another drive; models lie factors apart"),
    Suspect("device_id", another("drive"), "drives of one model differ in wear, firmware and what they hold"),
    Suspect("loop_direct_io", any_change, "without it the image is read through the page cache"),
    Suspect("direct_write_buffered", any_change, "direct requests that are buffered measure memory"),
    Suspect("file_system", any_change, "journals, copy-on-write and FUSE servers: up to a few times"),
    Suspect("file_system_driver", any_change, "a FUSE program takes each request through a process: up to a few times"),
    Suspect("encryption", any_change, "each block passes the processor once more"),
    Suspect("compression", any_change, "fewer bytes reach the drive, and the processor works for it"),
    Suspect("volume_compresses", any_change, "fewer bytes reach the drive, and the processor works for it"),
    Suspect("copy_on_write", any_change, "rewriting means new blocks and checksums"),
    Suspect("nocow", any_change, "rewriting means new blocks and checksums, unless they are switched off"),
    Suspect("mount_options", options, "sync, discard, barriers and access times change every write"),
    Suspect("used_ratio", crosses_full, "from 80 to 90 % on caches of flash shrink and disks reach their inner tracks"),
    Suspect("os_name", any_change, "drivers, caches and file systems come with it"),
    Suspect("kernel_version", any_change, "drivers, caches and file systems come with it"),
    Suspect("driver", any_change, "how requests are queued and split"),
    Suspect("protocol_version", any_change, "a share's protocol sets block sizes and how much is in flight"),
    Suspect("virtual_machine", any_change, "the host may cache, share or limit the disk"),
    Suspect("measured_by", any_change, "programs differ in what they count and in the data that they write"),
    Suspect("engine_settings", settings, "another way of submitting requests"),
    Suspect("graycard_version", any_change, "the instrument itself"),
    Suspect("allocation_unit_bytes", any_change, "small units cost more requests, large ones more bytes"),
    Suspect("device_firmware", any_change, "firmware changes caches and cleaning"),
    Suspect("write_cache", any_change, "without it each write waits for the medium"),
    Suspect("cpu_model", any_change, "small blocks, encryption and FUSE are limited by the processor"),
    Suspect("cpu_count", any_change, "small blocks, encryption and FUSE are limited by the processor"),
    Suspect("machine", any_change, "another processor architecture"),
    Suspect("memory_bytes", apart_by_share(SIZE_RATIO), "decides what caches hold"),
    Suspect("power_source", any_change, "on battery many slow down processor, links and drives"),
    Suspect("temperature_celsius", crosses_limit, "a hot drive slows down"),
    Suspect("other_measurements_count", any_change, "they share the drive"),
    Suspect("load_average", apart(LOAD_COUNT), "other programs share processor and drive"),
    Suspect("io_scheduler", any_change, "reorders and merges requests"),
    Suspect("queue_limit_count", any_change, "a ceiling of the depth"),
    Suspect("partition_scheme", any_change, "where partitions begin: requests may straddle blocks of the medium"),
    Suspect("logical_block_bytes", any_change, "smaller writes than the physical block are read, changed and written"),
    Suspect("physical_block_bytes", any_change, "smaller writes than the physical block are read, changed and written"),
    Suspect("file_extent_count", fragments, "pieces are requests of their own, and seeks on a disk"),
    Suspect("health", any_change, "a failing drive retries"),
    Suspect("wear_ratio", apart(WEAR_RATIO), "worn flash is slower to write"),
    Suspect("used_ratio", apart(USED_RATIO), "flash has less room to clean, disks are slower inside"),
    Suspect("device_size_bytes", apart_by_share(SIZE_RATIO), "larger drives of a model have more flash in parallel"),
    Suspect("mount_source", share, "another share or pool"),
    Suspect("file_system_id", another("file system"), "another volume, or the same one formatted anew"),
    Suspect("size_bytes", apart_by_share(SIZE_RATIO), "another part of the drive"),
    Suspect("clock_source", any_change, "a slow clock costs time with every request"),
    Suspect("python_version", any_change, "prepares and counts; it does no I/O"),
)

# What is left out on purpose, and why.
IGNORED: dict[str, str] = {
    "mount_point": "a name",
    "volume_name": "a name",
    "device_name": "a name that changes with the order of plugging in; device_id tells the drive",
    "loop_backing_file": "a name",
    "link_ceiling_bytes_per_s": "told by the link",
    "free_bytes": "told by the share in use",
    "quota_free_bytes": "changes all the time, and says nothing about speed",
    "file_size_limit_bytes": "told by the file system",
    "temperature_limit_celsius": "told with the temperature",
    "file_size_bytes": "told with the task",
    "file_allocated_bytes": "what the checks look at",
    "file_unwritten_bytes": "what the checks look at",
    "file_hole_bytes": "what the checks look at",
    "file_encoded_bytes": "told by the volume's compression",
    "file_cached_bytes": "what the checks look at",
    "file_dirty_bytes": "what the checks look at",
    "direct_requested": "told with the task",
    "direct_align_bytes": "told by the file system",
    "direct_misaligned_refused": "what the checks look at",
    "ceiling_ops_per_s": "differs from reading to reading; a check compares it with the figure",
    "generator_bytes_per_s": "differs from reading to reading; a check compares it with the figure",
    "clock_step_ns": "told by the clock source",
    "clock_cost_ns": "told by the clock source",
    "retransmit_count": "what happened during the test, no part of the set-up",
    "lost_ratio": "what happened during the test, no part of the set-up",
    "jitter_ns": "what happened during the test, no part of the set-up",
}
# Readings that mean something only as a difference.
IGNORED_FACTORS = ("counter", "level")
