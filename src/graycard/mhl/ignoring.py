"""What a manifest leaves out: patterns as in a .gitignore, of which ASC MHL takes the syntax."""

from __future__ import annotations

import re
from collections.abc import Iterable

# Those of the reference tool.
USUAL_PATTERNS = (".DS_Store", "ascmhl", "ascmhl/")


class Ignored:
    """Whether paths below a folder (with “/”) are left out. Negated patterns (“!”) take paths in again.

    A path below a folder that is left out is left out; whoever walks a tree does not go into such a folder.
    """

    def __init__(self, patterns: Iterable[str] = USUAL_PATTERNS) -> None:
        self.patterns = tuple(patterns)
        self._rules = [rule for each in self.patterns if (rule := _rule(each))]

    def leaves_out(self, path: str, *, is_folder: bool) -> bool:
        """Whether the file or folder itself is left out: the last pattern that fits decides."""
        for matches, for_folders, takes_in in reversed(self._rules):
            if (is_folder or not for_folders) and matches.fullmatch(path):
                return not takes_in
        return False

    def leaves_out_any(self, path: str) -> bool:
        """Whether the file or one of the folders that it lies in is left out."""
        parts = path.split("/")
        folders = ("/".join(parts[:count]) for count in range(1, len(parts)))
        return any(self.leaves_out(each, is_folder=True) for each in folders) or self.leaves_out(path, is_folder=False)


def _rule(pattern: str) -> tuple[re.Pattern[str], bool, bool] | None:
    """The paths it fits, whether it is for folders alone, and whether it takes in; None for a comment or nothing."""
    text = pattern.rstrip()
    if not text or text.startswith("#"):
        return None
    takes_in, for_folders = text.startswith("!"), text.endswith("/")
    text = text.removeprefix("!").rstrip("/")
    anchored = "/" in text
    body = _expression(text.removeprefix("/"))
    return re.compile(body if anchored else f"(?:.*/)?{body}", re.DOTALL), for_folders, takes_in


def _expression(glob: str) -> str:
    return "".join(_TOKENS.get(token) or _other(token) for token in _TOKEN.findall(glob))


_TOKEN = re.compile(r"\*\*/|/\*\*$|\*\*|\*|\?|\[[!^]?\]?[^\]]*\]|\\.|.", re.DOTALL)
_TOKENS = {"**/": "(?:.*/)?", "/**": "/.*", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def _other(token: str) -> str:
    if len(token) > 1 and token.startswith("["):
        inside = token[1:-1].replace("\\", "\\\\").replace("[", "\\[")
        return f"[{'^' + inside[1:] if inside[0] in '!^' else inside}]"
    return re.escape(token[-1])
