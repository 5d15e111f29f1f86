"""Camera cards as they are laid out, to be made with data that cannot be compressed.

Names, folders, sidecars and the sizes at which clips are split follow each maker's documents and the format folders of
Adobe's XMP Toolkit SDK; ASC MHL's examples for ARRI. A card is that of a full 512 GB one made small: clips and their
segments keep their number and become smaller, sidecars keep their size. Where each frame is a file it keeps its size,
and there are fewer of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

FULL_BYTES = 512_000_000_000
# Shares of the card that its clips take: no two takes are equally long. They sum up to 1.
_SHARES = (0.19, 0.05, 0.16, 0.11, 0.07, 0.20, 0.09, 0.13)
_SEGMENT_BYTES = 4 << 30  # RED's DSMC and DSMC2 cameras split clips at 4 GB
_KIB = 1 << 10
# A frame of 2.4K at 12 bits, and what a CinemaDNG clip has beside its frames.
_DNG_BYTES = 4_860_000


@dataclass(frozen=True, slots=True)
class CardFile:
    """One file of a card: path with “/” below its root, and size."""

    path: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Layout:
    """A kind of card: the name of the volume, its files for a size in bytes, and folders that are empty."""

    name: str
    says: str
    files: Callable[[int], Iterator[CardFile]]
    empty_folders: tuple[str, ...] = ()


def _clips(size_bytes: int) -> Iterator[tuple[int, int]]:
    for index, share in enumerate(_SHARES):
        yield index + 1, int(size_bytes * share)


def _red(size_bytes: int) -> Iterator[CardFile]:
    root = "A002_0908FT.RDM"
    yield CardFile("digital_magazine.bin", 64 * _KIB)
    yield CardFile("digital_magdynamic.bin", 64 * _KIB)
    segment = max(1, _SEGMENT_BYTES * size_bytes // FULL_BYTES)
    for clip, clip_bytes in _clips(size_bytes):
        name = f"A002_C{clip:03}_0908R{clip}"
        yield CardFile(f"{root}/{name}.RDC/{name}.RMD", 8 * _KIB)
        for number, start in enumerate(range(0, clip_bytes, segment)):
            yield CardFile(f"{root}/{name}.RDC/{name}_{number + 1:03}.R3D", min(segment, clip_bytes - start))


def _arri(size_bytes: int) -> Iterator[CardFile]:
    for clip, clip_bytes in _clips(size_bytes):
        yield CardFile(f"A001R2EC/A001C{clip:03}_141024_R2EC.mxf", clip_bytes)


def _sony(size_bytes: int) -> Iterator[CardFile]:
    for name in ("DISCMETA.XML", "MEDIAPRO.XML", "CUEUP.XML", "INDEX.XML"):
        yield CardFile(name, 8 * _KIB)
    for clip, clip_bytes in _clips(size_bytes):
        proxy_bytes = clip_bytes // 11  # about a tenth of the clip beside it
        yield CardFile(f"Clip/C{clip:04}.MXF", clip_bytes - proxy_bytes)
        yield CardFile(f"Clip/C{clip:04}M01.XML", 16 * _KIB)
        yield CardFile(f"Clip/C{clip:04}R01.BIM", 16 * _KIB)
        yield CardFile(f"Sub/C{clip:04}S01.MXF", proxy_bytes)


def _canon(size_bytes: int) -> Iterator[CardFile]:
    for clip, clip_bytes in _clips(size_bytes):
        name = f"CONTENTS/CLIPS001/A001C{clip:03}_H141024AB_CANON"
        yield CardFile(f"{name}.MXF", clip_bytes)
        yield CardFile(f"{name}.XML", 8 * _KIB)


def _braw(size_bytes: int) -> Iterator[CardFile]:
    for clip, clip_bytes in _clips(size_bytes):
        yield CardFile(f"A001_0101120{clip}_C{clip:03}.braw", clip_bytes)
        yield CardFile(f"A001_0101120{clip}_C{clip:03}.sidecar", 4 * _KIB)


def _dng(size_bytes: int) -> Iterator[CardFile]:
    for clip, clip_bytes in _clips(size_bytes):
        name = f"BMPCC_1_2014-10-24_120{clip}_C{clip:04}"
        frames_count = clip_bytes // _DNG_BYTES
        for number in range(frames_count):
            yield CardFile(f"{name}/{name}_{number:06}.dng", _DNG_BYTES)
        yield CardFile(f"{name}/{name}.wav", clip_bytes - frames_count * _DNG_BYTES)


CARDS: dict[str, Layout] = {
    "red": Layout("A002_0908FT", "RED: clips in segments that are split at 4 GB on a full card", _red),
    "arri": Layout("A001R2EC", "ARRI: one MXF a clip", _arri),
    "sony": Layout("SONY_XDCAM", "Sony XDCAM: MXF, proxy and sidecars", _sony, ("Take", "Edit", "General", "UserData")),
    "canon": Layout("CANON_XF", "Canon Cinema EOS: MXF and XML", _canon),
    "braw": Layout("BRAW_A001", "Blackmagic RAW: one large file a clip", _braw),
    "dng": Layout("DNG_A001", "CinemaDNG: one file a frame, and the sound", _dng),
}
