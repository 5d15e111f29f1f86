"""What may go wrong with a card, a copy or a drive: found, named, and never hidden by what goes well."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from io import FileIO
from pathlib import Path

import pytest

from graycard.facts import fact
from graycard.host import this_host
from graycard.mhl import HashFormat
from graycard.model import Verdict
from graycard.offload import Fault, Kind, Outcome, check_folder
from graycard.offload.files import Access
from graycard.offload.landing import Part
from graycard.offload.session import Session
from graycard.offload.spool import spool
from graycard.offload.steps import copy, verify, write_manifests
from tests.bed.faults_fuse import failing_volume
from tests.bed.loops import LoopImage
from tests.offload.carried import MIB, Kept, SystemClock, carried, job_of, place, session_of, small_card, tree, write


def told(faults: tuple[Fault, ...]) -> list[tuple[Kind, str | None, int | None]]:
    return sorted(((each.kind, each.path, each.offset_bytes) for each in faults), key=str)


def verified_after(tmp_path: Path, meddle: Callable[[Path], object]) -> tuple[Session, Path]:
    """A copy that is meddled with before it is read back, and one beside it that is left alone."""
    card, one, two = small_card(tmp_path), tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    session = session_of(job_of(card, one, two))
    with spool() as records:
        copy(session, records)
        assert session.faults.kept == ()
        meddle(one / "CARD")
        verify(session, records, HashFormat.XXH3)
        write_manifests(session, records, HashFormat.XXH3)
    session.gather()
    assert session.is_whole(str(two / "CARD"))
    assert (two / "CARD" / "ascmhl").exists()
    return session, one / "CARD"


def changed(path: Path, at: int) -> None:
    """Another byte, under the same size and time."""
    info = path.stat()
    with path.open("r+b") as file:
        file.seek(at)
        byte = file.read(1)[0]
        file.seek(at)
        file.write(bytes([byte ^ 1]))
    os.utime(path, ns=(info.st_mtime_ns, info.st_mtime_ns))


@pytest.mark.parametrize(
    ("name", "at"), [("C/large.mxf", 5 * MIB + 77), ("A/two.xml", 0), ("C/large.mxf", 9 * MIB + 4096)]
)
def test_a_changed_byte_is_found_and_named(tmp_path: Path, name: str, at: int) -> None:
    session, copied = verified_after(tmp_path, lambda folder: changed(folder / name, at))
    assert told(session.outcome.faults) == [(Kind.DIFFERS, name, at)]
    assert f"{copied / name} is not what was read from the source, first at byte {at}" in session.outcome.faults[0].says
    assert session.outcome.mismatch
    assert not session.is_whole(str(copied))
    assert not (copied / "ascmhl").exists()
    (bad,) = (
        each for each in session.outcome.results if each.target.path == str(copied) and each.task.variant == "verify"
    )
    assert bad.summary is not None
    assert [each.name for each in bad.summary.checks if each.verdict is Verdict.FAIL] == ["hashes_equal"]


def test_short_long_and_missing_files_are_found_and_named(tmp_path: Path) -> None:
    def meddle(folder: Path) -> None:
        os.truncate(folder / "C/large.mxf", 4 * MIB)
        os.truncate(folder / "A/B/three.mov", MIB + 5)
        os.truncate(folder / "A/two.xml", 0)
        (folder / "C/whole.mxf").unlink()

    session, _ = verified_after(tmp_path, meddle)
    assert told(session.outcome.faults) == sorted(
        [
            (Kind.SHORT, "C/large.mxf", 4 * MIB),
            (Kind.DIFFERS, "A/B/three.mov", None),
            (Kind.SHORT, "A/two.xml", 0),
            (Kind.MISSING, "C/whole.mxf", None),
        ],
        key=str,
    )


def test_a_destination_that_vanished_is_one_fault(tmp_path: Path) -> None:
    session, copied = verified_after(tmp_path, shutil.rmtree)
    assert told(session.outcome.faults) == [(Kind.VANISHED, None, None)]
    assert str(copied) in session.outcome.faults[0].says


def test_a_card_that_changes_while_it_is_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was written to, or grew, after its reading began is not kept; the rest is."""
    card, to = small_card(tmp_path), tmp_path / "to"
    to.mkdir()
    opened = Access.to_read

    def meddling(access: Access, path: str, *, is_large: bool) -> FileIO:
        file = opened(access, path, is_large=is_large)
        if path == str(card / "C/large.mxf"):
            changed(card / "C/large.mxf", 0)
            os.utime(path)
        if path == str(card / "A/two.xml"):
            with open(path, "ab") as more:
                more.write(b"more")
        return file

    monkeypatch.setattr(Access, "to_read", meddling)
    outcome = carried(job_of(card, to))
    assert {each[:2] for each in told(outcome.faults)} == {(Kind.CHANGED, "C/large.mxf"), (Kind.CHANGED, "A/two.xml")}
    assert outcome.mismatch
    assert outcome.complete == {str(to / "CARD"): False}
    kept = set(tree(to / "CARD"))
    assert kept == set(tree(card)) - {b"C/large.mxf", b"A/two.xml"}
    assert outcome.manifests == []


def test_a_name_that_is_taken_meanwhile_is_never_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    card, to = small_card(tmp_path), tmp_path / "to"
    to.mkdir()
    written = Part.write

    def meddling(part: Part, data: memoryview | bytes) -> bool:
        if part.final.endswith(("one.mov", "whole.mxf")):
            Path(part.final).write_bytes(b"somebody else's")
        return written(part, data)

    write(card / "A/one.mov", 5)
    monkeypatch.setattr(Part, "write", meddling)
    monkeypatch.setattr(os, "link", without_links)
    outcome = carried(job_of(card, to))
    named = {each.path for each in outcome.faults if each.kind is Kind.NOT_WRITTEN}
    assert named == {"A/one.mov", "C/whole.mxf"}
    assert (to / "CARD/A/one.mov").read_bytes() == b"somebody else's"
    assert (to / "CARD/C/whole.mxf").read_bytes() == b"somebody else's"
    assert not list(to.rglob("*.part"))


def without_links(*_: str) -> None:
    raise PermissionError(1, "Operation not permitted")


@pytest.mark.root
def test_names_that_a_file_system_takes_for_one(tmp_path: Path, loop_image: LoopImage) -> None:
    """exFAT does not tell capitals apart and has no second names: the first file stays, the others are told."""
    card, volume = tmp_path / "card", loop_image(64 * MIB, "mkfs.exfat")
    write(card / "CLIP.MOV", MIB - 1)  # the longest to flush
    write(card / "Clip.mov", 4097)
    write(card / "clip.mov", 5)
    write(card / "other.mov", 3 * MIB)
    outcome = carried(job_of(card, volume))
    assert [(each.kind, each.path) for each in outcome.faults] == [
        (Kind.NOT_WRITTEN, "Clip.mov"),
        (Kind.NOT_WRITTEN, "clip.mov"),
    ]
    folder = Path(volume, "CARD")
    assert sorted(each.name for each in folder.iterdir()) == ["CLIP.MOV", "other.mov"]
    for name in ("CLIP.MOV", "other.mov"):
        assert (folder / name).read_bytes() == (card / name).read_bytes()
    assert outcome.complete == {str(folder): False}


def test_a_name_that_a_file_system_does_not_take(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As exFAT and NTFS do with a colon; the name that is taken for the time being has none."""
    card, to, renamed = tmp_path / "card", tmp_path / "to", os.rename

    def rename(old: str, new: str) -> None:
        if ":" in new:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        renamed(old, new)

    to.mkdir()
    write(card / "a:b.mov", 5)
    write(card / "other.mov", 3 * MIB)
    monkeypatch.setattr(os, "link", without_links)
    monkeypatch.setattr(os, "rename", rename)
    outcome = carried(job_of(card, to))
    (fault,) = outcome.faults
    assert (fault.kind, fault.path) == (Kind.NOT_WRITTEN, "a:b.mov")
    assert fault.says.endswith("/CARD/a:b.mov; its file system does not take that name, so copy it to another one")
    assert [each.name for each in (to / "CARD").iterdir()] == ["other.mov"]


@pytest.mark.root
def test_a_drive_that_fills_in_the_middle_does_not_stop_the_others(tmp_path: Path, loop_image: LoopImage) -> None:
    card, to, volume = small_card(tmp_path), tmp_path / "to", loop_image(16 * MIB)
    to.mkdir()
    tight = place(volume, fact("free_bytes", 10**12, "test"), fact("quota_free_bytes", None, "test"))
    outcome = carried(job_of(card, destinations=(tight, place(to))))
    assert [(each.kind, each.place) for each in outcome.faults] == [(Kind.FAILED, os.path.join(volume, "CARD"))]
    assert "the volume is full (ENOSPC)" in outcome.faults[0].says
    assert tree(to / "CARD") == tree(card)
    assert outcome.complete == {os.path.join(volume, "CARD"): False, str(to / "CARD"): True}
    assert not list(Path(volume).rglob("*.part"))
    for path, (data, _) in tree(Path(volume, "CARD")).items():
        assert data is None or data == (card / os.fsdecode(path)).read_bytes(), "what has its own name is whole"
    assert len(outcome.manifests) == 1


@pytest.mark.root
def test_a_card_that_gives_errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file that cannot be read is named, the others are copied, and nothing looks whole that is not."""
    (tmp_path / "to").mkdir()
    with failing_volume(tmp_path) as (volume, trigger):
        card = Path(volume, "card")
        write(card / "A" / "good.mov", 3 * MIB)
        write(card / "B" / "bad.mov", 3 * MIB)
        job = job_of(card, tmp_path / "to")
        for name in ("A/good.mov", "B/bad.mov"):
            this_host().drop_cache(str(card / name))
        opened = Access.to_read

        def failing(access: Access, path: str, *, is_large: bool) -> FileIO:
            file = opened(access, path, is_large=is_large)
            if path == str(card / "B" / "bad.mov"):
                trigger.touch()
            return file

        monkeypatch.setattr(Access, "to_read", failing)
        outcome = carried(job)
    assert [(each.kind, each.path) for each in outcome.faults] == [(Kind.UNREADABLE, "B/bad.mov")]


def test_a_folder_is_checked_against_its_manifest(tmp_path: Path) -> None:
    card, to = small_card(tmp_path), tmp_path / "to"
    to.mkdir()
    carried(job_of(card, to))
    folder = to / "CARD"
    assert told(checked(folder).faults) == []
    changed(folder / "C/large.mxf", 9 * MIB)
    (folder / "A/two.xml").unlink()
    (folder / "new.txt").write_text("new")
    (folder / ".DS_Store").write_text("left out")
    outcome = checked(folder)
    assert told(outcome.faults) == sorted(
        [(Kind.DIFFERS, "C/large.mxf", None), (Kind.MISSING, "A/two.xml", None), (Kind.NEW, "new.txt", None)], key=str
    )
    assert outcome.mismatch


def test_a_folder_in_it_answers_for_itself(tmp_path: Path) -> None:
    """A card with a history of its own below a folder that has one, too: its own manifest counts."""
    card, inner, outer = small_card(tmp_path), tmp_path / "day" / "inner", tmp_path / "outer"
    inner.mkdir(parents=True)
    outer.mkdir()
    carried(job_of(card, inner))
    carried(job_of(tmp_path / "day", outer))
    assert told(checked(outer / "CARD").faults) == []
    changed(outer / "CARD/inner/CARD/A/two.xml", 0)
    assert told(checked(outer / "CARD").faults) == [(Kind.DIFFERS, "inner/CARD/A/two.xml", None)]


def checked(folder: Path) -> Outcome:
    outcome = Outcome("0123456789abcdef")
    check_folder(place(folder), outcome, host=this_host(), keeper=Kept(), clock=SystemClock(), on_event=lambda _: None)
    return outcome
