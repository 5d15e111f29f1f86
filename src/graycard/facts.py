"""The vocabulary of facts: every name a probe, a counter or a file inspection may give, its unit and its factor.

The six factors answer "what changed?": format, software, connection, fullness, system, business; then the medium.
"counter" facts only mean something as a difference between two readings; "file" facts describe the measured file.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from graycard.model import Fact, FactValue


@dataclass(frozen=True, slots=True)
class Term:
    """One entry of the vocabulary. `factor` groups it; `unit` is what `Fact.unit` must say."""

    factor: str
    unit: str | None
    meaning: str


_TEXT = None

TERMS: dict[str, Term] = {
    # format
    "file_system": Term("format", _TEXT, "type of the file system, the real one behind fuseblk"),
    "file_system_driver": Term("format", _TEXT, "what serves the file system: the kernel, or a FUSE program"),
    "mount_point": Term("format", _TEXT, "where the volume is mounted"),
    "mount_source": Term("format", _TEXT, "device, share or pool that is mounted"),
    "mount_options": Term("format", _TEXT, "options of the mount, as the system lists them"),
    "writable": Term("format", "bool", "whether the volume may be written to"),
    "file_system_id": Term("format", _TEXT, "UUID or id of the file system"),
    "volume_name": Term("format", _TEXT, "label of the volume"),
    "allocation_unit_bytes": Term("format", "bytes", "allocation unit (block, cluster)"),
    "partition_scheme": Term("format", _TEXT, "partition table: gpt, dos, …"),
    "compression": Term("format", _TEXT, "transparent compression of the volume or folder, or off"),
    "encryption": Term("format", _TEXT, "encryption under or in the file system, or off"),
    "copy_on_write": Term("format", "bool", "whether data blocks are written anew on each change, with checksums"),
    # software
    "measured_by": Term("software", _TEXT, "program and engine that measured; of another program with its version"),
    "graycard_version": Term("software", _TEXT, "version of graycard"),
    "python_version": Term("software", _TEXT, "version of Python"),
    "engine_settings": Term("software", _TEXT, "how the engine was set up"),
    "test_resolution": Term("software", _TEXT, "size of the frames that another tool was set to, as 3840x2160"),
    "test_mode": Term("software", _TEXT, "one time or continuous, as another tool was set"),
    # connection
    "bus": Term("connection", _TEXT, "nvme, sata, usb, virtio, loop, network, thunderbolt, mmc, memory, …"),
    "link_bits_per_s": Term("connection", "bits/s", "negotiated rate of the link"),
    "drive_link_bits_per_s": Term(
        "connection", "bits/s", "negotiated rate of the drive's own interface, which may lie behind a USB bridge"
    ),
    "internal": Term("connection", "bool", "whether the device is built into the computer"),
    "link_ceiling_bytes_per_s": Term("connection", "bytes/s", "most that can pass the link after its line coding"),
    "driver": Term("connection", _TEXT, "driver of the device or protocol with version"),
    "server": Term("connection", _TEXT, "server of a network share"),
    "share_encryption": Term("connection", _TEXT, "cipher of the connection to a share, or off"),
    "share_signing": Term("connection", _TEXT, "signing of the connection to a share, or off"),
    "protocol_version": Term("connection", _TEXT, "version of the share's protocol"),
    "loop_direct_io": Term("connection", "bool", "whether a loop device below reads its file directly"),
    "loop_backing_file": Term("connection", _TEXT, "file behind a loop device"),
    # fullness
    "size_bytes": Term("fullness", "bytes", "size of the volume"),
    "free_bytes": Term("fullness", "bytes", "free space that this user may use"),
    "used_ratio": Term("fullness", "ratio", "share of the volume in use"),
    "quota_free_bytes": Term("fullness", "bytes", "what the user's or folder's quota leaves"),
    "file_size_limit_bytes": Term("fullness", "bytes", "largest file possible: file system or process limit"),
    # system
    "os_name": Term("system", _TEXT, "operating system with version"),
    "kernel_version": Term("system", _TEXT, "kernel release"),
    "machine": Term("system", _TEXT, "processor architecture"),
    "cpu_model": Term("system", _TEXT, "processor"),
    "cpu_count": Term("system", "count", "processors that this process may use"),
    "memory_bytes": Term("system", "bytes", "main memory"),
    "virtual_machine": Term("system", _TEXT, "hypervisor, or none"),
    "power_source": Term("system", _TEXT, "mains or battery"),
    "clock_source": Term("system", _TEXT, "what the kernel keeps time with"),
    "io_scheduler": Term("system", _TEXT, "I/O scheduler of the device"),
    "dirty_limit_bytes": Term("system", "bytes", "pages that may wait to be written before writers must wait"),
    # business
    "load_average": Term("business", "count", "run queue over the last minute"),
    "other_measurements_count": Term("business", "count", "other graycard runs on this volume"),
    "temperature_celsius": Term("business", "celsius", "temperature of the drive"),
    "temperature_limit_celsius": Term("business", "celsius", "temperature at which the drive warns"),
    "open_file_count": Term("business", "count", "files that clients held open on the server"),
    "throttled": Term("business", "bool", "whether the drive says that it slows down because of heat"),
    # medium
    "device_name": Term("medium", _TEXT, "block device below the volume"),
    "device_model": Term("medium", _TEXT, "model"),
    "device_firmware": Term("medium", _TEXT, "firmware"),
    "device_id": Term("medium", _TEXT, "serial number or WWN, hashed: the same drive gives the same text"),
    "device_size_bytes": Term("medium", "bytes", "size of the device"),
    "removable": Term("medium", "bool", "whether the system takes the medium for removable"),
    "rotational": Term("medium", "bool", "whether the medium turns (hard disk)"),
    "logical_block_bytes": Term("medium", "bytes", "logical sector"),
    "physical_block_bytes": Term("medium", "bytes", "physical sector"),
    "write_cache": Term("medium", _TEXT, "write back or write through"),
    "queue_limit_count": Term("medium", "count", "requests that the device takes at once"),
    "wear_ratio": Term("medium", "ratio", "share of the rated endurance used"),
    "health": Term("medium", _TEXT, "passed or failed, as the drive says"),
    "power_on_ns": Term("medium", "ns", "how long the drive has been switched on in its life"),
    "life_written_bytes": Term("medium", "bytes", "what was written to the drive in its life"),
    # the network, as a test of it or a share's own counters tell
    "network_interface": Term("network", _TEXT, "this computer's interface on the way"),
    "link_medium": Term("network", _TEXT, "wired, wi-fi or vpn: what the interface on the way is"),
    "share_protocol": Term("network", _TEXT, "smb, nfs, ssh, webdav …: what the copy speaks"),
    "tool_block_bytes": Term("software", "bytes", "what one call of the copy tool moves"),
    "server_side_copy": Term("network", "bool", "whether the server copied by itself, without the network"),
    "duplex": Term("network", _TEXT, "full or half, as the interface negotiated it"),
    "mtu_bytes": Term("network", "bytes", "largest packet of the interface on the way"),
    "path_mtu_bytes": Term("network", "bytes", "largest packet that goes the whole way"),
    "congestion_control": Term("network", _TEXT, "how TCP finds its rate"),
    "adapter_bus": Term("network", _TEXT, "usb or pcie: what the network adapter on the way is attached by"),
    "adapter_bus_rate_bits_per_s": Term("network", "bits/s", "negotiated rate of that bus, all its lanes together"),
    "adapter_bus_possible_bits_per_s": Term("network", "bits/s", "what the adapter could negotiate in another slot"),
    "adapter_bus_ceiling_bytes_per_s": Term("network", "bytes/s", "most that can pass that bus after its line coding"),
    "adapter_lane_count": Term("network", "count", "PCIe lanes that the adapter negotiated"),
    "adapter_possible_lane_count": Term("network", "count", "PCIe lanes that the adapter has"),
    "wifi_band": Term("network", _TEXT, "2.4, 5 or 6 GHz"),
    "wifi_sent_bits_per_s": Term("network", "bits/s", "rate at which the radio sends now, as the driver tells it"),
    "wifi_received_bits_per_s": Term("network", "bits/s", "rate at which it receives now"),
    "wifi_signal_dbm": Term("network", "dBm", "strength of the access point's signal"),
    "far_end": Term("network", _TEXT, "the other computer: its name, system and Python"),
    "server_memory_bytes": Term("network", "bytes", "main memory of the server"),
    "round_trip_ns": Term("network", "ns", "median round trip with nothing else on the way"),
    "loaded_round_trip_ns": Term("network", "ns", "95th percentile of the round trips during the test"),
    "loopback_bytes_per_s": Term(
        "instrument", "bytes/s", "what the same sender and receiver reach inside this computer"
    ),
    "retransmit_count": Term("network", "count", "TCP segments that were sent again"),
    "lost_ratio": Term("network", "ratio", "share of the datagrams that did not arrive"),
    "jitter_ns": Term("network", "ns", "mean change of the datagrams' travel time"),
    "read_round_trip_ns": Term("network", "ns", "mean time of a READ of a share to the server and back since mounting"),
    "write_round_trip_ns": Term("network", "ns", "the same of a WRITE"),
    "share_retransmit_count": Term("network", "count", "READs and WRITEs of a share sent again since mounting"),
    "share_read_bytes": Term(
        "network", "bytes", "bytes that programs read from a share, caches included, since mounting"
    ),
    "share_written_bytes": Term(
        "network", "bytes", "bytes that programs wrote to a share, caches included, since mounting"
    ),
    "server_read_bytes": Term("network", "bytes", "bytes that came from a share's server"),
    "server_written_bytes": Term("network", "bytes", "bytes that went to a share's server"),
    # counters: differences between two readings
    "clock_monotonic_ns": Term("counter", "ns", "the clock that times everything"),
    "clock_realtime_ns": Term("counter", "ns", "wall clock, for jumps and drift"),
    "clock_boottime_ns": Term("counter", "ns", "clock that goes on while the machine is suspended"),
    "own_read_bytes": Term("counter", "bytes", "bytes this process fetched from storage"),
    "own_written_bytes": Term("counter", "bytes", "bytes this process sent to storage"),
    "device_read_bytes": Term("counter", "bytes", "bytes read from the device by anyone"),
    "device_written_bytes": Term("counter", "bytes", "bytes written to the device by anyone"),
    "device_discarded_bytes": Term("counter", "bytes", "bytes discarded (TRIM) on the device"),
    "device_ops_count": Term("counter", "count", "requests the device has completed"),
    "device_busy_ns": Term("counter", "ns", "time with at least one request on the device"),
    "device_queue_ns": Term("counter", "ns", "request-time on the device: its increase ÷ time = mean depth"),
    "network_received_bytes": Term("counter", "bytes", "bytes received by all interfaces but loopback"),
    "network_sent_bytes": Term("counter", "bytes", "bytes sent by all interfaces but loopback"),
    "cpu_total_ns": Term("counter", "ns", "processor time of all processors, idle included"),
    "cpu_idle_ns": Term("counter", "ns", "idle and waiting processor time"),
    "cpu_steal_ns": Term("counter", "ns", "processor time the hypervisor gave to others"),
    "cpu_own_ns": Term("counter", "ns", "processor time of this process"),
    "pressure_io_ns": Term("counter", "ns", "time in which some task waited for I/O (PSI)"),
    # levels, watched while a run goes on
    "cpu_wait_ns": Term("level", "ns", "time this process's threads were ready but had no processor"),
    "dirty_bytes": Term("level", "bytes", "pages of the whole system that wait to be written"),
    "writeback_bytes": Term("level", "bytes", "pages of the whole system being written"),
    "device_inflight_count": Term("level", "count", "requests on the device now"),
    "frame_reserve_count": Term(
        "level", "count", "frames ready to be shown, or free in a camera's buffer, at the least"
    ),
    "fuse_waiting_count": Term("level", "count", "requests waiting for the FUSE server now"),
    # the measured file
    "file_size_bytes": Term("file", "bytes", "size of the measured file"),
    "file_allocated_bytes": Term("file", "bytes", "blocks allocated to it"),
    "file_extent_count": Term("file", "count", "pieces it lies in"),
    "file_unwritten_bytes": Term("file", "bytes", "allocated but never written: read as zeros without the device"),
    "file_hole_bytes": Term("file", "bytes", "holes: read as zeros without the device"),
    "file_encoded_bytes": Term("file", "bytes", "stored compressed or encrypted by the file system"),
    "file_cached_bytes": Term("file", "bytes", "of it in the page cache"),
    "file_dirty_bytes": Term("file", "bytes", "of it in the page cache and not yet written back"),
    "direct_requested": Term("file", "bool", "whether the file was opened for direct I/O"),
    "direct_align_bytes": Term("file", "bytes", "alignment that direct I/O needs (statx); absent: no true direct I/O"),
    "direct_misaligned_refused": Term("file", "bool", "a misaligned direct read failed, as it should"),
    "direct_write_buffered": Term("file", "bool", "pages of a direct trial write were in the page cache meanwhile"),
    "nocow": Term("file", "bool", "copy-on-write and checksums switched off for the file"),
    "volume_compresses": Term("file", "bool", "a probe of zeros took less space than its size"),
    # the instrument
    "ceiling_ops_per_s": Term("instrument", "ops/s", "null operations at this depth, block and worker count"),
    "generator_bytes_per_s": Term("instrument", "bytes/s", "rate at which test data are made"),
    "clock_step_ns": Term("instrument", "ns", "smallest step of the clock"),
    "clock_cost_ns": Term("instrument", "ns", "cost of one reading of the clock"),
}


def fact(name: str, value: FactValue, source: str) -> Fact:
    """A fact of the vocabulary; KeyError for a name that is not in it."""
    return Fact(name, value, TERMS[name].unit, source)


def value(facts: Iterable[Fact], name: str) -> FactValue:
    """The value of the last fact of that name that is known, or None."""
    found: FactValue = None
    for each in facts:
        if each.name == name and each.value is not None:
            found = each.value
    return found


def number(facts: Iterable[Fact], name: str) -> float | None:
    """`value` as a number; None where it is absent or not a number."""
    found = value(facts, name)
    return float(found) if isinstance(found, (int, float)) and not isinstance(found, bool) else None


def change(before: Iterable[Fact], after: Iterable[Fact], name: str) -> float | None:
    """Increase of a counter between two readings, or None where either is absent or it went backwards."""
    first, last = number(before, name), number(after, name)
    if first is None or last is None or last < first:
        return None
    return last - first
