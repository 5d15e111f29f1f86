"""Why a file of fio's holds no figure, or not a whole one: sentences with the next step."""

from __future__ import annotations

from collections.abc import Iterable

from graycard.importers.fio_job import FioJob

_NOTE_LENGTH = 200


def nothing(notes: tuple[str, ...]) -> str:
    """Of a file without any job."""
    told = next((note for note in notes if not note.startswith("note: ")), None)
    if told:
        return f"The file holds no measurement, fio failed: “{told[:_NOTE_LENGTH]}”; repeat the measurement"
    return "The file holds no figures of fio's: repeat the measurement with --output-format=json+ --output=FILE"


def nothing_moved(jobs: Iterable[FioJob]) -> str:
    """Of a file with jobs, none of which read or wrote."""
    for job in jobs:
        if job.error:
            return f"{failed(job)} and moved nothing{_why(job)}; repeat the measurement"
        if job.mixed:
            return f"fio's job “{job.name}” adds up reads and writes: repeat it without unified_rw_reporting"
    return "fio's file holds no job that read or wrote: repeat the measurement with rw=read or rw=write"


def of_job(job: FioJob, *, moved: bool = True) -> str | None:
    """Why the figures of a job are none, or not those of a whole run; None where all went well."""
    if job.error_count or job.error:
        part = "the figure is of the part before" if moved else "it moved nothing"
        return f"{failed(job)}{_why(job)}: {part}."
    if job.interrupted:
        return "fio was interrupted before its time: the figure is of the part until then."
    if job.cut_short:
        return "The file ends too early: the figure is the last whole one, from before the end."
    return None


def failed(job: FioJob) -> str:
    """Such as "fio's job “a” failed with error 28", as the beginning of a sentence."""
    return f"fio's job “{job.name}” failed with error {job.error}"


def _why(job: FioJob) -> str:
    told = [note for note in job.notes if not note.startswith("note: ")]
    return f" (“{told[-1][:_NOTE_LENGTH]}”)" if told else ""
