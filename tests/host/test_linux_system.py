"""The machine and the network path, from stored texts and trees."""

from __future__ import annotations

from pathlib import Path

import pytest
from host.stored_samples import by_name
from host.trees import Tree

from graycard.host.linux.mounts import Mount
from graycard.host.linux.network import interface_link, route_interface, share_facts
from graycard.host.linux.system import cpu_model, memory_bytes, power_source, scheduler, virtual_machine


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"class/dmi/id/product_name": "VMware7,1\n", "class/dmi/id/sys_vendor": "VMware, Inc.\n"}, "VMware"),
        (
            {"class/dmi/id/product_name": "Standard PC (Q35 + ICH9, 2009)\n", "class/dmi/id/sys_vendor": "QEMU\n"},
            "QEMU",
        ),
        ({"class/dmi/id/product_name": "Virtual Machine\n"}, "Hyper-V"),
        ({"hypervisor/type": "xen\n"}, "xen"),
        ({"class/dmi/id/product_name": "ThinkPad X1\n", "class/dmi/id/sys_vendor": "LENOVO\n"}, "none"),
    ],
)
def test_virtual_machines_by_their_names(tree: Tree, files: dict[str, str], expected: str) -> None:
    tree.files(files)
    tree.files({"cpuinfo": "processor\t: 0\nflags\t\t: fpu vme de\n"}, "proc")
    assert virtual_machine(tree.roots).value == expected


def test_virtual_machine_by_the_processors_flag_or_unknown(tree: Tree) -> None:
    assert virtual_machine(tree.roots).value is None
    tree.files({"cpuinfo": "processor\t: 0\nflags\t\t: fpu hypervisor de\n"}, "proc")
    assert virtual_machine(tree.roots).value == "unnamed hypervisor"


@pytest.mark.parametrize(
    ("supplies", "expected"),
    [
        ({}, None),
        ({"AC/type": "Mains", "AC/online": "1", "BAT0/type": "Battery", "BAT0/status": "Full"}, "mains"),
        ({"AC/type": "Mains", "AC/online": "0", "BAT0/type": "Battery", "BAT0/status": "Discharging"}, "battery"),
        ({"hid/type": "Battery", "hid/scope": "Device", "hid/status": "Discharging"}, None),
        ({"ucsi/type": "USB", "ucsi/online": "1", "BAT0/type": "Battery", "BAT0/status": "Charging"}, "mains"),
    ],
)
def test_power(tree: Tree, supplies: dict[str, str], expected: str | None) -> None:
    tree.files({f"class/power_supply/{name}": f"{text}\n" for name, text in supplies.items()})
    assert power_source(tree.roots).value == expected


def test_small_texts() -> None:
    assert scheduler("none [mq-deadline] kyber\n") == "mq-deadline"
    assert scheduler(None) is None
    assert cpu_model("model name\t: Intel(R)  Xeon(R) Processor\n") == "Intel(R) Xeon(R) Processor"
    assert cpu_model("processor\t: 0\nHardware\t: BCM2835\n") == "BCM2835"
    assert cpu_model(None) is None
    assert memory_bytes("MemTotal:       24684084 kB\nMemFree: 1 kB\n") == 24684084 * 1024


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('[{"dst":"10.0.0.5","gateway":"10.0.0.1","dev":"eth0","prefsrc":"10.0.0.9"}]', "eth0"),
        ('[{"type":"local","dst":"10.0.0.9","dev":"lo"}]', None),
        ("", None),
        ("[]", None),
        ("RTNETLINK answers: Network is unreachable", None),
    ],
)
def test_the_interface_to_the_server(text: str, name: str | None) -> None:
    assert route_interface(text) == name


@pytest.mark.parametrize(
    ("speed", "mtu", "bytes_per_s"), [("1000", "1500", 118.66e6), ("10000", "9000", 1239.2e6), ("100", "1500", 11.87e6)]
)
def test_ethernet_after_frames_and_headers(tree: Tree, speed: str, mtu: str, bytes_per_s: float) -> None:
    tree.files({"class/net/eth0/speed": f"{speed}\n", "class/net/eth0/mtu": f"{mtu}\n", "class/net/eth0/device/x": ""})
    link, _ = interface_link("eth0", tree.roots)
    assert link is not None
    assert link.bits_per_s == int(speed) * 10**6
    assert link.ceiling_bytes_per_s == pytest.approx(bytes_per_s, rel=1e-3)


def test_a_bridge_has_the_link_of_its_card_and_a_pretended_speed_counts_for_nothing(tree: Tree) -> None:
    tree.files({"class/net/eth0/speed": "2500\n", "class/net/eth0/device/x": "", "class/net/tun0/speed": "10\n"})
    tree.files({"class/net/down/speed": "-1\n", "class/net/down/device/x": ""})
    tree.link("class/net/br0/lower_eth0", "class/net/eth0")
    link, _ = interface_link("br0", tree.roots)
    assert link is not None
    assert link.bits_per_s == 2_500_000_000
    assert [interface_link(name, tree.roots)[0] for name in ("tun0", "down", "gone")] == [None, None, None]


def test_facts_of_a_share_on_this_machine() -> None:
    mount = Mount(1, "0:44", "/", "/mnt/nas", ("rw",), "cifs", "//127.0.0.1/vol", ("vers=3.1.1", "addr=127.0.0.1"))
    assert by_name(share_facts(mount)) == {
        "bus": "network",
        "link_bits_per_s": None,
        "link_ceiling_bytes_per_s": None,
        "driver": "smb 3.1.1",
        "server": "127.0.0.1",
        "protocol_version": "3.1.1",
        "share_signing": None,
        "share_encryption": None,
    }
