"""dd's command line as a task. Without one, nobody can tell from dd's output whether it read, wrote or copied."""

from __future__ import annotations

import re
from dataclasses import replace

from graycard.importers.rows import MOST_COUNT
from graycard.model import (
    Action,
    Cache,
    Durability,
    IoTask,
    Operation,
    Pattern,
    Target,
    TargetKind,
    Transfer,
)
from graycard.units import parse_size

_COMMAND = re.compile(r"(?:^|[\s$#;&(`'\"])dd((?: {1,4}[a-z]{2,6}=[^\s;|&`'\"]{1,300}){1,14})")
_OPERAND = re.compile(r"([a-z]{2,6})=(\S{1,300})")
_RANDOM = {"/dev/urandom", "/dev/random"}
_UNSTATED = ("block_bytes", "span_bytes", "cache", "durability", "compressible_ratio")


def command(text: str) -> dict[str, str] | None:
    """The operands of a command line "dd if=… of=…" in the text; None where there is none with if or of."""
    match = _COMMAND.search(text)
    if not match:
        return None
    found = dict(_OPERAND.findall(match[1]))
    return found if {"if", "of"} & found.keys() else None


def task(operands: dict[str, str] | None, moved_bytes: int, block_bytes: int | None) -> IoTask:
    """What dd did: one request after the other. What neither command nor output tells is unstated."""
    known = dict(operands or {})
    block = block_bytes or _block(known)
    base = IoTask(
        Operation.WRITE,
        Pattern.SEQUENTIAL,
        block or 512,
        max(1, moved_bytes),
        byte_limit=max(1, moved_bytes),
        cache=Cache.WARM,
        durability=Durability.NONE,
        unstated=tuple(name for name in _UNSTATED if name != "block_bytes" or not block),
    )
    if known.get("of") == "/dev/null":
        return _reading(base, known)
    if known.get("if") in _RANDOM | {"/dev/zero"} and "of" in known:
        return _writing(base, known)
    return replace(base, transfer=Transfer("dd", Action.COPY))


def target(operands: dict[str, str] | None) -> Target | None:
    """The file that was written, or else read; None where that is not known."""
    known = operands or {}
    path = known.get("if") if known.get("of") == "/dev/null" else known.get("of")
    return Target(path, TargetKind.FILE) if path and not path.startswith("$") else None


def _block(known: dict[str, str]) -> int | None:
    """The default of dd is 512 bytes; without the command it is not known."""
    try:
        size = parse_size(known.get("bs", "512"))
    except ValueError:
        return None
    return size if known and 0 < size <= MOST_COUNT else None


def _reading(base: IoTask, known: dict[str, str]) -> IoTask:
    direct = "direct" in known.get("iflag", "").split(",")
    stated = {"durability"} | ({"cache"} if direct else set())
    return replace(
        base,
        operation=Operation.READ,
        cache=Cache.BYPASS if direct else Cache.WARM,
        unstated=tuple(name for name in base.unstated if name not in stated),
    )


def _writing(base: IoTask, known: dict[str, str]) -> IoTask:
    flags, conversions = known.get("oflag", "").split(","), known.get("conv", "").split(",")
    durability = Durability.NONE
    if {"sync", "dsync"} & set(flags):
        durability = Durability.EACH_WRITE
    elif {"fsync", "fdatasync"} & set(conversions):
        durability = Durability.AT_END
    return replace(
        base,
        cache=Cache.BYPASS if "direct" in flags else Cache.WARM,
        durability=durability,
        compressible_ratio=0.0 if known["if"] in _RANDOM else 1.0,
        unstated=tuple(name for name in base.unstated if name in {"block_bytes", "span_bytes"}),
    )
