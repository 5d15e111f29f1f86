"""What the manifests of a folder say of its files: of each file the hash that was taken first."""

from __future__ import annotations

import hmac
import os
from dataclasses import dataclass, field

from graycard.errors import AccuracyProblem, ImportProblem
from graycard.mhl.chain import CHAIN_FILE, HISTORY_FOLDER, Generation, read_chain
from graycard.mhl.hashes import HashFormat, new_hasher, text_of
from graycard.mhl.ignoring import USUAL_PATTERNS
from graycard.mhl.reading import Listed, ManifestReader
from graycard.model import Target, TargetKind

_PIECE_BYTES = 1 << 20
_MOST_CHAIN_BYTES = 16 << 20


@dataclass(frozen=True, slots=True)
class Known:
    """The hash that counts for a file: the original one. `size_bytes` is None where no manifest says it."""

    kind: HashFormat
    digest: bytes
    size_bytes: int | None


@dataclass(slots=True)
class History:
    """The history of the folder `root`; `files` by path below it, with “/”."""

    root: str
    generations: tuple[Generation, ...]
    patterns: tuple[str, ...] = USUAL_PATTERNS
    files: dict[str, Known] = field(default_factory=dict)


def load_history(root: str) -> History | None:
    """The history of a folder, or None where it has none.

    AccuracyProblem where a manifest is not the one that the chain vouches for, or is gone; ImportProblem where one
    cannot be understood; OSError.
    """
    path = os.path.join(root, HISTORY_FOLDER, CHAIN_FILE)
    try:
        with open(path, "rb") as file:
            data = file.read(_MOST_CHAIN_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return None
    generations = tuple(sorted(read_chain(data, _shown(path)), key=lambda each: each.number))
    if not generations:
        raise ImportProblem(f"the chain {_shown(path)} names no manifest; take it from another copy of the folder")
    history = History(root, generations)
    for generation in generations:
        _add(history, generation)
    return history


def _add(history: History, generation: Generation) -> None:
    name = generation.name
    path = os.path.join(history.root, HISTORY_FOLDER, name)
    if os.path.basename(name) != name or not name:
        raise ImportProblem(f"the chain of {_shown(history.root)} names a manifest outside its folder: {_shown(name)}")
    _prove(path, generation)
    with open(path, "rb") as file:
        reader = ManifestReader(file, _shown(path))
        for entry in reader.entries():
            if not entry.is_folder:
                _learn(history, entry)
    history.patterns = tuple(reader.patterns) or history.patterns


def _prove(path: str, generation: Generation) -> None:
    """AccuracyProblem unless the manifest has the C4 id that the chain has."""
    hasher = new_hasher(HashFormat.C4)
    try:
        with open(path, "rb") as file:
            while piece := file.read(_PIECE_BYTES):
                hasher.update(piece)
    except FileNotFoundError:
        raise AccuracyProblem(f"the manifest {_shown(path)} is gone; take it from another copy of the folder") from None
    if not hmac.compare_digest(text_of(HashFormat.C4, hasher.digest()), generation.c4):
        raise AccuracyProblem(
            f"the manifest {_shown(path)} was changed after it was written: the chain has another hash of it; "
            "do not rely on it, take it from another copy of the folder"
        )


def _learn(history: History, entry: Listed) -> None:
    """The first original hash of a file counts, whatever later generations found; a renamed file keeps its hash."""
    known = history.files.pop(entry.previous_path, None) if entry.previous_path else None
    known = history.files.get(entry.path) or known or _original(entry)
    if known:
        history.files[entry.path] = known


def _original(entry: Listed) -> Known | None:
    chosen = [each for each in entry.hashes if each.action == "original"] or list(entry.hashes)
    return Known(chosen[0].kind, chosen[0].digest, entry.size_bytes) if chosen else None


def _shown(path: str) -> str:
    return Target(path, TargetKind.FILE).shown
