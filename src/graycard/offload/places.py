"""Where an offload reads and writes: the real card and new folders, or a synthetic card and folders that go again."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from types import TracebackType

from graycard.errors import PlanProblem
from graycard.model import Target, TargetKind
from graycard.offload.cards import CARDS
from graycard.offload.crew import answered
from graycard.offload.job import Job
from graycard.offload.landing import remove_parts
from graycard.offload.space import folder_of
from graycard.scratch import Scratch, clean
from graycard.scratch.trouble import cannot_prepare
from graycard.units import format_size

# A place that did not answer before gets so long for a last call.
LAST_TRY_S = 0.2
OnLeft = Callable[[Target], None]


@contextmanager
def opened(job: Job, silent: Collection[str], on_left: OnLeft) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The card's root and the folder of each copy. TargetProblem, RunProblem where one cannot be made.

    Folders for real copies are made here, and removed again where nothing was kept in them. With a synthetic card, all
    of it lies in graycard's own folders and goes at the end. Of those that are `silent` then, nothing more than a last
    try is made; `on_left` is told where something is left.
    """
    with ExitStack() as stack:
        if job.card is None:
            kept = (_kept(folder_of(job, place), job, silent) for place in job.destinations)
            yield job.source.target.path, tuple(stack.enter_context(each) for each in kept)
            return
        card = _tree(stack, job.source.target, CARDS[job.card].name.lower().replace("_", "-"), silent, on_left)
        yield card, tuple(_tree(stack, place.target, "copy", silent, on_left) for place in job.destinations)


def remove_leftovers(job: Job) -> Iterator[str]:
    """Remove what killed runs left where the synthetic card and its copies go; what was removed, in sentences."""
    for path in dict.fromkeys(place.target.path for place in (job.source, *job.destinations)):
        done = clean(path)
        if done.removed:
            shown = Target(path, TargetKind.FOLDER).shown
            yield f"What killed runs had left in {shown} was removed, {format_size(done.removed_bytes)}."


def _tree(stack: ExitStack, target: Target, word: str, silent: Collection[str], on_left: OnLeft) -> str:
    scratch = Scratch(target.path)
    scratch.__enter__()
    folder = ""

    def leave(
        kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        if folder not in silent:
            scratch.__exit__(kind, error, trace)
        elif not answered(lambda: scratch.__exit__(kind, error, trace), LAST_TRY_S):
            on_left(target)
        return None

    stack.push(leave)
    try:
        folder = scratch.make_tree(word)
    except OSError as error:
        raise cannot_prepare(error, target.path) from error
    return folder


@contextmanager
def _kept(folder: str, job: Job, silent: Collection[str]) -> Iterator[str]:
    try:
        os.mkdir(folder)
    except FileExistsError:
        if not job.resumes:
            shown = Target(folder, TargetKind.FOLDER).shown
            raise PlanProblem(f"{shown} was just made by somebody else; choose another --name") from None
        remove_parts(folder)
    except OSError as error:
        raise cannot_prepare(error, os.path.dirname(folder)) from error
    try:
        yield folder
    finally:
        answered(lambda: remove_empty(folder), LAST_TRY_S if folder in silent else job.patience_ns / 1e9)


def remove_empty(folder: str) -> None:
    """Remove the folder if there are nothing but empty folders in it; what cannot be removed stays."""
    for path, _, names in os.walk(folder):
        if names:
            return
        del path
    for path, _, _ in os.walk(folder, topdown=False):
        with contextlib.suppress(OSError):
            os.rmdir(path)
