"""Copies are what the card is: bytes, names, times, folders; in as many places as asked, read once."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from graycard.errors import Interrupted, PlanProblem, TargetProblem
from graycard.facts import fact
from graycard.measurement import Event
from graycard.mhl import HashFormat, load_history
from graycard.model import Operation, Verdict
from graycard.offload import Outcome
from graycard.offload.landing import Part
from graycard.offload.messages import SMALL_BYTES
from graycard.offload.slabs import SLAB_BYTES
from tests.bed.faults_fuse import wait_until
from tests.offload.carried import MIB, carried, job_of, place, small_card, tree, write


@pytest.mark.parametrize("count", [1, 3])
def test_every_copy_is_the_card(tmp_path: Path, count: int) -> None:
    card = small_card(tmp_path)
    raw = os.path.join(os.fsencode(str(card)), b"A/caf\xe9\n.mov")
    Path(os.fsdecode(raw)).write_bytes(b"take")
    destinations = [tmp_path / f"d{number}" for number in range(count)]
    for each in destinations:
        each.mkdir()
    outcome = carried(job_of(card, *destinations))
    assert (outcome.faults, set(outcome.complete.values())) == ((), {True})
    for each in destinations:
        assert tree(each / "CARD") == tree(card)
        assert not list(each.rglob("*.part"))
    read = next(leg for leg in outcome.legs if leg.name == "read")
    assert read.moved_bytes == sum(len(data) for data, _ in tree(card).values() if data)
    assert [leg.name for leg in outcome.legs] == ["read", "hash", *["write"] * count, *["verify"] * count]


EDGES = [0, 1, 4095, SMALL_BYTES, SMALL_BYTES + 1, SLAB_BYTES - 1, SLAB_BYTES, SLAB_BYTES + 1, 2 * SLAB_BYTES + 4095]


@settings(max_examples=3, deadline=None)
@given(st.lists(st.integers(0, 3 * MIB), max_size=4))
@example(EDGES)
def test_files_of_any_size(sizes: list[int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        card, to = Path(folder, "card"), Path(folder, "to")
        card.mkdir()
        to.mkdir()
        for number, size in enumerate(sizes):
            write(card / f"{number}.mov", size)
        outcome = carried(job_of(card, to))
        assert outcome.faults == ()
        assert tree(to / "CARD") == tree(card)


@pytest.mark.parametrize(
    ("kind", "command"),
    [
        (HashFormat.XXH3, ["xxhsum", "-H3"]),
        (HashFormat.XXH64, ["xxhsum", "-H1"]),
        (HashFormat.MD5, ["md5sum"]),
    ],
)
def test_hashes_are_those_of_other_programs(tmp_path: Path, kind: HashFormat, command: list[str]) -> None:
    if shutil.which(command[0]) is None and os.environ.get("CI") != "true":
        pytest.skip(f"{command[0]} is not installed")
    card = small_card(tmp_path)
    (tmp_path / "to").mkdir()
    carried(job_of(card, tmp_path / "to", verify=kind))
    history = load_history(str(tmp_path / "to" / "CARD"))
    assert history is not None
    assert len(history.files) == 6
    for path, known in history.files.items():
        said = subprocess.run([*command, str(card / path)], capture_output=True, text=True, check=True).stdout
        assert known.digest.hex() in said.split(), (path, said)


def test_each_leg_is_a_result(tmp_path: Path) -> None:
    card = small_card(tmp_path)
    (tmp_path / "to").mkdir()
    outcome = carried(job_of(card, tmp_path / "to", verifies_source=True))
    told = [(each.task.variant, each.task.operation, each.target.path) for each in outcome.results]
    copy = str(tmp_path / "to" / "CARD")
    assert told == [
        ("source", Operation.READ, str(card)),
        ("write", Operation.WRITE, copy),
        ("verify", Operation.READ, copy),
        ("verify", Operation.READ, str(card)),
    ]
    for result in outcome.results:
        assert result.task.transfer is not None
        assert result.task.transfer.file_count == 6
        assert result.summary is not None
        assert result.runs[0].samples.moved_bytes == sum(tick.moved_bytes for tick in result.runs[0].samples.ticks)
        failed = [check.name for check in result.summary.checks if check.verdict is Verdict.FAIL]
        assert failed == []


def test_without_hashes_it_only_copies(tmp_path: Path) -> None:
    card = small_card(tmp_path)
    (tmp_path / "to").mkdir()
    outcome = carried(job_of(card, tmp_path / "to", verify=None))
    assert [leg.name for leg in outcome.legs] == ["read", "write"]
    assert tree(tmp_path / "to" / "CARD") == tree(card)
    assert not (tmp_path / "to" / "CARD" / "ascmhl").exists()


def test_links_are_told_and_left_and_special_files_refused(tmp_path: Path) -> None:
    card = small_card(tmp_path)
    (card / "out").symlink_to("/etc")
    (card / "A" / "in").symlink_to("two.xml")
    (tmp_path / "to").mkdir()
    job = job_of(card, tmp_path / "to")
    assert (job.census.links_count, set(job.census.link_paths)) == (2, {"out", os.path.join("A", "in")})
    carried(job)
    assert not [path for path in (tmp_path / "to").rglob("*") if path.is_symlink() or path.name in {"in", "out"}]
    os.mkfifo(card / "pipe")
    with pytest.raises(TargetProblem, match="pipe is a pipe, a socket or a device"):
        job_of(card, tmp_path / "to")


def test_places_that_overlap_or_are_taken_are_refused(tmp_path: Path) -> None:
    card, to = small_card(tmp_path), tmp_path / "to"
    to.mkdir()
    (tmp_path / "same").symlink_to(to)
    with pytest.raises(PlanProblem, match="lies in the source"):
        carried(job_of(card, card / "A"))
    with pytest.raises(PlanProblem, match="is the source itself"):
        carried(job_of(card, tmp_path, name="card", resumes=True))
    with pytest.raises(PlanProblem, match="named twice"):
        carried(job_of(card, to, tmp_path / "same"))
    (to / "CARD").mkdir()
    with pytest.raises(PlanProblem, match="nothing is ever overwritten"):
        carried(job_of(card, to))
    assert list((to / "CARD").iterdir()) == []


def test_too_little_room_is_refused_beforehand(tmp_path: Path) -> None:
    card, to = small_card(tmp_path), tmp_path / "to"
    to.mkdir()
    tight = place(to, fact("free_bytes", 19 * MIB, "test"))
    with pytest.raises(PlanProblem, match=r"Not enough space in .*needed 20\.0 MB, free 19\.9 MB"):
        carried(job_of(card, destinations=(tight,)))
    small = place(to, fact("file_size_limit_bytes", 4 * MIB, "test"))
    with pytest.raises(PlanProblem, match=r"large\.mxf has 9\.44 MB, more than a file may have"):
        carried(job_of(card, destinations=(small,)))
    assert list(to.iterdir()) == []


def test_a_stop_keeps_what_is_whole_and_resuming_writes_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The drive hangs in the seventh file; once it answers again, nothing of that file is left."""
    card, to = small_card(tmp_path), tmp_path / "to"
    to.mkdir()
    whole = [os.fsdecode(path) for path, (data, _) in tree(card).items() if data is not None]
    write(card / "D" / "last.mxf", 6 * MIB)
    answers = threading.Event()
    written = Part.write

    def hanging(part: Part, data: memoryview | bytes) -> bool:
        if part.final.endswith("last.mxf"):
            answers.wait(60)
        return written(part, data)

    def stop(event: Event) -> None:
        if all((to / "CARD" / name).exists() for name in whole) and list((to / "CARD" / "D").glob("*.part")):
            raise KeyboardInterrupt

    monkeypatch.setattr(Part, "write", hanging)
    stopped = Outcome("0123456789abcdef")
    with pytest.raises(Interrupted, match=r"6 files in .*CARD; .*CARD does not answer, .*; go on with --resume"):
        carried(job_of(card, to), stop, stopped)
    answers.set()
    assert stopped.complete == {str(to / "CARD"): False}
    assert [(leg.name, leg.files_count) for leg in stopped.legs if leg.name == "write"] == [("write", 6)]
    assert stopped.results == []
    wait_until(lambda: not list(to.rglob("*.part")), "the removal of what was not whole")
    assert sorted(os.path.relpath(each, to / "CARD") for each in to.rglob("*.*")) == sorted(whole)
    outcome = carried(job_of(card, to, resumes=True))
    assert (outcome.faults, set(outcome.complete.values())) == ((), {True})
    assert tree(to / "CARD") == tree(card)
    assert any("had 6 files already" in says for says in outcome.notes)


def test_resuming_removes_what_a_killed_copy_left(tmp_path: Path) -> None:
    card, to = small_card(tmp_path), tmp_path / "to"
    (to / "CARD" / "C").mkdir(parents=True)
    (to / "CARD" / "C" / ".graycard-0123abcd-7.part").write_bytes(b"half")
    (to / "CARD" / "mine.part").write_bytes(b"somebody else's")
    assert carried(job_of(card, to, resumes=True)).faults == ()
    assert [each.name for each in to.rglob("*.part")] == ["mine.part"]


def test_a_card_with_a_history_gets_one_more_generation(tmp_path: Path) -> None:
    card, one, two = small_card(tmp_path), tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    carried(job_of(card, one))
    outcome = carried(job_of(one / "CARD", two))
    assert outcome.faults == ()
    history = load_history(str(two / "CARD"))
    assert history is not None
    assert [each.number for each in history.generations] == [1, 2]
    assert 'action="verified"' in Path(outcome.manifests[0]).read_text()
    (one / "CARD" / "A" / "two.xml").write_bytes(b"!")
    (tmp_path / "three").mkdir()
    outcome = carried(job_of(one / "CARD", tmp_path / "three"))
    assert [fault.path for fault in outcome.faults] == ["A/two.xml"]
    assert outcome.mismatch
