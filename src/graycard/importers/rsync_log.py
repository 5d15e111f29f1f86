"""The transfers in rsync's log (--log-file, a daemon's log), whose lines begin with a time and a process.

Without -v or --stats the log ends in the bytes alone: "sent 18,004 bytes  received 81 bytes  total size 18,000". Then
the times of its lines, whole seconds, tell the rate.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from graycard.importers.imported import stated_time
from graycard.importers.rsync_text import LOG_LINE, Session, take
from graycard.importers.text import Text

_OWN = re.compile(
    r"^(?:building file list|receiving file list|rsyncd version |rsync (?:to|on) \S|rsync(?: error)?: "
    r"|sent \S{1,30} bytes {1,4}received )"
)
_BEGIN = re.compile(r"^(?:building|receiving) file list$")
_FILE = re.compile(r"^[<>]f[+.?cstpoguaxn]{9,11} ")
# With a format of one's own, as a daemon's, what was done stands first.
_MOVED = re.compile(r"^(?:send|recv) ")


def is_own(text: Text) -> bool:
    """Whether a line is one of rsync's log."""
    # Marks of which each of these lines has one; most files of other tools have none.
    if not any(mark in text.whole for mark in ("rsync", " file list", " bytes ")):
        return False
    return any((match := LOG_LINE.match(line.text)) and _OWN.match(match[3]) for line in text)


def sessions(text: Text) -> Iterator[Session]:
    """Each transfer of the log, in the order of their ends; several processes may have written at once."""
    running: dict[str, Session] = {}
    ended: dict[str, Session] = {}
    for line in text:
        if match := LOG_LINE.match(line.text):
            moment, process, words = match.groups()
            if _BEGIN.match(words):
                yield from _told(running.pop(process, None))
                yield from _told(ended.pop(process, None))
            if process in ended:
                # What failed is told below the bytes.
                take(ended[process], words)
                continue
            session = running.setdefault(process, Session(is_logged=True))
            if _take(session, moment, words):
                ended[process] = running.pop(process)
    for session in (*ended.values(), *running.values()):
        yield from _told(session)


def _take(session: Session, moment: str, words: str) -> bool:
    time = stated_time(moment)
    session.last = time[0] if time else session.last
    session.began = session.began or session.last
    if _FILE.match(words):
        session.file_count = (session.file_count or 0) + 1
    elif _MOVED.match(words):
        session.moves_files = True
    return take(session, words)


def _told(session: Session | None) -> Iterator[Session]:
    """The transfer, if anything is told of it. A daemon that stops tells of 0 bytes."""
    if session and (session.error or session.closing or session.logged_bytes):
        yield session
