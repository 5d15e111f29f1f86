"""Where the kernel's text files lie, as an argument, so that tests can hand in a tree of their own."""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Roots:
    """The folders that the kernel and udev fill."""

    proc: str = "/proc"
    sys: str = "/sys"
    dev: str = "/dev"
    run: str = "/run"


HERE = Roots()


def read_text(path: str) -> str | None:
    """The whole text with its line ends as they are, or None where it is absent or may not be read."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
            return file.read()
    except OSError:
        return None


def read_word(path: str) -> str | None:
    """The text without blanks around it; None where it is absent or empty."""
    text = read_text(path)
    return (text.strip(" \t\n\0") or None) if text is not None else None


def read_number(path: str) -> int | None:
    """The text as a whole number, or None."""
    word = read_word(path)
    try:
        return int(word) if word is not None else None
    except ValueError:
        return None


def read_link_name(path: str) -> str | None:
    """Last part of where a symlink points, as sysfs names drivers; None without the link."""
    try:
        return os.path.basename(os.readlink(path))
    except OSError:
        return None


def names_in(folder: str) -> tuple[str, ...]:
    """Sorted names in a folder; empty where it cannot be listed."""
    try:
        return tuple(sorted(os.listdir(folder)))
    except OSError:
        return ()
