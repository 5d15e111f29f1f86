"""Two computers in network namespaces, with a wire between them that can be shaped, and sshd on the far one."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

NEAR_ADDRESS, FAR_ADDRESS = "10.77.9.1", "10.77.9.2"
SSH_PORT = 2222


@dataclass(frozen=True, slots=True)
class Wire:
    """The two namespaces, and the ssh command that reaches the far one from the near one as “nas”."""

    near: str
    far: str
    ssh: tuple[str, ...]

    def on(self, side: str, *command: str) -> tuple[str, ...]:
        """The command as it runs on one side. `ip netns exec` would hide mounts."""
        return ("nsenter", f"--net=/run/netns/{side}", *command)

    def shape(self, rate: str) -> None:
        """Give both directions this rate, as "400mbit"."""
        for side in (self.near, self.far):
            run("tc", "-n", side, "qdisc", "replace", "dev", "wire", "root", "tbf", "rate", rate, "burst", "128kb",
                "latency", "20ms")  # fmt: skip

    def cut(self) -> None:
        """Pull the cable."""
        run("ip", "-n", self.far, "link", "set", "wire", "down")


def run(*command: str) -> None:
    """Run a command that must succeed."""
    subprocess.run(command, check=True, capture_output=True)


@contextlib.contextmanager
def wire(folder: Path) -> Iterator[Wire]:
    """Both namespaces, connected, with sshd; everything is gone afterwards."""
    near, far = (f"gc{os.getpid()}{side}" for side in ("near", "far"))
    try:
        for side in (near, far):
            run("ip", "netns", "add", side)
            run("ip", "-n", side, "link", "set", "lo", "up")
        run("ip", "link", "add", "wire", "netns", near, "type", "veth", "peer", "name", "wire", "netns", far)
        for side, address in ((near, NEAR_ADDRESS), (far, FAR_ADDRESS)):
            run("ip", "-n", side, "address", "add", f"{address}/24", "dev", "wire")
            run("ip", "-n", side, "link", "set", "wire", "up")
        with _sshd(folder, far) as ssh:
            yield Wire(near, far, ssh)
    finally:
        for side in (near, far):
            subprocess.run(("ip", "netns", "delete", side), check=False, capture_output=True)


@contextlib.contextmanager
def _sshd(folder: Path, side: str) -> Iterator[tuple[str, ...]]:
    """sshd with a key of its own in the namespace; the ssh command with its configuration."""
    Path("/run/sshd").mkdir(exist_ok=True)
    for key in ("host", "user"):
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / key))
    server, client = folder / "sshd_config", folder / "ssh_config"
    server.write_text(
        f"Port {SSH_PORT}\nListenAddress {FAR_ADDRESS}\nHostKey {folder / 'host'}\nPidFile none\n"
        f"AuthorizedKeysFile {folder / 'user.pub'}\nStrictModes no\nPermitRootLogin yes\nUsePAM no\n"
        "PasswordAuthentication no\nSubsystem sftp internal-sftp\n"
    )
    client.write_text(
        f"Host nas\n HostName {FAR_ADDRESS}\n Port {SSH_PORT}\n User root\n IdentityFile {folder / 'user'}\n"
        f" StrictHostKeyChecking no\n UserKnownHostsFile {folder / 'known'}\n LogLevel ERROR\n"
    )
    program = subprocess.Popen(("nsenter", f"--net=/run/netns/{side}", "/usr/sbin/sshd", "-D", "-f", str(server)))
    try:
        yield ("ssh", "-F", str(client))
    finally:
        program.terminate()
        program.wait()
