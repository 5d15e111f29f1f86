"""The vocabulary of timelines: every track that both ends may give, its unit and how a step's value is made.

Kinds: "amount" is what happened within the step (the increase of a counter), "level" the state at its end, "share" a
part of its time, from 0 to 1; of one core where it is of a core or a process, so a process of two busy threads has 2.
What cannot be read is None or has no track; a counter that went backwards (a new connection) gives None once.
"""

from __future__ import annotations

from dataclasses import dataclass

STEP_NS = 250_000_000
NEAR, FAR = "near", "far"


@dataclass(frozen=True, slots=True)
class TrackTerm:
    """One entry of the vocabulary."""

    unit: str
    kind: str
    meaning: str


MOVED = "copy.moved_bytes"

COPY_TRACKS: dict[str, TrackTerm] = {
    MOVED: TrackTerm("bytes", "amount", "what the copy moved, as the tool or its destination shows it"),
    "copy.files_count": TrackTerm("count", "amount", "files that the copy finished"),
}

# Of each end, with "near." or "far." before the name. TCP tracks are of the copy's own connection, summed over several
# (levels and amounts) or the mean (shares, times); they tell about what that end sends.
END_TRACKS: dict[str, TrackTerm] = {
    "tcp_queue_bytes": TrackTerm("bytes", "level", "waiting to be acknowledged: not sent + unacked × segment size"),
    "tcp_unacked_count": TrackTerm("count", "level", "segments sent and not acknowledged (tcpi_unacked)"),
    "tcp_acked_bytes": TrackTerm("bytes", "amount", "acknowledged by the other end (tcpi_bytes_acked)"),
    "tcp_busy_ratio": TrackTerm("ratio", "share", "time with something to send (tcpi_busy_time)"),
    "tcp_window_limited_ratio": TrackTerm("ratio", "share", "time held back by the receiver (tcpi_rwnd_limited)"),
    "tcp_buffer_limited_ratio": TrackTerm("ratio", "share", "time held back by the send buffer (tcpi_sndbuf_limited)"),
    "tcp_rtt_ns": TrackTerm("ns", "level", "smoothed round trip (tcpi_rtt)"),
    "tcp_min_rtt_ns": TrackTerm("ns", "level", "shortest round trip (tcpi_min_rtt)"),
    "tcp_retransmit_count": TrackTerm("count", "amount", "segments sent again (tcpi_total_retrans)"),
    "tcp_segment_count": TrackTerm("count", "amount", "segments sent (tcpi_segs_out)"),
    "tcp_congestion_window_count": TrackTerm("count", "level", "congestion window in segments (tcpi_snd_cwnd)"),
    "tcp_delivery_bytes_per_s": TrackTerm("bytes/s", "level", "rate of the last flight (tcpi_delivery_rate)"),
    "cpu_busy_ratio": TrackTerm("ratio", "share", "all cores together, 1 where all are busy"),
    "core_busy_ratio": TrackTerm("ratio", "share", "the busiest core"),
    "softirq_ratio": TrackTerm("ratio", "share", "interrupts (irq and softirq) on the core that has most of them"),
    "steal_ratio": TrackTerm("ratio", "share", "processor time that the host of a virtual machine gave to others"),
    "foreign_cpu_ratio": TrackTerm("ratio", "share", "all cores: processes that have no part in the copy"),
    "pressure_cpu_ratio": TrackTerm("ratio", "share", "time in which some task waited for a processor (PSI cpu some)"),
    "throttled_ratio": TrackTerm("ratio", "share", "time in which a limit (cgroup) stopped the copy's process"),
    "process_ratio": TrackTerm("ratio", "share", "the busiest process, of one core"),
    "service_ratio": TrackTerm("ratio", "share", "of one core: near the copy tool, far the server's process of it"),
    "service_wait_ratio": TrackTerm("ratio", "share", "that process waited for a processor (schedstat)"),
    "service_limit_ratio": TrackTerm("ratio", "level", "of one core: the most that a limit allows that process"),
    "mount_ratio": TrackTerm("ratio", "share", "of one core: the process that serves the mount (FUSE)"),
    "disk_busy_ratio": TrackTerm("ratio", "share", "the disk below the data has a request"),
    "disk_await_ns": TrackTerm("ns", "level", "mean time of the requests that ended in the step"),
    "disk_read_bytes": TrackTerm("bytes", "amount", "read from that disk by anyone"),
    "disk_written_bytes": TrackTerm("bytes", "amount", "written to that disk by anyone"),
    "dirty_bytes": TrackTerm("bytes", "level", "pages that wait to be written"),
    "writeback_bytes": TrackTerm("bytes", "level", "pages being written"),
    "pressure_io_some_ratio": TrackTerm("ratio", "share", "some task waited for a disk (PSI)"),
    "pressure_io_full_ratio": TrackTerm("ratio", "share", "all tasks waited for a disk (PSI)"),
    "interface_sent_bytes": TrackTerm("bytes", "amount", "sent by the interface on the way"),
    "interface_received_bytes": TrackTerm("bytes", "amount", "received by it"),
    "retransmit_count": TrackTerm("count", "amount", "segments sent again by the whole computer"),
}

TRACKS: dict[str, TrackTerm] = {
    **COPY_TRACKS,
    **{f"{end}.{name}": term for end in (NEAR, FAR) for name, term in END_TRACKS.items()},
}

# Names in each step, "near." or "far." before them: of `process_ratio`, `service_ratio` and `mount_ratio`.
END_NAMES = ("process", "service", "mount")
NAME_TRACKS = tuple(f"{end}.{name}" for end in (NEAR, FAR) for name in END_NAMES)

# The server's processes of a copy, by the protocol: what `far.service_ratio` is looked for among.
SERVICES = {
    "smb": ("smbd", "ksmbd"),
    "ssh": ("sshd", "sshd-session", "sftp-server"),
    "nfs": ("nfsd", "ganesha.nfsd"),
    "webdav": ("rclone", "nginx", "apache2", "httpd"),
}

# What the network adapter of an end is attached by; of this end among the facts of the path.
ADAPTER_FACTS = (
    "adapter_bus",
    "adapter_bus_rate_bits_per_s",
    "adapter_bus_ceiling_bytes_per_s",
    "adapter_lane_count",
    "adapter_possible_lane_count",
    "wifi_band",
    "wifi_sent_bits_per_s",
    "wifi_received_bits_per_s",
    "wifi_signal_dbm",
)
# Facts of `Evidence` that rules look for; all are in `graycard.facts`.
END_FACTS = (
    "memory_bytes",
    "cpu_count",
    "virtual_machine",
    "throttled",
    "dirty_limit_bytes",
    "link_bits_per_s",
    "link_medium",
    "duplex",
    "mtu_bytes",
    *ADAPTER_FACTS,
)
PATH_FACTS = (
    "share_protocol",
    "protocol_version",
    "share_signing",
    "share_encryption",
    "file_system",
    "mount_options",
    "tool_block_bytes",
    "server_side_copy",
    "path_mtu_bytes",
    "congestion_control",
    "read_round_trip_ns",
    "write_round_trip_ns",
    "share_retransmit_count",
    "link_medium",
    *ADAPTER_FACTS,
)
