"""Reads what dd prints on its error output: GNU in every language, BSD, macOS and busybox.

Lines of progress (status=progress, USR1) lead to a last one, which counts. Several runs in one file stay results of
their own, for nothing says that they did the same. Whether dd read or wrote is only known where the command line
stands in the text; else the result is a copy.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from graycard.errors import ImportProblem
from graycard.importers import dd_command
from graycard.importers.dd_lines import Copied, Records, copied, records
from graycard.importers.imported import NO_TARGET, Figures, imported, measurement_id, result_id
from graycard.importers.memory_speed import long_enough, memory_speed
from graycard.importers.one_run import one_run
from graycard.importers.rows import bounded
from graycard.importers.text import Text, lines
from graycard.model import Check, Origin, Result, Verdict
from graycard.units import format_rate

TOOL = "dd"
# Without one of these no line can be dd's: most files of other tools are told so at once.
_HINT = re.compile(r"\d\+\d|B/|bytes/sec|dd: ")
_CACHED = "dd's output does not tell whether caches were bypassed or flushed: part of it may be memory's speed."
_NO_SPEED = (
    "dd printed its records but no time and no speed, as with status=noxfer and in some builds of busybox; measure "
    "without it, or with another dd."
)
_NOTHING = "dd copied 0 bytes: nothing was measured."


@dataclass(frozen=True, slots=True)
class _Block:
    """What belongs to one line of figures, or to a pair of records without one."""

    figures: Copied | None
    written: Records | None
    error: str | None
    operands: dict[str, str] | None
    line_number: int = 0

    @property
    def record_count(self) -> int:
        """Records that were written, whole and partial ones."""
        return self.written.whole_count + self.written.partial_count if self.written else 0

    @property
    def block_bytes(self) -> int | None:
        """The size of a record; None where they were not all whole."""
        if not self.figures or not self.written or self.written.partial_count or not self.written.whole_count:
            return None
        size, rest = divmod(self.figures.moved_bytes, self.written.whole_count)
        return size if size and not rest else None


class DdImporter:
    """dd of GNU coreutils, BSD, macOS and busybox."""

    name = TOOL

    def recognises(self, head: bytes) -> bool:
        """Whether a line has dd's three figures, or two lines its records."""
        if not _HINT.search(lines(head).whole):
            return False
        texts = [line.text for line in lines(head)]
        if any(records(first) and records(second) for first, second in pairwise(texts)):
            return True
        return any(_is_own(text) or _error(text) for text in texts)

    def read(self, data: bytes) -> tuple[Result, ...]:
        """A result for each run of dd in the text; ImportProblem where there is none."""
        text = lines(data)
        whole = measurement_id(data, TOOL)
        blocks = enumerate(_without_progress(_blocks(text)), 1)
        found = bounded((_result(block, whole, number) for number, block in blocks), TOOL)
        if not found:
            error = next((told for line in text if (told := _error(line.text))), None)
            why = f"dd failed before it copied anything: {error}" if error else "dd's text holds no line with a speed"
            raise ImportProblem(f"{why}; repeat the copy and keep what dd prints at its end")
        return found


def _is_own(text: str) -> bool:
    figures = copied(text)
    return figures is not None and (figures.agrees or figures.has_own_words)


def _error(text: str) -> str | None:
    told = text.removeprefix("dd: ")
    return told if told != text and ": " in told and len(told) < 1000 else None


def _blocks(text: Text) -> Iterator[_Block]:
    """Every pair of records with the figures behind it, and figures alone."""
    pending: list[Records] = []
    error: str | None = None
    operands: dict[str, str] | None = None
    for line in text:
        found, counted = copied(line.text), records(line.text)
        if found and (pending or found.agrees or found.has_own_words):
            yield _Block(found, pending[-1] if len(pending) > 1 else None, error, operands, line.number)
            pending, error = [], None
        elif counted:
            if len(pending) > 1:
                yield _Block(None, pending[-1], error, operands)
                pending, error = [], None
            pending.append(counted)
        elif told := _error(line.text):
            error = told
        elif given := dd_command.command(line.text):
            operands = given
    if len(pending) > 1:
        yield _Block(None, pending[-1], error, operands)


def _without_progress(blocks: Iterator[_Block]) -> Iterator[_Block]:
    """Blocks that the next one goes on from are progress of the same run, if the last of them has its records."""
    chain: list[_Block] = []
    for block in blocks:
        if chain and not _goes_on(chain[-1], block):
            yield from _ends(chain)
            chain = []
        chain.append(block)
    yield from _ends(chain)


def _ends(chain: list[_Block]) -> Iterator[_Block]:
    """The last of a chain. Without records they may be runs of their own, unless drawn over each other in one line."""
    if chain and chain[-1].written:
        yield chain[-1]
        return
    for block, after in pairwise([*chain, None]):
        if block and (after is None or after.line_number != block.line_number):
            yield block


def _goes_on(before: _Block, after: _Block) -> bool:
    first, second = before.figures, after.figures
    if not first or not second or before.operands is not after.operands or first.elapsed_ns >= second.elapsed_ns:
        return False
    if before.written and after.written:
        return first.moved_bytes < second.moved_bytes and before.block_bytes == after.block_bytes
    return first.moved_bytes <= second.moved_bytes


def _result(block: _Block, whole: str, number: int) -> Result:
    figures = block.figures
    moved = figures.moved_bytes if figures else 0
    trouble = _trouble(block)
    task = dd_command.task(block.operands, moved, block.block_bytes)
    if not moved:
        task = replace(task, byte_limit=None, unstated=(*task.unstated, "byte_limit"))
    rate = figures.rate_bytes_per_s if figures and not trouble else None
    return imported(
        result_id(whole, number),
        Origin(TOOL, None, None),
        task,
        Figures(rate_bytes_per_s=rate),
        measurement=whole,
        target=dd_command.target(block.operands) or NO_TARGET,
        runs=one_run(TOOL, moved, figures.elapsed_ns, ops_count=block.record_count) if figures and rate else (),
        checks=tuple(_checks(figures)) if figures and rate else (),
        caveats=(_CACHED,) if "cache" in task.unstated else (),
        trouble=trouble,
    )


def _trouble(block: _Block) -> str | None:
    moved = block.figures.moved_bytes if block.figures else None
    if block.error:
        after = "" if moved is None else f" after {moved} bytes"
        return f"dd failed{after}: {block.error}."
    if moved is None:
        return _NO_SPEED
    return None if moved else _NOTHING


def _checks(figures: Copied) -> Iterator[Check]:
    rate = figures.rate_bytes_per_s or 0.0
    stated = figures.stated_bytes_per_s
    verdict, says = Verdict.PASS, "The printed speed is bytes over seconds."
    if not figures.agrees:
        verdict = Verdict.FAIL
        says = (
            f"dd's line contradicts itself: it states {format_rate(stated)}, but its bytes over its seconds are "
            f"{format_rate(rate)}; do not use this figure."
        )
    yield Check("printed_rate", rate, stated, "bytes/s", figures.rounding_ratio, verdict, says)
    yield memory_speed(rate)
    yield long_enough(figures.elapsed_ns)
