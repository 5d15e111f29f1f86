"""Links and the most that can pass them after line coding; arithmetic on the signalling rate, no typical figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from graycard.facts import fact
from graycard.model import Fact

# USB 2.0 bulk transfers: at most 13 packets of 512 bytes in each of 8000 microframes a second (USB 2.0, table 5-10).
_USB2_BYTES_PER_S = 13 * 512 * 8000
# What Thunderbolt leaves to PCI Express: 2.0 x4 in generation 2, 3.0 x4 in 3 and 4, 4.0 x4 in 5.
_THUNDERBOLT_BYTES_PER_S = ((10e9, 1.25e9), (20e9, 2e9), (40e9, 32e9 * 128 / 130 / 8))
_THUNDERBOLT5_BYTES_PER_S = 64e9 * 128 / 130 / 8


@dataclass(frozen=True, slots=True)
class Link:
    """A negotiated link: its signalling rate in bits/s and the payload in bytes/s that its coding leaves."""

    bits_per_s: int
    ceiling_bytes_per_s: float

    @classmethod
    def usb(cls, bits_per_s: int) -> Self:
        """USB: bulk packets up to 480 Mbit/s, 8b/10b at 5 Gbit/s, 128b/132b above."""
        if bits_per_s < 480_000_000:
            return cls(bits_per_s, bits_per_s / 8)
        if bits_per_s == 480_000_000:
            return cls(bits_per_s, _USB2_BYTES_PER_S)
        coding = 8 / 10 if bits_per_s <= 5_000_000_000 else 128 / 132
        return cls(bits_per_s, bits_per_s * coding / 8)

    @classmethod
    def pcie(cls, transfers_per_s: int, lane_count: int) -> Self:
        """PCI Express: 8b/10b up to 5 GT/s, 128b/130b from 8 GT/s (a bound too for the FLIT mode of 64 GT/s)."""
        bits_per_s = transfers_per_s * lane_count
        coding = 8 / 10 if transfers_per_s <= 5_000_000_000 else 128 / 130
        return cls(bits_per_s, bits_per_s * coding / 8)

    @classmethod
    def sata(cls, bits_per_s: int) -> Self:
        """SATA: 8b/10b in every generation."""
        return cls(bits_per_s, bits_per_s * 8 / 10 / 8)

    @classmethod
    def thunderbolt(cls, bits_per_s: int) -> Self:
        """Thunderbolt: the PCI Express that its generation tunnels."""
        for limit, ceiling in _THUNDERBOLT_BYTES_PER_S:
            if bits_per_s <= limit:
                return cls(bits_per_s, ceiling)
        return cls(bits_per_s, _THUNDERBOLT5_BYTES_PER_S)


def link_facts(link: Link | None, source: str) -> tuple[Fact, ...]:
    """The two facts of a link, None where it is unknown."""
    return (
        fact("link_bits_per_s", link.bits_per_s if link else None, source),
        fact("link_ceiling_bytes_per_s", link.ceiling_bytes_per_s if link else None, source),
    )
