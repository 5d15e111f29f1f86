"""The causes that are built into the bed, and what a diagnosis should say of each."""

from __future__ import annotations

from dataclasses import dataclass

SHARE_SMB = "smb://root@10.77.0.2/share"
MOUNT, SMALL, SSH, NFS = "{bed}/mnt/share", "{bed}/small", "nas:{bed}/srv/share", "nfs://10.77.0.2{bed}/srv/share"
WIRE = ("net", "940mbit")


@dataclass(frozen=True, slots=True)
class Cause:
    """`begin` and `end` are commands of the bed's script; `share` and `options` go to `graycard why`.

    The layer that must be named first, and the rules of which one must be ("" for none). `mounts` mounts the share by
    rclone first. `time` is that of `graycard why`, where a swing needs more of it than the rest, and
    `period_s` that of the swing that is injected.
    """

    name: str
    layer: str
    rules: tuple[str, ...]
    begin: tuple[tuple[str, ...], ...] = ()
    end: tuple[tuple[str, ...], ...] = ()
    share: str = SHARE_SMB
    options: tuple[str, ...] = ()
    mounts: bool = False
    time: str | None = None
    period_s: float | None = None
    variables: tuple[tuple[str, str], ...] = ()

    @property
    def is_healthy(self) -> bool:
        """Nothing was injected."""
        return self.layer == "none"


_LINE_DOWN = (("line", "down"), WIRE)


def _line(*options: str) -> tuple[tuple[str, ...], ...]:
    return (("net", "off"), ("line", *options))


HEALTHY = (
    Cause("healthy", "none", ("",)),
    Cause("healthy, from the share", "none", ("",), options=("--from",)),
    Cause("healthy, SSH", "none", ("",), share=SSH),
    Cause("healthy, NFS", "none", ("",), share=NFS),
)
CAUSES = (
    *HEALTHY,
    Cause("link of 100 Mbit/s", "network", ("link speed",), (("net", "100mbit", "32kb", "50ms"),), (WIRE,)),
    Cause("server disk of 31 MB/s", "server disk", ("server disk",), (("disk", "31457280", "67108864"),), (("disk", "0", "0"),)),
    Cause("memory hides that disk", "server disk", ("server memory",), (("disk", "31457280"),), (("disk", "0", "0"),)),
    Cause("batch flushing", "server disk", ("batch flushing",), (("txg", "4", "3"),), (("txg", "stop"),),
          time="100s", period_s=7),
    Cause("network stalls", "network", ("network stalls",), _line("--stall-every", "3", "--stall-ms", "600"), _LINE_DOWN,
          variables=(("RATE", "940mbit"),), time="60s", period_s=3),
    Cause("server with 15 % of a core", "protocol", ("one core",), (("cpu", "15"),), (("cpu", "off"),)),
    Cause("the same, signed", "protocol", ("one core",), (("smb", "server signing = mandatory"), ("cpu", "15")),
          (("cpu", "off"), ("smb",))),
    Cause("ssh server with 15 % of a core", "protocol", ("one core",), (("cpu", "15"),), (("cpu", "off"),), share=SSH),
    Cause("round trip of 20 ms", "protocol", ("latency",), _line("--delay-ms", "10"), _LINE_DOWN, share=MOUNT, mounts=True,
          variables=(("RATE", "940mbit"),)),
    Cause("loss of 0.5 % at 10 ms", "network", ("packet loss",),
          (("cc", "cubic"), *_line("--delay-ms", "5", "--loss", "0.005", "--no-tso")), (*_LINE_DOWN, ("cc", "bbr"))),
    Cause("200 Mbit/s with a long queue", "network", ("link speed",), _line("--rate-mbit", "200", "--queue-ms", "300"),
          _LINE_DOWN),
    Cause("send buffer at 50 ms", "network", ("TCP buffer", "latency"), _line("--delay-ms", "25"), _LINE_DOWN,
          variables=(("RATE", "940mbit"),)),
    Cause("small files at 5 ms", "protocol", ("small files",), _line("--delay-ms", "2.5"), _LINE_DOWN, options=("--source", SMALL),
          variables=(("RATE", "940mbit"),)),
    Cause("mount by a program", "tool", ("client processor",), share=MOUNT, mounts=True),
    Cause("NFS that writes at once to 31 MB/s", "server disk", ("sync writes", "server disk"),
          (("disk", "31457280", "67108864"),), (("disk", "0", "0"),), share=NFS),
)  # fmt: skip
# Not in the matrix: told in docs/diagnosis.md.
STORIES = (
    Cause("a Mac and a Pi", "tool", ("client processor",), share=MOUNT, mounts=True,
          options=("--via", NFS, "--via", SHARE_SMB, "--via", SSH)),
)  # fmt: skip
SMALL_TIER = (
    "healthy", "link of 100 Mbit/s", "server disk of 31 MB/s", "server with 15 % of a core", "network stalls", "batch flushing",
)  # fmt: skip
