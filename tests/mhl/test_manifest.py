"""Manifests and chains: written and read back, damaged, and not graycard's own."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graycard.errors import AccuracyProblem, ImportProblem
from graycard.mhl import (
    CHAIN_FILE,
    HISTORY_FOLDER,
    FileHash,
    FolderDigests,
    FolderHash,
    Generation,
    HashFormat,
    Head,
    Ignored,
    Listed,
    ManifestReader,
    chain_text,
    is_listable,
    load_history,
    manifest_name,
    read_chain,
    write_manifest,
)

NOW = datetime(2026, 11, 30, 20, 4, 4, tzinfo=UTC)
HEAD = Head(NOW, "host & co", "graycard", "0.1.0", "transfer", (".DS_Store", "ascmhl", "ascmhl/"))
ROOT = FolderHash("", 0, FolderDigests(b"\1" * 8, b"\2" * 8))
PATHS = st.text(min_size=1, max_size=40).filter(is_listable)
FILES = st.builds(
    FileHash,
    path=PATHS,
    size_bytes=st.integers(0, 2**63),
    modified_ns=st.integers(-(2**70), 2**70),
    digest=st.binary(min_size=8, max_size=8),
    hashed_ns=st.integers(0, 2**62),
    action=st.sampled_from(["original", "verified", "failed", None]),
)


def written(*entries: FileHash | FolderHash) -> tuple[bytes, str]:
    file = io.BytesIO()
    c4 = write_manifest(file, HEAD, HashFormat.XXH3, ROOT, entries)
    return file.getvalue(), c4


def listed(data: bytes) -> list[Listed]:
    return list(ManifestReader(io.BytesIO(data), "a.mhl").entries())


@given(st.lists(FILES, max_size=5))
def test_what_is_written_is_read_back(files: list[FileHash]) -> None:
    found = listed(written(*files)[0])
    assert [(each.path, each.size_bytes, each.hashes[0].digest, each.hashes[0].action) for each in found] == [
        (each.path, each.size_bytes, each.digest, each.action) for each in files
    ]


def test_folders_patterns_and_process_are_read_back() -> None:
    data, _ = written(FolderHash("A/B", 10**18, FolderDigests(b"\3" * 8, b"\4" * 8)))
    reader = ManifestReader(io.BytesIO(data), "a.mhl")
    (folder,) = reader.entries()
    assert (folder.path, folder.is_folder, folder.hashes[0].digest) == ("A/B", True, b"\3" * 8)
    assert (tuple(reader.patterns), reader.process) == (HEAD.patterns, "transfer")


@pytest.mark.parametrize("path", ["a\0b", "a\x1b[0m", "\udcff.mov", "\ufffe"])
def test_what_xml_cannot_hold_is_not_listable(path: str) -> None:
    assert not is_listable(path)


@pytest.mark.parametrize("cut", [0.2, 0.5, 0.9, 0.99])
def test_a_manifest_that_is_cut_short_is_told_with_its_line(cut: float) -> None:
    data, _ = written(FileHash("A/x.mov", 3, 0, b"12345678", 0), FileHash("A/y.mov", 3, 0, b"12345678", 0))
    with pytest.raises(ImportProblem, match=r"a\.mhl is damaged \(line "):
        listed(data[: int(len(data) * cut)])


def test_a_manifest_with_entities_or_no_hashes_is_refused() -> None:
    data, _ = written(FileHash("A/x.mov", 3, 0, b"12345678", 0))
    bomb = data.replace(b"<hashlist", b'<!DOCTYPE x [<!ENTITY a "b">]><hashlist', 1)
    with pytest.raises(ImportProblem, match="entities"):
        listed(bomb)
    with pytest.raises(ImportProblem, match="no hash"):
        listed(data.replace(b"3132333435363738", b"take one"))


@given(
    st.lists(st.builds(Generation, st.integers(1, 9999), PATHS.map(str.strip).filter(bool), st.just("c4" + "1" * 88)))
)
def test_a_chain_is_read_back(generations: list[Generation]) -> None:
    assert read_chain(chain_text(generations).encode(), "chain") == tuple(generations)


def test_names_of_manifests() -> None:
    assert manifest_name(1, "A002R2EC", NOW) == "0001_A002R2EC_2026-11-30_200404Z.mhl"
    assert len(manifest_name(12, "ä" * 255, NOW).encode()) <= 255


def history(folder: Path, *manifests: bytes) -> None:
    """Write manifests with a chain that vouches for them."""
    from graycard.mhl import new_hasher, text_of

    (folder / HISTORY_FOLDER).mkdir(exist_ok=True)
    generations = []
    for number, data in enumerate(manifests, 1):
        hasher = new_hasher(HashFormat.C4)
        hasher.update(data)
        name = f"{number:04}_card.mhl"
        (folder / HISTORY_FOLDER / name).write_bytes(data)
        generations.append(Generation(number, name, text_of(HashFormat.C4, hasher.digest())))
    (folder / HISTORY_FOLDER / CHAIN_FILE).write_text(chain_text(generations))


def test_the_first_original_hash_counts(tmp_path: Path) -> None:
    first, _ = written(FileHash("x", 1, 0, b"original", 0))
    second, _ = written(FileHash("x", 1, 0, b"later---", 0, "failed"), FileHash("y", 1, 0, b"yyyyyyyy", 0))
    history(tmp_path, first, second)
    found = load_history(str(tmp_path))
    assert found is not None
    assert {path: known.digest for path, known in found.files.items()} == {"x": b"original", "y": b"yyyyyyyy"}
    assert [each.number for each in found.generations] == [1, 2]


def test_a_renamed_file_keeps_its_hash(tmp_path: Path) -> None:
    first, _ = written(FileHash("x", 1, 0, b"original", 0))
    second, _ = written(FileHash("z", 1, 0, b"whatever", 0, "verified"))
    renamed = second.replace(b"    </hash>", b"      <previousPath>x</previousPath>\n    </hash>")
    history(tmp_path, first, renamed)
    found = load_history(str(tmp_path))
    assert found is not None
    assert {path: known.digest for path, known in found.files.items()} == {"z": b"original"}


def test_a_manifest_that_was_changed_or_lost_is_told(tmp_path: Path) -> None:
    history(tmp_path, written(FileHash("x", 1, 0, b"original", 0))[0])
    path = tmp_path / HISTORY_FOLDER / "0001_card.mhl"
    path.write_bytes(path.read_bytes().replace(b"6f726967696e616c", b"6f726967696e616d"))
    with pytest.raises(AccuracyProblem, match="changed after it was written"):
        load_history(str(tmp_path))
    path.unlink()
    with pytest.raises(AccuracyProblem, match="is gone"):
        load_history(str(tmp_path))


def test_a_folder_without_a_history_has_none(tmp_path: Path) -> None:
    assert load_history(str(tmp_path)) is None


def test_a_chain_that_leads_outside_is_refused(tmp_path: Path) -> None:
    (tmp_path / HISTORY_FOLDER).mkdir()
    text = chain_text([Generation(1, "../../etc/passwd", "c4" + "1" * 88)])
    (tmp_path / HISTORY_FOLDER / CHAIN_FILE).write_text(text)
    with pytest.raises(ImportProblem, match="outside its folder"):
        load_history(str(tmp_path))


@pytest.mark.parametrize(
    ("pattern", "left_out", "kept"),
    [
        (".DS_Store", ["A/.DS_Store", ".DS_Store"], ["x.DS_Store"]),
        ("ascmhl/", ["ascmhl/0001.mhl", "A/ascmhl/x"], ["ascmhl", "A/ascmhl.xml"]),
        ("*.tmp", ["a.tmp", "A/B/c.tmp"], ["a.tmp.mov"]),
        ("/top", ["top", "top/x"], ["A/top"]),
        ("A/**/z", ["A/z", "A/b/c/z"], ["B/A/z"]),
        ("clip[0-3]?.mov", ["clip21.mov"], ["clip41.mov", "clip2/.mov"]),
    ],
)
def test_patterns_leave_out_what_they_name(pattern: str, left_out: list[str], kept: list[str]) -> None:
    ignored = Ignored([pattern, "# a comment", ""])
    assert [path for path in left_out if not ignored.leaves_out_any(path)] == []
    assert [path for path in kept if ignored.leaves_out_any(path)] == []


def test_a_later_pattern_takes_in_again() -> None:
    ignored = Ignored(["*.xml", "!keep.xml"])
    assert ignored.leaves_out_any("a.xml")
    assert not ignored.leaves_out_any("keep.xml")
