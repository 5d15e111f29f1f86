"""Whatever is done to a document of facts, it gives facts that can be or an ImportProblem: no traceback, no hang."""

from __future__ import annotations

import json
import math
import plistlib
import random
import tracemalloc
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graycard.errors import ImportProblem
from graycard.facts import TERMS
from graycard.model import Result
from graycard.protocols import FactReader, Reading
from graycard.readings import FACT_READERS, LIMIT_BYTES, attached, choose, read_document
from graycard.readings.choice import Document
from tests.bed.tiers import examples
from tests.importers.samples import OWN
from tests.importers.test_any_damage import DAMAGES, DEADLINE, LONG_FILES
from tests.made_results import a_result

SAMPLES = tuple(path.read_bytes() for path in sorted((OWN / "readings").iterdir()))
RESULT: Result = a_result("ab12")


def make_sense(readings: tuple[Reading, ...]) -> None:
    assert readings
    for reading in readings:
        assert reading.names
        assert all(isinstance(name, str) for name in (*reading.names, *reading.mount_points))
        for fact in reading.facts:
            assert fact.unit == TERMS[fact.name].unit
            assert fact.value is not None
            if isinstance(fact.value, (int, float)) and not isinstance(fact.value, bool):
                assert math.isfinite(fact.value)
                assert fact.value >= 0


def read(reader: FactReader, data: bytes) -> None:
    """Read it, asked whether the reader recognises it or not, and choose."""
    reader.recognises(data)
    try:
        found = reader.read(data)
        make_sense(found)
        attached(RESULT, choose(Document("a file", reader.name, found), RESULT, None).facts)
    except ImportProblem as caught:
        problem = str(caught)
        assert problem
        assert "\n" not in problem


@pytest.mark.timeout(600)
@pytest.mark.parametrize("reader", FACT_READERS, ids=lambda reader: reader.name)
@given(seed=st.integers(0, 1 << 32), damages=st.lists(st.sampled_from(DAMAGES), min_size=1, max_size=3))
@settings(max_examples=examples(15, 1000), deadline=DEADLINE, suppress_health_check=list(HealthCheck))
def test_damaged_documents(
    reader: FactReader, seed: int, damages: list[Callable[[bytes, random.Random], bytes]]
) -> None:
    chance = random.Random(seed)
    mine = [data for data in SAMPLES if reader.recognises(data)]
    data = chance.choice(mine)
    for damage in damages:
        data = damage(data, chance)
    read(reader, data)


@given(value=st.recursive(st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=9), st.lists))
@settings(max_examples=examples(15, 500), deadline=DEADLINE)
def test_any_values_where_others_are_expected(value: object) -> None:
    words = json.dumps(value, default=str)
    for text in (
        f'{{"smartctl": {{}}, "device": {words}, "ata_smart_attributes": {{"table": {words}}}}}',
        f'{{"smartctl": {{}}, "temperature": {words}, "power_on_time": {{"hours": {words}}}}}',
        f'{{"smartctl": {{}}, "rotation_rate": {words}, "local_time": {words}, "user_capacity": {{"bytes": {words}}}}}',
        f'{{"blockdevices": [{{"name": "a", "size": {words}, "mountpoints": {words}, "children": {words}}}]}}',
        f'{{"blockdevices": {words}}}',
        f'{{"filesystems": [{{"target": "/a", "size": {words}, "use%": {words}, "source": {words}}}]}}',
        f'{{"sessions": {{"1": {{"session_dialect": {words}, "signing": {words}}}}}, "tcons": {words}}}',
        f'{{"SPUSBDataType": [{{"device_speed": {words}, "Media": {words}, "_items": {words}, "bsd_name": "a"}}]}}',
        f'{{"FriendlyName": "a", "BusType": {words}, "DeviceId": {words}, "Size": {words}, "HealthStatus": {words}}}',
        f'{{"value": [{{"FriendlyName": {words}, "MediaType": {words}, "PhysicalSectorSize": {words}}}]}}',
        f'{{"SPStorageDataType": [{{"bsd_name": "a", "physical_drive": {words}, "volumes": {words}}}]}}',
    ):
        for reader in FACT_READERS:
            if reader.recognises(text.encode()):
                read(reader, text.encode())


@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", LONG_FILES)
def test_long_documents_end(kind: str) -> None:
    for reader in FACT_READERS:
        read(reader, LONG_FILES[kind][: 1 << 15])


HEAD = '<?xml version="1.0"?>'
HARMFUL = {
    "an entity": f'{HEAD}<!DOCTYPE plist [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><plist><dict>'
    "<key>DeviceIdentifier</key><string>&b;</string></dict></plist>",
    "deep XML": f"{HEAD}<plist>{'<array>' * 5000}<key>DeviceIdentifier</key>",
    "deep JSON": '{"blockdevices": ' + '[{"name": "a", "children": ' * 50_000,
    "a binary property list": "bplist00<key>DeviceIdentifier</key>",
    "no end": '{"smartctl": {"version": [7',
}
SAID = {
    "an entity": "declares entities",
    "deep XML": "nested too deeply",
    "deep JSON": "nested too deeply",
    "a binary property list": "damaged or cut short: .*plutil -convert xml1",
    "no end": "damaged or cut short",
}


@pytest.mark.parametrize("kind", HARMFUL)
def test_harmful_documents_are_refused(kind: str) -> None:
    with pytest.raises(ImportProblem, match=SAID[kind]):
        read_document(HARMFUL[kind].encode(), "a file")


def binary(value: object) -> bytes:
    return plistlib.dumps(value, fmt=plistlib.FMT_BINARY)


def test_a_short_binary_list_cannot_stand_for_an_endless_tree() -> None:
    tree: object = {"DeviceIdentifier": "disk1"}
    for _ in range(30):
        # Written once, met twice.
        tree = {"a": tree, "b": tree}
    data = binary(tree)
    assert len(data) < 2000
    with pytest.raises(ImportProblem, match="too large or nested too deeply"):
        read_document(data, "a file")


def test_a_binary_list_that_is_damaged_is_told() -> None:
    data = binary({"DeviceIdentifier": "disk1", "TotalSize": 5, "MountPoint": "/Volumes/A"})
    for place in range(len(data)):
        for broken in (data[:place], data[:place] + bytes([data[place] ^ 0x55]) + data[place + 1 :]):
            problem = ""
            try:
                make_sense(read_document(broken, "a file").readings)
            except ImportProblem as caught:
                problem = str(caught)
            assert "\n" not in problem


def test_a_size_that_no_disk_has_is_none() -> None:
    text = (OWN / "readings" / "physical-disk-table.txt").read_text(encoding="utf-8")
    first, _ = read_document(text.replace("931.51 GB", f"{'9' * 400} GB").encode(), "a file").readings
    assert "device_size_bytes" not in {each.name for each in first.facts}


def test_fsutil_of_two_volumes_is_refused() -> None:
    text = (OWN / "readings" / "fsutil-all.txt").read_bytes()
    with pytest.raises(ImportProblem, match="tells of 2 volumes, D:, E:"):
        read_document(text + text.replace(b" d:", b" e:"), "a file")


def test_a_chain_of_many_devices_is_followed_so_far() -> None:
    tree = '{"name": "end"}'
    for number in range(200):
        tree = f'{{"name": "d{number}", "children": [{tree}]}}'
    found = read_document(f'{{"blockdevices": [{tree}]}}'.encode(), "deep.json").readings
    assert 20 < len(found) < 100


def test_too_large_a_document_is_refused() -> None:
    with pytest.raises(ImportProblem, match="larger than 4 MiB"):
        read_document(b'{"blockdevices": ' + b" " * LIMIT_BYTES, "a file")


COUNT = 1000


def test_a_long_document_takes_a_bounded_multiple_of_its_length() -> None:
    row = b'{"name": "sd%d", "mountpoints": ["/a/%d"], "size": 1000},'
    rows = b"".join(row % (number, number) for number in range(COUNT))
    data = b'{"blockdevices": [' + rows[:-1] + b"]}"
    tracemalloc.start()
    try:
        assert len(read_document(data, "a file").readings) == COUNT
        # So the longest document that is read takes less than 300 MB.
        assert tracemalloc.get_traced_memory()[1] < 300 / 4 * len(data)
    finally:
        tracemalloc.stop()
