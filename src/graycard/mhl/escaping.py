"""Text as XML has it."""

from __future__ import annotations

from html import escape


def xml_text(text: str) -> str:
    """The text for an element or attribute; a plain carriage return would be read back as a line feed."""
    return escape(text).replace("\r", "&#13;")
