"""rsync's lines as records of transfers.

Sizes are whole numbers with parted thousands ("131,072,000", in Germany "131.072.000"), with -h in units of 1000
("131.07M"), with -hh of 1024 with the same letters. The first line of a progress, of 32 KiB, tells the two apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from graycard.importers.rows import MOST_COUNT
from graycard.importers.text import Text, number, whole_number

# A line of a log: time, process, words. Those are read by rsync_log.
LOG_LINE = re.compile(r"^(\d{4}/\d\d/\d\d \d\d:\d\d:\d\d) \[(\d{1,10})\] (.{1,2000})$")
_SIZE = r"(\d[\d.,]{0,25})([KMGTP]?)"
_PROGRESS = re.compile(
    rf"^{_SIZE} {{1,12}}(\d{{1,3}})% {{1,12}}(\d[\d.,]{{0,15}})([kMGT]?)B/s {{1,12}}\d{{1,6}}:\d\d:\d\d"
    r"(?: {1,4}\((?:xfe?r)#(\d{1,9}), \S{2,8}=(\d{1,9})/(\d{1,9})\))?"
)
_SENT = re.compile(rf"^sent {_SIZE} bytes {{1,4}}received {_SIZE} bytes {{1,4}}{_SIZE} bytes/sec$")
_LOGGED = re.compile(rf"^sent {_SIZE} bytes {{1,4}}received {_SIZE} bytes {{1,4}}total size {_SIZE}$")
_TOTAL = re.compile(rf"^total size is {_SIZE} {{1,4}}speedup is (\S{{1,30}})(.*)$")
_TRANSFERRED = re.compile(rf"^Total transferred file size: {_SIZE}(?: bytes)?$")
_MATCHED = re.compile(rf"^Matched data: {_SIZE}(?: bytes)?$")
_COUNT = re.compile(r"^Number of (?:regular )?files transferred: (\d[\d.,]{0,15})$")
_REASON = re.compile(r"(?:^| )rsync: (?:\[\w{1,12}\] )?(\S.{1,400}: \S.{0,100} \(\d{1,3}\))$")
_ERROR = re.compile(r"rsync error: (.{1,200}? \(code \d{1,3}\))")
_UNITS = {"": 0, "k": 1, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5}
# Of so many whole seconds it is at most a third off.
_SHORTEST_S = 2.0


@dataclass(slots=True)
class _Progress:
    moved_bytes: int
    percent: int
    rate_bytes_per_s: float
    file_number: int | None


@dataclass(slots=True)
class Session:
    """One transfer, as far as it is told. `closing` is bytes on the wire and their rate, as printed at the end.

    Of a log (`is_logged`) the bytes may stand there alone, in `logged_bytes`; `began` and `last` are the times of its
    first and last line, and `moves_files` says that its format is not the usual one, so that files cannot be counted.
    """

    progress: list[_Progress] = field(default_factory=list)
    closing: tuple[float, float] | None = None
    total_bytes: int | None = None
    transferred_bytes: int | None = None
    matched_bytes: int | None = None
    file_count: int | None = None
    error: str | None = None
    is_dry_run: bool = False
    is_rounded: bool = False
    base: int = 1000
    is_logged: bool = False
    logged_bytes: float | None = None
    began: datetime | None = None
    last: datetime | None = None
    moves_files: bool = False

    @property
    def seen_bytes(self) -> int:
        """The most that a line of progress told."""
        return max((each.moved_bytes for each in self.progress), default=0)

    @property
    def moved_bytes(self) -> int | None:
        """The size of the files that were transferred."""
        if self.transferred_bytes is not None:
            return self.transferred_bytes
        return self.total_bytes if self.total_bytes is not None else self.seen_bytes or None

    @property
    def progress_bytes_per_s(self) -> float | None:
        """The rate of the whole, where the progress was of the whole: its last line has all the bytes."""
        ended = [each for each in self.progress if each.percent == 100]
        if not ended:
            return None
        last = ended[-1]
        known = self.transferred_bytes or self.total_bytes
        if known is not None:
            return last.rate_bytes_per_s if abs(last.moved_bytes - known) <= 0.01 * known else None
        numbers = {each.file_number for each in self.progress if each.file_number}
        # That of single files tells a number with what is whole alone.
        of_all = any(each.file_number and each.percent < 100 for each in self.progress)
        return last.rate_bytes_per_s if of_all or len(numbers) == 1 else None

    @property
    def _whole_s(self) -> float:
        """The seconds that rsync counted, whole ones."""
        return self.closing[0] / self.closing[1] - 0.5 if self.closing and self.closing[1] else 0.0

    @property
    def _logged_s(self) -> float:
        """The seconds between the log's first and last line."""
        return (self.last - self.began).total_seconds() if self.last and self.began else 0.0

    @property
    def closing_bytes_per_s(self) -> float | None:
        """The rate at the end, where the transfer was long enough for rsync's clock."""
        if self.logged_bytes is not None:
            return self.logged_bytes / self._logged_s if self._logged_s >= _SHORTEST_S else None
        return self.closing[1] if self.closing and self._whole_s >= _SHORTEST_S - 0.1 else None

    @property
    def closing_bounds(self) -> tuple[float, float] | None:
        """What the rate at the end may be at least and at most."""
        if self.closing_bytes_per_s is None:
            return None
        if self.logged_bytes is not None:
            moved, seconds = self.logged_bytes, self._logged_s
        else:
            moved, seconds = self.closing[0] if self.closing else 0.0, self._whole_s
        return moved / (seconds + 1), moved / (seconds - 1)


def is_own(text: Text) -> bool:
    """Whether a line is one that only rsync writes."""
    # Marks of which each of these lines has one; most files of other tools have none.
    if not any(mark in text.whole for mark in ("rsync", "bytes/sec", "fer#", "fr#")):
        return False
    for line in text:
        words = line.text.strip()
        progress = _PROGRESS.match(words)
        if _SENT.match(words) or _ERROR.search(words) or (progress and progress[6]) or _REASON.search(words):
            return True
    return False


def sessions(text: Text) -> Iterator[Session]:
    """Each transfer: it ends with its total size and an error below it, or with the text."""
    session, ended = Session(), None
    for line in text:
        words = line.text.strip()
        if LOG_LINE.match(words):
            continue
        if ended and words:
            _take_error(ended, words)
            yield ended
            ended = None
            if _ERROR.search(words):
                continue
        if words.startswith("sending incremental file list") and session.error:
            yield session
            session = Session()
        if take(session, words):
            session, ended = Session(), session
    if ended:
        yield ended
    if session.closing or session.error or session.progress:
        yield session


def take(session: Session, line: str) -> bool:
    """Take in a line; whether the transfer has ended with it."""
    _take_error(session, line)
    if match := _PROGRESS.match(line):
        _take_progress(session, match)
    elif match := _SENT.match(line):
        moved = _size(match[1], match[2], session.base) + _size(match[3], match[4], session.base)
        session.closing = (moved, _size(match[5], match[6], session.base))
    elif match := _LOGGED.match(line):
        session.logged_bytes = _size(match[1], match[2], session.base) + _size(match[3], match[4], session.base)
        session.total_bytes = _bytes(session, match[5], match[6])
        return True
    elif match := _TRANSFERRED.match(line):
        session.transferred_bytes = _bytes(session, match[1], match[2])
    elif match := _MATCHED.match(line):
        session.matched_bytes = _bytes(session, match[1], match[2])
    elif match := _COUNT.match(line):
        session.file_count = whole_number(match[1])
    elif match := _TOTAL.match(line):
        session.total_bytes = _bytes(session, match[1], match[2])
        session.is_dry_run = "DRY RUN" in match[4]
        return session.closing is not None
    return False


def _take_error(session: Session, line: str) -> None:
    """The reason, from the side that had it, says more than the code at the end."""
    match = _REASON.search(line) or _ERROR.search(line)
    if match and not session.error:
        session.error = match[1]


def _take_progress(session: Session, match: re.Match[str]) -> None:
    if not session.progress and (match[1], match[2]) == ("32.00", "K"):
        session.base = 1024
    rate = number(match[4])
    moved = _bytes(session, match[1], match[2])
    if rate is None:
        return
    found = _Progress(moved, int(match[3]), rate * 1024 ** _UNITS[match[5]], int(match[6]) if match[6] else None)
    session.progress.append(found)
    if found.file_number:
        session.file_count = found.file_number


def _bytes(session: Session, text: str, letter: str) -> int:
    session.is_rounded |= bool(letter)
    return round(_size(text, letter, session.base))


def _size(text: str, letter: str, base: int) -> float:
    """Two digits behind the last mark are fractions, anything else parts thousands."""
    fraction = bool(letter) or text[-3:-2] in (".", ",")
    value = number(text) if fraction else whole_number(text)
    found = float(value or 0) * base ** _UNITS[letter]
    return found if found < MOST_COUNT else 0.0
