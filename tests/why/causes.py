"""One scene for each cause, from measured figures: the evidence, the layer and the rule that must stand first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from graycard.facts import fact
from graycard.model import Action
from graycard.model.diagnosis import Evidence, Layer, ToolCeiling
from tests.why.scenes import (
    MB,
    MS,
    STEPS,
    ceilings,
    evidence,
    flowing,
    moving,
    per_s,
    rate,
    timeline,
    tools,
    trip,
    waiting,
)


def link_100_mbit() -> Evidence:
    """All protocols 10.5 to 11.5 MB/s; round trips 4.9 ms."""
    slow = ceilings(
        network=rate(11.7),
        network_streams=rate(11.8),
        network_back=rate(11.7),
        loaded_round_trip=trip(5.2),
        mount=rate(11.1),
        tools=tools(cp=11.1, smbclient=11.5),
    )
    return evidence(slow, timeline("cp", **{**flowing(11.1), "near_tcp_rtt_ns": 4.9 * MS}))


def negotiated_100_mbit() -> Evidence:
    """The same, and the interface says so: that it is as slow as it negotiated does not make it right."""
    return replace(link_100_mbit(), near=(fact("link_bits_per_s", 10**8, "made up"),))


def usb_adapter() -> Evidence:
    """A 10 Gbit/s adapter that carries 6.5."""
    slow = ceilings(
        network=rate(810),
        network_streams=rate(812),
        server_flushed=rate(1500),
        server_burst=rate(2000),
        source=rate(3000),
        mount=rate(750),
        tools=tools(cp=760),
    )
    return evidence(slow, timeline("cp", **flowing(760)), near={"link_bits_per_s": 10**10})


def wifi() -> Evidence:
    """A radio link is the lowest ceiling, whatever it negotiated."""
    slow = ceilings(network=rate(45), network_streams=rate(48), mount=rate(40), tools=tools(cp=41))
    near = {"link_bits_per_s": 866_000_000, "link_medium": "wi-fi"}
    return evidence(slow, timeline("cp", **flowing(41)), near=near)


def slow_disk() -> Evidence:
    """A disk of 31 MB/s with little memory before it: 33 MB/s."""
    slow = ceilings(
        server_flushed=rate(31.3),
        server_burst=rate(60),
        network=rate(104.8),
        mount=rate(33.2),
        tools=tools(cp=33.2, smbclient=33.4, scp=32.6),
    )
    return evidence(slow, timeline("cp", **waiting(33.2)), far={"memory_bytes": 400_000_000})


def slow_disk_read() -> Evidence:
    """Reading 30 MB/s cold: the server's connection has nothing to send."""
    slow = ceilings(server_read=rate(30), mount=rate(30.2), tools=tools(cp=30.0))
    line = {name.replace("near_tcp", "far_tcp"): value for name, value in waiting(30).items()}
    return evidence(slow, timeline("cp", **line), action=Action.RECEIVE)


def memory_hides() -> Evidence:
    """The same disk without a cap: 81 MB/s while it ran, with the flush 31."""
    slow = ceilings(server_flushed=rate(31.3), mount=rate(32), tools=tools(cp=32, smbclient=81))
    return evidence(slow, timeline("cp", **{**flowing(81), "far_disk_written_bytes": moving(31)}), size=500 * MB)


def memory_hides_read() -> Evidence:
    """Reads of 30 MB/s cold, 105 from the server's memory."""
    return evidence(ceilings(server_read=rate(30), mount=rate(102), tools=tools(cp=103)), None, action=Action.RECEIVE)


def batches() -> Evidence:
    """4 s at full speed, 2.75 s at 2 MB/s: 6.75 s."""
    up, down = flowing(100), waiting(2)
    pattern = {name: (up[name],) * 16 + (down[name],) * 11 for name in up if name != "far_dirty_bytes"}
    down_only = {"near_tcp_busy_ratio": (0.96,) * 16 + (0.02,) * 11, "far_dirty_bytes": 60 * MB}
    slow = ceilings(server_flushed=rate(62), server_burst=rate(300), mount=rate(58), tools=tools(cp=59))
    return evidence(slow, timeline("cp", **{**pattern, **down_only}))


def stalls() -> Evidence:
    """600 ms of silence each 3 s: queue and packets stay, nothing is acknowledged."""
    line = flowing(104)
    line.update(
        moved=(*[moving(104)] * 9, moving(60), 0.0, 0.0),
        near_tcp_acked_bytes=(*[moving(104)] * 9, moving(60), 0.0, 0.0),
        near_tcp_queue_bytes=(*[2.0 * MB] * 10, 3.4 * MB, 3.8 * MB),
        near_tcp_unacked_count=(*[100.0] * 10, 420.0, 535.0),
        near_tcp_busy_ratio=1.0,
        near_tcp_retransmit_count=(*[0.0] * 11, 4.0),
    )
    slow = ceilings(network=rate(88), network_streams=rate(89), mount=rate(80), tools=tools(cp=81))
    return evidence(slow, timeline("cp", **line))


def starved(known: bool) -> Evidence:
    """15 % of a core: SMB 67, signed 57; queue 3.4 MB, 786 packets, 11 ms; raw TCP is full."""
    line = {
        **flowing(57),
        "near_tcp_queue_bytes": 3.4 * MB,
        "near_tcp_unacked_count": 786.0,
        "near_tcp_busy_ratio": 0.92,
        "near_tcp_rtt_ns": 11 * MS,
        "far_service_ratio": 0.15,
    }
    if known:
        line.update(far_service_limit_ratio=0.15, far_throttled_ratio=0.88)
    else:
        line.update(far_service_limit_ratio=None, far_throttled_ratio=None)
    slow = ceilings(
        network=rate(110.7), loaded_round_trip=trip(1.2), mount=rate(57), tools=tools(cp=57, smbclient=67, scp=30)
    )
    names = {"far.service": "smbd"}
    return evidence(
        slow, timeline("cp", names, **line), path={"share_protocol": "smb", "share_signing": "aes-128-gmac"}
    )


def one_core() -> Evidence:
    """smbd at 89 to 91 % of a core, half of what the network carries."""
    line = {**flowing(52), "far_service_ratio": 0.9, "near_tcp_rtt_ns": 12 * MS}
    slow = ceilings(mount=rate(53), tools=tools(cp=52))
    return evidence(slow, timeline("cp", {"far.service": "smbd"}, **line))


def latency(ms: float, mount: float, raw: float) -> Evidence:
    """A mount at 5, 20 and 50 ms: the queue stays at its window."""
    line = {
        **flowing(mount),
        "near_tcp_queue_bytes": 0.9 * MB,
        "near_tcp_busy_ratio": 0.83,
        "near_tcp_rtt_ns": ms * MS,
        "near_tcp_min_rtt_ns": ms * MS,
    }
    far = ceilings(
        network=rate(raw),
        network_streams=rate(112),
        idle_round_trip=trip(ms),
        loaded_round_trip=trip(ms + 2),
        mount=rate(mount),
        tools=tools(cp=mount, smbclient=0.8 * raw),
    )
    return evidence(far, timeline("cp", **line), path={"file_system": "fuse.rclone"})


def tcp_buffer() -> Evidence:
    """smbclient at 50 ms: 44 of 59 MB/s, four streams 110; send buffer limited 46 %."""
    line = {
        **flowing(44),
        "near_tcp_buffer_limited_ratio": 0.46,
        "near_tcp_rtt_ns": 51 * MS,
        "near_tcp_min_rtt_ns": 50 * MS,
    }
    far = ceilings(
        network=rate(59),
        network_streams=rate(110),
        idle_round_trip=trip(50),
        loaded_round_trip=trip(52),
        mount=rate(45),
        tools=tools(smbclient=44),
    )
    return evidence(far, timeline("smbclient", **line), tool="smbclient")


def loss() -> Evidence:
    """0.05 % at 10 ms with cubic: raw TCP 11.25 MB/s, SMB 6.5."""
    segments = moving(6.5) / 1448
    line = {
        **flowing(6.5),
        "near_tcp_retransmit_count": segments * 0.0005,
        "near_tcp_queue_bytes": 1.0 * MB,
        "near_tcp_rtt_ns": 10.4 * MS,
        "near_tcp_min_rtt_ns": 10 * MS,
        "near_tcp_congestion_window_count": 60.0,
    }
    far = ceilings(
        network=rate(11.25),
        network_streams=rate(40),
        idle_round_trip=trip(10),
        loaded_round_trip=trip(11),
        raw_retransmit_ratio=0.0005,
        mount=rate(6.6),
        tools=tools(cp=6.5),
    )
    return evidence(far, timeline("cp", **line), path={"congestion_control": "cubic"})


def bufferbloat() -> Evidence:
    """A full gigabit whose queue is 120 ms long."""
    return evidence(ceilings(loaded_round_trip=trip(168)), timeline("cp", **flowing(98)))


def delayed_ack() -> Evidence:
    """4 KiB at a time over SSH: 1.3 MB/s, 16 kB every 82 to 92 ms."""
    line = {
        **flowing(1.3),
        "near_tcp_queue_bytes": 16_400.0,
        "near_tcp_unacked_count": 4.0,
        "near_tcp_busy_ratio": 0.9,
        "near_tcp_rtt_ns": 21 * MS,
        "near_core_busy_ratio": 0.1,
        "near_service_ratio": 0.02,
    }
    slow = ceilings(mount=rate(110), tools=(ToolCeiling("dd", rate(1.3), block_bytes=4096),))
    return evidence(slow, timeline("dd", **line), tool="dd", path={"tool_block_bytes": 4096})


def block_size() -> Evidence:
    """4 KiB through one mount 32, 1 MiB 59 MB/s."""
    line = {
        **waiting(32),
        "near_service_ratio": 0.3,
        "near_mount_ratio": 0.6,
        "far_disk_busy_ratio": 0.1,
        "far_writeback_bytes": 0.0,
        "far_pressure_io_some_ratio": 0.0,
        "far_disk_written_bytes": 0.0,
    }
    slow = ceilings(mount=rate(59), tools=(ToolCeiling("dd", rate(32), block_bytes=4096),))
    return evidence(slow, timeline("dd", **line), tool="dd", path={"file_system": "fuse.rclone"})


def small_files(mb_per_s: float, ms: float, own: float) -> Evidence:
    """2000 files of 50 KiB: 31 MB/s without delay, 2.1 at 5 ms."""
    line = {**flowing(mb_per_s), "near_tcp_queue_bytes": 0.0, "near_tcp_unacked_count": 0.0, "near_tcp_busy_ratio": 0.4}
    far = ceilings(idle_round_trip=trip(ms), tools=tools(cp=mb_per_s), small_files=per_s(own), mount=rate(96))
    return evidence(far, timeline("cp", **line), count=2000, size=2000 * 51200)


def sync_writes() -> Evidence:
    """NFS with stable writes on a disk of 31 MB/s without a cap: 24, where SMB has 81."""
    line = {**waiting(24), "far_dirty_bytes": 30.2 * MB, "far_writeback_bytes": 0.4 * MB}
    slow = ceilings(
        server_flushed=rate(31.3), mount=rate(24), tools=(ToolCeiling("nfs-cp", rate(23.7)), *tools(smbclient=81))
    )
    return evidence(slow, timeline("nfs-cp", **line), tool="nfs-cp", path={"share_protocol": "nfs"})


def client_mount() -> Evidence:
    """A mount by a program 58 to 60, smbclient 106 MB/s; the program 42 to 61 % of a core."""
    line = {
        **waiting(58),
        "near_mount_ratio": 0.52,
        "near_service_ratio": 0.2,
        "far_disk_busy_ratio": 0.2,
        "far_writeback_bytes": 0.0,
        "far_pressure_io_some_ratio": 0.0,
        "far_disk_written_bytes": 0.0,
    }
    slow = ceilings(mount=rate(60), tools=tools(cp=58, smbclient=106))
    return evidence(slow, timeline("cp", **line), path={"file_system": "fuse.rclone"})


def client_core() -> Evidence:
    """scp whose cipher fills a core of this computer."""
    line = {
        **flowing(60),
        "near_tcp_queue_bytes": 0.0,
        "near_tcp_unacked_count": 0.0,
        "near_tcp_busy_ratio": 0.3,
        "near_service_ratio": 0.98,
        "near_core_busy_ratio": 0.99,
    }
    return evidence(
        ceilings(tools=tools(scp=60, smbclient=104)), timeline("scp", {"near.service": "ssh"}, **line), tool="scp"
    )


def slow_source() -> Evidence:
    """A card reader of 40 MB/s."""
    line = {
        **flowing(39),
        "near_tcp_queue_bytes": 0.0,
        "near_tcp_unacked_count": 0.0,
        "near_tcp_busy_ratio": 0.3,
        "near_disk_busy_ratio": 0.99,
    }
    return evidence(ceilings(source=rate(40), tools=tools(cp=39)), timeline("cp", **line))


def steal() -> Evidence:
    """A server whose host is busy."""
    line = {**flowing(40), "far_steal_ratio": tuple(0.05 + 0.19 * (index % 2) for index in range(STEPS))}
    return evidence(ceilings(network=rate(60), mount=rate(42), tools=tools(cp=40)), timeline("cp", **line))


def foreign_load() -> Evidence:
    """Others have four fifths of this computer's processors."""
    line = {**flowing(40), "near_foreign_cpu_ratio": 0.8, "near_cpu_busy_ratio": 0.99}
    return evidence(ceilings(mount=rate(42), tools=tools(cp=40)), timeline("cp", **line))


def foreign_traffic() -> Evidence:
    """Somebody else fills half of the wire."""
    line = {**flowing(50), "near_interface_sent_bytes": moving(110)}
    return evidence(ceilings(tools=tools(cp=50)), timeline("cp", **line))


def interrupts() -> Evidence:
    """One core of the server is full of interrupts."""
    slow = ceilings(network=rate(60), network_streams=rate(62), mount=rate(58), tools=tools(cp=58))
    return evidence(slow, timeline("cp", **{**flowing(58), "far_softirq_ratio": 0.97}))


def unseen() -> Evidence:
    """A server without an agent that is waited for."""
    line = {name: value for name, value in waiting(33).items() if not name.startswith("far_")}
    blind = replace(
        ceilings(mount=rate(34), tools=tools(cp=33)),
        network=None,
        network_streams=None,
        network_back=None,
        network_back_streams=None,
        server_flushed=None,
        server_burst=None,
        server_read=None,
        idle_round_trip=None,
        loaded_round_trip=None,
    )
    return replace(evidence(blind, timeline("cp", **line)), far=())


CAUSES: dict[str, tuple[Callable[[], Evidence], Layer, str]] = {
    "100 Mbit/s": (link_100_mbit, Layer.NETWORK, "link speed"),
    "negotiated 100 Mbit/s": (negotiated_100_mbit, Layer.NETWORK, "link speed"),
    "USB adapter": (usb_adapter, Layer.NETWORK, "link speed"),
    "Wi-Fi": (wifi, Layer.NETWORK, "link speed"),
    "network stalls": (stalls, Layer.NETWORK, "network stalls"),
    "TCP buffer": (tcp_buffer, Layer.NETWORK, "TCP buffer"),
    "loss with delay": (loss, Layer.NETWORK, "packet loss"),
    "bufferbloat": (bufferbloat, Layer.NETWORK, "bufferbloat"),
    "interrupts": (interrupts, Layer.NETWORK, "interrupts"),
    "slow disk": (slow_disk, Layer.SERVER_DISK, "server disk"),
    "slow disk, read": (slow_disk_read, Layer.SERVER_DISK, "server disk"),
    "memory hides": (memory_hides, Layer.SERVER_DISK, "server memory"),
    "memory hides, read": (memory_hides_read, Layer.SERVER_DISK, "server memory"),
    "batches": (batches, Layer.SERVER_DISK, "batch flushing"),
    "sync writes": (sync_writes, Layer.SERVER_DISK, "sync writes"),
    "CPU limit": (lambda: starved(known=True), Layer.PROTOCOL, "one core"),
    "CPU limit unseen": (lambda: starved(known=False), Layer.PROTOCOL, "one core"),
    "one core": (one_core, Layer.PROTOCOL, "one core"),
    "5 ms": (lambda: latency(5, 40, 112), Layer.PROTOCOL, "latency"),
    "20 ms": (lambda: latency(20, 23, 109), Layer.PROTOCOL, "latency"),
    "50 ms": (lambda: latency(50, 11, 59), Layer.PROTOCOL, "latency"),
    "small files": (lambda: small_files(31, 0.2, 700), Layer.PROTOCOL, "small files"),
    "small files at 5 ms": (lambda: small_files(2.1, 5, 45), Layer.PROTOCOL, "small files"),
    "small files, slow tool": (lambda: small_files(0.4, 5, 45), Layer.TOOL, "small files"),
    "delayed ACK": (delayed_ack, Layer.TOOL, "delayed ACK"),
    "block size": (block_size, Layer.TOOL, "block size"),
    "client mount": (client_mount, Layer.TOOL, "client processor"),
    "client core": (client_core, Layer.TOOL, "client processor"),
    "source": (slow_source, Layer.SOURCE, "source disk"),
    "steal": (steal, Layer.NOT_JUDGED, "steal"),
    "foreign load": (foreign_load, Layer.NOT_JUDGED, "foreign load"),
    "foreign traffic": (foreign_traffic, Layer.NOT_JUDGED, "foreign load"),
    "unseen server": (unseen, Layer.SERVER, "unseen server"),
}


def healthy() -> dict[str, Evidence]:
    """Paths on which nothing is slower than it should be; loss without delay among them."""
    fine = ceilings()
    noisy = {**flowing(97), "moved": tuple(moving(97 + 12 * ((index * 7) % 5 - 2) / 2) for index in range(STEPS))}
    lossy = {**flowing(92), "near_tcp_retransmit_count": moving(92) / 1448 * 0.005}
    big = ceilings(
        network=rate(281),
        network_streams=rate(281),
        server_flushed=rate(700),
        source=rate(3000),
        mount=rate(260),
        tools=tools(cp=262),
    )
    negotiated = {"link_bits_per_s": 2_500_000_000}
    down = {name.replace("near_tcp", "far_tcp"): value for name, value in flowing(100).items()}
    return {
        "cp": evidence(fine, timeline("cp", **flowing(98))),
        "smbclient": evidence(fine, timeline("smbclient", **flowing(104)), tool="smbclient"),
        "uneven": evidence(fine, timeline("cp", **noisy)),
        "loss without delay": evidence(
            replace(fine, network=rate(105), raw_retransmit_ratio=0.005, tools=tools(cp=92)), timeline("cp", **lossy)
        ),
        "read": evidence(fine, timeline("cp", **down), action=Action.RECEIVE),
        "2.5 Gbit/s": evidence(big, timeline("cp", **flowing(262)), near=negotiated, far=negotiated),
        "bare virtual wire": evidence(
            ceilings(
                network=rate(1021),
                network_streams=rate(2800),
                server_flushed=rate(1500),
                source=rate(3000),
                mount=rate(900),
                tools=tools(cp=900),
            ),
            timeline("cp", **flowing(900)),
            near={"link_bits_per_s": 10**10, "link_medium": "virtual"},
        ),
        "delay of 5 ms, fast tool": evidence(
            replace(
                fine, idle_round_trip=trip(5), loaded_round_trip=trip(6.5), mount=rate(101), tools=tools(smbclient=101)
            ),
            timeline("smbclient", **{**flowing(101), "near_tcp_rtt_ns": 6 * MS}),
            tool="smbclient",
        ),
        "large files in a folder": evidence(fine, timeline("cp", **flowing(98)), count=40, size=40 * 200 * MB),
        "no agent": replace(
            evidence(
                ceilings(
                    network=None,
                    network_streams=None,
                    server_flushed=None,
                    server_read=None,
                    idle_round_trip=None,
                    loaded_round_trip=None,
                ),
                timeline("cp", **{name: value for name, value in flowing(98).items() if not name.startswith("far_")}),
            ),
            far=(),
        ),
        "nothing known": Evidence("cp", Action.SEND, None, None),
    }
