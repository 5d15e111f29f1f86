"""elbencho's text: a phase is a few lines, each with the figure of the first thread done and of the last.

WRITE     Elapsed time     :       313ms       361ms
          IOPS             :         162         176
          Throughput MiB/s :         162         176
          IO latency       : [ min=1.67ms avg=10.5ms max=104ms ]
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from graycard.importers.elbencho_files import read_command
from graycard.importers.elbencho_phase import TOOL, Half, Phase
from graycard.importers.imported import stated_time
from graycard.importers.rows import MOST_COUNT, count, figure, limit, short_figure
from graycard.importers.text import Line
from graycard.model import Operation

# The head of its table, or the first line of a phase that is copied without it.
HEADER = re.compile(
    r"^[ \t>]{0,16}(?:OPERATION {1,12}RESULT TYPE {1,12}FIRST DONE {1,12}LAST DONE"
    r"|(?:WRITE|READ|RWMIX[A-Z0-9]{0,8}) {1,20}Elapsed (?:time|ms) {0,12}: {0,20}\d)",
    re.MULTILINE,
)
_BEGIN = re.compile(r"([A-Z][A-Z0-9_-]{1,20}) {1,20}Elapsed (time|ms) {0,12}: {0,20}(\S.{0,200})")
_LINE = re.compile(r"([A-Za-z][A-Za-z0-9/% ]{1,24}?) {0,12}: {0,20}(\S.{0,2000})")
_INTERRUPTED = ("Terminating due to interrupt signal", "ERROR: Terminating due to interrupt signal")
_TIME = re.compile(r"(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,9}(?:\.\d{1,3})?)s)?")
_LATENCY = re.compile(r"(min|avg|max)=(\d{1,12}(?:\.\d{1,3})?)(us|ms|s)?(?![\w.,])")
_LATENCY_NS = {"us": 1e3, "ms": 1e6, "s": 1e9}
_RANK = re.compile(r"(\d{1,2}(?:\.\d{1,6})?)%<=(\d{1,12})(?![\w.,])")
_RATE = re.compile(r"(?:Throughput )?(MiB|MB)/s( write| read)?")
_AMOUNT = re.compile(r"(?:Total MiB|MiB (write|read))")


def parse(text: Iterable[Line]) -> list[Phase]:
    """All phases in the order of the text, those without bytes too."""
    reader = _Reader()
    for line in text:
        reader.line(line)
    for phase in reader.phases:
        read_command(phase)
    return reader.phases


class _Reader:
    """Takes in line after line."""

    def __init__(self) -> None:
        self.phases: list[Phase] = []
        self._open = False
        self._began: str | None = None
        self._command: str | None = None

    def line(self, line: Line) -> None:
        """Take in the next line."""
        text = line.text.strip()
        if text.startswith("ISO DATE:"):
            self._began = text
        elif text.startswith("COMMAND LINE:"):
            self._command = text.partition(":")[2].strip()
        elif begin := _BEGIN.fullmatch(text):
            self.phases.append(self._phase(begin, line.number))
            limit(len(self.phases), TOOL)
            self._open = True
        elif self._open and (setting := _LINE.fullmatch(text)):
            _setting(self.phases[-1], setting[1], setting[2], line.number)
        elif text.startswith(("---", "OPERATION")):
            self._open = False
        elif text.startswith(_INTERRUPTED) and self.phases:
            self.phases[-1].interrupted = True

    def _phase(self, begin: re.Match[str], line: int) -> Phase:
        last = begin[3].split()[-1]
        elapsed = figure(last, TOOL, line) * 1e6 if begin[2] == "ms" else _time_ns(last)
        return Phase(
            begin[1],
            elapsed_ns=count(str(round(elapsed))) if elapsed and elapsed < MOST_COUNT else None,
            began=stated_time(self._began) if self._began else None,
            command=self._command,
            # Above an hour no milliseconds are printed.
            step_ns=1e9 if "h" in last else 1e6,
        )


def _operation(phase: Phase, half: str | None) -> Operation:
    reads = half == "read" if half else phase.name.startswith("READ")
    return Operation.READ if reads else Operation.WRITE


def _setting(phase: Phase, name: str, value: str, line: int) -> None:
    last = value.split()[-1]
    if name in {"IOPS", "IOPS read", "IOPS write"}:
        _half(phase, name.partition(" ")[2]).ops_per_s = short_figure(last, TOOL, line)
    elif rate := _RATE.fullmatch(name):
        phase.unit_bytes = 1 << 20 if rate[1] == "MiB" else 10**6
        _half(phase, (rate[2] or "").strip()).rate = short_figure(last, TOOL, line)
    elif amount := _AMOUNT.fullmatch(name):
        _half(phase, amount[1]).moved = count(last)
    elif name.startswith("IO") and ("latency" in name or " lat %" in name):
        half = _half(phase, {"rd": "read", "wr": "write"}.get(name.split()[1]))
        _latency(half, value)


def _half(phase: Phase, name: str | None) -> Half:
    return phase.halves.setdefault(_operation(phase, name or None), Half())


def _latency(half: Half, value: str) -> None:
    for which, latency, unit in _LATENCY.findall(value):
        found = float(latency) * _LATENCY_NS[unit or "us"]
        if which == "avg":
            half.mean_ns = found
        elif which == "max":
            half.latency_ns[100.0] = found
    for percentile, latency in _RANK.findall(value):
        if float(percentile) >= 50:
            half.latency_ns[float(percentile)] = int(latency) * 1e3


def _time_ns(text: str) -> float | None:
    """Nanoseconds of "361ms", "1.001s", "2m3.456s" or "3h25m45s"."""
    if text.endswith("ms") and text[:-2].isdigit() and len(text) < 15:
        return int(text[:-2]) * 1e6
    match = _TIME.fullmatch(text)
    if not match or not text:
        return None
    hours, minutes, seconds = (float(part or 0) for part in match.groups())
    return (hours * 3600 + minutes * 60 + seconds) * 1e9
