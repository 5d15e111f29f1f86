"""What fio says of a failure, as RunProblem."""

from __future__ import annotations

import errno
import os
import re

from graycard.engines.fio_process import Outcome
from graycard.errors import RunProblem
from graycard.importers.fio import FioJob
from graycard.model import Operation, Target

_NUMBER = re.compile(r"\berr=(\d+)/")
_PLACE = re.compile(r": (read|write|sync|datasync) offset=(\d+)")
_OPENING = re.compile(r"func=(?:open|setup_files|unlink|fstat|io_queue_init)|file creation disallowed")
_FLUSHING = re.compile(r"func=\w*sync|: (?:data)?sync offset")
_NEXT = {
    errno.ENOSPC: "make room on the volume, or measure with a smaller file",
    errno.EDQUOT: "the quota is used up: make room, or measure with a smaller file",
    errno.EFBIG: "measure with a smaller file",
    errno.EACCES: "choose a file that you may open",
    errno.EPERM: "choose a file that you may open",
    errno.EINVAL: "the file system may not support direct I/O in blocks of this size: use --cache cold",
    errno.ENOSYS: "use --engine native",
}
_OTHERWISE = "check the drive, its connection and the system's log"


def problem(outcome: Outcome, job: FioJob | None, target: Target, operation: Operation) -> RunProblem | None:
    """Why the run cannot be used, or None if fio ended well."""
    failed = job is None or job.error or outcome.code
    stopped = job is not None and job.interrupted
    if not failed and not stopped:
        return None
    # Some lines go to standard error, some into the output before the JSON.
    text = "\n".join((outcome.complaints, *(job.notes if job else ())))
    number = (job.error if job else 0) or _first_number(text)
    place = _PLACE.search(text)
    offset = int(place[2]) if place else None
    where = f" at byte {offset}" if offset is not None else ""
    verb = "flush" if _phase(text) == "flush" else operation.value
    if number:
        says = f"fio could not {verb} {target.shown}{where}: {os.strerror(number)}; {_NEXT.get(number, _OTHERWISE)}"
    else:
        says = f"fio ended without a result for {target.shown} ({_last_words(outcome.code, text)}); try --engine native"
    return RunProblem(says, errno=number, offset_bytes=offset, phase=_phase(text))


def _first_number(text: str) -> int | None:
    found = _NUMBER.search(text)
    return int(found[1]) if found else None


def _phase(text: str) -> str:
    if _OPENING.search(text):
        return "prepare"
    return "flush" if _FLUSHING.search(text) else "measure"


def _last_words(code: int, text: str) -> str:
    if code < 0:
        return f"killed by signal {-code}"
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[0] if lines else f"exit code {code}"
