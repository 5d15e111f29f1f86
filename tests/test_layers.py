"""Imports point down: a file imports only from lower floors, rooms on one floor never import each other."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
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


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@cache
def names_in(path: Path) -> frozenset[str]:
    return frozenset(imported(tree_of(path)))


def test_the_map_that_is_documented_is_this_one_and_names_what_is_there() -> None:
    page = (ROOT.parent.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([0-9]|cellar) \| (`.+?`(?:, `.+?`)*) \|", page, re.MULTILINE)
    mapped = {name: floor for floor, names in rows for name in re.findall(r"`(.+?)`", names)}
    assert {name.removesuffix("/").removesuffix(".py"): floor for name, floor in mapped.items()} == {
        room: "cellar" if floor < 0 else str(floor) for room, floor in FLOORS.items()
    }
    for name in mapped:
        assert (ROOT / name).is_dir() if name.endswith("/") else (ROOT / name).is_file(), name


def test_imports_point_down() -> None:
    assert [breach for path in FILES for breach in breaches(path)] == []


def breaches(path: Path) -> Iterator[str]:
    """What a file imports against the map."""
    room, where = room_of(path), str(path.relative_to(ROOT))
    if room == "__init__":
        return
    if room not in FLOORS:
        yield f"{where}: {room} is not on the map"
        return
    for name in names_in(path):
        if name == "relative":
            yield f"{where}: imports are absolute, so that the map can be read from them"
        parts = name.split(".")
        if parts[0] != "graycard" or len(parts) < 2 or parts[1] in {"__version__", room}:
            continue
        yield from breach_of(where, room, parts[1])


def breach_of(where: str, room: str, other: str) -> Iterator[str]:
    if other not in FLOORS:
        yield f"{where}: {other} is not on the map"
    elif other == "native" and where not in CELLAR_KEYS:
        yield f"{where}: only the native engines load the core"
    elif FLOORS[other] >= FLOORS[room]:
        yield f"{where}: {room} (floor {FLOORS[room]}) imports {other} (floor {FLOORS[other]})"


def test_a_breach_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.test_layers.ROOT", tmp_path)
    (tmp_path / "stats").mkdir()
    file = tmp_path / "stats" / "upward.py"
    file.write_text("import graycard.cli.main\nfrom graycard.plan import space\nfrom graycard.native import _core\n")
    assert len(list(breaches(file))) == 3


def test_only_the_command_line_prints_and_exits() -> None:
    forbidden = {"print", "sys.exit", "exit", "quit"}
    calls = [
        f"{path.relative_to(ROOT)}, line {node.lineno}: {ast.unparse(node.func)}"
        for path in FILES
        if room_of(path) != "cli"
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute)
        if ast.unparse(node.func) in forbidden
    ]
    assert calls == []


def test_only_the_store_knows_sql() -> None:
    knowing = {room_of(path) for path in FILES if "sqlite3" in {name.split(".")[0] for name in names_in(path)}}
    assert knowing == {"store"}
