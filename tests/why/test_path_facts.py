"""Facts of the path in the answers: signing and encryption, requests, adapters. What is not known changes nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graycard.facts import fact
from graycard.model import Action, Fact, FactValue
from graycard.model.diagnosis import Diagnosis, Evidence, Finding, Layer
from graycard.why import judge, look_at
from graycard.why.expected import expected_network, medium
from graycard.why.requests import request_bytes
from tests.why.causes import CAUSES, healthy
from tests.why.scenes import ceilings, evidence, flowing, rate, timeline, tools

SMB: dict[str, FactValue] = {"share_protocol": "smb", "protocol_version": "3.1.1"}
USB_2: dict[str, FactValue] = {
    "adapter_bus": "usb",
    "adapter_bus_rate_bits_per_s": 480_000_000,
    "adapter_bus_ceiling_bytes_per_s": 53.248e6,
}
LANE: dict[str, FactValue] = {
    "adapter_bus": "pcie", "adapter_bus_rate_bits_per_s": 5 * 10**9, "adapter_bus_ceiling_bytes_per_s": 5e8,
    "adapter_lane_count": 1, "adapter_possible_lane_count": 4,
}  # fmt: skip
RADIO: dict[str, FactValue] = {
    "link_medium": "wi-fi", "wifi_band": "2.4 GHz", "wifi_sent_bits_per_s": 72_000_000,
    "wifi_received_bits_per_s": 65_000_000, "wifi_signal_dbm": -76,
}  # fmt: skip


def facts(told: dict[str, FactValue]) -> tuple[Fact, ...]:
    return tuple(fact(name, value, "made up") for name, value in told.items())


def beside(found: Evidence, end: str, told: dict[str, FactValue]) -> Evidence:
    """The evidence with more facts of the path or the far end."""
    if end == "far":
        return replace(found, far=(*found.far, *facts(told)))
    return replace(found, path=(*found.path, *facts(told)))


def caused(name: str, path: dict[str, FactValue] | None = None) -> Evidence:
    """A cause with more facts of the path."""
    return beside(CAUSES[name][0](), "path", path or {})


def first(found: Evidence, rule: str) -> Finding:
    finding = judge(found).findings[0]
    assert finding.rule == rule
    return finding


def words(found: Finding) -> str:
    return " ".join((*found.because, found.advice))


@pytest.mark.parametrize(
    ("path", "because", "advice"),
    [
        ({"share_signing": "AES-128-CMAC"}, "signed with AES-128-CMAC", "SMB 3.1.1 with AES-GMAC"),
        ({"share_signing": "on", "protocol_version": "2.1"}, "signed with HMAC-SHA256", "SMB 3.1.1 with AES-GMAC"),
        ({"share_signing": "on", "protocol_version": "3.0.2"}, "signed with AES-CMAC", "SMB 3.1.1 with AES-GMAC"),
        ({"share_signing": "on"}, "is signed.", "smbstatus at the server tells which signing"),
        ({"share_signing": "AES-128-GMAC"}, "took 1.3 s of a core for 1 GB, without it 1.2 s", "the cheapest signing"),
        ({"share_encryption": "AES-128-CCM"}, "encrypted with AES-128-CCM", "SMB 3.1.1 with AES-GCM at both ends."),
        ({"share_encryption": "AES-256-GCM"}, "encrypted with AES-256-GCM", "the cheapest encryption"),
        ({"share_encryption": "on", "protocol_version": "3.0"}, "encrypted with AES-CCM", "Keep the encryption"),
        ({"share_encryption": "on"}, "is encrypted.", "which encryption it is"),
    ],
)
def test_a_full_core_with_protection_says_what_costs_less(
    path: dict[str, FactValue], because: str, advice: str
) -> None:
    found = first(caused("one core", path={**SMB, **path}), "one core")
    assert because in " ".join(found.because)
    assert advice in found.advice
    # It is never advised to switch it off without what that loses.
    kind = next(iter(path)).removeprefix("share_")
    assert found.advice.endswith(f"Without {kind} whoever is in the network can "
                                 f"{'change' if kind == 'signing' else 'read and change'} what is copied.")  # fmt: skip


@pytest.mark.parametrize("told", [{}, {"share_signing": "off", "share_encryption": "off"}, {"share_signing": None}])
def test_a_full_core_without_protection_says_nothing_of_it(told: dict[str, FactValue]) -> None:
    plain, found = first(caused("one core"), "one core"), first(caused("one core", path={**SMB, **told}), "one core")
    assert (found.because, found.advice) == (plain.because, plain.advice)
    assert not any(word in words(found).lower() for word in ("sign", "encrypt"))


def test_what_is_encrypted_is_not_said_to_be_signed_as_well() -> None:
    both: dict[str, FactValue] = {**SMB, "share_signing": "AES-128-GMAC", "share_encryption": "AES-128-GCM"}
    assert "signed" not in words(first(caused("one core", path=both), "one core"))


def test_this_end_is_told_of_a_dear_algorithm_alone() -> None:
    plain = first(caused("client core"), "client processor")
    cheap = first(caused("client core", path={**SMB, "share_signing": "AES-128-GMAC"}), "client processor")
    dear = first(caused("client core", path={**SMB, "share_signing": "AES-128-CMAC"}), "client processor")
    assert cheap.advice == plain.advice
    assert "AES-GMAC" in dear.advice


def test_protection_alone_is_no_cause() -> None:
    for name, found in healthy().items():
        told = facts({**SMB, "share_signing": "HMAC-SHA256", "share_encryption": "AES-128-CCM"})
        assert judge(replace(found, path=(*found.path, *told))).findings == (), name


@pytest.mark.parametrize(
    ("path", "size"),
    [
        ({"mount_options": "rw,vers=4.2,rsize=262144,wsize=65536"}, 65536),
        ({"mount_options": "rw, wsize=1048576"}, 1 << 20),
        ({"mount_options": "rw,wsize=big"}, None),
        ({"mount_options": "rw,wsize"}, None),
        ({"share_protocol": "smb", "protocol_version": "2.0.2"}, 65536),
        ({"share_protocol": "smb", "protocol_version": "1.0"}, 65536),
        ({"share_protocol": "smb", "protocol_version": "2.1"}, None),
        ({"share_protocol": "nfs", "protocol_version": "2.0"}, None),
        ({}, None),
    ],
)
def test_the_size_of_a_request(path: dict[str, FactValue], size: int | None) -> None:
    assert request_bytes(look_at(replace(healthy()["cp"], path=facts(path)))) == size


def test_reading_has_a_size_of_its_own() -> None:
    options = facts({"mount_options": "rw,rsize=32768,wsize=65536"})
    assert request_bytes(look_at(replace(healthy()["cp"], path=options, action=Action.RECEIVE))) == 32768


def test_waiting_for_round_trips_names_small_requests() -> None:
    plain = first(caused("20 ms"), "latency")
    usual = first(caused("20 ms", path={"mount_options": "rw,wsize=1048576"}), "latency")
    small = first(caused("20 ms", path={"mount_options": "rw,wsize=65536,nconnect=2", "write_round_trip_ns": 21e6,
                                        "share_retransmit_count": 3}), "latency")  # fmt: skip
    old = first(caused("20 ms", path={"share_protocol": "smb", "protocol_version": "2.0.2"}), "latency")
    assert (usual.because, usual.advice) == (plain.because, plain.advice)
    assert small.advice.startswith("Mount it with wsize=1048576")
    for part in ("65.5 kB at most (wsize of the mount)", "2 connections", "WRITE took 21.0 ms", "3 requests"):
        assert part in words(small), part
    assert "at most (SMB 2.0.2)" in words(old)
    assert "SMB 3" in old.advice


@pytest.mark.parametrize(
    ("options", "is_told"),
    [("rw,sync,wsize=65536", True), ("rw, synchronous", True), ("rw,async", False), (None, False)],
)
def test_the_option_sync_is_a_reason_where_writes_wait(options: str | None, is_told: bool) -> None:
    found = first(caused("sync writes", path={"mount_options": options}), "sync writes")
    assert ("The mount has the option sync." in found.because) is is_told
    assert ("wsize of the mount" in words(found)) is ("wsize" in (options or ""))


def on_usb(raw: float) -> Evidence:
    """An adapter of 1 Gbit/s on USB 2.0."""
    slow = ceilings(network=rate(raw), network_streams=rate(raw + 1), mount=rate(raw - 2), tools=tools(cp=raw - 2))
    return evidence(slow, timeline("cp", {}, **flowing(raw - 2)), path={"link_bits_per_s": 10**9})


@pytest.mark.parametrize(("end", "whose"), [("path", "this computer"), ("far", "the server")])
def test_a_slow_link_names_an_adapter_on_a_slow_bus(end: str, whose: str) -> None:
    slow = on_usb(38)
    plain = first(slow, "link speed")
    found = first(beside(slow, end, USB_2), "link speed")
    assert f"The network adapter of {whose} is on USB at 480 Mbit/s, which carries 53.2 MB/s at most." in found.because
    assert f"adapter of {whose} into a USB 3 port" in found.advice
    assert len(found.because) == len(plain.because) + 1
    assert "cable" in plain.advice


def in_slot(raw: float) -> Evidence:
    """A 10 Gbit/s card with one lane of 5 GT/s of its four."""
    slow = ceilings(network=rate(raw), network_streams=rate(raw), server_flushed=rate(1500), server_burst=rate(2000),
                    source=rate(3000), mount=rate(raw - 30), tools=tools(cp=raw - 30))  # fmt: skip
    line = timeline("cp", {}, **flowing(raw - 30))
    return evidence(slow, line, path={**LANE, "link_bits_per_s": 10**10})


def test_a_card_in_a_narrow_slot_is_named_where_its_link_is_faster() -> None:
    found = first(in_slot(420), "link speed")
    assert "negotiated PCIe x1 of x4 at 5.00 Gbit/s, which carries 500 MB/s at most" in words(found)
    assert "slot" in found.advice
    # At 1 Gbit/s the same lane is wide enough.
    enough = first(beside(on_usb(38), "path", LANE), "link speed")
    assert "PCIe" not in words(enough)


@pytest.mark.parametrize("raw", [240, 700])
def test_a_bus_that_does_not_explain_the_rate_is_not_named(raw: float) -> None:
    """Far below what it carries something else is slow; above it the system told a wrong bus."""
    assert "PCIe" not in words(first(in_slot(raw), "link speed"))
    for told in (10.0, 90.0):
        assert "USB" not in words(first(beside(on_usb(told), "far", USB_2), "link speed"))


def test_a_bus_alone_is_no_cause() -> None:
    for name, found in healthy().items():
        assert judge(replace(found, path=(*found.path, *facts(USB_2)))).findings == (), name


def test_a_radio_is_told_with_its_rate() -> None:
    found = first(caused("Wi-Fi", path=RADIO), "link speed")
    assert "sends at 72.0 Mbit/s and receives at 65.0 Mbit/s at 2.4 GHz with a signal of -76 dBm (weak)" in words(found)
    assert "Use a cable" in found.advice
    half = {name: value for name, value in RADIO.items() if name in ("link_medium", "wifi_sent_bits_per_s")}
    assert "receives at an unknown rate; what" in words(first(caused("Wi-Fi", path=half), "link speed"))


def slower_server(**far: FactValue) -> Diagnosis:
    """This end negotiated 2.5 Gbit/s, and raw TCP carries 1 Gbit/s."""
    line = timeline("cp", {}, **flowing(98))
    return judge(evidence(ceilings(), line, path={"link_bits_per_s": 2_500_000_000}, far=far))


def test_a_server_of_a_slower_link_makes_no_slow_link_of_this_one() -> None:
    unknown, known = slower_server(), slower_server(link_bits_per_s=10**9)
    assert [finding.rule for finding in unknown.findings] == ["link speed"]
    assert (known.layer, known.findings) == (Layer.NONE, ())
    # A link that carries neither end's speed stays slow.
    assert slower_server(link_bits_per_s=2_500_000_000).findings[0].rule == "link speed"


@pytest.mark.parametrize(
    ("near", "far", "told"),
    [
        ("wired", "wi-fi", "wi-fi"),
        (None, "vpn", "vpn"),
        ("wi-fi", "vpn", "wi-fi"),
        ("wired", "virtual", "wired"),
        (None, "virtual", None),
        ("virtual", None, "virtual"),
        (None, None, None),
    ],
)
def test_a_radio_or_tunnel_at_either_end_makes_the_way(near: str | None, far: str | None, told: str | None) -> None:
    found = replace(healthy()["cp"], path=facts({"link_medium": near}), far=facts({"link_medium": far}))
    seen = look_at(found)
    assert medium(seen) == told
    assert (expected_network(seen) is None) is (told in ("wi-fi", "vpn"))


def test_the_radio_of_the_server_is_named() -> None:
    slow = replace(on_usb(60), far=facts(RADIO))
    found = first(slow, "link speed")
    assert found.claim.startswith("The Wi-Fi is what is slow")
    assert "The radio of the server" in words(found)
