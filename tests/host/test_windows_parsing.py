"""The pure functions that read what Windows prints, on stored output, and what the text of a path tells."""

from __future__ import annotations

import pytest

from graycard.host.windows_disks import disk_facts, parse_answer, parse_ntfs, parse_table, row_of, rows
from graycard.host.windows_paths import extended, is_device, server_of
from tests.host.stored_samples import by_name, sample
from tests.host.windows_machine import BACKUP, NTFS, RUNNER


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
