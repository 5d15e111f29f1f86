"""Camera cards: copied to one to three places at once, the card read once, hashed, read back and vouched for.

    refuse → places → (synthetic card) → copy → verify → manifests

What is done so far stands in the outcome at any time: whatever happens, it can be shown.
"""

from __future__ import annotations

from collections.abc import Sequence

from graycard.errors import Interrupted
from graycard.measurement import Keeper, OnEvent
from graycard.model import Target
from graycard.offload.cards import CARDS, FULL_BYTES
from graycard.offload.census import Census, census_of
from graycard.offload.checking import check_folder
from graycard.offload.faults import Fault, Kind
from graycard.offload.job import Forecast, Job, Leg, Outcome, Place
from graycard.offload.limits import busy_ratio, forecast_of, limit_of
from graycard.offload.making import planned
from graycard.offload.mistaken import refuse_cards
from graycard.offload.places import opened, remove_leftovers
from graycard.offload.session import Session, shown
from graycard.offload.space import MOST_DESTINATIONS_COUNT, folder_of, refuse
from graycard.offload.spool import spool
from graycard.offload.steps import copy, make, verify, write_manifests
from graycard.protocols import Clock, Host

__all__ = [
    "CARDS",
    "FULL_BYTES",
    "MOST_DESTINATIONS_COUNT",
    "Census",
    "Fault",
    "Forecast",
    "Job",
    "Kind",
    "Leg",
    "Outcome",
    "Place",
    "busy_ratio",
    "census_of",
    "check_folder",
    "folder_of",
    "offload",
    "planned",
    "refuse",
    "refuse_cards",
]


def offload(job: Job, outcome: Outcome, *, host: Host, keeper: Keeper, clock: Clock, on_event: OnEvent) -> None:
    """Carry out the job; `outcome` (new, with an id) is filled as it goes.

    Raises PlanProblem or TargetProblem before anything was written, RunProblem where it cannot go on at all,
    Interrupted on Ctrl-C. What goes wrong with single files or destinations stands in the outcome's faults.
    """
    refuse(job)
    silent: set[str] = set()
    left: list[Target] = []
    session: Session | None = None
    if job.card is not None:
        outcome.notes += remove_leftovers(job)
    try:
        with opened(job, silent, left.append) as (root, folders):
            outcome.folders = folders
            session = Session(job, root, folders, outcome, host, keeper, clock, on_event, silent=silent)
            try:
                _steps(session)
            finally:
                session.gather()
                _conclude(session)
    except KeyboardInterrupt as stop:
        if session is None:
            raise
        raise _interrupted(session, left, stop) from None
    finally:
        outcome.notes += [f"What was made in {_removed_later(target)}." for target in left]


def _steps(session: Session) -> None:
    job = session.job
    if job.card is not None:
        make(session, job.card)
    with spool() as records:
        copy(session, records)
        if job.verify is not None:
            verify(session, records, job.verify)
            if job.writes_manifest and job.card is None:
                write_manifests(session, records, job.verify)
    session.outcome.complete = {folder: session.is_whole(folder) for folder in session.folders}


def _conclude(session: Session) -> None:
    """What follows from the legs; a copy that was stopped is not complete."""
    outcome, job = session.outcome, session.job
    outcome.complete = outcome.complete or dict.fromkeys(session.folders, False)
    volumes = {place.volume.source for place in (job.source, *job.destinations)}
    outcome.limit = limit_of(outcome.legs, share_a_drive=len(volumes) == 1)
    if job.card_bytes is not None:
        outcome.forecast = forecast_of(job.card_bytes, outcome.legs)


def _interrupted(session: Session, left: Sequence[Target], stop: KeyboardInterrupt) -> Interrupted:
    """With what the removal had to say."""
    interrupted = Interrupted(f"stopped{_stopped(session, left)}")
    for note in getattr(stop, "__notes__", ()):
        interrupted.add_note(note)
    return interrupted


def _removed_later(target: Target) -> str:
    return f"{target.shown} is left; when that answers, graycard clean {target.shown} removes it"


def _stopped(session: Session, left: Sequence[Target]) -> str:
    if left:
        return "".join(f"; what was made in {_removed_later(target)}" for target in left)
    if session.job.card is not None:
        return "; the synthetic card and its copies are removed"
    if not session.landings or not any(landing.files_count for landing in session.landings):
        return f" before a file was whole{_unanswered(session) or '; nothing is left'}"
    kept = ", ".join(f"{_files(landing.files_count)} in {shown(landing.root)}" for landing in session.landings)
    return f"; these are whole and stay: {kept}{_unanswered(session)}; go on with --resume"


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count} files"


def _unanswered(session: Session) -> str:
    """Where a half-written file may be left, under its temporary name."""
    silent = [folder for folder in session.folders if folder in session.silent]
    if not silent:
        return ""
    does = "does" if len(silent) == 1 else "do"
    return f"; {', '.join(map(shown, silent))} {does} not answer, so a “.part” may be left there"
