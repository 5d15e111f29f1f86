"""The Windows host on stored output of its commands, with calls that answer from a table."""

from __future__ import annotations

import ctypes
import json
import os
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from graycard.errors import TargetProblem
from graycard.host.portable import Clocks, hashed
from graycard.host.windows import WindowsHost
from graycard.host.windows_calls import (
    CREATE_NEW,
    DRIVE_CDROM,
    DRIVE_REMOTE,
    FILE_ATTRIBUTE_COMPRESSED,
    FILE_ATTRIBUTE_DIRECTORY,
    FILE_ATTRIBUTE_REPARSE_POINT,
    FILE_ATTRIBUTE_SPARSE_FILE,
    FILE_FLAG_NO_BUFFERING,
    FILE_FLAG_OPEN_REPARSE_POINT,
    FILE_FLAG_OVERLAPPED,
    FILE_READ_ONLY_VOLUME,
    FileState,
    VolumeState,
    native_calls,
)
from graycard.host.windows_disks import disk_facts, parse_answer, parse_ntfs, parse_table, row_of, rows
from graycard.host.windows_files import compression_probe, create_new, drop_pages, file_facts, open_existing
from graycard.host.windows_paths import extended, is_device, server_of
from graycard.model import Target, TargetKind
from graycard.protocols import Host
from tests.host.stored_samples import Answers, by_name, sample

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


def test_it_is_a_host() -> None:
    host: Host = WindowsHost(powershell(), FakeCalls())
    assert host.name == "windows"
    assert host.levels(SAMPLES) == ()


def test_whole_run_of_facts_on_the_stored_machine() -> None:
    """The samples are tables: the machine of a session that may not print objects as JSON."""
    calls = FakeCalls(label="", size_bytes=161_000_000_000, free_bytes=40_250_000_000)
    run = Answers(
        {"powershell -NoProfile -NonInteractive -Command Get-PhysicalDisk": sample(RUNNER), "fsutil": sample(NTFS)}
    )
    found = by_name(WindowsHost(run, calls).facts(SAMPLES))
    assert found["device_name"] == "PhysicalDrive1"
    assert found["device_model"] == "Virtual HD"
    assert found["device_size_bytes"] == 150 * 2**30  # INDEX.tsv: 150 GB, and PowerShell counts in 1024
    assert found["rotational"] is None  # INDEX.tsv: media type unknown
    assert found["device_id"] is None  # the column of serial numbers is empty
    assert found["health"] == "passed"
    assert found["logical_block_bytes"] == 512
    assert found["physical_block_bytes"] == 4096
    assert found["allocation_unit_bytes"] == 4096
    assert found["bus"] is None
    assert found["os_name"] is None
    assert found["file_system"] == "ntfs"
    assert found["file_system_id"] == "CAFE1234"
    assert found["volume_name"] is None
    assert found["used_ratio"] == 0.75
    assert found["power_source"] == "mains"
    assert "fsutil fsinfo ntfsinfo D:" in run.asked


def test_whole_run_of_facts_where_powershell_prints_json() -> None:
    run = powershell()
    found = by_name(WindowsHost(run, FakeCalls()).facts(SAMPLES))
    assert len(run.asked) == 1  # PowerShell is slow to start
    assert found["bus"] == "nvme"
    assert found["rotational"] is False
    assert found["device_model"] == "Samsung SSD 990 PRO 2TB"
    assert found["device_firmware"] == "4B2QJXD7"
    assert found["device_id"] == hashed("0025_3851_2345_6789.")
    assert found["device_size_bytes"] == 2000398934016
    assert found["partition_scheme"] == "gpt"
    assert (found["temperature_celsius"], found["temperature_limit_celsius"], found["wear_ratio"]) == (41, 85, 0.02)
    assert (found["logical_block_bytes"], found["physical_block_bytes"]) == (512, 4096)
    assert found["os_name"] == "Windows 11 Pro"
    assert found["kernel_version"] == "10.0.22631"
    assert found["cpu_model"] == "AMD Ryzen 9 7950X 16-Core Processor"
    assert found["memory_bytes"] == 34282221568
    assert found["virtual_machine"] == "none"


def test_the_stored_tables() -> None:
    first, second = parse_table(sample(RUNNER))
    assert (first["DeviceId"], first["FriendlyName"], first["SerialNumber"]) == ("0", "Virtual HD", "")
    assert (first["MediaType"], first["HealthStatus"]) == ("Unspecified", "Healthy")
    assert [first["Size"], second["Size"]] == [256 * 2**30, 150 * 2**30]
    system, backups = parse_table(sample(BACKUP))
    assert (system["FriendlyName"], backups["FriendlyName"]) == ("SYSTEM", "Backups")
    assert [system["Size"], backups["Size"]] == [round(93.13 * 2**30), round(37.25 * 2**30)]
    assert parse_table(b"Access denied\n") == ()


def test_a_table_with_decimal_commas() -> None:
    (first, _) = parse_table(sample(BACKUP).replace(b".", b","))
    assert first["Size"] == round(93.13 * 2**30)


def test_the_stored_sectors() -> None:
    assert parse_ntfs(sample(NTFS)) == {"Sector": 512, "Physical Sector": 4096, "Cluster": 4096}
    assert parse_ntfs(sample(NTFS).replace(b"\n", b"\r\n"))["Cluster"] == 4096
    assert parse_ntfs("Octets par secteur :   512".encode("cp850")) == {}


@pytest.mark.parametrize("output", [b"", b"[1]", b"null", b"\xef\xbb\xbfnot json"])
def test_what_is_no_answer_is_empty(output: bytes) -> None:
    assert parse_answer(output) == {}


def test_an_answer_with_a_byte_order_mark() -> None:
    assert rows(parse_answer(b'\xef\xbb\xbf{"disks":{"Number":0}}'), "disks") == ({"Number": 0},)


@pytest.mark.parametrize(
    ("number", "word", "bus"),
    [
        (17, "NVMe", "nvme"),
        (7, "USB", "usb"),
        (11, "SATA", "sata"),
        (12, "SD", "mmc"),
        (0, "Unknown", None),
        (99, "", None),
    ],
)
def test_enumerations_as_numbers_and_as_words(number: int, word: str, bus: str | None) -> None:
    for value in (number, word):
        assert by_name(disk_facts({"BusType": value}, {}, {}))["bus"] == bus


def test_numbers_of_kind_health_and_partition_table() -> None:
    found = by_name(disk_facts({"MediaType": 3, "HealthStatus": 2}, {"PartitionStyle": 1}, {}))
    assert (found["rotational"], found["health"], found["partition_scheme"]) == (True, "failed", "dos")


def test_a_drive_without_a_sensor_is_not_at_zero_degrees() -> None:
    found = by_name(disk_facts({}, {}, {"Temperature": 0, "TemperatureMax": 0, "Wear": 0}))
    assert [found[name] for name in ("temperature_celsius", "temperature_limit_celsius", "wear_ratio")] == [None] * 3


def test_rows_are_found_by_number_or_text() -> None:
    assert row_of(({"DeviceId": "10"}, {"DeviceId": 1}), "DeviceId", 1) == {"DeviceId": 1}
    assert row_of(({"DeviceId": "1"},), "DeviceId", 1) == {"DeviceId": "1"}
    assert row_of((), "DeviceId", 1) == {}


@pytest.mark.parametrize(
    ("maker", "model", "present", "name"),
    [
        ("VMware, Inc.", "VMware20,1", True, "VMware, Inc. VMware20,1"),
        ("Microsoft Corporation", "Virtual Machine", True, "Microsoft Corporation Virtual Machine"),
        ("Dell Inc.", "XPS", True, None),  # its own Hyper-V, or a stranger's: unknown
        ("Dell Inc.", "XPS", False, "none"),
    ],
)
def test_hypervisors(maker: str, model: str, present: bool, name: str | None) -> None:
    computer = {"Manufacturer": maker, "Model": model, "HypervisorPresent": present}
    found = by_name(WindowsHost(powershell({"computer": computer}), FakeCalls()).facts(SAMPLES))
    assert found["virtual_machine"] == name


def test_a_share_is_named_with_its_server_and_has_no_disk() -> None:
    calls = FakeCalls()
    calls.kind = DRIVE_REMOTE
    run = powershell()
    target = Target("\\\\nas\\media\\day 1", TargetKind.SHARE)
    found = by_name(WindowsHost(run, calls).facts(target))
    assert (found["bus"], found["server"], found["mount_source"]) == ("network", "nas", "\\\\nas\\media")
    assert "device_model" not in found
    assert found["os_name"] == "Windows 11 Pro"


def test_fat_and_compression_are_told() -> None:
    calls = FakeCalls(file_system="FAT32", flags=FILE_READ_ONLY_VOLUME)
    calls.attribute_bits = FILE_ATTRIBUTE_COMPRESSED
    found = by_name(WindowsHost(powershell(), calls).facts(SAMPLES))
    assert found["file_size_limit_bytes"] == 2**32 - 1
    assert found["compression"] == "compressed"
    assert found["mount_options"] == "read-only"


def test_volumes_and_why_not() -> None:
    calls = FakeCalls()
    host = WindowsHost(powershell(), calls)
    assert [volume.mount_point for volume in host.volumes()] == ["C:\\", "D:\\"]
    assert host.volumes()[0].why_not is None
    calls.state = calls.state._replace(flags=FILE_READ_ONLY_VOLUME) if calls.state else None
    assert (host.volume(SAMPLES).why_not or "").startswith("mounted read-only")
    assert host.volume(Target("D:\\clip.mov", TargetKind.FILE)).why_not is None
    calls.state = None
    assert (host.volumes()[0].why_not or "").startswith("no medium")
    assert host.volumes()[0].size_bytes is None
    calls.kind = DRIVE_REMOTE
    assert (host.volumes()[0].why_not or "").startswith("the share does not answer")
    calls.kind = DRIVE_CDROM
    assert host.volumes() == ()


def test_counters_name_the_disk_and_keep_silent_on_what_the_cache_blurs(monkeypatch: pytest.MonkeyPatch) -> None:
    reading = SimpleNamespace(read_count=1, write_count=2, read_bytes=3000, write_bytes=4000)
    monkeypatch.setattr(psutil, "disk_io_counters", lambda perdisk: {"PhysicalDrive1": reading})
    calls = FakeCalls()
    host = WindowsHost(powershell(), calls)
    found = by_name(host.counters(SAMPLES))
    assert (found["device_read_bytes"], found["device_written_bytes"], found["device_ops_count"]) == (3000, 4000, 3)
    assert (found["clock_monotonic_ns"], found["clock_boottime_ns"], found["clock_realtime_ns"]) == (5, 7, 11)
    assert found["own_read_bytes"] is None
    calls.disk = None
    assert by_name(WindowsHost(powershell(), calls).counters(SAMPLES))["device_read_bytes"] is None


@pytest.mark.parametrize(
    "path",
    [
        r"\\.\PhysicalDrive0",
        "//./PhysicalDrive0",
        r"\\.\C:",
        r"\\?\PhysicalDrive0",
        r"\\?\GLOBALROOT\Device\Harddisk0\Partition0",
        r"\\?\Volume{01234567-89ab-cdef-0123-456789abcdef}",
        r"\\.\pipe\name",
    ],
)
def test_raw_devices_are_refused_everywhere(path: str, tmp_path: Path) -> None:
    calls = FakeCalls()
    host = WindowsHost(powershell(), calls)
    with pytest.raises(TargetProblem, match="is a raw device, and graycard never writes to raw devices"):
        host.resolve(path)
    with pytest.raises(TargetProblem, match="is a raw device"):
        host.open_file(path, write=True, direct=True)
    with pytest.raises(TargetProblem, match="is a raw device"):
        host.create_file(path, direct=True, nocow=False)
    assert calls.opened == []


@pytest.mark.parametrize(
    "path",
    [
        r"C:\Users\me",
        r"\\nas\media\x",
        r"\\?\C:\a",
        r"\\?\UNC\nas\media\x",
        r"\\?\Volume{01234567-89ab-cdef-0123-456789abcdef}\folder",
    ],
)
def test_ordinary_paths_are_no_devices(path: str) -> None:
    assert not is_device(path)
    assert extended(extended(path)) == extended(path)


def test_the_long_form_of_paths() -> None:
    assert extended(r"C:\a") == r"\\?\C:\a"
    assert extended(r"\\nas\media\x") == r"\\?\UNC\nas\media\x"
    assert server_of(r"\\nas\media\x") == server_of(r"\\?\UNC\nas\media\x") == "nas"
    assert server_of(r"\\?\C:\a") is None
    assert server_of("C:\\a") is None


def test_resolve(tmp_path: Path) -> None:
    calls = FakeCalls()
    host = WindowsHost(powershell(), calls)
    (tmp_path / "clip.mov").write_bytes(b"x")
    assert host.resolve(str(tmp_path / "clip.mov")).kind is TargetKind.FILE
    assert host.resolve("D:\\samples") == SAMPLES
    calls.kind = DRIVE_REMOTE
    assert host.resolve("\\\\nas\\media").kind is TargetKind.SHARE
    with pytest.raises(TargetProblem, match="there is no"):
        host.resolve(str(tmp_path / "missing"))
    with pytest.raises(TargetProblem, match="is no path"):
        host.resolve("")
    with pytest.raises(TargetProblem, match="is a raw device"):
        host.resolve("/dev/null")  # as \\.\NUL, which Windows gives the mode of a character device


# Files: the flags are what counts, on a real file system below.


def test_the_flags_of_every_open(tmp_path: Path) -> None:
    calls = FakeCalls()
    path = str(tmp_path / "data")
    os.close(create_new(path, direct=True, calls=calls))
    os.close(open_existing(path, write=True, direct=False, calls=calls))
    assert calls.opened == [
        (CREATE_NEW, FILE_FLAG_OVERLAPPED | FILE_FLAG_OPEN_REPARSE_POINT | FILE_FLAG_NO_BUFFERING),
        (3, FILE_FLAG_OVERLAPPED | FILE_FLAG_OPEN_REPARSE_POINT),
    ]
    with pytest.raises(FileExistsError):
        create_new(path, direct=False, calls=calls)


def test_links_and_folders_are_refused(tmp_path: Path) -> None:
    calls = FakeCalls()
    (tmp_path / "data").write_bytes(b"x")
    with pytest.raises(TargetProblem, match="is a folder"):
        open_existing(str(tmp_path), write=False, direct=False, calls=calls)
    with pytest.raises(TargetProblem, match="is not there"):
        open_existing(str(tmp_path / "missing"), write=False, direct=False, calls=calls)
    calls.attribute_bits = FILE_ATTRIBUTE_REPARSE_POINT
    with pytest.raises(TargetProblem, match="symbolic link"):
        open_existing(str(tmp_path / "data"), write=False, direct=False, calls=calls)
    with pytest.raises(TargetProblem, match="leave out --nocow"):
        WindowsHost(powershell(), calls).create_file(str(tmp_path / "new"), direct=False, nocow=True)


def test_a_file_system_that_refuses_unbuffered_files_is_told(tmp_path: Path) -> None:
    class Refusing(FakeCalls):
        def open(self, path: str, access: int, disposition: int, flags: int) -> int:
            if flags & FILE_FLAG_NO_BUFFERING:
                raise InvalidParameterError(22, "The parameter is incorrect")
            return super().open(path, access, disposition, flags)

    (tmp_path / "data").write_bytes(b"x")
    with pytest.raises(TargetProblem, match="refuses direct I/O; --cache cold"):
        open_existing(str(tmp_path / "data"), write=False, direct=True, calls=Refusing())
    assert by_name(file_facts(str(tmp_path / "data"), Refusing()))["direct_requested"] is False


def test_file_facts_and_holes(tmp_path: Path) -> None:
    calls = FakeCalls()
    path = tmp_path / "data"
    with path.open("wb") as file:
        file.write(b"x" * 65536)
        file.truncate(1 << 20)
    found = by_name(file_facts(str(path), calls))
    assert (found["file_size_bytes"], found["file_allocated_bytes"], found["direct_requested"]) == (
        1 << 20,
        65536,
        True,
    )
    assert found["file_hole_bytes"] == 0  # without the attribute nothing is sparse
    calls.attribute_bits = FILE_ATTRIBUTE_SPARSE_FILE | FILE_ATTRIBUTE_COMPRESSED
    found = by_name(file_facts(str(path), calls))
    assert found["file_hole_bytes"] == (1 << 20) - 65536
    assert found["file_encoded_bytes"] == 1 << 20


def test_the_cache_is_dropped_by_an_unbuffered_open(tmp_path: Path) -> None:
    calls = FakeCalls()
    (tmp_path / "data").write_bytes(b"x")
    drop_pages(str(tmp_path / "data"), calls)
    assert [flags & FILE_FLAG_NO_BUFFERING for _, flags in calls.opened] == [FILE_FLAG_NO_BUFFERING]


def test_the_probe_of_zeros_leaves_nothing(tmp_path: Path) -> None:
    assert by_name(compression_probe(str(tmp_path), FakeCalls()))["volume_compresses"] is False
    assert list(tmp_path.iterdir()) == []


def test_the_real_calls_are_those_of_windows() -> None:
    with pytest.raises(OSError, match="calls of Windows"):
        native_calls()
    assert ctypes.sizeof(ctypes.c_void_p) == 8
