"""The folder of an experiment's images: kept from process to process, proven, removed at the end."""

from __future__ import annotations

import os
import re
import shutil
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scratch.image_runs import EXPERIMENT, SMALL, FakeMaker, edit_newest
from scratch.runs import tree

from graycard.errors import Interrupted, PlanProblem, RunProblem, TargetProblem
from graycard.scratch import ImageFolder, Scratch, State, clean, images, leftovers, others_running
from graycard.scratch.names import image_word, mount_word, volume_word
from graycard.scratch.owner import started_s
from graycard.scratch.place import OpenFolder


@pytest.fixture
def maker() -> FakeMaker:
    return FakeMaker()


def left(target: str, maker: FakeMaker, *names: str) -> str:
    """A folder with images for these names, left by a process that has ended."""
    with ImageFolder(target, maker, EXPERIMENT) as folder:
        for name in names:
            folder.make(name, SMALL)
    edit_newest(folder.path, started_s=-1000.0)
    return folder.path


def test_a_volume_is_made_once_and_mounted_each_time(target: str, maker: FakeMaker) -> None:
    told = list[int]()
    with ImageFolder(target, maker, EXPERIMENT) as folder:
        for _ in range(3):
            with folder.mounted("exFAT 128K", SMALL, told.append) as point:
                assert list(maker.at) == [point]
                assert os.path.dirname(point) == folder.path
            assert maker.at == {}
        folder.finish()
    assert len(maker.made) == 1
    assert told == [SMALL.size_bytes]
    assert os.listdir(target) == []


def test_names_that_differ_have_volumes_of_their_own(target: str, maker: FakeMaker) -> None:
    with ImageFolder(target, maker, EXPERIMENT) as folder:
        with folder.mounted("a b", SMALL) as one, folder.mounted("a-b", SMALL) as two:
            assert one != two
        folder.finish()
    assert os.listdir(target) == []


@given(st.text(max_size=60), st.text(max_size=60))
def test_a_word_for_any_name(one: str, other: str) -> None:
    word = volume_word(one)
    assert re.fullmatch(r"[a-z][a-z0-9-]{0,39}", word)
    assert (word == volume_word(other)) is (one == other)
    assert image_word(f"{word}.graycard.img") == image_word(f"{word}.unfinished.graycard.dmg") == word
    assert mount_word(f"{word}.mount") == word


def test_images_stay_for_the_next_process(target: str, maker: FakeMaker) -> None:
    path = left(target, maker, "a", "b")
    assert len(os.listdir(path)) == 3, "two images and the marker"
    with ImageFolder(target, maker, EXPERIMENT) as folder:
        assert (folder.path, folder.adopted) == (path, True)
        assert [each.state for each in leftovers(target)] == [State.ALIVE]
        with folder.mounted("a", SMALL):
            pass
        assert len(maker.made) == 2
        folder.finish()
    assert os.listdir(target) == []


def test_one_process_may_enter_again(target: str, maker: FakeMaker) -> None:
    with ImageFolder(target, maker, EXPERIMENT) as first:
        first.make("a", SMALL)
    with ImageFolder(target, maker, EXPERIMENT) as second:
        assert (second.path, second.adopted) == (first.path, True)
        second.make("a", SMALL)
        second.finish()
    assert maker.made == ["a-" + maker.made[0][2:]]
    assert os.listdir(target) == []


def test_an_image_that_was_half_made_is_made_anew(target: str, maker: FakeMaker) -> None:
    path = left(target, maker)
    Path(path, f"{volume_word('a')}.unfinished.graycard.img").write_bytes(b"half")
    with ImageFolder(target, maker, EXPERIMENT) as folder:
        folder.make("a", SMALL)
        assert not [name for name in os.listdir(path) if "unfinished" in name]
        folder.finish()
    assert os.listdir(target) == []


def test_an_image_that_cannot_be_made_leaves_nothing(target: str, maker: FakeMaker) -> None:
    maker.fails = True
    with ImageFolder(target, maker, EXPERIMENT) as folder:
        with pytest.raises(RunProblem, match="mkfs failed"), folder.mounted("a", SMALL):
            pass
        assert os.listdir(folder.path) == ["owner.json"]
        folder.finish()
    assert os.listdir(target) == []


def test_discard_removes_one_image(target: str, maker: FakeMaker) -> None:
    with ImageFolder(target, maker, EXPERIMENT) as folder:
        folder.make("a", SMALL)
        with folder.mounted("b", SMALL):
            pass
        folder.discard("b")
        folder.discard("never made")
        assert [image_word(name) for name in os.listdir(folder.path) if image_word(name)] == [volume_word("a")]
        folder.finish()


def test_another_experiment_has_a_folder_of_its_own(target: str, maker: FakeMaker) -> None:
    path = left(target, maker, "a")
    before = tree(path)
    with ImageFolder(target, maker, "other") as folder:
        assert (folder.path != path, folder.adopted) == (True, False)
        folder.finish()
    assert tree(path) == before


NOT_ADOPTED: list[tuple[dict[str, object], str]] = [
    ({"machine": ["00ff"]}, "made on another computer"),
    ({"user": 12345}, "belongs to another user"),
    ({"schema": "graycard-owner/2"}, "no valid marker"),
]


@pytest.mark.parametrize(("changes", "says"), NOT_ADOPTED)
def test_what_is_not_proven_ours_is_neither_adopted_nor_removed(
    target: str, maker: FakeMaker, changes: dict[str, object], says: str
) -> None:
    path = left(target, maker, "a")
    edit_newest(path, **changes)
    before = tree(path)
    with ImageFolder(target, maker, EXPERIMENT) as folder:
        assert folder.path != path
        folder.finish()
    (kept,) = clean(target, maker).kept
    assert says in str(kept.why_kept)
    assert tree(path) == before


@pytest.mark.parametrize(
    "name", ["clip.mov", "A.graycard.img", "a.img", "a.mount.bak", "owner-1.json", "read.graycard"]
)
def test_a_folder_that_also_holds_something_else_is_left_whole(target: str, maker: FakeMaker, name: str) -> None:
    path = left(target, maker, "a")
    Path(path, name).write_bytes(b"precious")
    before = tree(path)
    with ImageFolder(target, maker, EXPERIMENT) as folder:
        assert folder.path != path
        folder.finish()
    assert "holds files that graycard did not make" in str(clean(target, maker).kept[0].why_kept)
    assert tree(path) == before


def test_files_in_a_mount_folder_are_left(target: str, maker: FakeMaker) -> None:
    path = left(target, maker, "a")
    precious = Path(path, f"{volume_word('a')}.mount")
    precious.mkdir()
    (precious / "clip.mov").write_bytes(b"precious")
    (kept,) = clean(target, maker).kept
    assert "cannot be read or removed (Directory not empty)" in str(kept.why_kept)
    assert (precious / "clip.mov").read_bytes() == b"precious"


def test_links_with_our_names_are_not_followed(target: str, maker: FakeMaker, tmp_path: Path) -> None:
    path, victim = left(target, maker, "a"), tmp_path / "victim"
    victim.mkdir()
    (victim / "clip.mov").write_bytes(b"precious")
    Path(path, f"{volume_word('b')}.graycard.img").symlink_to(victim / "clip.mov")
    assert "did not make" in str(clean(target, maker).kept[0].why_kept)
    os.unlink(Path(path, f"{volume_word('b')}.graycard.img"))
    Path(path, f"{volume_word('b')}.mount").symlink_to(victim)
    assert "did not make" in str(clean(target, maker).kept[0].why_kept)
    assert tree(str(victim)) == {"clip.mov": b"precious"}


def test_clean_keeps_images_for_the_experiment_unless_it_can_unmount_them(target: str, maker: FakeMaker) -> None:
    path = left(target, maker, "a", "b")
    (kept,) = clean(target).kept
    assert (kept.path, kept.state, kept.experiment_id) == (path, State.DEAD, EXPERIMENT)
    assert "holds the volumes of an interrupted experiment; resume it, or remove them by" in str(kept.why_kept)
    done = clean(target, maker)
    assert (done.removed, done.kept) == ((path,), ())
    assert done.removed_bytes >= 2 * len(b"image")
    assert os.listdir(target) == []


def test_clean_keeps_images_in_use(target: str, maker: FakeMaker) -> None:
    with ImageFolder(target, maker, EXPERIMENT) as folder:
        folder.make("a", SMALL)
        (kept,) = clean(target, maker).kept
        assert f"in use by the running process {os.getpid()}" in str(kept.why_kept)
        folder.finish()


def test_clean_tells_what_cannot_be_unmounted_and_can_go_on_later(target: str, maker: FakeMaker) -> None:
    path = left(target, maker, "a")
    point = os.path.join(path, f"{volume_word('a')}.mount")
    os.mkdir(point)
    maker.at[point] = os.path.join(path, f"{volume_word('a')}.graycard.img")
    maker.busy = True
    (kept,) = clean(target, maker).kept
    assert kept.why_kept == "in use by bash (1)"
    assert len(os.listdir(path)) == 4, "image, mount folder, and two markers"
    maker.busy = False
    edit_newest(path, started_s=-1000.0)
    assert clean(target, maker).removed == (path,)
    assert os.listdir(target) == []


def test_only_one_becomes_the_next_owner(target: str, maker: FakeMaker) -> None:
    path = left(target, maker, "a")
    folder_id = os.path.basename(path).removeprefix(".graycard-")
    with OpenFolder.open(path) as one, OpenFolder.open(path) as other:
        images.take_over(one, folder_id)
        with pytest.raises(FileExistsError):
            images.take_over(other, folder_id)
    assert sorted(name for name in os.listdir(path) if name.startswith("owner")) == ["owner-2.json", "owner.json"]


@pytest.fixture
def outrun(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process makes the next marker between the look at a folder and the attempt to become its owner."""
    real: Callable[[OpenFolder, str, bytes], None] = OpenFolder.create

    def late(self: OpenFolder, name: str, content: bytes) -> None:
        real(self, name, content)
        real(self, name, content)

    monkeypatch.setattr(OpenFolder, "create", late)


def test_the_faster_of_two_enters(target: str, maker: FakeMaker, request: pytest.FixtureRequest) -> None:
    left(target, maker, "a")
    request.getfixturevalue("outrun")
    with pytest.raises(TargetProblem, match="this experiment already runs in another process"):
        ImageFolder(target, maker, EXPERIMENT).__enter__()


def test_the_faster_of_two_cleans(target: str, maker: FakeMaker, request: pytest.FixtureRequest) -> None:
    path = left(target, maker, "a")
    request.getfixturevalue("outrun")
    (kept,) = clean(target, maker).kept
    assert "is just being taken over by another process" in str(kept.why_kept)
    assert f"{volume_word('a')}.graycard.img" in os.listdir(path)


def test_a_running_experiment_is_not_entered_twice(target: str, maker: FakeMaker) -> None:
    path = left(target, maker, "a")
    parent = os.getppid()
    edit_newest(path, pid=parent, started_s=started_s(parent))
    with pytest.raises(TargetProblem, match=f"already runs in the process {parent}"):
        ImageFolder(target, maker, EXPERIMENT).__enter__()


@pytest.mark.parametrize("error", [KeyboardInterrupt(), Interrupted("stopped"), SystemExit(3), OSError(5, "x")])
def test_whatever_happens_all_is_unmounted_and_kept(target: str, maker: FakeMaker, error: BaseException) -> None:
    with (
        pytest.raises(type(error)) as caught,
        ImageFolder(target, maker, EXPERIMENT) as folder,
        folder.mounted("a", SMALL),
    ):
        raise error
    assert caught.value is error
    assert maker.at == {}
    assert len(maker.made) == 1
    with ImageFolder(target, maker, EXPERIMENT) as again:
        assert again.adopted
        again.finish()


def measured(target: str, maker: FakeMaker, error: BaseException | None) -> None:
    """A volume that somebody uses when it is to be unmounted."""
    with ImageFolder(target, maker, EXPERIMENT) as folder, folder.mounted("a", SMALL):
        maker.busy = True
        if error:
            raise error


def test_what_cannot_be_unmounted_is_told(target: str, maker: FakeMaker) -> None:
    with pytest.raises(RunProblem, match="in use by bash"):
        measured(target, maker, None)
    with pytest.raises(RunProblem, match="in use by bash"):
        measured(target, maker, None)
    maker.busy = False
    stopped = Interrupted("stopped")
    with pytest.raises(Interrupted):
        measured(target, maker, stopped)
    assert "in use by bash (1)" in stopped.__notes__
    maker.busy = False
    with ImageFolder(target, maker, EXPERIMENT) as last:
        assert maker.at == {}, "entering unmounts what was left mounted"
        last.finish()
    assert os.listdir(target) == []


def test_too_little_room_is_told_before_anything_is_written(
    target: str, maker: FakeMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(100_000_000, 0, 26_000_000))
    with ImageFolder(target, maker, EXPERIMENT) as folder:
        says = "has 26.0 MB free, too little for an image of 16.8 MB and 10.0 MB that stay free"
        with pytest.raises(PlanProblem, match=re.escape(says)):
            folder.make("a", SMALL)
        folder.finish()
    assert maker.made == []


def test_a_folder_that_is_not_there_or_may_not_be_written(target: str, maker: FakeMaker) -> None:
    with pytest.raises(TargetProblem, match="cannot be read"):
        ImageFolder(os.path.join(target, "missing"), maker, EXPERIMENT).__enter__()


def test_own_images_are_no_other_measurement(target: str, maker: FakeMaker, registry: str) -> None:
    with ImageFolder(target, maker, EXPERIMENT) as folder, Scratch(target, registry) as mine:
        assert others_running(target, mine.id, registry) == 0
        folder.finish()


def test_use_outside_the_block_is_a_mistake(target: str, maker: FakeMaker) -> None:
    with pytest.raises(RuntimeError, match="outside its with block"):
        ImageFolder(target, maker, EXPERIMENT).make("a", SMALL)
