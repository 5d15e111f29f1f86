"""Where an offload reads and writes: the real card and new folders, or a synthetic card and folders that go again."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from graycard.errors import PlanProblem
from graycard.model import Target, TargetKind
from graycard.offload.cards import CARDS
from graycard.offload.job import Job
from graycard.offload.landing import remove_parts
from graycard.offload.space import folder_of
from graycard.scratch import Scratch
from graycard.scratch.trouble import cannot_prepare


@contextmanager
def opened(job: Job) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The card's root and the folder of each copy. TargetProblem, RunProblem where one cannot be made.

    Folders for real copies are made here, and removed again where nothing was kept in them. With a synthetic card, all
    of it lies in graycard's own folders and goes at the end.
    """
    with ExitStack() as stack:
        if job.card is None:
            folders = tuple(stack.enter_context(_kept(folder_of(job, place), job)) for place in job.destinations)
            yield job.source.target.path, folders
            return
        card = _tree(stack, job.source.target, CARDS[job.card].name.lower().replace("_", "-"))
        yield card, tuple(_tree(stack, place.target, "copy") for place in job.destinations)


def _tree(stack: ExitStack, target: Target, word: str) -> str:
    scratch = stack.enter_context(Scratch(target.path))
    try:
        return scratch.make_tree(word)
    except OSError as error:
        raise cannot_prepare(error, target.path) from error


@contextmanager
def _kept(folder: str, job: Job) -> Iterator[str]:
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
        remove_empty(folder)


def remove_empty(folder: str) -> None:
    """Remove the folder if there are nothing but empty folders in it; what cannot be removed stays."""
    for path, _, names in os.walk(folder):
        if names:
            return
        del path
    for path, _, _ in os.walk(folder, topdown=False):
        with contextlib.suppress(OSError):
            os.rmdir(path)
