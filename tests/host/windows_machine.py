"""A Windows machine: commands that answer from a table, drives from another, files from the real file system."""

from __future__ import annotations

import json
import os

from graycard.host.portable import Clocks
from graycard.host.windows_calls import (
    CREATE_NEW,
    FILE_ATTRIBUTE_DIRECTORY,
    FileState,
    VolumeState,
)
from graycard.model import Target, TargetKind
from tests.host.stored_samples import Answers

RUNNER = "windows/01-get-physicaldisk-runner.txt"
BACKUP = "windows/02-get-physicaldisk-backup.txt"
NTFS = "windows/03-fsutil-ntfsinfo-bytes.txt"
SAMPLES = Target("D:\\samples", TargetKind.FOLDER)

NVME = {
    "physical": {
        "DeviceId": "1",
        "FriendlyName": "Samsung SSD 990 PRO 2TB",
        "SerialNumber": "0025_3851_2345_6789.",
        "FirmwareVersion": "4B2QJXD7",
        "BusType": "NVMe",
        "MediaType": "SSD",
        "HealthStatus": "Healthy",
        "LogicalSectorSize": 512,
        "PhysicalSectorSize": 4096,
        "Size": 2000398934016,
    },
    "reliability": [{"DeviceId": "1", "Temperature": 41, "TemperatureMax": 85, "Wear": 2}],
    "disks": [{"Number": 0, "PartitionStyle": "MBR"}, {"Number": 1, "PartitionStyle": "GPT"}],
    "system": {"Caption": "Microsoft Windows 11 Pro", "Version": "10.0.22631"},
    "computer": {
        "Manufacturer": "Micro-Star",
        "Model": "MS-7D75",
        "HypervisorPresent": False,
        "TotalPhysicalMemory": 34282221568,
    },
    "processors": {"Name": "AMD Ryzen 9 7950X 16-Core Processor            "},
}


class InvalidParameterError(OSError):
    """As ctypes.WinError makes it on Windows."""

    winerror = 87


class FakeCalls:
    """WindowsCalls on Linux: drives from a table, files from the real file system."""

    def __init__(self, **volume: object) -> None:
        self.opened: list[tuple[int, int]] = []
        self.attribute_bits = 0
        self.kind = 3
        self.disk: int | None = 1
        state = {"label": "Work", "serial": 0xCAFE1234, "flags": 0, "file_system": "NTFS"}
        sizes = {"size_bytes": 1000, "free_bytes": 250, "cluster_bytes": 4096}
        self.state: VolumeState | None = VolumeState(**{**state, **sizes, **volume})

    def real_path(self, path: str) -> str:
        return os.path.realpath(path, strict=True) if path.startswith("/") else path

    def mode(self, path: str) -> int:
        return os.stat(path).st_mode if path.startswith("/") else 0o40755

    def attributes(self, path: str) -> int:
        plain = path.removeprefix("\\\\?\\")
        if plain.startswith("/") and not os.path.lexists(plain):
            raise FileNotFoundError(2, "No such file or directory")
        folder = FILE_ATTRIBUTE_DIRECTORY if os.path.isdir(plain) else 0
        return self.attribute_bits | folder

    def open(self, path: str, access: int, disposition: int, flags: int) -> int:
        self.opened.append((disposition, flags))
        how = os.O_RDWR | os.O_CREAT | os.O_EXCL if disposition == CREATE_NEW else os.O_RDONLY
        return os.open(path.removeprefix("\\\\?\\"), how, 0o600)

    def inspect(self, descriptor: int) -> FileState:
        status = os.fstat(descriptor)
        return FileState(status.st_size, status.st_blocks * 512, self.attribute_bits)

    def roots(self) -> tuple[str, ...]:
        return ("C:\\", "D:\\")

    def root_of(self, path: str) -> str:
        return path[:3] if path[1:2] == ":" else "\\".join(path.split("\\")[:4]) + "\\"

    def drive_type(self, root: str) -> int:
        return self.kind

    def volume(self, root: str) -> VolumeState:
        if self.state is None:
            raise PermissionError(21, "The device is not ready")
        return self.state

    def disk_number(self, root: str) -> int:
        if self.disk is None:
            raise OSError(1, "Incorrect function")
        return self.disk

    def clocks(self) -> Clocks:
        return Clocks(awake_ns=5, with_sleep_ns=7, real_ns=11)

    def on_mains(self) -> bool | None:
        return True


def powershell(answer: object = NVME) -> Answers:
    return Answers({"powershell -NoProfile -NonInteractive -Command [Console]": json.dumps(answer).encode()})
