"""Each trap is one change to clean evidence; the table says which check must see it, and what it must tell."""

from __future__ import annotations

import pytest

from graycard.model import Bucket, Cache, Durability, Histogram, Operation, Pace, Tick, Verdict
from tests.checks.clean import (
    DEPTH_COUNT,
    ELAPSED_NS,
    MOVED_BYTES,
    OPS_COUNT,
    Change,
    afterwards,
    applied,
    clean,
    counted,
    every_run,
    evidence,
    known,
    latency,
    level,
    measured_file,
    one,
    sampled,
    task,
    tool,
    watched,
)

PASS, CAVEAT, FAIL, UNKNOWN = Verdict.PASS, Verdict.CAVEAT, Verdict.FAIL, Verdict.UNKNOWN
MIB = 1 << 20


def full_queue(mean: float) -> Change:
    """The engine's own latencies of one run say that so many requests were in flight."""
    return latency(sum_ns=int(mean * ELAPSED_NS))


def flushing(mean: float, flushes_mean: float) -> tuple[Change, ...]:
    """A flush after each write: so many requests in flight by the latencies, so many by the times of the flushes."""
    flushes = Histogram(0.004, (Bucket(100_000, OPS_COUNT),), int(flushes_mean * ELAPSED_NS), None, None)
    return (
        task(durability=Durability.EACH_WRITE),
        every_run(lambda index: latency(index, sum_ns=int(mean * ELAPSED_NS))),
        every_run(lambda index: sampled(index, flush_ns=3 * ELAPSED_NS, flush_latency=flushes)),
    )


READING: list[tuple[str, str, tuple[Change, ...], Verdict, str]] = [
    ("bytes_conserved", "an error", (sampled(error_count=2),), FAIL, "2 requests failed"),
    ("bytes_conserved", "a short transfer", (sampled(moved_bytes=MOVED_BYTES - 1),), FAIL, "Run 2 of 3"),
    ("bytes_conserved", "nothing", (sampled(moved_bytes=0, ops_count=0),), FAIL, "Not a single request"),
    ("bytes_conserved", "a lost slot", (sampled(ticks=(Tick(0, 1, 4096),)),), FAIL, "series over time"),
    ("bytes_conserved", "a lost slot of fio", (evidence(engine="fio"), sampled(ticks=(Tick(0, 1, 4096),))), CAVEAT, ""),
    ("bytes_conserved", "no series", (sampled(ticks=()),), PASS, ""),
    ("bytes_conserved", "a lost latency", (latency(counts=(Bucket(0, OPS_COUNT - 1),)),), FAIL, "Latencies"),
    ("bytes_conserved", "overflow", (latency(counts=(Bucket(0, OPS_COUNT - 1),), overflow_count=1),), PASS, ""),
    ("littles_law", "a queue half full", (full_queue(4.0),), FAIL, "4.00 requests were in flight"),
    ("littles_law", "just enough", (full_queue(6.45),), PASS, ""),
    ("littles_law", "just not enough", (full_queue(6.35),), FAIL, ""),
    ("littles_law", "more than possible", (full_queue(8.9),), FAIL, "more than possible"),
    ("littles_law", "the end of a short run", (full_queue(5.0), sampled(drain_ns=ELAPSED_NS // 2)), PASS, "ran empty"),
    ("littles_law", "a queue half full in memory", (full_queue(4.0), task(cache=Cache.WARM)), CAVEAT, "page cache"),
    ("littles_law", "too few requests", (full_queue(4.0), sampled(ops_count=12)), CAVEAT, "only 12 requests"),
    ("littles_law", "frames", (full_queue(0.5), task(pace=Pace(25, 4096))), PASS, "fixed rate"),
    ("littles_law", "a run of 10 ms", (sampled(elapsed_ns=10_000_000, flush_ns=0),), UNKNOWN, "too short"),
    ("littles_law", "pauses at depth 1", (task(depth_count=1), every_run(lambda i: latency(i, sum_ns=ELAPSED_NS // 2))),
     FAIL, "between the requests"),
    ("depth_was_real", "blocking calls", (sampled(submit_ns=ELAPSED_NS * 95 // 100),), FAIL, "one by one"),
    ("depth_was_real", "a busy processor", (sampled(submit_ns=ELAPSED_NS // 2),), PASS, ""),
    ("depth_was_real", "a busy processor, no device",
     (every_run(lambda i: counted(i, device_queue_ns=None)), sampled(submit_ns=ELAPSED_NS // 2)), FAIL, "one by one"),
    ("depth_was_real", "no device", (counted(device_queue_ns=None),), UNKNOWN, "no device or server"),
    ("depth_was_real", "a file system that serialises", (counted(device_queue_ns=ELAPSED_NS),), FAIL, "depth 1"),
    ("depth_was_real", "half the depth", (counted(device_queue_ns=int(4.1 * ELAPSED_NS)),), PASS, ""),
    ("depth_was_real", "requests split in four, all at once",
     (counted(device_ops_count=4 * OPS_COUNT, device_queue_ns=30 * ELAPSED_NS),), PASS, ""),
    ("depth_was_real", "requests split in four, one at a time",
     (counted(device_ops_count=4 * OPS_COUNT, device_queue_ns=4 * ELAPSED_NS),), FAIL, ""),
    ("depth_was_real", "requests merged in twos",
     (counted(device_ops_count=OPS_COUNT // 2, device_queue_ns=int(3.7 * ELAPSED_NS)),), PASS, ""),
    ("depth_was_real", "a computer that pauses",
     (counted(device_queue_ns=3 * ELAPSED_NS, device_busy_ns=ELAPSED_NS // 2),), PASS, ""),
    ("depth_was_real", "a processor at its limit",
     (counted(device_queue_ns=2 * ELAPSED_NS), sampled(cpu_ns=ELAPSED_NS * 98 // 100)), CAVEAT, "processor"),
    ("depth_was_real", "a device faster than the questions",
     (counted(device_queue_ns=3 * ELAPSED_NS), latency(sum_ns=OPS_COUNT * 80_000)), PASS, "faster than"),
    ("depth_was_real", "a drive that takes one at a time",
     (known(queue_limit_count=1), counted(device_queue_ns=ELAPSED_NS)), CAVEAT, "takes 1 at once"),
    ("depth_was_real", "depth 1", (task(depth_count=1), counted(device_queue_ns=0)), PASS, ""),
    ("depth_was_real", "the page cache in between",
     (task(cache=Cache.COLD), counted(device_queue_ns=ELAPSED_NS)), CAVEAT, "page cache"),
    ("depth_was_real", "a FUSE program that serialises",
     (known(file_system="fuse.x"), *(counted(i, device_queue_ns=None) for i in range(3)),
      watched("fuse_waiting_count", 1, 1, 1, 0)), FAIL, "program had 1.00"),
    ("depth_was_real", "a FUSE program with a full queue",
     (known(file_system="fuse.x"), *(counted(i, device_queue_ns=None) for i in range(3)),
      *(watched("fuse_waiting_count", 8, 7, 8, 3, run_index=i) for i in range(3))), PASS, ""),
    ("depth_was_real", "a FUSE program looked at too rarely",
     (known(file_system="fuse.x"), *(counted(i, device_queue_ns=None) for i in range(3)),
      watched("fuse_waiting_count", 1, 1, 1)), UNKNOWN, "no device or server"),
    ("depth_was_real", "answered from memory", (task(cache=Cache.COLD), counted(device_read_bytes=0)), FAIL,
     "never had 8 requests"),
    ("depth_was_real", "answered from memory on purpose",
     (task(cache=Cache.WARM), counted(device_read_bytes=0)), CAVEAT, "that of memory"),
    ("depth_was_real", "a compressed file",
     (measured_file(file_encoded_bytes=4096), counted(device_read_bytes=0)), UNKNOWN, ""),
    ("from_device", "the page cache", (counted(own_read_bytes=0),), FAIL, "only 0 %"),
    ("from_device", "half cached", (counted(own_read_bytes=MOVED_BYTES // 2),), FAIL, "50 %"),
    ("from_device", "an unwritten file", (counted(own_read_bytes=0), measured_file(file_unwritten_bytes=9)), FAIL,
     "never written"),
    ("from_device", "a sparse file", (counted(own_read_bytes=0), measured_file(file_hole_bytes=9)), FAIL, "holes"),
    ("from_device", "a compressed file", (counted(own_read_bytes=0), measured_file(file_encoded_bytes=9)), FAIL,
     "compressed"),
    ("from_device", "cached pages", (counted(own_read_bytes=0), measured_file(file_cached_bytes=9)), FAIL, "memory"),
    ("from_device", "readahead", (counted(own_read_bytes=MOVED_BYTES * 106 // 100),), PASS, ""),
    ("from_device", "much readahead", (counted(own_read_bytes=MOVED_BYTES * 3 // 2),), CAVEAT, "readahead"),
    ("from_device", "tmpfs", (known(file_system="tmpfs"),), FAIL, "in memory"),
    ("from_device", "ramfs", (known(file_system="ramfs"),), FAIL, "in memory"),
    ("from_device", "the second witness disagrees", (counted(device_read_bytes=0),), CAVEAT, "several drives"),
    ("from_device", "fio sees the device alone",
     (evidence(engine="fio"), *(counted(i, own_read_bytes=0) for i in range(3))), PASS, ""),
    ("from_device", "fio, cached", (evidence(engine="fio"), counted(device_read_bytes=0)), FAIL, ""),
    ("from_device", "FUSE over a device",
     (known(file_system="exfat", driver="fuse"), *(counted(i, own_read_bytes=0) for i in range(3))), PASS, ""),
    ("from_device", "FUSE over a cached device",
     (known(driver="fuse"), counted(own_read_bytes=0, device_read_bytes=0)), FAIL, ""),
    ("from_device", "FUSE without a device",
     (known(driver="fuse"), counted(own_read_bytes=0, device_read_bytes=None)), UNKNOWN, "cannot be proven"),
    ("from_device", "warm on purpose", (task(cache=Cache.WARM), counted(own_read_bytes=0)), CAVEAT, "on purpose"),
    ("from_device", "a share", (known(bus="network"), *(counted(i, network_received_bytes=MOVED_BYTES * 106 // 100)
                                                          for i in range(3))), PASS, "network carried"),
    ("from_device", "a cached share", (known(bus="network"), counted(network_received_bytes=1000)), FAIL, "cache"),
    ("from_device", "a share of this computer",
     (known(bus="network", server="127.0.0.1"), counted(network_received_bytes=0)), UNKNOWN, "cannot be proven"),
    ("direct_was_real", "pages left", (afterwards(file_cached_bytes=1 << 30),), FAIL, "buffered"),
    ("direct_was_real", "a few pages left", (afterwards(file_cached_bytes=80 * MIB),), PASS, ""),
    ("direct_was_real", "a file that was just copied", (measured_file(file_cached_bytes=1 << 30),), PASS, ""),
    ("direct_was_real", "a file that was just copied, read from memory",
     (measured_file(file_cached_bytes=1 << 30), counted(device_read_bytes=0)), FAIL, "buffered"),
    ("direct_was_real", "btrfs with checksums",
     (known(file_system="btrfs", copy_on_write=True), afterwards(file_cached_bytes=1 << 30)), FAIL, "--nocow"),
    ("direct_was_real", "btrfs that buffers writes alone", (known(direct_write_buffered=True),), PASS, ""),
    ("direct_was_real", "a file with holes",
     (measured_file(file_hole_bytes=9, direct_misaligned_refused=False), counted(device_read_bytes=0)), UNKNOWN, ""),
    ("direct_was_real", "btrfs without",
     (known(file_system="btrfs", copy_on_write=True),
      measured_file(nocow=True, direct_align_bytes=None, direct_misaligned_refused=False)), PASS, ""),
    ("direct_was_real", "tmpfs", (known(file_system="tmpfs"),), FAIL, "memory"),
    ("direct_was_real", "FUSE that accepts all",
     (known(driver="fuse"), measured_file(direct_misaligned_refused=False, direct_align_bytes=None),
      *(counted(i, device_read_bytes=None) for i in range(3))), FAIL, "accepted what true direct"),
    ("direct_was_real", "FUSE over a device",
     (known(driver="fuse"), measured_file(direct_misaligned_refused=False, direct_align_bytes=None)), PASS, ""),
    ("direct_was_real", "NFS", (known(file_system="nfs4", bus="network"),
                                measured_file(direct_misaligned_refused=False)), PASS, "page cache"),
    ("direct_was_real", "never opened so", (measured_file(direct_requested=False),), FAIL, "not opened"),
    ("direct_was_real", "ramfs, which refuses", (known(file_system="ramfs"), task(cache=Cache.COLD)), FAIL, "memory"),
    ("direct_was_real", "cold", (task(cache=Cache.COLD),), CAVEAT, "page cache"),
    ("direct_was_real", "warm", (task(cache=Cache.WARM),), CAVEAT, "on purpose"),
    ("direct_was_real", "macOS tells only bytes",
     (measured_file(direct_misaligned_refused=None, direct_align_bytes=None, file_cached_bytes=None),), CAVEAT, ""),
    ("file_is_there", "unwritten", (measured_file(file_unwritten_bytes=4096),), FAIL, "never written"),
    ("file_is_there", "a hole", (measured_file(file_hole_bytes=1),), FAIL, "holes"),
    ("file_is_there", "not told", (measured_file(file_unwritten_bytes=None),), UNKNOWN, ""),
    ("not_compressed", "encoded", (measured_file(file_encoded_bytes=4096),), FAIL, "stored compressed"),
    ("not_compressed", "encrypted", (measured_file(file_encoded_bytes=4096), known(encryption="fscrypt")), PASS, ""),
    ("not_compressed", "random data", (known(volume_compresses=True),), CAVEAT, "another figure"),
    ("not_compressed", "by the setting", (known(compression="zstd:3", volume_compresses=None),), CAVEAT, ""),
    ("not_compressed", "zeros", (known(volume_compresses=True), task(compressible_ratio=0.5)), FAIL, ""),
    ("not_compressed", "zeros elsewhere", (task(compressible_ratio=0.5),), PASS, ""),
    ("not_compressed", "no copy-on-write", (known(compression="zstd"), measured_file(nocow=True)), PASS, ""),
    ("alone_on_device", "another writer", (counted(device_written_bytes=MOVED_BYTES),), FAIL, "(50 % of its traffic)"),
    ("alone_on_device", "another reader", (counted(device_read_bytes=MOVED_BYTES * 2),), FAIL, "close other"),
    ("alone_on_device", "a journal", (counted(device_written_bytes=900_000),), PASS, ""),
    ("alone_on_device", "a few per cent", (counted(device_written_bytes=MOVED_BYTES * 4 // 100),), PASS, ""),
    ("alone_on_device", "some per cent", (counted(device_written_bytes=MOVED_BYTES * 8 // 100),), CAVEAT, "little"),
    ("alone_on_device", "a FUSE program that reads ahead",
     (known(driver="fuse"), counted(device_read_bytes=MOVED_BYTES * 2)), CAVEAT, "reads ahead on the device, so a sec"),
    ("alone_on_device", "a FUSE program beside another writer",
     (known(driver="fuse"), counted(device_written_bytes=MOVED_BYTES)), FAIL, "close other"),
    ("alone_on_device", "steal", (counted(cpu_steal_ns=ELAPSED_NS),), CAVEAT, "hypervisor"),
    ("alone_on_device", "busy processors", (counted(cpu_idle_ns=0),), CAVEAT, "Other programs"),
    ("alone_on_device", "no device", (counted(device_written_bytes=None),), UNKNOWN, ""),
    ("alone_on_device", "fio's bytes are not foreign",
     (evidence(engine="fio"), *(counted(i, own_read_bytes=0) for i in range(3))), PASS, ""),
    ("alone_on_device", "network",
     (known(bus="network"), *(counted(i, network_received_bytes=MOVED_BYTES * 3) for i in range(3))), CAVEAT, ""),
    ("only_measurement", "another run", (evidence(others_count=1),), CAVEAT, "Another graycard run"),
    ("only_measurement", "other runs", (evidence(others_count=2),), CAVEAT, "2 other graycard runs"),
    ("only_measurement", "a stranger's bytes do not hide it",
     (evidence(others_count=1), counted(device_written_bytes=MOVED_BYTES)), CAVEAT, "Another graycard run"),
    ("only_measurement", "cannot be told", (evidence(others_count=None),), UNKNOWN, ""),
    ("instrument_not_limit", "twice", (tool(ceiling_ops_per_s=1e5),), CAVEAT, "instrument-limited"),
    ("instrument_not_limit", "the same", (tool(ceiling_ops_per_s=6e4),), FAIL, "instrument-limited"),
    ("instrument_not_limit", "the generator does not read", (tool(generator_bytes_per_s=1e6),), PASS, ""),
    ("instrument_not_limit", "a busy thread", (sampled(cpu_ns=ELAPSED_NS * 95 // 100),), CAVEAT, "processor"),
    ("instrument_not_limit", "a busy computer", (watched("cpu_wait_ns", 0, 20e6, 45e6),), CAVEAT, "waited"),
    ("instrument_not_limit", "a taken processor", (watched("cpu_wait_ns", 0, 9e7, 18e7),), FAIL, "instrument-limited"),
    ("instrument_not_limit", "a taken processor while reading from memory",
     (task(cache=Cache.WARM), watched("cpu_wait_ns", 0, 9e7, 18e7)), CAVEAT, "waited"),
    ("instrument_not_limit", "a quiet computer", (watched("cpu_wait_ns", 0, 1e6, 2e6),), PASS, ""),
    ("clock_sound", "suspended", (counted(clock_boottime_ns=10 * ELAPSED_NS),), FAIL, "suspended"),
    ("clock_sound", "set forward", (counted(clock_realtime_ns=3 * ELAPSED_NS),), CAVEAT, "wall clock"),
    ("clock_sound", "set back", (counted(clock_realtime_ns=-ELAPSED_NS),), CAVEAT, "wall clock"),
    ("clock_sound", "slewed by 40 ppm and read late",
     (counted(clock_realtime_ns=ELAPSED_NS + 3_000_000 + 80_000 + 15_000_000),), PASS, ""),
    ("clock_sound", "backwards", (counted(clock_monotonic_ns=-5),), FAIL, "backwards"),
    ("clock_sound", "longer than it was", (sampled(elapsed_ns=2 * ELAPSED_NS),), FAIL, "only"),
    ("clock_sound", "coarse", (tool(clock_step_ns=30_000),), CAVEAT, "steps"),
    ("clock_sound", "too coarse", (tool(clock_step_ns=4_000_000),), FAIL, "steps"),
    ("clock_sound", "dear", (tool(clock_cost_ns=20_000),), CAVEAT, "takes"),
    ("not_interrupted", "stopped for 3 s", (sampled(gap_ns=3_000_000_000),), FAIL, "did not run for 3.00 s"),
    ("not_interrupted", "0.6 s of a minute", (sampled(gap_ns=600_000_000, elapsed_ns=60 * 10**9),), CAVEAT, ""),
    ("not_interrupted", "0.4 s", (sampled(gap_ns=400_000_000),), PASS, ""),
    ("physically_possible", "faster than the link", (known(link_ceiling_bytes_per_s=1e8),), FAIL, "impossible"),
    ("physically_possible", "as fast as the link", (known(link_ceiling_bytes_per_s=2e8),), PASS, ""),
    ("physically_possible", "memory is faster than any link",
     (known(link_ceiling_bytes_per_s=1e8), task(cache=Cache.WARM)), PASS, "Memory"),
    ("physically_possible", "by the bits", (known(link_ceiling_bytes_per_s=None, link_bits_per_s=48e7),), FAIL, ""),
    ("on_medium", "reading", (), PASS, "Nothing was to be written"),
    ("span_vs_cache", "512 MiB", (task(span_bytes=512 * MIB),), CAVEAT, "buffer"),
    ("span_vs_cache", "1 GiB", (task(span_bytes=1024 * MIB),), PASS, ""),
    ("span_vs_cache", "a share", (known(bus="network"),), CAVEAT, "server's memory"),
    ("span_vs_cache", "tmpfs", (task(span_bytes=MIB), known(file_system="tmpfs")), PASS, ""),
    ("depth_was_real", "tmpfs",
     (known(file_system="tmpfs"), every_run(lambda i: counted(i, device_queue_ns=None, own_read_bytes=0)),
      every_run(lambda i: counted(i, device_read_bytes=0)), every_run(lambda i: sampled(i, submit_ns=None))),
     FAIL, "choose a folder on a drive"),
    ("span_vs_cache", "warm", (task(span_bytes=MIB, cache=Cache.WARM),), PASS, ""),
    ("no_cache_below", "a loop device", (known(bus="loop", loop_direct_io=False),), FAIL, "losetup"),
    ("no_cache_below", "a direct loop device", (known(bus="loop", loop_direct_io=True),), PASS, ""),
    ("no_cache_below", "a loop device that does not say", (known(bus="loop"),), UNKNOWN, ""),
    ("no_cache_below", "a virtual machine", (known(virtual_machine="kvm"),), CAVEAT, "kvm"),
    ("temperature", "too hot", (level(temperature_celsius=80),), CAVEAT, "80 °C"),
    ("temperature", "throttled", (known(throttled=True),), CAVEAT, "heat"),
    ("temperature", "hot without a limit",
     (known(temperature_limit_celsius=None), level(temperature_celsius=71)), CAVEAT, "70 °C"),
    ("temperature", "a hot disk", (known(temperature_limit_celsius=None, rotational=True),
                                   level(temperature_celsius=61)), CAVEAT, "60 °C"),
    ("nearly_full", "95 %", (known(used_ratio=0.95),), CAVEAT, "95 %"),
    ("covered", "a hundredth", (task(span_bytes=1 << 50),), CAVEAT, "touched"),
    ("covered", "ended early", (task(time_ns=10 * ELAPSED_NS),), CAVEAT, "Run 1 of 3 ended"),
    ("covered", "ended by bytes", (task(time_ns=10 * ELAPSED_NS, byte_limit=MOVED_BYTES),), PASS, ""),
    ("latency_time", "a tenth of a second", (sampled(elapsed_ns=100_000_000),), CAVEAT, "too short"),
    ("latency_time", "999 steps", (tool(clock_step_ns=ELAPSED_NS // 999),), FAIL, "steps"),
]  # fmt: skip

WRITING: list[tuple[str, str, tuple[Change, ...], Verdict, str]] = [
    ("littles_law", "an engine that hides its flush", (full_queue(4), sampled(flush_ns=None)), UNKNOWN, "flush apart"),
    ("littles_law", "a flush after each write, within its time", flushing(7.9, 5.9), PASS, ""),
    ("littles_law", "a flush after each write, timed apart", (*flushing(2, 5.9), evidence(engine="fio")), PASS, ""),
    ("littles_law", "writes that miss their flush", flushing(2, 5.9), FAIL, "not the load"),
    ("depth_was_real", "buffered", (task(cache=Cache.COLD),), CAVEAT, "memory first"),
    ("depth_was_real", "buffered and blocking",
     (task(cache=Cache.COLD), sampled(submit_ns=ELAPSED_NS // 2)), FAIL, "one by one"),
    ("depth_was_real", "flushes in turn",
     (task(durability=Durability.EACH_WRITE), counted(device_queue_ns=ELAPSED_NS)), CAVEAT, "flushes"),
    ("direct_was_real", "btrfs with checksums",
     (known(file_system="btrfs", copy_on_write=True, direct_write_buffered=True),), FAIL, "--nocow"),
    ("direct_was_real", "btrfs without",
     (known(file_system="btrfs", direct_write_buffered=True), measured_file(nocow=True)), PASS, ""),
    ("from_device", "still in memory", (task(durability=Durability.NONE), counted(device_written_bytes=0)), FAIL,
     "--durability at_end"),
    ("from_device", "compressed", (known(volume_compresses=True), counted(device_written_bytes=0)), FAIL, "compresses"),
    ("from_device", "no device", (counted(device_written_bytes=None),), UNKNOWN, ""),
    ("from_device", "a share", (known(bus="network"), *(counted(i, network_sent_bytes=MOVED_BYTES * 11 // 10)
                                                          for i in range(3))), PASS, ""),
    ("alone_on_device", "another writer", (counted(device_written_bytes=2 * MOVED_BYTES),), FAIL, ""),
    ("alone_on_device", "a tree written anew",
     (known(copy_on_write=True), counted(device_written_bytes=2 * MOVED_BYTES)), CAVEAT, "tree"),
    ("alone_on_device", "a tree written anew and a reader",
     (known(copy_on_write=True), counted(device_written_bytes=2 * MOVED_BYTES, device_read_bytes=MOVED_BYTES)),
     FAIL, ""),
    ("alone_on_device", "every flush logged",
     (task(durability=Durability.EACH_WRITE), counted(device_written_bytes=3 * MOVED_BYTES)), CAVEAT, "flush"),
    ("instrument_not_limit", "a slow generator", (tool(generator_bytes_per_s=3e8),), FAIL, ""),
    ("on_medium", "no flush", (task(durability=Durability.NONE),), CAVEAT, "drive's own cache"),
    ("on_medium", "no flush, buffered", (task(durability=Durability.NONE, cache=Cache.COLD),), CAVEAT, "in memory"),
    ("on_medium", "no flush, not there",
     (task(durability=Durability.NONE, cache=Cache.COLD), counted(device_written_bytes=0)), FAIL, "100 %"),
    ("on_medium", "no flush, pages wait and no device tells",
     (task(durability=Durability.NONE, cache=Cache.COLD), counted(device_written_bytes=None),
      level(dirty_bytes=MOVED_BYTES)), FAIL, "had not reached"),
    ("on_medium", "another program's pages and no device",
     (*(counted(i, device_written_bytes=None) for i in range(3)), level(dirty_bytes=MOVED_BYTES, file_dirty_bytes=0)),
     UNKNOWN, "no device"),
    ("on_medium", "pages of the file wait and no device tells",
     (task(durability=Durability.NONE), counted(device_written_bytes=None), level(file_dirty_bytes=MOVED_BYTES // 2)),
     FAIL, "(50 % of what"),
    ("on_medium", "a compressed file",
     (measured_file(file_encoded_bytes=4096), counted(device_written_bytes=0)), UNKNOWN, "fewer are stored"),
    ("on_medium", "another program's pages", (level(dirty_bytes=MOVED_BYTES),), PASS, ""),
    ("on_medium", "a flush that does nothing", (counted(device_written_bytes=0),), FAIL, "does not flush"),
    ("on_medium", "the engine hides its flush", (sampled(flush_ns=None),), UNKNOWN, "does not say"),
    ("on_medium", "no device", (counted(device_written_bytes=None),), UNKNOWN, "no device"),
    ("on_medium", "a flush in no time", (sampled(flush_ns=5_000),), CAVEAT, "without power"),
    ("on_medium", "no cache to flush", (sampled(flush_ns=5_000), known(write_cache="write through")), PASS, ""),
    ("on_medium", "a flush over the link",
     (sampled(flush_ns=1_000_000), watched("dirty_bytes", 0, MOVED_BYTES)), CAVEAT, "a cache took"),
    ("on_medium", "discards", (counted(device_discarded_bytes=MOVED_BYTES),), CAVEAT, "deleted files"),
]  # fmt: skip

ROWS = [(Operation.READ, *row) for row in READING] + [(Operation.WRITE, *row) for row in WRITING]


@pytest.mark.parametrize(
    ("operation", "name", "trap", "changes", "verdict", "words"),
    ROWS,
    ids=[f"{row[0]}-{row[1]}-{row[2]}".replace(" ", "_") for row in ROWS],
)
def test_one_change(
    operation: Operation, name: str, trap: str, changes: tuple[Change, ...], verdict: Verdict, words: str
) -> None:
    check = one(applied(clean(operation), *changes), name)
    assert (check.verdict, words in check.says) == (verdict, True), check
    assert check.says.endswith(".")
    if verdict in (CAVEAT, FAIL):
        assert any(mark in check.says for mark in (";", ",", ":")), "what it means, or what to do, is missing"


def test_the_worst_run_decides_and_is_named() -> None:
    evidence = applied(clean(), counted(0, own_read_bytes=MOVED_BYTES // 2), counted(2, own_read_bytes=0))
    check = one(evidence, "from_device")
    assert check.verdict is FAIL
    assert check.says.startswith("Run 3 of 3: ")
    assert (check.expected, check.measured, check.unit) == (1.0, 0.0, "ratio")


def test_a_passing_check_shows_its_worst_run() -> None:
    evidence = applied(clean(), sampled(1, gap_ns=400_000_000), sampled(2, elapsed_ns=ELAPSED_NS // 2))
    assert one(evidence, "not_interrupted").measured == 400_000_000
    assert one(evidence, "latency_time").measured == ELAPSED_NS // 2
    assert one(evidence, "instrument_not_limit").measured == pytest.approx(50, rel=0.01)


def test_the_depth_of_the_task_is_what_is_compared_with() -> None:
    check = one(clean(), "littles_law")
    assert check.expected == DEPTH_COUNT
    assert check.measured == pytest.approx(0.99 * DEPTH_COUNT, rel=0.01)


def test_requests_that_wait_for_a_program_tell_fuse() -> None:
    found = applied(clean(), watched("fuse_waiting_count", 1.0))
    assert found.on_fuse
    assert not found.counts_own_bytes
