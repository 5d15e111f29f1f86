"""The reasons why two figures of one thing differ: one small function each. A new one is a function and a line here."""

from __future__ import annotations

from graycard.agree.beside import Finder
from graycard.agree.reasons.caches import cached, flush, small_file
from graycard.agree.reasons.data import codec, compressible, generator, repeated
from graycard.agree.reasons.figures import aggregate, first_run, other_unit, printed_unit, scatter, time_limit, wrong
from graycard.agree.reasons.load import block, depth, pauses, threads
from graycard.agree.reasons.setup import set_up

REASONS: tuple[Finder, ...] = (
    printed_unit,
    other_unit,
    wrong,
    cached,
    flush,
    compressible,
    depth,
    block,
    threads,
    pauses,
    aggregate,
    first_run,
    small_file,
    time_limit,
    codec,
    repeated,
    generator,
    set_up,
    scatter,
)
