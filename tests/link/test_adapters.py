"""What a network adapter is attached by, from trees of sysfs as machines show them, and as facts at the near end."""

from __future__ import annotations

import socket
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from graycard.agent import adapters
from graycard.agent.adapters import adapter, card_below, interface_with, radio, way_of
from graycard.facts import value
from graycard.link.adapter import adapter_facts
from graycard.model import FactValue

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sysfs has colons in its names")

PORT = "devices/pci0000:00/0000:00:14.0/usb1"
IW = (
    "Connected to 02:00:00:00:00:01 (on wlan0)\n\tSSID: tx bitrate: 9 MBit/s\n\tfreq: {freq}\n"
    "\tRX: 1234 bytes (10 packets)\n\tTX: 567 bytes (5 packets)\n\tsignal: -71 dBm\n"
    "\trx bitrate: 866.7 MBit/s VHT-MCS 9 80MHz short GI VHT-NSS 2\n\ttx bitrate: 433.3 MBit/s VHT-MCS 9 80MHz\n"
)


class Machine:
    """A tree of /sys."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def files(self, texts: Mapping[str, str]) -> None:
        for name, text in texts.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def interface(self, name: str, device: str | None, speed: str | None = "1000") -> None:
        """An interface on a device's folder, or on none, as a bridge."""
        folder = self.root / "class/net" / name
        folder.mkdir(parents=True)
        if device is not None:
            (self.root / device).mkdir(parents=True, exist_ok=True)
            (folder / "device").symlink_to(self.root / device)
        if speed is not None:
            self.files({f"class/net/{name}/speed": f"{speed}\n"})

    def usb(self, hub: str, speed: str) -> str:
        """An adapter behind a hub on a root hub of 5 Gbit/s."""
        for folder, rate in ((PORT, "5000"), (f"{PORT}/1-2", hub), (f"{PORT}/1-2/1-2.4", speed)):
            self.files({f"{folder}/speed": f"{rate}\n", f"{folder}/bMaxPacketSize0": "64\n"})
        return f"{PORT}/1-2/1-2.4/1-2.4:1.0"

    def pcie(self, now: tuple[str, str], most: tuple[str, str], *, inner: str = "") -> str:
        card = "devices/pci0000:00/0000:00:1c.0/0000:02:00.0"
        for which, (speed, width) in (("current", now), ("max", most)):
            self.files({f"{card}/{which}_link_speed": f"{speed}\n", f"{card}/{which}_link_width": f"{width}\n"})
        # The root port has a link of its own, which is not the card's.
        port = "devices/pci0000:00/0000:00:1c.0"
        self.files({f"{port}/current_link_speed": "2.5 GT/s PCIe\n", f"{port}/current_link_width": "16\n"})
        return f"{card}{inner}"

    def told(self, name: str) -> dict[str, object]:
        return adapter(name, str(self.root))

    def facts(self, name: str) -> dict[str, FactValue]:
        return {each.name: each.value for each in adapter_facts(self.told(name), "the test")}


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path / "sys")


@pytest.mark.parametrize(
    ("hub", "speed", "bits", "ceiling"),
    [("5000", "5000", 5e9, 500e6), ("480", "480", 480e6, 53.248e6), ("5000", "480", 480e6, 53.248e6),
     ("480", "5000", 480e6, 53.248e6), ("12", "12", 12e6, 1.5e6)],
)  # fmt: skip
def test_an_adapter_on_usb_has_the_slowest_rate_on_its_way(
    machine: Machine, hub: str, speed: str, bits: float, ceiling: float
) -> None:
    machine.interface("enx0", machine.usb(hub, speed))
    assert machine.facts("enx0") == {
        "link_bits_per_s": 10**9, "adapter_bus": "usb", "adapter_bus_rate_bits_per_s": bits,
        "adapter_bus_ceiling_bytes_per_s": pytest.approx(ceiling),
    }  # fmt: skip


def test_a_card_has_its_own_lanes_and_what_it_could_have(machine: Machine) -> None:
    machine.interface("eth0", machine.pcie(("5.0 GT/s PCIe", "1"), ("8.0 GT/s PCIe", "4")), "10000")
    assert machine.facts("eth0") == {
        "link_bits_per_s": 10**10, "adapter_bus": "pcie", "adapter_bus_rate_bits_per_s": 5 * 10**9,
        "adapter_bus_possible_bits_per_s": 32 * 10**9, "adapter_lane_count": 1, "adapter_possible_lane_count": 4,
        "adapter_bus_ceiling_bytes_per_s": pytest.approx(500e6),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("now", "inner"),
    [(("Unknown", "0"), ""), (("8.0 GT/s PCIe", "255"), ""), (("8.0 GT/s PCIe", "x4"), ""), (("", ""), ""),
     (("2.5 GT/s PCIe", "1"), "/virtio1")],
)  # fmt: skip
def test_lanes_that_are_not_told_or_made_up_are_unknown(machine: Machine, now: tuple[str, str], inner: str) -> None:
    machine.interface("eth0", machine.pcie(now, ("8.0 GT/s PCIe", "4"), inner=inner), "-1")
    assert machine.facts("eth0") == {}


def test_a_controller_on_the_board_has_no_bus_and_no_interface_no_facts(machine: Machine) -> None:
    machine.interface("eth0", "devices/platform/scb/fd580000.ethernet", "100")
    machine.interface("wg0", None, None)
    assert machine.facts("eth0") == {"link_bits_per_s": 10**8}
    assert (machine.told("wg0"), machine.told("gone")) == ({}, {})


def test_a_bridge_or_bond_has_the_only_card_below_it(machine: Machine) -> None:
    machine.interface("enx0", machine.usb("480", "480"))
    machine.interface("veth1", None, "10000")
    machine.interface("eth1", "devices/platform/x", "1000")
    for name, below in (("br0", ("bond0", "veth1")), ("bond0", ("enx0",)), ("bond1", ("enx0", "eth1")), ("a", ("a",))):
        machine.interface(name, None, "10000")
        for lower in below:
            (machine.root / f"class/net/{name}/lower_{lower}").symlink_to(machine.root / f"class/net/{lower}")
    found = [card_below(name, str(machine.root)) for name in ("br0", "bond0", "bond1", "a", "veth1")]
    assert found == ["enx0", "enx0", None, None, None]
    assert machine.facts("br0")["adapter_bus_rate_bits_per_s"] == 480e6


@pytest.mark.parametrize(
    ("freq", "band"), [("2437", "2.4 GHz"), ("5180.0", "5 GHz"), ("5955", "6 GHz"), ("60480", None), ("x", None)]
)
def test_a_radio_tells_its_rates_and_signal(freq: str, band: str | None) -> None:
    told = radio(IW.format(freq=freq))
    assert told.pop("wifi_band", None) == band
    assert told == {
        "wifi_sent_bits_per_s": 433_300_000, "wifi_received_bits_per_s": 866_700_000, "wifi_signal_dbm": -71,
    }  # fmt: skip
    assert radio("Not connected.\n") == {}


def test_only_a_radio_is_asked_for_one(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, ...]] = []

    def told(command: tuple[str, ...]) -> str:
        asked.append(command)
        return IW.format(freq="5180")

    monkeypatch.setattr(adapters, "_asked", told)
    machine.interface("eth0", "devices/platform/x")
    machine.interface("wlan0", machine.usb("480", "480"), None)
    (machine.root / "class/net/wlan0/phy80211").mkdir()
    assert "wifi_band" not in machine.facts("eth0")
    assert machine.facts("wlan0")["wifi_signal_dbm"] == -71
    assert machine.facts("wlan0")["adapter_bus"] == "usb"
    assert set(asked) == {("iw", "dev", "wlan0", "link")}


@pytest.mark.skipif(sys.platform != "linux", reason="asks the kernel")
def test_the_interface_is_that_with_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    assert interface_with("127.0.0.1") == "lo"
    for nobody in ("192.0.2.250", "fd00::dead", "UNKNOWN", "", "127.0.0.1:22"):
        assert way_of(nobody) == {}, nobody
    assert way_of("::ffff:127.0.0.1")["network_interface"] == "lo"
    # Where /sys shows another network's interface of that name, nothing of it is taken.
    monkeypatch.setattr(adapters, "is_shown", lambda _name: False)
    assert set(way_of("127.0.0.1")) <= {"network_interface", "link_medium"}
    assert adapters.attached("lo") == {}


@pytest.mark.skipif(sys.platform != "linux", reason="asks the kernel")
def test_another_interface_of_the_same_name_is_not_this_one(machine: Machine) -> None:
    name = next(name for _index, name in socket.if_nameindex())
    real = Path(f"/sys/class/net/{name}/address").read_text()
    machine.files({f"class/net/{name}/address": real})
    assert adapters.is_shown(name, str(machine.root))
    machine.files({f"class/net/{name}/address": "02:11:22:33:44:55\n"})
    assert not adapters.is_shown(name, str(machine.root))
    assert not adapters.is_shown("gone0", str(machine.root))


def test_what_the_far_end_tells_is_taken_only_where_it_is_of_the_right_kind() -> None:
    told = {
        "network_interface": "x" * 100, "link_medium": 3, "adapter_bus": "pcie", "adapter_bus_rate_bits_per_s": True,
        "adapter_lane_count": 0, "link_bits_per_s": 10**30, "wifi_signal_dbm": "weak", "evil": "x", "wifi_band": "",
    }  # fmt: skip
    assert {each.name: each.value for each in adapter_facts(told, "x")} == {
        "adapter_bus": "pcie",
        "adapter_lane_count": 0,
    }
    for bus, bits, lanes in (("usb", 0, None), ("pcie", 5, 0), ("isa", 5, 1), (None, 5, 1), ("pcie", 5.5, 1)):
        told = {"adapter_bus": bus, "adapter_bus_rate_bits_per_s": bits, "adapter_lane_count": lanes}
        assert value(adapter_facts(told, "x"), "adapter_bus_ceiling_bytes_per_s") is None
