"""A host that opens files and notes what it was asked for; for tests that need no facts."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import cast

from graycard.protocols import Host


@dataclass
class FileHost:
    """Only what the native engine asks of a Host."""

    opened: list[tuple[str, bool, bool]] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)

    def open_file(self, path: str, *, write: bool, direct: bool) -> int:
        self.opened.append((path, write, direct))
        flags = (os.O_RDWR if write else os.O_RDONLY) | (getattr(os, "O_DIRECT", 0) if direct else 0)
        return os.open(path, flags)

    def drop_cache(self, path: str) -> None:
        self.dropped.append(path)

    def as_host(self) -> Host:
        """Seen as the whole socket."""
        return cast("Host", self)
