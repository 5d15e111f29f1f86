"""How much one request of a share carries, and whether it waits for the disk: from the mount's options and the dialect.

SMB 2.0.2 has no requests of more than 64 KiB ([MS-SMB2] 3.3.5.4: SMB2_GLOBAL_CAP_LARGE_MTU came with 2.1), SMB 1 about
as much. NFS has rsize and wsize, nfs(5); the kernel's SMB client the same two, mount.cifs(8).
"""

from __future__ import annotations

from collections.abc import Iterator

from graycard.facts import number, value
from graycard.model.diagnosis import Seen
from graycard.units import format_duration, format_size
from graycard.why import figures
from graycard.why.figures import text

# What current systems agree on by themselves.
USUAL_BYTES = 1 << 20
_SMALL_DIALECTS = ("1.", "2.0")
_SMALL_DIALECT_BYTES = 64 << 10


def options_of(seen: Seen) -> dict[str, str]:
    """The options of the mount, "" for those without a value; none where there is no mount."""
    words = str(value(seen.evidence.path, "mount_options") or "").split(",")
    pairs = (word.strip().partition("=") for word in words)
    return {name: rest for name, _equals, rest in pairs if name}


def is_synchronous(seen: Seen) -> bool:
    """Whether the mount was told to write nothing later (Linux: sync, macOS: synchronous)."""
    return bool({"sync", "synchronous"} & set(options_of(seen)))


def request_bytes(seen: Seen) -> int | None:
    """The most that one request of the copy's direction carries; None where that is not told."""
    told = options_of(seen).get("wsize" if figures.is_upload(seen.evidence) else "rsize", "")
    given = int(told) if told.isascii() and told.isdigit() and 0 < len(told) <= 12 else None
    return (_SMALL_DIALECT_BYTES if _is_small_dialect(seen) else None) if given is None else given


def requests_words(seen: Seen) -> Iterator[str]:
    """What is known of the requests, where it is less than usual."""
    size = request_bytes(seen)
    dialect = text(seen.evidence.path, "protocol_version")
    if size is not None and size < USUAL_BYTES:
        option = "wsize" if figures.is_upload(seen.evidence) else "rsize"
        why = f"{option} of the mount" if option in options_of(seen) else f"SMB {dialect}"
        yield f"One request carries {format_size(size)} at most ({why})."
    streams = options_of(seen).get("nconnect")
    if streams:
        yield f"The mount has {streams} connections (nconnect)."
    name = "write_round_trip_ns" if figures.is_upload(seen.evidence) else "read_round_trip_ns"
    trip = figures.positive(number(seen.evidence.path, name))
    if trip is not None:
        kind = "WRITE" if figures.is_upload(seen.evidence) else "READ"
        yield f"Since it was mounted a {kind} took {format_duration(trip)} to the server and back."
    again = figures.positive(number(seen.evidence.path, "share_retransmit_count"))
    if again is not None:
        yield f"{again:.0f} requests were sent again meanwhile: the server did not answer in time."


def requests_advice(seen: Seen) -> str | None:
    """What to change first where requests are small; None for the usual advice."""
    size = request_bytes(seen)
    if size is None or size >= USUAL_BYTES:
        return None
    option = "wsize" if figures.is_upload(seen.evidence) else "rsize"
    if option in options_of(seen):
        return f"Mount it with {option}={USUAL_BYTES} where the server allows that, or copy several files at once."
    return "Let both ends speak SMB 3: SMB 2.1 and later have requests of 1 MiB and more, and many on their way."


def _is_small_dialect(seen: Seen) -> bool:
    path = seen.evidence.path
    is_smb = text(path, "share_protocol") == "smb"
    return is_smb and (text(path, "protocol_version") or "").startswith(_SMALL_DIALECTS)
