"""The mounted volumes as a page: free space, and why one cannot be measured."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from graycard.protocols import Volume
from graycard.report.figures import quantity
from graycard.report.page import Column, Note, Page, Row, Table, Tone
from graycard.report.printable import printable, shorten

_COLUMNS = (
    Column("Volume"),
    Column("File system"),
    Column("Free", right=True),
    Column("Size", right=True),
    Column("Measurable"),
    Column("Source", second=True, label="on"),
)
# Longer names are cut in their middle, so that one of them does not spoil the table.
_NAME_WIDTH = 36


def volumes_page(volumes: Iterable[Volume]) -> Page:
    """One row a volume, in the order given; below, why some of them cannot be measured."""
    shown = tuple(volumes)
    if not shown:
        return (Note("No volumes were found.", Tone.QUIET),)
    return (Table(_COLUMNS, tuple(_row(volume) for volume in shown)), *_reasons(shown))


def _row(volume: Volume) -> Row:
    cells = (
        shorten(printable(volume.mount_point), _NAME_WIDTH),
        printable(volume.file_system),
        quantity(volume.free_bytes, "bytes"),
        quantity(volume.size_bytes, "bytes"),
        "no" if volume.why_not else "yes",
        shorten(printable(volume.source), _NAME_WIDTH),
    )
    return Row(cells, Tone.QUIET if volume.why_not else Tone.PLAIN)


def _reasons(volumes: Iterable[Volume]) -> Iterator[Note]:
    places: dict[str, list[str]] = {}
    for volume in volumes:
        if volume.why_not:
            places.setdefault(volume.why_not, []).append(volume.mount_point)
    for reason, mount_points in places.items():
        places_shown = ", ".join(printable(each) for each in mount_points)
        yield Note(f"{places_shown}: {printable(reason)}", Tone.QUIET, "no")
