"""smbd on the far computer of the bed, with everything it needs in a folder of its own."""

from __future__ import annotations

import contextlib
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.bed.network import FAR_ADDRESS, Wire

SMB_SHARE = "share"
_USER, _PASSWORD = "root", "graycard"
_FOLDERS = ("private", "lock", "state", "cache", "pid", "ncalrpc")


@contextlib.contextmanager
def smbd(bed: Wire, share: Path, *options: str) -> Iterator[Path]:
    """Serve `share` as “share”, with lines of smb.conf for all shares; gives smbclient's file with the login."""
    # A socket's path may have 107 bytes, which a test's own folder has already.
    with (
        tempfile.TemporaryDirectory(prefix="smb", dir="/tmp") as folder,
        _serving(bed, Path(folder), share, options) as login,
    ):
        yield login


@contextlib.contextmanager
def _serving(bed: Wire, folder: Path, share: Path, options: tuple[str, ...]) -> Iterator[Path]:
    for name in _FOLDERS:
        (folder / name).mkdir(parents=True)
    config, login = folder / "smb.conf", folder / "login"
    config.write_text(_config(folder, share, options))
    login.write_text(f"username = {_USER}\npassword = {_PASSWORD}\n")
    subprocess.run(
        ("smbpasswd", "-c", str(config), "-s", "-a", _USER),
        input=f"{_PASSWORD}\n{_PASSWORD}\n".encode(), check=True, capture_output=True,
    )  # fmt: skip
    # When it ends it ends its whole process group: it gets one of its own, and so need not make one.
    command = bed.on(bed.far, "smbd", "--foreground", "--no-process-group", "-s", str(config))
    program = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        _wait_for(bed)
        yield login
    finally:
        program.terminate()
        program.wait()


def _wait_for(bed: Wire) -> None:
    until = time.monotonic() + 20
    while subprocess.run(
        bed.on(bed.near, "bash", "-c", f"exec 3<>/dev/tcp/{FAR_ADDRESS}/445"), capture_output=True, check=False
    ).returncode:
        assert time.monotonic() < until, "smbd does not answer"
        time.sleep(0.1)


def _config(folder: Path, share: Path, options: tuple[str, ...]) -> str:
    private = "".join(
        f"{option} = {folder / name}\n"
        for option, name in (
            ("private dir", "private"), ("lock directory", "lock"), ("state directory", "state"),
            ("cache directory", "cache"), ("pid directory", "pid"), ("ncalrpc dir", "ncalrpc"),
        )
    )  # fmt: skip
    return (
        f"[global]\nworkgroup = BED\nserver role = standalone server\ninterfaces = {FAR_ADDRESS}/24 lo\n"
        f"bind interfaces only = yes\nsmb ports = 445\ndisable netbios = yes\nload printers = no\n{private}"
        f"passdb backend = tdbsam:{folder / 'private' / 'passdb.tdb'}\nlog file = {folder / 'log'}\n"
        + "".join(f"{line}\n" for line in options)
        + f"[{SMB_SHARE}]\npath = {share}\nread only = no\nforce user = root\n"
    )
