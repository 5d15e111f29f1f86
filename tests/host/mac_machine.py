"""A Mac as the stored samples show it: commands that answer from them, and calls that note what was asked."""

from __future__ import annotations

import os
import plistlib

from graycard.host.portable import Clocks
from tests.host.stored_samples import Answers, sample

DISK0 = "diskutil/02-diskutil-info-disk0.plist"

NON_ROMAN = "diskutil/03-diskutil-info-nonroman.plist"
KEYS_MISSING = "diskutil/04-diskutil-info-keys-missing.plist"
DISK0S2 = "diskutil/05-diskutil-info-disk0s2.plist"
MOUNT = "mount/01-macos-10.14-afp-apfs.txt"
USB = "system_profiler/01-SPUSBDataType.json"

SYSCTL = b"""hw.memsize: 17179869184
hw.model: MacBookPro18,3
machdep.cpu.brand_string: Apple M1 Pro
kern.hv_vmm_present: 0
vm.loadavg: { 1.52 1.60 1.70 }
"""


class FakeCalls:
    """MacCalls on Linux: notes what was asked, in order."""

    def __init__(self, *, refuses_bypass: bool = False) -> None:
        self.asked: list[str] = []
        self._refuses_bypass = refuses_bypass

    def bypass_cache(self, descriptor: int) -> None:
        self.asked.append(f"bypass at size {os.fstat(descriptor).st_size}")
        if self._refuses_bypass:
            raise OSError(25, "Inappropriate ioctl for device")

    def flush(self, descriptor: int) -> None:
        self.asked.append("flush")

    def evict(self, descriptor: int, size_bytes: int) -> None:
        self.asked.append(f"evict {size_bytes}")

    def own_io(self) -> tuple[int, int]:
        return 4096, 8192

    def clocks(self) -> Clocks:
        return Clocks(awake_ns=5, with_sleep_ns=7, real_ns=11)

    def file_limit_bytes(self) -> int | None:
        return None

    def compressed(self, descriptor: int) -> bool:
        return False

    def writable(self, folder: str) -> bool:
        return folder != "/locked"


def df_line(source: str, size_kib: int, free_kib: int, point: str) -> bytes:
    head = "Filesystem  1024-blocks      Used Available Capacity  Mounted on\n"
    return f"{head}{source} {size_kib} {size_kib - free_kib} {free_kib}    56%    {point}\n".encode()


def hfs_machine(**more: bytes) -> Answers:
    """The machine of the diskutil samples: HFS+ on the second partition of a SATA disk."""
    volume = plistlib.loads(sample(DISK0S2))
    table = {
        "df": df_line("/dev/disk0s2", volume["Size"] // 1024, volume["FreeSpace"] // 1024, "/"),
        "mount": b"/dev/disk0s2 on / (hfs, local, journaled)\ndevfs on /dev (devfs, local, nobrowse)\n",
        "diskutil info -plist /dev/disk0s2": sample(DISK0S2),
        "diskutil info -plist disk0": sample(DISK0),
        "system_profiler": sample(USB),
        "sw_vers -productVersion": b"10.14.6\n",
        "sysctl": SYSCTL,
        "pmset": b"Now drawing from 'AC Power'\n -InternalBattery-0 (id=1)\t100%; charged; 0:00 remaining\n",
    }
    return Answers({**table, **more})
