"""Trees in a run's folder go with it, whoever removes it, and nothing outside them does."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from scratch.runs import killed, tree

from graycard.errors import RunProblem
from graycard.scratch import Scratch, State, clean, leftovers


def fill(folder: str) -> None:
    os.makedirs(os.path.join(folder, "CLIP", "inner"))
    Path(folder, "CLIP", "inner", "one.mxf").write_bytes(bytes(1000))
    Path(folder, "CLIP", "two.xml").write_bytes(bytes(10))


def test_a_tree_goes_at_the_end_and_what_a_link_in_it_points_to_stays(target: str, registry: str) -> None:
    Path(target, "mine").mkdir()
    Path(target, "mine", "clip.mov").write_bytes(b"precious")
    with Scratch(target, registry) as scratch:
        card = scratch.make_tree("card")
        fill(card)
        os.symlink(os.path.join(target, "mine"), os.path.join(card, "link"))
    assert tree(target) == {"mine": None, "mine/clip.mov": b"precious"}


def test_a_tree_of_a_killed_run_is_counted_and_removed(target: str, registry: str) -> None:
    path = killed(target, registry)
    before = leftovers(target)[0].size_bytes
    os.mkdir(os.path.join(path, "card.tree"))
    fill(os.path.join(path, "card.tree"))
    (found,) = leftovers(target)
    assert (found.state, found.why_kept, found.size_bytes - before) == (State.DEAD, None, 1010)
    assert clean(target).removed == (path,)
    assert os.listdir(target) == []


def test_a_file_of_a_trees_name_is_not_graycards(target: str, registry: str) -> None:
    path = killed(target, registry)
    Path(path, "card.tree").write_bytes(b"precious")
    (kept,) = clean(target).kept
    assert "files that graycard did not make (card.tree)" in str(kept.why_kept)


def test_a_foreign_file_beside_a_tree_stays(target: str, registry: str) -> None:
    scratch = Scratch(target, registry)
    scratch.__enter__()
    fill(scratch.make_tree("card"))
    Path(scratch.path, "foreign.mov").write_bytes(b"precious")
    with pytest.raises(RunProblem, match=r"foreign\.mov"):
        scratch.__exit__(None, None, None)
    assert Path(scratch.path, "foreign.mov").read_bytes() == b"precious"
    assert not os.path.exists(os.path.join(scratch.path, "card.tree"))
