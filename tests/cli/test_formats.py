"""`graycard formats`: what words find, in which form, and what is not decided."""

from __future__ import annotations

import json

import jsonschema
import pytest

from graycard.errors import PlanProblem
from graycard.media import formats
from tests.cli.conftest import Run
from tools.make_schema import PLACE


def test_words_list_formats_with_figures_and_sources(run: Run) -> None:
    done = run("formats", "prores", "hq", "uhd", "25")
    assert done.code == 0
    lines = done.out.splitlines()
    assert len([line for line in lines if line.startswith("prores")]) == 1
    for figure in ("prores-422-hq/uhd/25", "3840x2160", "737", "92.1", "3685000", "target", "Apple ProRes White Paper"):
        assert figure in done.out
    assert "Apple's target; files usually run 5 to 10 % under it." in done.out


def test_without_words_each_family_has_a_line(run: Run) -> None:
    done = run("formats")
    assert done.code == 0
    families = {each.family for each in formats()}
    assert len(done.out.splitlines()) == len(families) + 3
    for family in families:
        assert family in done.out
    # All rows of CineForm are samples.
    assert "? CineForm" in done.out


def test_many_formats_are_shown_by_variant_and_all_on_request(run: Run) -> None:
    by_variant = run("formats", "dnxhr").out
    assert "640 formats: add a frame size or a rate" in by_variant
    assert len(by_variant.splitlines()) == 1 + 5 + 2
    every = run("formats", "dnxhr", "--all", "--text").out
    assert sum(line.startswith("dnxhr-") for line in every.splitlines()) >= 640


def test_what_decides_nothing_is_marked_and_told(run: Run) -> None:
    out = run("formats", "cineform", "uhd", "24").out
    assert "? cineform-best-yuv/uhd/24" in out
    assert "? Decides nothing: a sample" in out
    assert "?" not in run("formats", "v210", "uhd", "25").out


@pytest.mark.parametrize("text", ["3840x2160/25/10bit-422", "8MB/25", "prores-422-hq/uhd/48", "v210 1000x500 24"])
def test_a_format_that_is_not_in_the_table_is_computed(run: Run, text: str) -> None:
    done = run("formats", *text.split(), "--json")
    assert done.code == 0
    (entry,) = json.loads(done.out)["formats"]
    assert entry["frame_bytes"] > 0


def test_json_holds_every_format_that_fits_and_is_as_the_schema_says(run: Run) -> None:
    document = json.loads(run("formats", "29.97", "v210", "--json").out)
    jsonschema.validate(document, json.loads(PLACE.read_text(encoding="utf-8")))
    assert {entry["rate"] for entry in document["formats"]} == {"30000/1001"}
    uhd = next(entry for entry in document["formats"] if entry["key"] == "v210/uhd/29.97")
    assert uhd["frame_bytes"] == 22_118_400
    assert uhd["bits_per_s"] == pytest.approx(22_118_400 * 8 * 30000 / 1001)
    assert len(json.loads(run("formats", "--json").out)["formats"]) == len(formats())


def test_markdown_is_a_table(run: Run) -> None:
    out = run("formats", "prores", "hd", "50", "--markdown").out
    assert out.startswith("| Format |")


def test_a_word_that_fits_nothing_is_one_sentence_with_an_example(run: Run) -> None:
    done = run("formats", "nonsense")
    assert done.code == PlanProblem.exit_code
    assert done.out == ""
    assert "no format of the table fits “nonsense”" in done.err
    assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize("width", ["40", "80", "200"])
def test_it_fits_the_terminal(run: Run, monkeypatch: pytest.MonkeyPatch, width: str) -> None:
    monkeypatch.setenv("COLUMNS", width)
    out = run("formats", "prores", "uhd").out
    assert max(map(len, out.splitlines())) <= int(width)


def test_the_word_that_fits_nothing_is_named(run: Run) -> None:
    done = run("formats", "prores", "uhd", "zzz")
    assert done.code == 10
    assert "no format of the table fits “prores uhd zzz”, for none has “zzz” beside prores uhd; " in done.err
