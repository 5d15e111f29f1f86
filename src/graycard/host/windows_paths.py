r"""Windows: what a path's text tells: raw devices, shares, and the form without the limit of 260 characters.

Naming Files, Paths, and Namespaces (Win32 documentation): \\.\ names devices, \\?\ skips parsing, \\server\ shares.
"""

from __future__ import annotations

import re

_LONG = re.compile(r"\\\\\?\\(?:[A-Za-z]:\\|UNC\\|Volume\{[0-9A-Fa-f-]+\}\\.)", re.IGNORECASE)
_UNC = re.compile(r"\\\\(?:\?\\UNC\\)?([^\\?.][^\\]*)\\([^\\]+)", re.IGNORECASE)


def is_device(path: str) -> bool:
    r"""Whether the text names a raw device: \\.\PhysicalDrive0, \\.\C:, \\?\GLOBALROOT\…, \\?\Volume{…}."""
    text = path.replace("/", "\\")
    return text.startswith("\\\\.\\") or (text.startswith("\\\\?\\") and not _LONG.match(text))


def server_of(path: str) -> str | None:
    r"""The server of \\server\share\… or \\?\UNC\server\share\…, None for a local path."""
    found = _UNC.match(path.replace("/", "\\"))
    return found[1] if found else None


def extended(path: str) -> str:
    r"""An absolute path as \\?\C:\… or \\?\UNC\server\share\…, which may be longer than 260 characters."""
    if path.startswith("\\\\?\\"):
        return path
    return "\\\\?\\UNC\\" + path[2:] if path.startswith("\\\\") else "\\\\?\\" + path
