"""A section of a page in docs that a program of its own measures and writes."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).parent.parent / "docs"


def write_section(name: str, section: str) -> None:
    """Put the section in the place of the one with its heading (its first line) in docs/`name`, or at the end."""
    page = DOCS / name
    text, whole = page.read_text(encoding="utf-8"), f"{section.rstrip()}\n\n"
    old = re.compile(rf"^{re.escape(section.splitlines()[0])}\n.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)
    text = old.sub(lambda _: whole, text) if old.search(text) else f"{text.rstrip()}\n\n{whole}"
    page.write_text(f"{text.rstrip()}\n", encoding="utf-8")
