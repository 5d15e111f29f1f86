"""Writes src/graycard/media/data/formats.json from the sourced table of codecs: `python -m tools.make_formats CSV`.

Left out, and named on stdout: rows without a frame size, and rows that are no formats (targets of test programs,
disk bandwidths of servers, ceilings of cameras).
"""

from __future__ import annotations

import csv
import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from graycard.media.formulas import FORMULAS, arriraw

PLACE = Path(__file__).parent.parent / "src" / "graycard" / "media" / "data" / "formats.json"
KINDS = {
    "cbr_exact": "constant",
    "uncompressed_exact": "constant",
    "uncompressed_formula": "constant",
    "formula": "constant",
    "target": "target",
    "nominal": "nominal",
    "ratio": "nominal",
    "derived_from_minutes": "nominal",
    "measured_sample": "sample",
    "estimate": "estimate",
    "required_media_speed": "maximum",
}
# Columns that a verdict is made of: where they have no retrieved source, the row decides nothing.
DECISIVE = {"all", "bytes_per_frame", "mbit_per_s", "width", "height", "fps_num", "fps_den"}
PREFIXES = {
    "ProRes": "prores",
    "DNxHR": "dnxhr",
    "DNxHD": "dnxhd",
    "CineForm": "cineform",
    "CinemaDNG": "cinemadng",
    "DV": "",
    "Blackmagic RAW": "braw",
    "REDCODE RAW": "redcode",
    "ARRIRAW": "arriraw",
    "Sony XAVC": "",
    "Sony X-OCN": "",
    "Canon": "canon",
    "Nikon": "nikon",
    "Panasonic": "panasonic",
    "Fujifilm": "fujifilm",
    "Apple iPhone": "iphone",
    "DJI": "dji",
    "GoPro": "gopro",
}
SLUGS = {
    "8-bit 4:2:2 (2vuy/UYVY)": "2vuy",
    "10-bit 4:2:2 v210": "v210",
    "10-bit 4:2:2 packed 20 bpp (ST 2110/CDI)": "yuv-10-packed",
    "8-bit 4:2:0 (NV12/I420)": "nv12",
    "8-bit RGB 24": "rgb-8",
    "8-bit ARGB/BGRA": "argb-8",
    "10-bit RGB r210 (QuickTime, row padded to 64 px)": "r210",
    "10-bit RGB in 32-bit words, unpadded (AJA / DPX)": "rgb-10",
    "12-bit RGB packed": "rgb-12",
    "16-bit RGB (b48r)": "rgb-16",
    "16-bit RGBA/ARGB (b64a)": "rgba-16",
    "Bayer RAW 10-bit packed": "bayer-10",
    "Bayer RAW 12-bit packed": "bayer-12",
    "Bayer RAW 16-bit": "bayer-16",
    "DPX 8-bit RGB": "dpx-8",
    "DPX 10-bit RGB filled (method A)": "dpx-10",
    "DPX 12-bit RGB filled (16-bit words)": "dpx-12",
    "DPX 12-bit RGB packed": "dpx-12-packed",
    "DPX 16-bit RGB": "dpx-16",
    "DPX 16-bit RGBA": "dpx-16-rgba",
    "EXR half RGB uncompressed": "exr-half-rgb",
    "EXR half RGBA uncompressed": "exr-half-rgba",
    "TIFF 8-bit RGB uncompressed": "tiff-8",
    "TIFF 16-bit RGB uncompressed": "tiff-16",
    "DV25 / DVCAM / DVCPRO NTSC": "dv25-ntsc",
    "DVCPRO HD 720p24 (native)": "dvcpro-hd",
    "R3D 8:1": "redcode-8:1",
    "R3D 6:1": "redcode-6:1",
    "ProRes 4K60 external (required media speed)": "iphone-prores-external-4k60",
    "ProRes 4K120 external (required media speed)": "iphone-prores-external-4k120",
    "ProRes 422 HQ spec-sheet maximum (Mavic 3 Cine)": "dji-prores-422-hq-mavic-3-cine",
    "ProRes 422 spec-sheet maximum (Mavic 3 Cine)": "dji-prores-422-mavic-3-cine",
    "ProRes 422 LT spec-sheet maximum (Mavic 3 Cine)": "dji-prores-422-lt-mavic-3-cine",
    "H.264/H.265 spec-sheet maximum (Mavic 3)": "dji-h.265-mavic-3",
}
# Said of every row of the family, instead of the table's remarks on how it was read.
FAMILY_NOTES = {
    "ProRes": "Apple's target; files usually run 5 to 10 % under it",
    "Uncompressed": "",
    "ARRIRAW": "with a header of 0.2 %",
    "Sony XAVC": "nominal; audio comes on top",
    "DV": "the bytes of a frame have no source of their own; they give the rate that Apple prints",
}
VARIANT_NOTES = {
    "DPX": "other tools write headers of 1664 or 8192 bytes instead of 2048",
    "EXR": "the smallest header; attributes make it larger",
    "TIFF": "about 1 KiB of header; tools with many strips write more",
}

Row = dict[str, str]


def slug_of(row: Row) -> str:
    """The first part of a format's key."""
    family, variant = row["family"], row["variant"]
    if variant in SLUGS:
        return SLUGS[variant]
    words = re.sub(r"[^a-z0-9:.]+", "-", f"{PREFIXES[family]} {variant}".lower())
    return words.strip("-")


def left_out(row: Row) -> str | None:
    """Why a row is no format of this table, or None."""
    if row["kind"] in {"vendor_test_target", "vendor_measured", "camera_ceiling"}:
        return "no format but a test program's target, a server's bandwidth or a camera's ceiling"
    if not row["width"]:
        return "no frame size"
    if row["family"] == "REDCODE RAW" and row["kind"] == "uncompressed_exact":
        return "a reference, no format"
    return None


def frame_bytes(row: Row, slug: str) -> int:
    """The bytes of a frame for a safe verdict: the larger where two makers differ, and with the header."""
    w, h, table = int(row["width"]), int(row["height"]), int(row["bytes_per_frame"])
    if row["family"] == "DNxHR":
        return max(table, FORMULAS[slug].frame_bytes(w, h))
    if row["family"] == "ARRIRAW" and row["confidence"] != "low":
        return max(table, arriraw(w, h))
    return table


def note_of(row: Row, bytes_used: int) -> str:
    """What a user of the row should know."""
    if row["family"] == "DNxHR":
        differs = bytes_used != int(row["bytes_per_frame"])
        return (
            f"Avid's table has {row['bytes_per_frame']} bytes; with the height rounded to 16 as FFmpeg does it is this"
            * differs
        )
    if row["note"].startswith("exact sensor-mode pixel size"):
        return "the exact frame size has no source" * ("width" in row["memory_fields"])
    first = row["variant"].split()[0]
    if first in VARIANT_NOTES:
        return VARIANT_NOTES[first]
    return FAMILY_NOTES.get(row["family"], row["note"])


def decides(row: Row) -> bool:
    """Whether a verdict may be made of the row."""
    return (
        row["confidence"] != "low"
        and not DECISIVE & set(row["memory_fields"].split())
        and KINDS[row["kind"]] not in {"sample", "estimate"}
    )


class Words:
    """Texts by their place, each once."""

    def __init__(self) -> None:
        self.all: list[str] = []

    def place(self, text: str) -> int:
        if text not in self.all:
            self.all.append(text)
        return self.all.index(text)


def built(rows: list[Row]) -> tuple[dict[str, Any], Counter[str]]:
    """The data file's document, and how many rows were left out why."""
    sources, notes, omitted = Words(), Words(), Counter[str]()
    groups: dict[tuple[str, ...], dict[str, Any]] = {}
    for row in rows:
        if reason := left_out(row):
            omitted[reason] += 1
            continue
        slug = slug_of(row)
        about = {key: row[key] for key in ("family", "variant", "bits", "chroma")}
        group = groups.setdefault(
            (slug, *about.values(), KINDS[row["kind"]]),
            {"slug": slug, **about, "kind": KINDS[row["kind"]], "rows": {}},
        )
        used = frame_bytes(row, slug)
        place = tuple(int(row[key]) if row[key] else None for key in ("width", "height", "fps_num", "fps_den"))
        extra = [sources.place(row["source"]), notes.place(note_of(row, used)), row["confidence"], decides(row)]
        kept = group["rows"].get(place)
        if kept and kept[4] >= used:
            omitted["two sources of one format: the larger is kept"] += 1
            continue
        omitted["two sources of one format: the larger is kept"] += bool(kept)
        group["rows"][place] = [*place, used, *extra]
    groups_out = [{**group, "rows": list(group["rows"].values())} for group in groups.values()]
    return {"sources": sources.all, "notes": notes.all, "groups": groups_out}, omitted


def text_of(document: dict[str, Any]) -> str:
    """The file: a line a row, so that a change is seen."""
    lines = ["{", f'"sources": {json.dumps(document["sources"], indent=0, ensure_ascii=False)},']
    lines += [f'"notes": {json.dumps(document["notes"], indent=0, ensure_ascii=False)},', '"groups": [']
    for group in document["groups"]:
        head = json.dumps({key: value for key, value in group.items() if key != "rows"}, ensure_ascii=False)
        rows = ",\n".join(json.dumps(row, separators=(",", ":")) for row in group["rows"])
        lines += [f'{head[:-1]}, "rows": [', rows, "]},"]
    lines[-1] = "]}"
    return "\n".join([*lines, "]}"]) + "\n"


def main(arguments: list[str]) -> None:
    with Path(arguments[0]).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    document, omitted = built(rows)
    PLACE.parent.mkdir(exist_ok=True)
    PLACE.write_text(text_of(document), encoding="utf-8")
    kept = sum(len(group["rows"]) for group in document["groups"])
    print(f"{PLACE}: {kept} of {len(rows)} rows, {PLACE.stat().st_size} bytes")
    for reason, count in omitted.items():
        print(f"left out: {count} ({reason})")


if __name__ == "__main__":
    main(sys.argv[1:])
