"""Files are written whole or not at all, and never over others."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import click
import pytest

from graycard.cli.writing import write_file
from graycard.errors import Problem


def test_the_file_holds_the_data_and_has_ordinary_rights(tmp_path: Path) -> None:
    place = tmp_path / "x.html"
    write_file(str(place), [b"data"], force=False)
    assert place.read_bytes() == b"data"
    assert os.listdir(tmp_path) == ["x.html"]
    umask = os.umask(0)
    os.umask(umask)
    assert place.stat().st_mode & 0o777 == 0o666 & ~umask


def test_a_file_that_exists_is_kept_unless_forced(tmp_path: Path) -> None:
    place = tmp_path / "x.html"
    place.write_bytes(b"old")
    with pytest.raises(click.UsageError, match="add --force"):
        write_file(str(place), [b"new"], force=False)
    assert place.read_bytes() == b"old"
    write_file(str(place), [b"new"], force=True)
    assert place.read_bytes() == b"new"


def test_a_link_that_leads_nowhere_exists_too(tmp_path: Path) -> None:
    link = tmp_path / "x.html"
    link.symlink_to(tmp_path / "nowhere")
    with pytest.raises(click.UsageError, match="exists"):
        write_file(str(link), [b"new"], force=False)
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("place", ["/dev/null", "."])
def test_what_is_no_file_is_never_replaced(place: str) -> None:
    with pytest.raises(Problem, match="is no file"):
        write_file(place, [b"new"], force=True)
    assert not os.path.isfile(place)


def test_the_longest_name_that_a_folder_takes_can_be_written(tmp_path: Path) -> None:
    write_file(str(tmp_path / ("n" * 255)), [b"data"], force=False)


def test_a_missing_folder_is_told_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(Problem, match=r"x.pdf cannot be written \(No such file or directory\); name a file elsewhere"):
        write_file(str(tmp_path / "none" / "x.pdf"), [b"data"], force=False)


@pytest.mark.parametrize("call", ["fsync", "replace"])
@pytest.mark.parametrize("trouble", [OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), KeyboardInterrupt()], ids=repr)
def test_whatever_goes_wrong_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, trouble: BaseException
) -> None:
    place = tmp_path / "x.pdf"
    place.write_bytes(b"old")

    def fail(*_arguments: object) -> None:
        raise trouble

    monkeypatch.setattr(os, call, fail)
    with pytest.raises((Problem, KeyboardInterrupt)):
        write_file(str(place), [b"new"], force=True)
    assert os.listdir(tmp_path) == ["x.pdf"]
    assert place.read_bytes() == b"old"
