"""What a report says of formats: those asked for, or well-known ones, and never on a figure that decides nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graycard.media import KNOWN, format_named, known_formats
from graycard.model import Pattern, Report, Result
from graycard.report.page import Note, Table
from graycard.report.story import Section, story_of
from tests.media.made import READ, WRITE, of_rate, rate
from tests.report import shows

RANDOM = replace(READ, pattern=Pattern.RANDOM, block_bytes=4096)
# 300 and 210 MB/s are sustained of what 8 MB at 25 asks: 200 MB/s, with 20 % headroom 240.
FAST_READ = replace(of_rate("a", rate(310, 300)), measurement_id="m1")
SLOW_WRITE = replace(of_rate("b", rate(220, 210), WRITE), measurement_id="m1")


def sections(*results: Result, formats: tuple[str, ...] = (), streams: int = 1) -> list[Section]:
    told = story_of(Report("", results, formats=formats, streams_count=streams))
    return [each for each in told.sections if each.key.startswith("enough")]


def rows(section: Section) -> dict[str, tuple[str, ...]]:
    (table,) = (part for part in section.parts if isinstance(part, Table))
    return {row.cells[0]: row.cells[1:] for row in table.rows}


def words(section: Section) -> str:
    return " ".join(part.text for part in section.parts if isinstance(part, Note))


def test_well_known_formats_are_told_of_one_set_up_around_the_border() -> None:
    (section,) = sections(FAST_READ, SLOW_WRITE)
    told = rows(section)
    assert list(told) == [each.key for each in known_formats() if each.key in told]
    assert len(told) == 10
    assert {cells[1] for cells in told.values()} >= {"yes", "no"}
    assert story_of(shows.one_drive()).sections[0].key == "enough"


@pytest.mark.parametrize(
    "result",
    [
        of_rate("single", rate(900)),
        of_rate("random", rate(310, 300), RANDOM),
        replace(FAST_READ, summary=None),
    ],
)
def test_what_decides_nothing_has_no_section_unless_it_was_asked_for(result: Result) -> None:
    assert sections(result) == []
    (section,) = sections(result, formats=("8MB/25",))
    assert "yes" not in {
        cell for part in section.parts if isinstance(part, Table) for row in part.rows for cell in row.cells
    }
    assert "graycard measure" in words(section)


def test_why_a_direction_is_left_out_is_told_where_it_was_asked_for() -> None:
    (section,) = sections(FAST_READ, formats=("8MB/25",))
    assert rows(section)["custom-8000000b/25"][1] == "yes"
    assert "No result tells of recording; graycard measure PATH --preset standard --write measures that" in words(
        section
    )
    (default,) = sections(FAST_READ)
    assert "No result tells" not in words(default)


def test_streams_are_decided_together() -> None:
    (one,), (two,) = (sections(FAST_READ, SLOW_WRITE, formats=("8MB/25",), streams=count) for count in (1, 2))
    assert rows(one)["custom-8000000b/25"][1:] == ("yes", "up to 1 stream", "tight", "26.2 frames/s")
    assert rows(two)["custom-8000000b/25"][1:] == ("no", "18.8 frames/s each", "no", "13.1 frames/s each")
    assert two.detail == "2 streams of each format at once."


def test_of_several_set_ups_each_has_a_section_where_it_was_asked_for() -> None:
    """A swing of the middle one, a single measurement each; of many the first six."""
    report = shows.two_formats()
    assert [each for each in story_of(report).sections if each.key.startswith("enough")] == []
    told = story_of(replace(report, formats=("prores-422-hq/uhd/25", "v210/8k/25"))).sections
    found = [each for each in told if each.key.startswith("enough")]
    assert [each.title for each in found] == [
        f"{arm}: what it is enough for" for arm in ("ext4", "exFAT (FUSE)", "btrfs")
    ]
    assert [rows(each)["v210/8k/25"][1] for each in found] == ["no", "no", "no"]
    many = story_of(replace(shows.many(80), formats=("v210/8k/25",))).sections
    assert sum(each.key.startswith("enough") for each in many) == 6


def test_the_key_of_every_format_names_it_again() -> None:
    """A report carries keys, also of formats of the user's own."""
    for text in (
        *KNOWN,
        "8MB/25",
        "8000001B/23.976",
        "3840x2160/25/10bit-422",
        "1920x1080 24000/1001 12-bit rgb",
        "dnxhr-hqx/3840x1600/24",
    ):
        assert format_named(format_named(text).key) == format_named(text)
