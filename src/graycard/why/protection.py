"""Signing and encryption of a share in words: what is on, what it costs, and what costs less without giving it up.

Algorithms of a dialect: [MS-SMB2] 3.1.4.1 and 2.2.3.1. SMB 2 signs with HMAC-SHA256, 3.0 and 3.0.2 with AES-CMAC, 3.1.1
with AES-CMAC or AES-GMAC; 3.0 and 3.0.2 encrypt with AES-CCM, 3.1.1 with AES-CCM or AES-GCM.
"""

from __future__ import annotations

from collections.abc import Iterator

from graycard.model.diagnosis import Seen
from graycard.why.figures import text

_OFF = (None, "off", "none", "no", "")
_UNNAMED = ("on", "yes", "true")
# Processor time of smbd 4.17 for 1 GB that it received over 3.1.1 (HMAC: over 2.1), in s, on a core with AES
# instructions: the means of two runs, which differ by up to a quarter.
PLAIN_S = 1.2
COST_S = {"hmac": 2.2, "cmac": 2.4, "gmac": 1.3, "gcm": 1.4, "ccm": 3.0}
_DEAR = ("hmac", "cmac", "ccm")


def protection_words(seen: Seen) -> Iterator[str]:
    """What is on, and what that cost where it was measured: a reason, where processor time is what is missing."""
    found = _protection(seen)
    if found is None:
        return
    name, algorithm = found
    doing = "signed" if name == "signing" else "encrypted"
    yield f"Each packet of the share is {doing}{f' with {algorithm}' if algorithm else ''}."
    kind = _kind(algorithm)
    if kind is not None:
        yield f"Measured elsewhere: that took {COST_S[kind]:g} s of a core for 1 GB, without it {PLAIN_S:g} s."


def protection_advice(seen: Seen) -> str | None:
    """What to change first at a server without processor time, and what switching it off would lose; None: not on."""
    found = _protection(seen)
    if found is None:
        return None
    name, algorithm = found
    better = "AES-GMAC" if name == "signing" else "AES-GCM"
    risk = "change" if name == "signing" else "read and change"
    without = f"Without {name} whoever is in the network can {risk} what is copied."
    kind = _kind(algorithm)
    if kind is not None and kind not in _DEAR:
        return f"A faster core or a larger limit at the server: {algorithm} is the cheapest {name} there is. {without}"
    keep = f"Keep the {name}, but use SMB 3.1.1 with {better} at both ends"
    newer = " (Samba 4.15, Windows 11, Windows Server 2022 or newer)" if name == "signing" else ""
    check = "" if kind else f"; smbstatus at the server tells which {name} it is"
    other = ", or encrypt with AES-GCM, which costs no more" if name == "signing" else ""
    return f"{keep}{newer}{other}{check}. {without}"


def is_dear(seen: Seen) -> bool:
    """Whether it is known to be on with an algorithm that costs more than it must."""
    found = _protection(seen)
    return found is not None and _kind(found[1]) in _DEAR


def _protection(seen: Seen) -> tuple[str, str] | None:
    """("encryption", its cipher) or ("signing", its algorithm), "" where that is not known; None where none is known.

    An encrypted packet is proven by its cipher and carries no signature besides.
    """
    for name in ("encryption", "signing"):
        found = text(seen.evidence.path, f"share_{name}")
        if found not in _OFF:
            return name, _by_dialect(seen, name) if found in _UNNAMED else (found or "").upper()
    return None


def _by_dialect(seen: Seen, name: str) -> str:
    """The only algorithm that the dialect has; "" where it has several, or is not known."""
    dialect = text(seen.evidence.path, "protocol_version") or ""
    if dialect.startswith("2."):
        return "HMAC-SHA256" if name == "signing" else ""
    if dialect.startswith("3.0"):
        return "AES-CMAC" if name == "signing" else "AES-CCM"
    return ""


def _kind(algorithm: str) -> str | None:
    return next((kind for kind in COST_S if kind in algorithm.lower()), None)
