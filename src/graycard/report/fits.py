"""What a figure is enough for, as a page: which formats play and record, how many frames a second and streams."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from graycard.media import Basis, Chosen, Enough, Fit, Format
from graycard.model import Operation
from graycard.readable import ABSENT
from graycard.report.page import Column, Field, Note, Page, Row, Table, Tone
from graycard.report.printable import printable
from graycard.units import percent, significant

_DOING = {Operation.READ: "Play", Operation.WRITE: "Record"}
_FIELDS = {Operation.READ: "Playing", Operation.WRITE: "Recording"}
_SHOWN_KEYS_COUNT = 3


@dataclass(frozen=True, slots=True)
class Fits:
    """What `fits_parts` shows: a fit for each of the `formats` in each direction of `chosen`, in their order."""

    chosen: Chosen
    formats: tuple[Format, ...]
    fits: tuple[Fit, ...]
    streams_count: int
    headroom_ratio: float

    def of(self, wanted: Format) -> tuple[Fit, ...]:
        """The fits of one format, reading first."""
        return tuple(each for each in self.fits if each.format_key == wanted.key)


Part = Field | Table | Note


def fits_page(found: Fits) -> Page:
    """The basis of each direction, the table, and in words what is not decided and what limits it."""
    return tuple(fits_parts(found))


def fits_parts(found: Fits, *, brief: bool = False) -> Iterator[Part]:
    """The blocks of the page; for a section of a report a `brief` table, which a telephone and paper have room for."""
    for basis in found.chosen.bases:
        yield Field(_FIELDS[basis.operation], printable(_told(basis)), printable(basis.result_id[:8]))
    if _shown(found):
        yield _brief_table(found) if brief else _table(found)
    yield from _undecided(found)
    if _shown(found):
        yield from _caveats(found)
        yield Note(_legend(found), Tone.QUIET)


def _told(basis: Basis) -> str:
    says = basis.says if basis.sustained_bytes_per_s is not None else "no figure, for a check failed"
    return f"{basis.task_label} of {basis.created_at:%Y-%m-%d %H:%M} UTC: {says}"


def _shown(found: Fits) -> tuple[Basis, ...]:
    """The directions that have a figure: one whose check failed has no column."""
    return tuple(basis for basis in found.chosen.bases if basis.sustained_bytes_per_s is not None)


def _table(found: Fits) -> Table:
    columns = [Column("Format"), Column("MB/s", right=True)]
    for basis in _shown(found):
        columns += [Column(_DOING[basis.operation]), Column("frames/s", right=True), Column("streams", right=True)]
    return Table(tuple(columns), tuple(_row(found, each) for each in found.formats))


def _row(found: Fits, wanted: Format) -> Row:
    fits = _figured(found, wanted)
    cells = _cells(found, wanted)
    for each in fits:
        cells += [each.verdict.value, _figure(each.frames_per_s), _streams(each.most_streams_count)]
    return Row(tuple(cells), _tone(fits))


def _brief_table(found: Fits) -> Table:
    """Beside each verdict what is most worth knowing then."""
    columns = [Column("Format"), Column("MB/s", right=True)]
    for basis in _shown(found):
        columns += [Column(_DOING[basis.operation]), Column("", joined=True)]
    return Table(tuple(columns), tuple(_brief_row(found, each) for each in found.formats))


def _brief_row(found: Fits, wanted: Format) -> Row:
    fits = _figured(found, wanted)
    cells = _cells(found, wanted)
    for each in fits:
        cells += [each.verdict.value, _beside(found, each)]
    return Row(tuple(cells), _tone(fits))


def _beside(found: Fits, each: Fit) -> str:
    """How many streams of a format would pass, or else how many frames a second all of them share."""
    if each.verdict is Enough.UNDECIDED:
        return ""
    if each.verdict is Enough.YES and each.most_streams_count:
        return f"up to {each.most_streams_count} stream{'' if each.most_streams_count == 1 else 's'}"
    shared = (each.frames_per_s or 0.0) / found.streams_count
    return f"{significant(shared)} frames/s{'' if found.streams_count == 1 else ' each'}"


def _figured(found: Fits, wanted: Format) -> tuple[Fit, ...]:
    return tuple(each for each in found.of(wanted) if each.frames_per_s is not None)


def _cells(found: Fits, wanted: Format) -> list[str]:
    return [printable(wanted.key), significant(wanted.bytes_per_s * found.streams_count / 1e6)]


def _tone(fits: tuple[Fit, ...]) -> Tone:
    """Quiet where it is enough for nothing: one direction may pass where the other does not."""
    verdicts = {each.verdict for each in fits}
    if Enough.TIGHT in verdicts:
        return Tone.CAVEAT
    return Tone.PLAIN if Enough.YES in verdicts else Tone.QUIET


def _figure(value: float | None) -> str:
    return ABSENT if value is None else significant(value)


def _streams(count: int | None) -> str:
    if count is None:
        return ABSENT
    return f"up to {count}" if count else "0"


def _undecided(found: Fits) -> Iterator[Note]:
    """Why nothing is decided: of a whole direction first, then of formats, each reason once."""
    for basis in found.chosen.bases:
        if basis.undecided:
            again = "measure it again" if basis.sustained_bytes_per_s is None else "graycard measure makes several runs"
            says = f"{_FIELDS[basis.operation]}: nothing is decided, for {printable(basis.undecided)}; {again}."
            yield Note(says, Tone.CAVEAT, "?")
    whole = {basis.undecided for basis in found.chosen.bases}
    reasons: dict[str, list[str]] = {}
    for each in found.fits:
        if each.verdict is Enough.UNDECIDED and each.says not in whole:
            reasons.setdefault(each.says, []).append(each.format_key)
    for says, keys in reasons.items():
        names = tuple(dict.fromkeys(keys))
        yield Note(
            f"{_listed(names)}: not decided, for {printable(says)}; {_instead(names[0], found)}.", Tone.CAVEAT, "?"
        )


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN_KEYS_COUNT} more" if len(names) > _SHOWN_KEYS_COUNT else ""
    return printable(", ".join(names[:_SHOWN_KEYS_COUNT]) + more)


def _instead(key: str, found: Fits) -> str:
    """The command that decides it: real frames in files of their own, or the bytes of the user's own clips."""
    if next(each for each in found.formats if each.key == key).has_file_per_frame:
        return f"graycard play PATH --format {printable(key)} --file-per-frame tells"
    return "name the bytes of your own frames, as --format 8MB/25"


def _caveats(found: Fits) -> Iterator[Note]:
    shown = _shown(found)
    if found.streams_count > 1:
        says = (
            f"{found.streams_count} streams on one disk also cost seeks, so a yes here is the most there can be; "
            f"graycard play PATH --streams {found.streams_count} proves it."
        )
        yield Note(says, Tone.CAVEAT, "caveat")
    told: dict[str, list[Operation]] = {}
    for basis in shown:
        for caveat in basis.caveats:
            told.setdefault(caveat, []).append(basis.operation)
    for caveat, operations in told.items():
        about = "" if len(operations) == len(shown) else f"{_FIELDS[operations[0]]}: "
        yield Note(about + printable(caveat), Tone.CAVEAT, "caveat")


def _legend(found: Fits) -> str:
    asked = "a stream asks for" if found.streams_count == 1 else f"{found.streams_count} streams ask for"
    return (
        f"yes: what {asked} and {percent(found.headroom_ratio)} more; tight: less headroom, or stalls; no: not enough. "
        "Streams are the most that leave the headroom; they also cost seeks, so graycard play PATH --streams auto "
        "proves them. MB/s are of the video; audio adds 1 to 9 %."
    )
