"""Where the store lies unless the user names a file."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

VARIABLE = "GRAYCARD_STORE"


def default_path(environment: Mapping[str, str] | None = None, platform: str = sys.platform) -> str:
    """The file GRAYCARD_STORE names, else results.db in the user's data folder of the platform.

    Linux and others: XDG Base Directory Specification 0.8 (a relative XDG_DATA_HOME is ignored, as it says);
    macOS: Application Support; Windows: %LOCALAPPDATA%. `environment` is os.environ unless given.
    """
    variables = os.environ if environment is None else environment
    if named := variables.get(VARIABLE):
        return os.path.abspath(named)
    home = variables.get("HOME") or os.path.expanduser("~")
    return os.path.join(_data_folder(variables, home, platform), "graycard", "results.db")


def _data_folder(variables: Mapping[str, str], home: str, platform: str) -> str:
    if platform == "darwin":
        return os.path.join(home, "Library", "Application Support")
    if platform == "win32":
        return variables.get("LOCALAPPDATA") or os.path.join(os.path.expanduser("~"), "AppData", "Local")
    chosen = variables.get("XDG_DATA_HOME", "")
    return chosen if os.path.isabs(chosen) else os.path.join(home, ".local", "share")
