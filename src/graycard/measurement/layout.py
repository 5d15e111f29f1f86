"""Before the first run: the files are made, written whole, and described."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import replace

from graycard.errors import RunProblem, TargetProblem
from graycard.measurement.session import Session
from graycard.measurement.trouble import under_way
from graycard.model import Cache, Durability, IoTask, Target, TargetKind
from graycard.plan import file_name, layout, through
from graycard.protocols import Progress
from graycard.scratch import Scratch, clean, others_running, present
from graycard.units import format_size


def remove_leftovers(session: Session) -> None:
    """Remove what a killed run has left in the same folder, where that is proven; the user is told."""
    target = session.plan.target
    if target.kind is TargetKind.FILE:
        return
    done = clean(target.path)
    if done.removed:
        count, size = len(done.removed), format_size(done.removed_bytes)
        folders = "test folder" if count == 1 else "test folders"
        session.notes.append(f"Removed {count} {folders} that killed runs had left here, {size}.")


@contextlib.contextmanager
def files_to_measure(session: Session) -> Iterator[None]:
    """The user's own file if it is to be read, else a scratch folder that goes when the measurement ends."""
    target = session.plan.target
    if target.kind is TargetKind.FILE:
        with present(target.path) as own_id:
            for index in range(len(session.plan.tasks)):
                session.name_file(file_name(session.plan, index), target.path)
            session.count_others = lambda: others_running(target.path, own_id)
            yield
        return
    with Scratch(target.path) as scratch:
        session.disown = scratch.disown
        session.facts += session.host.folder_facts(scratch.path)
        for file in layout(session.plan):
            session.name_file(file.name, scratch.file_path(file.name))
        session.count_others = lambda: others_running(target.path, scratch.id)
        yield


def lay_out(session: Session) -> None:
    """Write each file whole with unique data, so that no read meets a hole, an unwritten extent, or zeros."""
    files = layout(session.plan)
    for file in files:
        create(session, session.paths[file.name])
    direct = may_be_direct(session)
    with under_way(session, "layout"):
        for file in files:
            write_whole(
                session, session.paths[file.name], file.task if direct else replace(file.task, cache=Cache.COLD)
            )
        for name, path in session.paths.items():
            session.file_before[name] = session.host.file_facts(path, lambda: session.tell("layout", "looking at it"))


def create(session: Session, path: str) -> None:
    """A new, empty file; RunProblem where the name is taken, which nobody but an intruder can have done."""
    try:
        os.close(session.host.create_file(path, direct=False, nocow=session.plan.nocow))
    except FileExistsError as error:
        if session.disown:
            session.disown(path)
        says = f"another program made {Target(path, TargetKind.FILE).shown}; it was not touched, measure elsewhere"
        raise RunProblem(says, errno=error.errno, offset_bytes=None, phase="layout") from error


def write_whole(session: Session, path: str, task: IoTask) -> None:
    """One sequential write of the whole file by the engine itself; through the page cache it is flushed in pieces."""
    says = "writing the test file"
    buffered = task.cache is not Cache.BYPASS

    def on_tick(progress: Progress) -> None:
        session.tell("layout", says, None, progress)

    session.tell("layout", says)
    try:
        task = replace(task, durability=Durability.NONE) if buffered else task
        session.arms[0].engine.run(task, Target(path, TargetKind.FILE), on_tick)
        if buffered:
            session.host.write_back(path, lambda: session.tell("layout", says))
    except RunProblem as problem:
        raise RunProblem(
            f"while {says}: {problem}", errno=problem.errno, offset_bytes=problem.offset_bytes, phase="layout"
        ) from problem


def may_be_direct(session: Session) -> bool:
    """Whether the file system takes direct I/O.

    One that refuses it is measured through the emptied page cache, and the result says so.
    """
    if not layout(session.plan) and not _bypasses(session):
        return False
    try:
        os.close(session.host.open_file(next(iter(session.paths.values())), write=False, direct=True))
    except TargetProblem as problem:
        if _bypasses(session):
            _use_page_cache(session, problem)
        return False
    return True


def _bypasses(session: Session) -> bool:
    return any(arm.task.cache is Cache.BYPASS for arm in session.arms)


def _use_page_cache(session: Session, problem: TargetProblem) -> None:
    if any(arm.earlier_count and arm.task.cache is Cache.BYPASS for arm in session.arms):
        raise problem  # the earlier runs were direct: others must not be mixed with them
    session.notes.append(f"{problem}; measured with --cache cold instead")
    for arm in session.arms:
        arm.task = through(arm.task, Cache.COLD)
