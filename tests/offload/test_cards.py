"""Synthetic cards are laid out as the makers' documents have it."""

from __future__ import annotations

import os
import re
import zlib
from dataclasses import replace
from pathlib import Path

import pytest

from graycard.errors import PlanProblem
from graycard.facts import fact
from graycard.host import this_host
from graycard.offload import CARDS, FULL_BYTES, census_of, planned
from graycard.offload.making import make_card
from graycard.protocols import Host, Look
from graycard.scratch.names import MARKER, folder_name
from graycard.scratch.owner import encode, this_owner
from tests.offload.carried import carried, job_of, place, small_card

LEFT_ID = "0123456789abcdef"
# Paths as in the documents that cards.py names: what a file of that kind must look like, and its bytes where fixed.
NAMES = {
    "red": r"digital_mag(azine|dynamic)\.bin|A002_0908FT\.RDM/(A002_C\d{3}_0908R\d)\.RDC/\2(\.RMD|_\d{3}\.R3D)",
    "arri": r"A001R2EC/A001C\d{3}_141024_R2EC\.mxf",
    "sony": r"(DISCMETA|MEDIAPRO|CUEUP|INDEX)\.XML|Clip/C\d{4}(\.MXF|M01\.XML|R01\.BIM)|Sub/C\d{4}S01\.MXF",
    "canon": r"CONTENTS/CLIPS001/A001C\d{3}_H141024AB_CANON\.(MXF|XML)",
    "braw": r"A001_\d{8}_C\d{3}\.(braw|sidecar)",
    "dng": r"(BMPCC_1_2014-10-24_\d{4}_C\d{4})/\1(_\d{6}\.dng|\.wav)",
}


@pytest.mark.parametrize("kind", CARDS)
def test_names_and_sizes(kind: str) -> None:
    size = 2_000_000_000
    files = list(CARDS[kind].files(size))
    assert [each.path for each in files if not re.fullmatch(NAMES[kind], each.path)] == []
    assert len({each.path for each in files}) == len(files)
    sidecars = sum(each.size_bytes for each in files if re.search(r"\.(bin|RMD|XML|BIM|sidecar)$", each.path))
    assert sum(each.size_bytes for each in files) - sidecars == pytest.approx(size, abs=10)


def test_red_splits_its_clips_at_4_gib_and_a_small_card_has_as_many_segments() -> None:
    full = [each for each in CARDS["red"].files(FULL_BYTES) if each.path.endswith(".R3D")]
    small = [each for each in CARDS["red"].files(1_000_000_000) if each.path.endswith(".R3D")]
    assert max(each.size_bytes for each in full) == 4 << 30
    assert abs(len(full) - len(small)) <= 8, "a clip's last segment may round away"
    assert len(full) > 100


@pytest.mark.parametrize("kind", ["sony", "dng"])
def test_a_card_is_made_as_planned_and_cannot_be_compressed(tmp_path: Path, kind: str) -> None:
    make_card(this_host(), str(tmp_path), kind, 12_000_000, lambda _: None)
    census, plan = census_of(str(tmp_path), lambda _: None), planned(kind, 12_000_000)
    assert (census.files_count, census.total_bytes, census.folders_count) == (
        plan.files_count,
        plan.total_bytes,
        plan.folders_count,
    )
    largest = (tmp_path / census.largest_path).read_bytes()
    assert len(zlib.compress(largest, 1)) > 0.999 * len(largest)


def test_a_stop_is_heard_while_a_clip_is_written_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One flush of a whole clip takes as long as its drive needs for it, and nothing can cut that short."""
    host, writing_back = this_host(), False

    def write_back(_host: Host, _path: str, look: Look) -> None:
        nonlocal writing_back
        writing_back = True
        look()

    def made(_bytes: int) -> None:
        if writing_back:
            raise KeyboardInterrupt

    monkeypatch.setattr(type(host), "write_back", write_back)
    with pytest.raises(KeyboardInterrupt):
        make_card(host, str(tmp_path), "arri", 1_000_000, made)
    assert len(list(tmp_path.rglob("*.mxf"))) == 1


def left_by_a_killed_run(target: Path) -> Path:
    owner = replace(this_owner(LEFT_ID, os.geteuid()), started_s=-1000.0)  # no process began before the boot
    folder = target / folder_name(LEFT_ID)
    folder.mkdir()
    (folder / MARKER).write_bytes(encode(owner))
    (folder / "read.graycard").write_bytes(bytes(1_000_000))
    return folder


def test_what_killed_runs_left_is_removed_first(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for each in (one, two):
        each.mkdir()
        left_by_a_killed_run(each)
    job = replace(job_of(one, one, two), card="sony", size_bytes=5_000_000, census=planned("sony", 5_000_000))
    assert carried(job).notes == [f"What killed runs had left in {each} was removed, 1.00 MB." for each in (one, two)]
    assert (os.listdir(one), os.listdir(two)) == ([], [])


def test_where_killed_runs_left_too_little_room_it_is_told_how_to_make_some(tmp_path: Path) -> None:
    card, to = small_card(tmp_path), tmp_path / "to"
    to.mkdir()
    left = left_by_a_killed_run(to)
    tight = place(to, fact("free_bytes", 1_000_000, "test"))
    with pytest.raises(PlanProblem, match=f"graycard clean {to} frees 1.00 MB that a killed run left; make room"):
        carried(job_of(card, destinations=(tight,)))
    assert left.exists()


def test_nothing_of_a_synthetic_card_stays(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    (two / "film.mov").write_bytes(b"somebody else's")
    job = replace(job_of(one, one, two), card="sony", size_bytes=5_000_000, census=planned("sony", 5_000_000))
    outcome = carried(job)
    assert outcome.faults == ()
    assert [each.target.path for each in outcome.results] == [str(one), str(one), str(two), str(one), str(two)]
    assert os.listdir(one) == []
    assert os.listdir(two) == ["film.mov"]
