"""Offloads for the tests: cards in the test's own folder, on the real machine, with a keeper that keeps in hand."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from graycard.cli.app import SystemClock
from graycard.host import this_host
from graycard.measurement import Event
from graycard.mhl import HashFormat
from graycard.model import Fact, Result
from graycard.offload import Job, Outcome, Place, census_of, offload
from graycard.offload.session import Session
from graycard.protocols import Host

MIB = 1 << 20
OnEvent = Callable[[Event], None]


class Kept:
    """Keeps results in hand."""

    def __init__(self) -> None:
        self.results: list[Result] = []

    def save(self, result: Result) -> None:
        self.results.append(result)


def place(folder: Path | str, *more: Fact) -> Place:
    host = this_host()
    target = host.resolve(str(folder))
    known = {each.name for each in more}
    facts = (*(each for each in host.facts(target) if each.name not in known), *more)
    return Place(target, host.volume(target), facts)


def job_of(card: Path, *destinations: Path | str, **changes: object) -> Job:
    census = census_of(str(card), lambda _: None)
    job = Job(place(card), tuple(place(each) for each in destinations), "CARD", census, HashFormat.XXH3)
    return replace(job, **changes)


def carried(job: Job, on_event: OnEvent = lambda _: None, outcome: Outcome | None = None) -> Outcome:
    outcome = outcome or Outcome("0123456789abcdef")
    offload(job, outcome, host=this_host(), keeper=Kept(), clock=SystemClock(), on_event=on_event)
    return outcome


def session_of(job: Job, *, host: Host | None = None) -> Session:
    """A session whose folders are there, for tests that go step by step."""
    folders = tuple(os.path.join(each.target.path, job.name) for each in job.destinations)
    for folder in folders:
        os.mkdir(folder)
    outcome = Outcome("0123456789abcdef", folders)
    root = job.source.target.path
    return Session(job, root, folders, outcome, host or this_host(), Kept(), SystemClock(), lambda _: None)


def write(path: Path, size: int, *, seed: int = 1) -> None:
    """A file that is not the same anywhere, changed a while ago."""
    path.parent.mkdir(parents=True, exist_ok=True)
    block = os.urandom(min(size, MIB))
    data = (block * (size // max(1, len(block)) + 1))[:size]
    path.write_bytes(data)
    then_ns = time.time_ns() - 86_400 * 10**9 - seed * 1_234_567_890
    os.utime(path, ns=(then_ns, then_ns))


def small_card(root: Path) -> Path:
    """A few files of every size that matters, an empty folder, an odd name."""
    card = root / "card"
    sizes = {"A/one.mov": 0, "A/two.xml": 1, "A/B/three.mov": MIB, "A/B/four.mov": MIB + 1}
    for number, (name, size) in enumerate(sizes.items()):
        write(card / name, size, seed=number)
    write(card / "C/large.mxf", 9 * MIB + 4097)
    write(card / "C/whole.mxf", 8 * MIB)
    (card / "empty/inner").mkdir(parents=True)
    return card


def tree(root: Path | str) -> dict[bytes, tuple[bytes | None, int]]:
    """Every path with its bytes (None for a folder) and the time of its last change, without histories."""
    found: dict[bytes, tuple[bytes | None, int]] = {}
    top = os.fsencode(str(root))
    for folder, folders, files in os.walk(top):
        folders[:] = [name for name in folders if name != b"ascmhl"]
        for name in folders:
            whole = os.path.join(folder, name)
            found[os.path.relpath(whole, top)] = (None, os.stat(whole).st_mtime_ns)
        for name in files:
            whole = os.path.join(folder, name)
            with open(whole, "rb") as file:
                found[os.path.relpath(whole, top)] = (file.read(), os.stat(whole).st_mtime_ns)
    return found
