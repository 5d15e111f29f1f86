"""However a file came through a clipboard, a forum or an editor, it gives the same results."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from importers.samples import own_samples

from graycard.importers import read_parts

# Bare columns, without a word of their own, are files that nobody pastes.
COLUMNS_ONLY = {".log", "1.3-columns.txt"}


def _windows(text: str) -> bytes:
    return text.replace("\r\n", "\n").replace("\n", "\r\n").encode()


def _utf16(text: str) -> bytes:
    return b"\xff\xfe" + text.encode("utf-16-le")


def _marked(text: str) -> bytes:
    return b"\xef\xbb\xbf" + text.encode()


def _quoted(text: str) -> bytes:
    return "\n".join(f"> {line}" for line in text.split("\n")).encode()


def _indented(text: str) -> bytes:
    return "\n".join(f"    {line}" for line in text.split("\n")).encode()


def _fenced(text: str) -> bytes:
    return f"Hello, here is mine:\n\n```\n{text}\n```\nWhat do you think?\n".encode()


DRESSES: tuple[Callable[[str], bytes], ...] = (_windows, _utf16, _marked, _quoted, _indented, _fenced)


def found(data: bytes, name: str) -> list[tuple[object, ...]]:
    return [
        (part.importer, result.task.label, result.summary and result.summary.rate.value, bool(result.trouble))
        for part in read_parts(io.BytesIO(data), name)
        for result in part.results
    ]


def pasted() -> tuple[tuple[Path, str], ...]:
    """Our own samples that are text, with it."""
    samples = (path for path in own_samples() if not {path.suffix, path.name} & COLUMNS_ONLY)
    return tuple((path, path.read_text("utf-8")) for path in samples if _is_text(path.read_bytes()))


def _is_text(data: bytes) -> bool:
    try:
        return "\0" not in data.decode("utf-8")
    except UnicodeDecodeError:
        return False


@pytest.mark.parametrize(("path", "text"), pasted(), ids=lambda each: str(each)[-40:] if isinstance(each, Path) else "")
def test_a_pasted_copy_gives_the_same_results(path: Path, text: str) -> None:
    expected = found(path.read_bytes(), path.name)
    for dress in DRESSES:
        assert found(dress(text), path.name) == expected, dress.__name__
