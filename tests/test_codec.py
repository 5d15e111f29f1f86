"""The nouns go through JSON whole, and bytes that are no text stay readable."""

from __future__ import annotations

import pytest

from graycard.codec import decode, encode
from graycard.model import Target, TargetKind, Tick


def test_a_noun_comes_back() -> None:
    assert decode(encode(Tick(1, 2, 3)), Tick) == Tick(1, 2, 3)


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/a b", "/a b"),
        ("/a\nb", r"/a\nb"),
        ("/a\udcffb", r"/a\xffb"),
        ("/a\ud800b", r"/a\ud800b"),
        ("/é\u202e", r"/é\u202e"),
    ],
)
def test_a_path_is_one_printable_line(path: str, shown: str) -> None:
    target = Target(path, TargetKind.FOLDER)
    assert target.shown == shown
    encode(target).decode("utf-8")
