"""Imports point down: a file imports only from lower floors, rooms on one floor never import each other."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "src" / "graycard"

# The map of docs/architecture.md: change both together.
FLOORS: dict[str, int] = {
    "cli": 7,
    "diagnosis": 6,
    "experiment": 5,
    "play": 5,
    "sustain": 5,
    "offload": 5,
    "alongside": 5,
    "measurement": 4,
    "link": 5,
    "copying": 5,
    "compare": 4,
    "agree": 4,
    "engines": 3,
    "transfer": 3,
    "checks": 3,
    "summary": 3,
    "scratch": 3,
    "watch": 3,
    "history": 3,
    "why": 3,
    "readings": 3,
    "plan": 2,
    "stats": 2,
    "host": 2,
    "importers": 2,
    "store": 2,
    "differences": 2,
    "media": 2,
    "mhl": 2,
    "report": 3,
    "protocols": 1,
    "agent": 1,
    "facts": 1,
    "codec": 1,
    "unseen": 1,
    "readable": 1,
    "units": 0,
    "errors": 0,
    "model": 0,
    "native": -1,
}
# Only these may reach into the cellar, and only these know SQL or print.
CELLAR_KEYS = {"engines/native.py", "engines/native_frames.py"}
FILES = sorted(ROOT.rglob("*.py"))


def room_of(path: Path) -> str:
    first = path.relative_to(ROOT).parts[0]
    return first.removesuffix(".py")


def imported(tree: ast.AST) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level:
            names.add("relative")
    return names


def test_the_map_that_is_documented_is_this_one_and_names_what_is_there() -> None:
    page = (ROOT.parent.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([0-9]|cellar) \| (`.+?`(?:, `.+?`)*) \|", page, re.MULTILINE)
    mapped = {name: floor for floor, names in rows for name in re.findall(r"`(.+?)`", names)}
    assert {name.removesuffix("/").removesuffix(".py"): floor for name, floor in mapped.items()} == {
        room: "cellar" if floor < 0 else str(floor) for room, floor in FLOORS.items()
    }
    for name in mapped:
        assert (ROOT / name).is_dir() if name.endswith("/") else (ROOT / name).is_file(), name


@pytest.mark.parametrize("path", FILES, ids=[str(p.relative_to(ROOT)) for p in FILES])
def test_imports_point_down(path: Path) -> None:
    room = room_of(path)
    if room == "__init__":
        return
    assert room in FLOORS, f"{room} is not on the map"
    names = imported(ast.parse(path.read_text()))
    assert "relative" not in names, "imports are absolute, so that the map can be read from them"
    for name in names:
        parts = name.split(".")
        if parts[0] != "graycard" or len(parts) < 2:
            continue
        other = parts[1]
        if other == "__version__" or other == room:
            continue
        assert other in FLOORS, f"{other} is not on the map"
        if other == "native":
            assert str(path.relative_to(ROOT)) in CELLAR_KEYS, "only the native engine and its frames load the core"
        assert FLOORS[other] < FLOORS[room], f"{room} (floor {FLOORS[room]}) imports {other} (floor {FLOORS[other]})"


@pytest.mark.parametrize("path", FILES, ids=[str(p.relative_to(ROOT)) for p in FILES])
def test_only_the_command_line_prints_and_exits(path: Path) -> None:
    if room_of(path) == "cli":
        return
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            assert name not in {"print", "sys.exit", "exit", "quit"}, f"line {node.lineno}: {name}"


@pytest.mark.parametrize("path", FILES, ids=[str(p.relative_to(ROOT)) for p in FILES])
def test_only_the_store_knows_sql(path: Path) -> None:
    if room_of(path) == "store":
        return
    names = {name.split(".")[0] for name in imported(ast.parse(path.read_text()))}
    assert "sqlite3" not in names
